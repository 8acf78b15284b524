//! The infrastructure of MMCNP: facilities on a map, truck arcs, commodities and their paths.

use idpas_base::random::Random;
use serde::Serialize;

use super::paths::{ArcIndex, choose_paths};
use super::sites::{Sites, choose_pairs};
use super::{Counts, TRUCK_POUNDS};
use crate::FamilyError;
use crate::family::Size;
use crate::geography::{Point, rounded};

/// Miles a truck drives in a day.
pub(super) const MILES_A_DAY: f64 = 550.0;

/// How often the infrastructure is drawn before giving up, if it does not give the counts of its size.
const ATTEMPTS: u64 = 100;

/// A vendor, fulfilment centre or last-mile centre.
#[derive(Clone, Debug, Serialize)]
pub struct Facility {
    /// Its name: `VND03`, `FC2` or `LMD11`.
    pub name: String,
    /// Miles east of the map's south-west corner.
    pub x: f64,
    /// Miles north of the map's south-west corner.
    pub y: f64,
}

/// A pair of facilities that trucks may serve.
#[derive(Clone, Debug, Serialize)]
pub struct Arc {
    /// Its name: `VND03>FC2`.
    pub name: String,
    /// Its length in miles.
    pub miles: f64,
    /// Dollars per truck.
    pub cost: f64,
    /// The most trucks that can be bought.
    pub max_trucks: f64,
}

/// The goods that one vendor sends to one last-mile centre.
#[derive(Clone, Debug, Serialize)]
pub struct Commodity {
    /// Its name: `VND03>LMD11`.
    pub name: String,
    /// Length of the direct path in miles.
    pub miles: f64,
    /// Days within which it must arrive.
    pub lead_days: i64,
    /// Reference demand in pounds.
    pub demand: f64,
}

/// A path that a commodity may take.
#[derive(Clone, Debug, Serialize)]
pub struct Path {
    /// Index of the commodity.
    pub commodity: usize,
    /// Fulfilment centres that it passes, by index among centres; empty for the direct path.
    pub through: Vec<usize>,
    /// Truck arcs that it uses, by index; empty for the direct path.
    pub arcs: Vec<usize>,
}

/// The infrastructure, which all instances share.
#[derive(Clone, Debug, Serialize)]
pub struct Reference {
    /// `mmcnp`, or `mmcnp-lead-time`.
    pub family: &'static str,
    /// Name of the size.
    pub size: &'static str,
    /// The seed it was drawn from.
    pub seed: u64,
    /// Vendors, then fulfilment centres, then last-mile centres.
    pub facilities: Vec<Facility>,
    /// Truck arcs: vendor to centre, centre to last mile, centre to centre.
    pub arcs: Vec<Arc>,
    /// Commodities with reference demand.
    pub commodities: Vec<Commodity>,
    /// Paths, sorted by commodity.
    pub paths: Vec<Path>,
}

/// The names `KIND1`, `KIND2`, …, with leading zeros so that all have the same length.
fn named(kind: &str, count: usize) -> Vec<String> {
    let width = count.to_string().len();
    (1..=count).map(|i| format!("{kind}{i:0width$}")).collect()
}

impl Reference {
    /// Draws the infrastructure, again and again until enough paths arrive in time; the first draw does except for
    /// very small sizes.
    pub(super) fn draw(size: Size, seed: u64, counts: Counts) -> Result<Self, FamilyError> {
        let mut result = Self::attempt(size, seed, counts, 0);
        for attempt in 1..ATTEMPTS {
            if result.is_ok() {
                break;
            }
            result = Self::attempt(size, seed, counts, attempt);
        }
        result
    }

    fn attempt(size: Size, seed: u64, counts: Counts, attempt: u64) -> Result<Self, FamilyError> {
        let mut random = Random::new(seed, &format!("mmcnp {size} reference"), attempt);
        let sites = Sites::draw(&mut random, counts);
        let names = [
            named("VND", counts.vendors),
            named("FC", counts.centres),
            named("LMD", counts.last_mile),
        ];
        let points = sites
            .vendors
            .iter()
            .chain(&sites.centres)
            .chain(&sites.last_mile);
        let facilities = names
            .iter()
            .flatten()
            .zip(points)
            .map(|(name, point)| Facility {
                name: name.clone(),
                x: point.x,
                y: point.y,
            })
            .collect();

        let mut arcs = truck_arcs(&sites, &names);
        let pairs = choose_pairs(&mut random, counts, &sites);
        let commodities = draw_commodities(&mut random, &pairs, &sites, &names);
        let index = ArcIndex {
            vendors: counts.vendors,
            centres: counts.centres,
            last_mile: counts.last_mile,
        };
        let paths = choose_paths(&index, &pairs, &commodities, &arcs, counts.paths)?;
        limit_trucks(&mut arcs, &paths, &commodities);
        Ok(Self {
            family: "mmcnp",
            size: size.as_str(),
            seed,
            facilities,
            arcs,
            commodities,
            paths,
        })
    }
}

