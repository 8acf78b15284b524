//! Who is to blame when nothing is feasible with many columns held at zero.

use idpas_mip::propagate::Bounds;
use idpas_mip::{Model, Sense};
use idpas_solver::{BoundChange, Control, Params};

use crate::driver::Search;
use crate::{SearchError, Selection};

/// Values below this are zero.
const ZERO: f64 = 1e-7;
/// Scores are not taken for surer than this.
const SUREST: f32 = 1e-4;

/// The columns that the linear relaxation needs most: it may use all of `selection`, at a price that is the higher the
/// surer the scores are that a column is zero. None if that is not found in the time.
pub(super) fn blamed(
    search: &Search<'_, '_>,
    bounds: &Bounds,
    scores: &[f32],
    selection: &Selection,
    limit: f64,
) -> Result<Vec<usize>, SearchError> {
    let model: &Model = search.problem.model;
    let mut loaded = search.problem.solver.load(model)?;
    let changes: Vec<BoundChange> = (0..model.num_columns())
        .map(|index| BoundChange {
            index,
            lower: bounds.lower[index],
            upper: bounds.upper[index],
        })
        .collect();
    loaded.set_column_bounds(&changes)?;
    let mut costs: Vec<(usize, f64)> = (0..model.num_columns()).map(|j| (j, 0.0)).collect();
    // A column that can be negative would be paid for being so: it is blamed as it is.
    let (priced, negative): (Vec<usize>, Vec<usize>) =
        selection.zeros().partition(|&j| bounds.lower[j] >= 0.0);
    for &j in &priced {
        costs[j].1 = -f64::from(scores[j].clamp(SUREST, 1.0)).ln();
    }
    loaded.set_costs(&costs)?;
    loaded.set_objective(Sense::Minimize, 0.0)?;
    let mut control = Control {
        stop: search.stop.clone(),
        ..Control::default()
    };
    let params = Params::with_time_limit(limit);
    let lp = loaded.solve_relaxation(&params, &mut control)?;
    let Some(lp) = lp.solution else {
        return Ok(Vec::new());
    };
    let needed = priced.into_iter().filter(|&j| lp.values[j] > ZERO);
    Ok(needed.chain(negative).collect())
}
