//! The infrastructure of MMCNP: facilities on a map, truck arcs, commodities and their paths.

use serde::Serialize;

use super::{Counts, TRUCK_POUNDS};
use crate::family::Size;
use crate::geography::{Point, rounded};
use crate::{FamilyError, random::Random};

/// The longest leg, in miles: coast to coast.
const LONGEST: f64 = 2_770.0;
/// Miles a truck drives in a day.
const MILES_A_DAY: f64 = 550.0;

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
    /// `mmcnp`.
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

/// Facilities while the rest is drawn.
struct Sites {
    vendors: Vec<Point>,
    centres: Vec<Point>,
    last_mile: Vec<Point>,
}

impl Sites {
    /// Vendors and last-mile centres anywhere; fulfilment centres inland and apart. The map is then scaled
    /// so that the longest leg is [`LONGEST`].
    fn draw(random: &mut Random, counts: Counts) -> Self {
        let anywhere = |random: &mut Random| Point::draw(random, (0.0, 2_500.0), (0.0, 1_200.0));
        let vendors: Vec<Point> = (0..counts.vendors).map(|_| anywhere(random)).collect();
        let e: Vec<f64> = std::env::var("FAM_FC")
            .unwrap_or("500,2000,240,960,0".into())
            .split(',')
            .map(|v| v.parse().unwrap())
            .collect();
        let centres = Point::spread(random, counts.centres, (e[0], e[1]), (e[2], e[3]));
        let last_mile: Vec<Point> = (0..counts.last_mile).map(|_| anywhere(random)).collect();
        let mut sites = Self {
            vendors,
            centres,
            last_mile,
        };
        let longest = sites
            .vendors
            .iter()
            .flat_map(|&v| sites.last_mile.iter().map(move |&l| v.distance(l)))
            .fold(1.0, f64::max);
        let scale = LONGEST / longest;
        for point in sites
            .vendors
            .iter_mut()
            .chain(&mut sites.centres)
            .chain(&mut sites.last_mile)
        {
            *point = Point {
                x: rounded(point.x * scale, 1),
                y: rounded(point.y * scale, 1),
            };
        }
        sites
    }
}

/// Arc numbers: all vendor → centre, then centre → last mile, then centre → centre.
struct ArcIndex {
    vendors: usize,
    centres: usize,
    last_mile: usize,
}

impl ArcIndex {
    fn from_vendor(&self, vendor: usize, centre: usize) -> usize {
        vendor * self.centres + centre
    }

    fn to_last_mile(&self, centre: usize, last: usize) -> usize {
        self.vendors * self.centres + centre * self.last_mile + last
    }

    fn between(&self, from: usize, to: usize) -> usize {
        let base = (self.vendors + self.last_mile) * self.centres;
        base + from * (self.centres - 1) + to - usize::from(to > from)
    }
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

/// Distinct (vendor, last-mile centre) pairs in which each vendor and each centre occurs.
fn choose_pairs(random: &mut Random, counts: Counts, sites: &Sites) -> Vec<(usize, usize)> {
    let mut pairs = std::collections::BTreeSet::new();
    for v in 0..counts.vendors {
        pairs.insert((v, random.below(counts.last_mile)));
    }
    for l in 0..counts.last_mile {
        if !pairs.iter().any(|&(_, other)| other == l) {
            pairs.insert((random.below(counts.vendors), l));
        }
    }
    let e: Vec<f64> = std::env::var("FAM_FC")
        .unwrap_or("500,2000,240,960,0".into())
        .split(',')
        .map(|v| v.parse().unwrap())
        .collect();
    let mut rest: Vec<(usize, usize)> = (0..counts.vendors)
        .flat_map(|v| (0..counts.last_mile).map(move |l| (v, l)))
        .filter(|pair| !pairs.contains(pair))
        .collect();
    random.shuffle(&mut rest);
    if e[4] > 0.0 {
        let key = |r: &mut Random, v: usize, l: usize| {
            -libm::log(r.unit()) * libm::exp(sites.vendors[v].distance(sites.last_mile[l]) / e[4])
        };
        let mut k: Vec<(f64, (usize, usize))> = rest
            .iter()
            .map(|&(v, l)| (key(random, v, l), (v, l)))
            .collect();
        k.sort_by(|a, b| a.0.total_cmp(&b.0));
        rest = k.into_iter().map(|x| x.1).collect();
    }
    let missing = counts.commodities.saturating_sub(pairs.len());
    pairs.extend(rest.into_iter().take(missing));
    pairs.into_iter().collect()
}

/// The direct path of each commodity, every path through one centre that arrives in time, and as many
/// through two centres as are still needed: those cheapest in comparison with the commodity's best path
/// through one centre, so that they are not all short hauls.
fn choose_paths(
    index: &ArcIndex,
    pairs: &[(usize, usize)],
    commodities: &[Commodity],
    arcs: &[Arc],
    total: usize,
) -> Result<Vec<Path>, FamilyError> {
    let mut paths = Vec::with_capacity(total);
    let mut candidates = Vec::new();
    for (k, (&(v, l), commodity)) in pairs.iter().zip(commodities).enumerate() {
        paths.push(Path {
            commodity: k,
            through: Vec::new(),
            arcs: Vec::new(),
        });
        let in_time = |used: &[usize]| {
            let miles: f64 = used.iter().map(|&a| arcs[a].miles).sum();
            miles / MILES_A_DAY <= commodity.lead_days as f64
        };
        // Dollars per pound in full trucks, plus handling.
        let price = |used: &[usize]| {
            let trucks: f64 = used.iter().map(|&a| arcs[a].cost).sum();
            trucks / TRUCK_POUNDS + 0.02 * (used.len() - 1) as f64
        };
        let mut best = f64::INFINITY;
        for c in 0..index.centres {
            let used = vec![index.from_vendor(v, c), index.to_last_mile(c, l)];
            best = best.min(price(&used));
            if in_time(&used) {
                paths.push(Path {
                    commodity: k,
                    through: vec![c],
                    arcs: used,
                });
            }
        }
        for c in 0..index.centres {
            for d in (0..index.centres).filter(|&d| d != c) {
                let used = vec![
                    index.from_vendor(v, c),
                    index.between(c, d),
                    index.to_last_mile(d, l),
                ];
                if in_time(&used) {
                    let path = Path {
                        commodity: k,
                        through: vec![c, d],
                        arcs: used,
                    };
                    candidates.push((price(&path.arcs) / best, path));
                }
            }
        }
    }
    let needed = total.saturating_sub(paths.len());
    if candidates.len() < needed {
        return Err(FamilyError::Reference {
            family: "mmcnp".into(),
            message: format!(
                "{needed} paths through two centres are needed, {} arrive in time",
                candidates.len()
            ),
        });
    }
    candidates.sort_by(|a, b| a.0.total_cmp(&b.0));
    paths.extend(candidates.into_iter().take(needed).map(|(_, path)| path));
    paths.sort_by(|a, b| {
        let key = |p: &Path| (p.commodity, p.through.len());
        key(a).cmp(&key(b)).then_with(|| a.through.cmp(&b.through))
    });
    Ok(paths)
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
            assert!(longest <= LONGEST && longest > 1_500.0, "{size}: {longest}");
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
