//! The variant with lead times: how often trucks leave, and how long commodities wait for them.
//!
//! An arc has f = 1 … 7 dispatches a week, each with a truck of its own, or none. A commodity on the arc waits up
//! to 1/f weeks. A path p with the truck arcs a ∈ p may be taken if every arc is operated and
//!
//! ```text
//!   Σ_{a∈p} 7/f_a ≤ lead_k − miles_p/550      days
//! ```
//!
//! # The rows
//! Time is counted in sixtieths of a day. A week has 420 of them, which every f divides, so a wait t(f) = 420/f is a
//! whole number and so may be the budget: B_p is the largest sum of |p| waits within the time that is left.
//! If all other legs leave daily, a leg may still wait B_p − 60·(|p| − 1); so g_p, the least f with t(f) within
//! that, is a frequency that each leg of p needs.
//!
//! ```text
//!   frequency[a]       Σ_f w[a,f] ≤ 1
//!   dispatch[a]        Σ_f f·w[a,f] ≤ y[a]
//!   operate[k,a,g]     Σ_{p∋a, g_p≥g} x[k,p] ≤ Σ_{f≥g} w[a,f]                        each g = g_p of a p ∋ a
//!   wait[k,p]          Σ_{a∈p} Σ_f min(t(f), t(g_p))·w[a,f] + M_p·x[k,p] ≤ |p|·t(g_p)    M_p = |p|·t(g_p) − B_p
//!   x[k,p] ≤ 0         if no frequencies are enough: B_p does not exist
//! ```
//!
//! They are exact. With `x[k,p]` = 1, `operate` leaves only f ≥ g_p, where the minimum is t(f), and `wait` says
//! Σ t(f_a) ≤ B_p. With `x[k,p]` = 0 the left side of `wait` cannot exceed its right side. One `operate` row serves all
//! paths of a commodity, of which it takes one; g_p makes M_p much smaller than the 420·|p| − B_p that would be
//! needed without it, and where M_p = 0, `operate` says it all and `wait` is left out.

use std::collections::{BTreeMap, BTreeSet};

use idpas_mip::{ModelBuilder, ModelError, VarKind};

use super::instance::path_name;
use super::reference::{MILES_A_DAY, Path, Reference};

/// The most dispatches a week.
pub const MAX_FREQUENCY: usize = 7;

/// A week, in sixtieths of a day.
const WEEK: usize = 420;
/// A day, in sixtieths of a day.
const DAY: usize = 60;

/// The longest wait for one of `frequency` dispatches a week, in sixtieths of a day: t(f).
fn wait(frequency: usize) -> usize {
    WEEK / frequency
}

/// What a path needs of the frequencies of its arcs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// Nothing, because the path uses no truck.
    Nothing,
    /// More than is possible: even daily dispatches are too slow.
    TooMuch,
    /// Waits that sum up to at most `budget` (B_p, in sixtieths of a day), so at least `least` (g_p) dispatches a week
    /// on each leg.
    Within { budget: usize, least: usize },
}

impl Need {
    pub(super) fn of(reference: &Reference, path: &Path) -> Self {
        let legs = path.arcs.len();
        if legs == 0 {
            return Need::Nothing;
        }
        let miles: f64 = path.arcs.iter().map(|&a| reference.arcs[a].miles).sum();
        let lead = reference.commodities[path.commodity].lead_days as f64;
        // All numbers are whole before the division, so the comparison below is exact.
        let left = (DAY as f64 * (lead * MILES_A_DAY - miles) / MILES_A_DAY).floor();
        let sums = (0..legs).fold(BTreeSet::from([0]), |sums, _| {
            let longer = |sum| (1..=MAX_FREQUENCY).map(move |f| sum + wait(f));
            sums.into_iter().flat_map(longer).collect()
        });
        let within = sums.into_iter().take_while(|&sum| sum as f64 <= left);
        within.last().map_or(Need::TooMuch, |budget| {
            let longest = budget - wait(MAX_FREQUENCY) * (legs - 1);
            let least = (1..=MAX_FREQUENCY).find(|&f| wait(f) <= longest);
            Need::Within {
                budget,
                least: least.unwrap_or(MAX_FREQUENCY),
            }
        })
    }
}

