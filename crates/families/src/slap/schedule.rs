//! Stations, rails between them, and a week of trains over these rails.

use std::collections::BinaryHeap;

use idpas_base::random::{Random, Weighted};

use super::Counts;
use crate::geography::{Point, rounded};

/// Hours in a week.
pub(super) const WEEK: i64 = 168;
/// Speed of trains, in miles per hour, stops included.
const TRAIN_SPEED: f64 = 25.0;

/// Stations on a map. The first ones are terminals, where trains begin and end.
pub(super) struct Map {
    pub(super) points: Vec<Point>,
    pub(super) terminals: usize,
    /// For each station, its neighbours in a shortest spanning tree.
    pub(super) tree: Vec<Vec<usize>>,
    /// For each station, its neighbours by rail: the tree and some short cuts.
    rails: Vec<Vec<usize>>,
}

/// The kind of a train, which decides how many locomotives it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Local,
    Intermodal,
    Manifest,
}

impl Kind {
    pub(super) fn letter(self) -> char {
        match self {
            Kind::Local => 'L',
            Kind::Intermodal => 'I',
            Kind::Manifest => 'M',
        }
    }
}

/// A train that runs once a week.
pub(super) struct Train {
    pub(super) kind: Kind,
    /// Its stations, in order.
    pub(super) stops: Vec<usize>,
    /// Hour of the week at which it leaves its first station.
    pub(super) departure: i64,
    /// Least number of locomotives that it needs.
    pub(super) lower: i64,
    /// Greatest number of locomotives on it.
    pub(super) upper: i64,
}

/// Hours for this many miles at this speed in miles per hour, rounded up, at least one.
pub(super) fn hours(miles: f64, speed: f64) -> i64 {
    ((miles / speed).ceil() as i64).max(1)
}

/// Hours of a train between two stations, rounded up.
pub(super) fn train_hours(map: &Map, from: usize, to: usize) -> i64 {
    hours(map.points[from].miles(map.points[to]), TRAIN_SPEED)
}

impl Map {
    pub(super) fn draw(random: &mut Random, counts: Counts) -> Self {
        let mut points = Point::spread(random, counts.stations, (0.0, 2_400.0), (0.0, 1_200.0));
        for point in &mut points {
            *point = Point {
                x: rounded(point.x, 1),
                y: rounded(point.y, 1),
            };
        }
        let tree = spanning_tree(&points);
        let mut rails = tree.clone();
        for station in 0..points.len() {
            for other in nearest(&points, station).into_iter().take(3) {
                if !rails[station].contains(&other) {
                    rails[station].push(other);
                    rails[other].push(station);
                }
            }
        }
        Self {
            points,
            terminals: counts.terminals,
            tree,
            rails,
        }
    }

    /// For each station, the stop before it on the shortest way over the rails that begins at `from`.
    fn ways(&self, from: usize) -> Vec<usize> {
        let n = self.points.len();
        let mut before = vec![from; n];
        let mut length = vec![i64::MAX; n];
        length[from] = 0;
        let mut heap = BinaryHeap::from([(std::cmp::Reverse(0i64), from)]);
        while let Some((std::cmp::Reverse(far), at)) = heap.pop() {
            if far > length[at] {
                continue;
            }
            for &next in &self.rails[at] {
                let reach = far + self.points[at].miles(self.points[next]) as i64;
                if reach < length[next] {
                    length[next] = reach;
                    before[next] = at;
                    heap.push((std::cmp::Reverse(reach), next));
                }
            }
        }
        before
    }
}

/// All other stations, the nearest first.
pub(super) fn nearest(points: &[Point], station: usize) -> Vec<usize> {
    let mut others: Vec<usize> = (0..points.len())
        .filter(|&other| other != station)
        .collect();
    others.sort_by(|&a, &b| {
        let far = |s: usize| points[station].distance(points[s]);
        far(a).total_cmp(&far(b)).then(a.cmp(&b))
    });
    others
}

/// For each station, its neighbours in a shortest spanning tree (Prim's algorithm).
fn spanning_tree(points: &[Point]) -> Vec<Vec<usize>> {
    let mut tree = vec![Vec::new(); points.len()];
    // For each station outside the tree: its distance to the tree, and the nearest station in it.
    let mut reach = vec![(f64::INFINITY, 0); points.len()];
    let mut inside = vec![false; points.len()];
    let mut at = 0;
    for _ in 1..points.len() {
        inside[at] = true;
        let mut next = None;
        for other in (0..points.len()).filter(|&other| !inside[other]) {
            let far = points[at].distance(points[other]);
            if far < reach[other].0 {
                reach[other] = (far, at);
            }
            if next.is_none_or(|best: usize| reach[other].0 < reach[best].0) {
                next = Some(other);
            }
        }
        let Some(found) = next else { break };
        tree[found].push(reach[found].1);
        tree[reach[found].1].push(found);
        at = found;
    }
    tree
}

/// Trains whose legs add up to exactly `counts.legs`.
///
/// Traffic flows from terminals that produce to terminals that consume, so that locomotives pile up where
/// it ends and must be brought back.
pub(super) fn draw_trains(random: &mut Random, map: &Map, counts: Counts) -> Vec<Train> {
    let potential: Vec<f64> = (0..map.terminals).map(|_| random.unit()).collect();
    let pairs: Vec<(usize, usize)> = (0..map.terminals)
        .flat_map(|a| (0..map.terminals).map(move |b| (a, b)))
        .filter(|(a, b)| a != b)
        .collect();
    let weights = Weighted::new(
        pairs
            .iter()
            .map(|&(a, b)| libm::exp(counts.imbalance * (potential[a] - potential[b]))),
    );
    let ways: Vec<Vec<usize>> = (0..map.terminals)
        .map(|terminal| map.ways(terminal))
        .collect();
    let way = |from: usize, to: usize| {
        let mut stops = vec![to];
        while let Some(&last) = stops.last()
            && last != from
        {
            stops.push(ways[from][last]);
        }
        stops.reverse();
        stops
    };
    let mut trains = Vec::new();
    let mut legs = 0;
    while legs < counts.legs {
        let kind = match random.below(10) {
            0..3 => Kind::Local,
            3..6 => Kind::Intermodal,
            _ => Kind::Manifest,
        };
        let mut stops = match kind {
            Kind::Local => local(random, map, &way),
            _ => {
                let (from, to) = pairs[weights.draw(random)];
                way(from, to)
            }
        };
        stops.truncate(counts.legs - legs + 1);
        let lower = match kind {
            Kind::Local => 1,
            Kind::Intermodal => random.between(2, 3),
            Kind::Manifest => random.between(2, 4),
        };
        legs += stops.len() - 1;
        trains.push(Train {
            kind,
            stops,
            departure: random.between(0, WEEK - 1),
            lower,
            upper: (lower + random.between(0, 4)).min(8),
        });
    }
    trains
}

/// The stops of a local train: from a terminal to a station near it, and mostly back again.
fn local(random: &mut Random, map: &Map, way: &dyn Fn(usize, usize) -> Vec<usize>) -> Vec<usize> {
    let terminal = random.below(map.terminals);
    let near = nearest(&map.points, terminal);
    let mut stops = way(terminal, near[random.below(near.len().min(8))]);
    if random.below(10) > 0 {
        let back: Vec<usize> = stops.iter().rev().skip(1).copied().collect();
        stops.extend(back);
    }
    stops
}
