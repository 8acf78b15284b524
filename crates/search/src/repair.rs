//! A selection that contradicts no row.
//!
//! One wrong zero can make a selection infeasible as a whole: a row that asks for one of several columns, all of them
//! taken for zero. Propagation sees such things without solving anything. So the columns are fixed in the order of
//! their sureness, each time with all that follows; a column that cannot have its value any more, or whose value leads
//! to a conflict, is released.

use idpas_mip::Model;
use idpas_mip::propagate::{Bounds, Propagator, Trail};

use crate::Selection;

/// Sweeps of each propagation.
pub(crate) const SWEEPS: usize = 10;
/// Columns fixed at once; where they conflict, halves of them, down to one.
const CHUNK: usize = 256;
/// Entries that propagation may look at, for each entry of the model and in any case. What has not been fixed by then
/// is released: scores that wrong are of no use.
const WORK_PER_ENTRY: u64 = 20;
const LEAST_WORK: u64 = 2_000_000;

/// Releases what contradicts the rows when all surer columns have their predicted value, and says how many columns
/// these are. What is left is consistent as far as propagation can see; there may be no solution all the same.
///
/// `bounds` are the model's, or tighter ones that follow from its rows.
pub fn repair(
    model: &Model,
    propagator: &Propagator<'_>,
    bounds: &Bounds,
    scores: &[f32],
    selection: &mut Selection,
) -> usize {
    // A one is as sure as its score is high, a zero as it is low.
    let doubt = |&(j, target): &(usize, f64)| match target {
        0.0 => scores[j],
        _ => 1.0 - scores[j],
    };
    let mut targets: Vec<(usize, f64)> = selection.targets().collect();
    targets.sort_by(|a, b| doubt(a).total_cmp(&doubt(b)).then(a.0.cmp(&b.0)));
    let kept = hold(model, propagator, bounds, &targets);
    let before = selection.len();
    selection.retain(|j| kept[j]);
    before - selection.len()
}

/// Fixes columns at values, the first ones first, and says for each column of the model whether it could be.
pub(crate) fn hold(
    model: &Model,
    propagator: &Propagator<'_>,
    bounds: &Bounds,
    targets: &[(usize, f64)],
) -> Vec<bool> {
    let mut work = Work {
        propagator,
        bounds: bounds.clone(),
        trail: Trail::default(),
        most: LEAST_WORK.max(WORK_PER_ENTRY * model.matrix.nonzeros() as u64),
        kept: vec![false; model.num_columns()],
    };
    for chunk in targets.chunks(CHUNK) {
        work.fix(chunk);
    }
    work.kept
}

struct Work<'a> {
    propagator: &'a Propagator<'a>,
    /// With everything fixed so far, and what follows.
    bounds: Bounds,
    trail: Trail,
    most: u64,
    kept: Vec<bool>,
}

impl Work<'_> {
    /// Fixes as many of these columns as possible, the first ones first.
    fn fix(&mut self, chunk: &[(usize, f64)]) {
        if self.trail.work > self.most {
            return;
        }
        let possible = |&(j, value): &(usize, f64)| {
            (self.bounds.lower[j]..=self.bounds.upper[j]).contains(&value)
        };
        let chunk: Vec<(usize, f64)> = chunk.iter().copied().filter(possible).collect();
        let columns: Vec<usize> = chunk.iter().map(|&(j, _)| j).collect();
        for &(j, value) in &chunk {
            self.trail.fix(j, value, &mut self.bounds);
        }
        let Work {
            propagator,
            bounds,
            trail,
            ..
        } = self;
        match propagator.tighten_after(&columns, bounds, SWEEPS, trail) {
            Ok(()) => {
                trail.commit();
                for j in columns {
                    self.kept[j] = true;
                }
            }
            Err(_) => {
                trail.undo(bounds);
                if chunk.len() > 1 {
                    let (surer, others) = chunk.split_at(chunk.len() / 2);
                    self.fix(surer);
                    self.fix(others);
                }
            }
        }
    }
}
