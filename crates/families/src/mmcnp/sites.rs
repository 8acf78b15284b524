//! The places of facilities, and the pairs of them between which goods are sent.

use std::collections::BTreeSet;

use idpas_base::random::Random;

use super::Counts;
use crate::geography::{Point, rounded};

/// Width of the map in miles. Its diagonal, which no leg exceeds, is 2,773 miles.
const WIDTH: f64 = 2_500.0;
/// Height of the map in miles.
const HEIGHT: f64 = 1_200.0;
/// The most miles that vendors and last-mile centres are away from a coast.
const COAST: f64 = 900.0;
/// Share of commodities, between 0 and 1, whose ends are drawn without regard to distance.
const FAR_PART: f64 = 0.4;
/// The other commodities become rarer by a factor e every so many miles.
const NEAR: f64 = 100.0;

/// The places of all facilities.
pub(super) struct Sites {
    pub(super) vendors: Vec<Point>,
    pub(super) centres: Vec<Point>,
    pub(super) last_mile: Vec<Point>,
}

impl Sites {
    /// Draws places: vendors and last-mile centres on two coasts, most on the eastern one and fewer towards the
    /// interior; fulfilment centres inland and far apart.
    pub(super) fn draw(random: &mut Random, counts: Counts) -> Self {
        let coast = |random: &mut Random| {
            let from_coast = COAST * random.unit().sqrt();
            let western = random.below(5) == 0;
            Point {
                x: rounded(
                    if western {
                        from_coast
                    } else {
                        WIDTH - from_coast
                    },
                    1,
                ),
                y: rounded(random.uniform(0.0, HEIGHT), 1),
            }
        };
        let inland = |random: &mut Random, count| {
            let middle = WIDTH / 2.0;
            let mut points = Point::spread(
                random,
                count,
                (middle - 150.0, middle + 150.0),
                (100.0, HEIGHT - 100.0),
            );
            for point in &mut points {
                *point = Point {
                    x: rounded(point.x, 1),
                    y: rounded(point.y, 1),
                };
            }
            points
        };
        Self {
            vendors: (0..counts.vendors).map(|_| coast(random)).collect(),
            centres: inland(random, counts.centres),
            last_mile: (0..counts.last_mile).map(|_| coast(random)).collect(),
        }
    }

    fn distance(&self, (vendor, last): (usize, usize)) -> f64 {
        self.vendors[vendor].distance(self.last_mile[last])
    }
}

/// Draws distinct (vendor, last-mile centre) pairs in which each vendor and each centre occurs: [`FAR_PART`] of them
/// without regard to distance, the others mostly near.
pub(super) fn choose_pairs(
    random: &mut Random,
    counts: Counts,
    sites: &Sites,
) -> Vec<(usize, usize)> {
    let mut pairs = BTreeSet::new();
    for v in 0..counts.vendors {
        pairs.insert((v, random.below(counts.last_mile)));
    }
    for l in 0..counts.last_mile {
        if !pairs.iter().any(|&(_, other)| other == l) {
            pairs.insert((random.below(counts.vendors), l));
        }
    }
    let mut rest: Vec<(usize, usize)> = (0..counts.vendors)
        .flat_map(|v| (0..counts.last_mile).map(move |l| (v, l)))
        .filter(|pair| !pairs.contains(pair))
        .collect();
    random.shuffle(&mut rest);
    let far = (FAR_PART * counts.commodities as f64) as usize;
    let split = rest.len().min(far);
    // Sorting by exponential random numbers divided by rates draws without replacement, in proportion to the rates.
    let mut keyed: Vec<(f64, (usize, usize))> = rest
        .drain(split..)
        .map(|pair| {
            let rarity = libm::exp(sites.distance(pair) / NEAR);
            (-libm::log(1.0 - random.unit()) * rarity, pair)
        })
        .collect();
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    rest.extend(keyed.into_iter().map(|(_, pair)| pair));
    let missing = counts.commodities.saturating_sub(pairs.len());
    pairs.extend(rest.into_iter().take(missing));
    pairs.into_iter().collect()
}