/// Adds the columns and rows of lead times to a model whose columns are the paths and then the arcs' trucks.
pub(super) fn extend(
    builder: &mut ModelBuilder,
    reference: &Reference,
    needs: &[Need],
) -> Result<(), ModelError> {
    let trucks = reference.paths.len();
    let mut w = Vec::with_capacity(reference.arcs.len());
    for arc in &reference.arcs {
        let mut columns = [0; MAX_FREQUENCY];
        for (f, column) in (1..).zip(&mut columns) {
            let name = format!("w[{},{f}]", arc.name);
            *column = builder.column(&name, VarKind::Integer, 0.0, 1.0, 0.0)?;
        }
        w.push(columns);
    }
    let mut at_most = |name: String, side: usize, entries: Vec<(usize, f64)>| {
        builder.row(&name, f64::NEG_INFINITY, side as f64, entries)
    };
    for (arc, columns) in reference.arcs.iter().zip(&w) {
        let entries = columns.iter().map(|&w| (w, 1.0)).collect();
        at_most(format!("frequency[{}]", arc.name), 1, entries)?;
    }
    for (a, (arc, columns)) in reference.arcs.iter().zip(&w).enumerate() {
        let per_week = (1..).zip(columns).map(|(f, &w)| (w, f64::from(f)));
        let entries = per_week.chain([(trucks + a, -1.0)]).collect();
        at_most(format!("dispatch[{}]", arc.name), 0, entries)?;
    }

    // For each (commodity, arc): the paths that use the arc, with the least frequency of each.
    let mut uses: BTreeMap<(usize, usize), Vec<(usize, usize)>> = BTreeMap::new();
    for (x, (path, need)) in reference.paths.iter().zip(needs).enumerate() {
        if let Need::Within { least, .. } = *need {
            for &arc in &path.arcs {
                let key = (path.commodity, arc);
                uses.entry(key).or_default().push((x, least));
            }
        }
    }
    for ((k, a), paths) in uses {
        let levels: BTreeSet<usize> = paths.iter().map(|&(_, least)| least).collect();
        let (commodity, arc) = (&reference.commodities[k].name, &reference.arcs[a].name);
        for g in levels {
            let users = paths.iter().filter(|&&(_, least)| least >= g);
            let enough = w[a][g - 1..].iter().map(|&w| (w, -1.0));
            let entries = users.map(|&(x, _)| (x, 1.0)).chain(enough).collect();
            at_most(format!("operate[{commodity},{arc},{g}]"), 0, entries)?;
        }
    }

    for (x, (path, need)) in reference.paths.iter().zip(needs).enumerate() {
        let Need::Within { budget, least } = *need else {
            continue;
        };
        let most = path.arcs.len() * wait(least);
        if most > budget {
            let waits = |&a: &usize| (1..).zip(w[a]).map(|(f, w)| (w, wait(f.max(least)) as f64));
            let mut entries: Vec<_> = path.arcs.iter().flat_map(waits).collect();
            entries.push((x, (most - budget) as f64));
            at_most(
                format!("wait[{}]", path_name(reference, path)),
                most,
                entries,
            )?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use idpas_mip::check::{Checker, Tolerances};

    use super::super::instance;
    use super::super::reference::{Arc, Commodity, Facility};
    use super::*;

    /// One vendor, two centres, one last-mile centre, all four paths.
    fn one_commodity(lead_days: i64) -> Reference {
        let facility = |name: &str| Facility {
            name: name.into(),
            x: 0.0,
            y: 0.0,
        };
        let arc = |(name, miles): (&str, f64)| Arc {
            name: name.into(),
            miles,
            cost: 1_000.0,
            max_trucks: 7.0,
        };
        let path = |through: &[usize], arcs: &[usize]| Path {
            commodity: 0,
            through: through.into(),
            arcs: arcs.into(),
        };
        Reference {
            family: "mmcnp-lead-time",
            size: "tiny",
            seed: 0,
            facilities: ["VND1", "FC1", "FC2", "LMD1"].map(facility).into(),
            arcs: [
                ("VND1>FC1", 400.0),
                ("VND1>FC2", 900.0),
                ("FC1>LMD1", 700.0),
                ("FC2>LMD1", 300.0),
                ("FC1>FC2", 250.0),
            ]
            .map(arc)
            .into(),
            commodities: vec![Commodity {
                name: "VND1>LMD1".into(),
                miles: 1_000.0,
                lead_days,
                demand: 100.0,
            }],
            paths: vec![
                path(&[], &[]),
                path(&[0], &[0, 2]),
                path(&[1], &[1, 3]),
                path(&[0, 1], &[0, 4, 3]),
            ],
        }
    }

    /// What the rows must say, in 33,000ths of a day: operated arcs, and waits within what is left.
    fn in_time(reference: &Reference, path: &Path, frequencies: &[usize]) -> bool {
        let lead = 60 * 550 * reference.commodities[0].lead_days;
        let used = path.arcs.iter().map(|&a| {
            let (f, miles) = (frequencies[a] as i64, reference.arcs[a].miles as i64);
            (f > 0).then(|| 60 * miles + 550 * 420 / f)
        });
        used.sum::<Option<i64>>().is_some_and(|time| time <= lead)
    }

    #[test]
    fn the_rows_admit_exactly_the_paths_that_arrive_in_time() {
        let mut seen = [0, 0];
        for lead_days in [3, 4, 5, 7, 10, 14, 25] {
            let reference = one_commodity(lead_days);
            let model = instance::model(&reference, &[100.0], true).unwrap();
            let checker = Checker::new(&model);
            for code in 0..8_usize.pow(5) {
                let frequencies: Vec<usize> = (0..5).map(|a| code >> (3 * a) & 7).collect();
                for (p, path) in reference.paths.iter().enumerate() {
                    let mut x = vec![0.0; model.num_columns()];
                    x[p] = 1.0;
                    for (a, &f) in frequencies.iter().enumerate() {
                        // One truck is needed for the freight itself.
                        x[4 + a] = f.max(usize::from(path.arcs.contains(&a))) as f64;
                        if f > 0 {
                            x[9 + 7 * a + f - 1] = 1.0;
                        }
                    }
                    let report = checker.check(&x, &Tolerances::default()).unwrap();
                    let expected = in_time(&reference, path, &frequencies);
                    assert_eq!(report.feasible, expected, "{lead_days} {frequencies:?} {p}");
                    seen[usize::from(expected)] += 1;
                }
            }
        }
        assert!(seen.iter().all(|&n| n > 50_000), "{seen:?}");
    }

    #[test]
    fn budgets_are_sums_of_waits() {
        // 1,100 miles take two days. Of four days two are left: a day each.
        let need = |lead| Need::of(&one_commodity(lead), &one_commodity(lead).paths[1]);
        let within = |budget, least| Need::Within { budget, least };
        assert_eq!(need(3), Need::TooMuch);
        assert_eq!(need(4), within(120, 7));
        // Three days: 105 + 70 sixtieths fit best, and 105 is a dispatch four times a week.
        assert_eq!(need(5), within(175, 4));
        // Fourteen days of waiting are two weekly dispatches.
        assert_eq!(need(16), within(840, 1));
        assert_eq!(
            Need::of(&one_commodity(4), &one_commodity(4).paths[0]),
            Need::Nothing
        );
    }
}
