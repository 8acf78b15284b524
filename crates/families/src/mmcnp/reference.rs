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

/// How often the infrastructure is drawn again if it does not give the counts.
const ATTEMPTS: u64 = 100;

/// A vendor, fulfilment centre or last-mile centre.
#[derive(Clone, Debug, Serialize)]
pub struct Facility {
    /// `VND03`, `FC2`, `LMD11`.
    pub name: String,
    /// Miles east.
    pub x: f64,
    /// Miles north.
    pub y: f64,
}

/// A pair of facilities that trucks may serve.
#[derive(Clone, Debug, Serialize)]
pub struct Arc {
    /// `VND03>FC2`.
    pub name: String,
    /// Its length.
    pub miles: f64,
    /// Dollars per truck.
    pub cost: f64,
    /// The most trucks.
    pub max_trucks: f64,
}

/// What one vendor sends to one last-mile centre.
#[derive(Clone, Debug, Serialize)]
pub struct Commodity {
    /// `VND03>LMD11`.
    pub name: String,
    /// Miles of the direct way.
    pub miles: f64,
    /// Days within which it must arrive.
    pub lead_days: i64,
    /// Reference demand in pounds.
    pub demand: f64,
}

/// A way for a commodity.
#[derive(Clone, Debug, Serialize)]
pub struct Path {
    /// Which commodity, by index.
    pub commodity: usize,
    /// Fulfilment centres on the way, by index among centres; none for the direct way.
    pub through: Vec<usize>,
    /// Truck arcs used, by index; none for the direct way.
    pub arcs: Vec<usize>,
}

/// Everything that instances share.
#[derive(Clone, Debug, Serialize)]
pub struct Reference {
    /// `mmcnp`, or `mmcnp-lead-time`.
    pub family: &'static str,
    /// The size.
    pub size: &'static str,
    /// The seed.
    pub seed: u64,
    /// Vendors, then fulfilment centres, then last-mile centres.
    pub facilities: Vec<Facility>,
    /// Truck arcs: vendor to centre, centre to last mile, centre to centre.
    pub arcs: Vec<Arc>,
    /// Commodities with reference demand.
    pub commodities: Vec<Commodity>,
    /// Paths, by commodity.
    pub paths: Vec<Path>,
}

/// Names with as many digits as the largest needs.
fn named(kind: &str, count: usize) -> Vec<String> {
    let width = count.to_string().len();
    (1..=count).map(|i| format!("{kind}{i:0width$}")).collect()
}

impl Reference {
    /// Draws until enough paths arrive in time, which they do at once but for very small sizes.
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
        let [vendor_names, centre_names, last_names] = &names;
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
        for (v, vendor) in vendor_names.iter().enumerate() {
            for (c, centre) in centre_names.iter().enumerate() {
                arc(vendor, centre, sites.vendors[v], sites.centres[c]);
            }
        }
        for (c, centre) in centre_names.iter().enumerate() {
            for (l, last) in last_names.iter().enumerate() {
                arc(centre, last, sites.centres[c], sites.last_mile[l]);
            }
        }
        for (c, from) in centre_names.iter().enumerate() {
            for (d, to) in centre_names.iter().enumerate().filter(|&(d, _)| d != c) {
                arc(from, to, sites.centres[c], sites.centres[d]);
            }
        }

        let pairs = choose_pairs(&mut random, counts, &sites);
        let commodities: Vec<Commodity> = pairs
            .iter()
            .map(|&(v, l)| {
                let miles = sites.vendors[v].miles(sites.last_mile[l]);
                let soonest = ((miles / MILES_A_DAY).ceil() as i64).max(4);
                Commodity {
                    name: format!("{}>{}", vendor_names[v], last_names[l]),
                    miles,
                    lead_days: random.between(soonest, 14),
                    demand: random.log_normal(7.0, 0.96).clamp(40.0, 9_600.0).round(),
                }
            })
            .collect();
        let index = ArcIndex {
            vendors: counts.vendors,
            centres: counts.centres,
            last_mile: counts.last_mile,
        };
        let paths = choose_paths(&index, &pairs, &commodities, &arcs, counts.paths)?;
        let mut loads = vec![0.0; arcs.len()];
        for path in &paths {
            for &a in &path.arcs {
                loads[a] += commodities[path.commodity].demand;
            }
        }
        for (arc, load) in arcs.iter_mut().zip(loads) {
            arc.max_trucks = (load / TRUCK_POUNDS).ceil().clamp(7.0, 40.0);
        }
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

/// The cost of a truck over this distance.
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
