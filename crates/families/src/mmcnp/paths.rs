//! All paths of commodities, and the choice of those that the model offers.

use super::TRUCK_POUNDS;
use super::reference::{Arc, Commodity, MILES_A_DAY, Path};
use crate::FamilyError;

/// Numbers arcs: first all vendor → centre, then centre → last mile, then centre → centre.
pub(super) struct ArcIndex {
    pub(super) vendors: usize,
    pub(super) centres: usize,
    pub(super) last_mile: usize,
}

impl ArcIndex {
    fn vendor_to_centre(&self, vendor: usize, centre: usize) -> usize {
        vendor * self.centres + centre
    }

    fn centre_to_last_mile(&self, centre: usize, last: usize) -> usize {
        self.vendors * self.centres + centre * self.last_mile + last
    }

    fn centre_to_centre(&self, from: usize, to: usize) -> usize {
        let base = (self.vendors + self.last_mile) * self.centres;
        base + from * (self.centres - 1) + to - usize::from(to > from)
    }
}

/// Chooses `total` paths: the direct path of each commodity, every path through one centre that arrives in time, and
/// as many through two centres as are still needed. Of these, the ones that are cheapest in comparison with the
/// commodity's best path through one centre are taken, so that they are not all short hauls.
pub(super) fn choose_paths(
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
        // The price of a path in dollars per pound: full trucks, and handling at centres.
        let price = |used: &[usize]| {
            let trucks: f64 = used.iter().map(|&a| arcs[a].cost).sum();
            trucks / TRUCK_POUNDS + 0.02 * (used.len() - 1) as f64
        };
        let mut best = f64::INFINITY;
        for c in 0..index.centres {
            let used = vec![
                index.vendor_to_centre(v, c),
                index.centre_to_last_mile(c, l),
            ];
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
                    index.vendor_to_centre(v, c),
                    index.centre_to_centre(c, d),
                    index.centre_to_last_mile(d, l),
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