/// All truck arcs, without the limit of trucks: vendor to centre, centre to last mile, centre to centre.
fn truck_arcs(sites: &Sites, [vendors, centres, last_mile]: &[Vec<String>; 3]) -> Vec<Arc> {
    let mut arcs = Vec::new();
    let mut arc = |from: &str, to: &str, a: Point, b: Point| {
        let miles = a.miles(b);
        arcs.push(Arc {
            name: format!("{from}>{to}"),
            miles,
            cost: truckload(miles),
            max_trucks: 0.0,
        });
    };
    for (v, vendor) in vendors.iter().enumerate() {
        for (c, centre) in centres.iter().enumerate() {
            arc(vendor, centre, sites.vendors[v], sites.centres[c]);
        }
    }
    for (c, centre) in centres.iter().enumerate() {
        for (l, last) in last_mile.iter().enumerate() {
            arc(centre, last, sites.centres[c], sites.last_mile[l]);
        }
    }
    for (c, from) in centres.iter().enumerate() {
        for (d, to) in centres.iter().enumerate().filter(|&(d, _)| d != c) {
            arc(from, to, sites.centres[c], sites.centres[d]);
        }
    }
    arcs
}

/// A commodity for each (vendor, last-mile centre) pair, with a random lead time and reference demand.
fn draw_commodities(
    random: &mut Random,
    pairs: &[(usize, usize)],
    sites: &Sites,
    [vendors, _, last_mile]: &[Vec<String>; 3],
) -> Vec<Commodity> {
    let commodity = |&(v, l): &(usize, usize)| {
        let miles = sites.vendors[v].miles(sites.last_mile[l]);
        let soonest = ((miles / MILES_A_DAY).ceil() as i64).max(4);
        Commodity {
            name: format!("{}>{}", vendors[v], last_mile[l]),
            miles,
            lead_days: random.between(soonest, 14),
            demand: random.log_normal(7.0, 0.96).clamp(40.0, 9_600.0).round(),
        }
    };
    pairs.iter().map(commodity).collect()
}

/// Sets the most trucks of each arc, between 7 and 40, by the reference demand of all paths that use it.
fn limit_trucks(arcs: &mut [Arc], paths: &[Path], commodities: &[Commodity]) {
    let mut loads = vec![0.0; arcs.len()];
    for path in paths {
        for &a in &path.arcs {
            loads[a] += commodities[path.commodity].demand;
        }
    }
    for (arc, load) in arcs.iter_mut().zip(loads) {
        arc.max_trucks = (load / TRUCK_POUNDS).ceil().clamp(7.0, 40.0);
    }
}

/// The cost of a truck over this distance, in dollars.
pub(super) fn truckload(miles: f64) -> f64 {
    rounded(750.0 + 1.27 * miles, 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_is_a_continent() {
        for size in Size::ALL {
            let r = Reference::draw(size, 3, Counts::of(size)).unwrap();
            let miles: Vec<f64> = r.arcs.iter().map(|a| a.miles).collect();
            let mean = miles.iter().sum::<f64>() / miles.len() as f64;
            assert!((400.0..900.0).contains(&mean), "{size}: {mean}");
            let longest = r.commodities.iter().map(|c| c.miles).fold(0.0, f64::max);
            assert!((1_500.0..=2_773.0).contains(&longest), "{size}: {longest}");
        }
    }

    #[test]
    fn every_path_arrives_in_time_and_every_facility_is_used() {
        let r = Reference::draw(Size::Large, 5, Counts::of(Size::Large)).unwrap();
        for path in &r.paths {
            let commodity = &r.commodities[path.commodity];
            let miles: f64 = match path.arcs.is_empty() {
                true => commodity.miles,
                false => path.arcs.iter().map(|&a| r.arcs[a].miles).sum(),
            };
            assert!(miles / MILES_A_DAY <= commodity.lead_days as f64);
        }
        for facility in &r.facilities {
            let uses = |name: &str| name.split('>').any(|end| end == facility.name);
            assert!(r.commodities.iter().any(|c| uses(&c.name)) || facility.name.starts_with("FC"));
        }
    }
}
