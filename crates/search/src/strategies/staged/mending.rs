//! Past solutions, mended row by row while there is no solution at all.
//!
//! A past solution that breaks some rows of the model is a point to begin with. Each broken row gets a slack column, and
//! sub-models around the broken rows look for less slack in all: they contain the point, so none of them is infeasible, and
//! what one wins the next one begins with. Without slack the point is a solution.

use idpas_mip::check::round_discrete;
use idpas_mip::propagate::Bounds;
use idpas_mip::reduce::Reduced;
use idpas_mip::{Matrix, Model, Sense, VarKind};
use idpas_solver::judge::Verdict;
use idpas_solver::{Control, Params, Start, Termination};

use super::Known;
use super::adaptive::growth;
use super::neighbourhoods::around;
use super::plan::{Piece, Plan};
use crate::driver::Search;
use crate::neighbourhood::ranked::View;
use crate::{SearchError, SourceReport, StageKind};

/// Columns of the first sub-models: so many at least, or one in this many.
const FIRST: usize = 100;
const FIRST_SHARE: usize = 20;
/// Fewest columns of a sub-model.
const LEAST: f64 = 20.0;
/// Sub-models in a row that bring nothing, after which the next past solution is mended.
const FRUITLESS: usize = 8;
/// A row is broken beyond this, relatively.
const ROW_SLACK: f64 = 1e-7;
/// A smaller relative reduction of the slack is none.
const NO_GAIN: f64 = 1e-6;
/// Coefficients of a row are not taken for smaller than this when its slack is priced.
const LEAST_COEFFICIENT: f64 = 1e-6;
/// Slack up to this is none: rows are met within tolerances.
const NO_SLACK: f64 = 1e-7;

/// A past solution that is being mended.
pub(super) struct Mending {
    /// Values of all columns, within the bounds; discrete ones are whole.
    values: Vec<f64>,
    /// How many columns a sub-model frees.
    size: f64,
    /// Sub-models in a row that brought nothing.
    fruitless: usize,
}

/// A row that a point breaks.
struct Broken {
    row: usize,
    /// What the row's activity lacks; negative if there is too much of it.
    lacks: f64,
    /// What a unit of slack costs: rows of large coefficients are broken by large amounts.
    cost: f64,
}

impl Search<'_, '_> {
    /// Takes one step in mending the next past solution; nothing is left to do after the last one.
    pub(super) fn mend(
        &mut self,
        known: &mut Known<'_>,
        plan: &mut Plan,
    ) -> Result<Piece, SearchError> {
        let model = self.problem.model;
        let Some(mut mending) = plan.mending.take().or_else(|| {
            let start = self.problem.starts.get(plan.next_mended)?;
            plan.next_mended += 1;
            Some(Mending::new(model, &known.bounds, start))
        }) else {
            return Ok(Piece::Last);
        };
        let broken = broken_rows(model, known.propagator.by_row(), &mending.values);
        let before = slack_of(&broken);
        if !broken.is_empty() {
            match self.mend_some(known, &mut mending, &broken) {
                Ok(()) => {}
                // A start that the solver cannot digest is one that does not help.
                Err(SearchError::Solver(_)) => return Ok(Piece::More),
                Err(error) => return Err(error),
            }
        }
        let left = broken_rows(model, known.propagator.by_row(), &mending.values);
        let after = slack_of(&left);
        if after <= NO_SLACK {
            self.take_mended(&mending.values, plan)?;
            return Ok(Piece::More);
        }
        // What was won is on the way to a first solution.
        plan.progress = SourceReport::FIRST_GAIN * (1.0 - after / before).max(0.0);
        if mending.fruitless < FRUITLESS {
            plan.mending = Some(mending);
        }
        Ok(Piece::More)
    }

    /// Searches the surroundings of a few broken rows for less slack.
    fn mend_some(
        &mut self,
        known: &mut Known<'_>,
        mending: &mut Mending,
        broken: &[Broken],
    ) -> Result<(), SearchError> {
        let model = self.problem.model;
        let began = self.control.time();
        let mut rows: Vec<usize> = broken.iter().map(|broken| broken.row).collect();
        known.random.shuffle(&mut rows);
        let view = View {
            current: &mending.values,
            bounds: &known.bounds,
            scores: None,
            relaxation: None,
            recent: &[],
            sure: 0.0,
        };
        let eligible = known.links.eligible(&view);
        let target = (mending.size as usize).min(eligible);
        let random = &mut known.random;
        let free = known.links.around_rows(&rows, target, &view, random);
        let window = f64::from(self.settings.staged.window);
        let within = around(
            model,
            &known.bounds,
            &mending.values,
            free.columns(),
            window,
        );
        let (elastic, bounds, point) = elastic(model, within, &mending.values, broken);
        let before = slack_of(broken);
        let limit = self.clock.sub(&self.settings.staged);
        let Ok(reduced) = Reduced::new(&elastic, &bounds) else {
            mending.fruitless += 1;
            return Ok(());
        };
        let mut loaded = self.problem.solver.load(reduced.model())?;
        let params = Params {
            time_limit: Some(limit),
            threads: self.sub_threads(),
            keep_solutions: 1,
            ..self.params.clone()
        };
        let mut control = Control {
            interrupt: self.control.interrupt.clone(),
            stop: self.stop.clone(),
            observer: None,
        };
        let start = Start::Complete(reduced.project(&point));
        let result = loaded.solve(&params, Some(&start), &mut control)?;
        let is_exhausted = result.termination == Termination::Optimal;
        let share = (self.control.time() - began) / limit;
        let better = |objective: f64| objective < before * (1.0 - NO_GAIN);
        match result.best.filter(|best| better(best.objective)) {
            Some(best) => {
                let mut values = reduced.expand(&best.values);
                values.truncate(model.num_columns());
                mending.values = round_discrete(model, &values);
                mending.fruitless = 0;
            }
            None => mending.fruitless += 1,
        }
        let size = mending.size * growth(is_exhausted, share);
        mending.size = size.min(eligible as f64).max(LEAST);
        Ok(())
    }

    /// Takes a point that breaks no row; where it fails the check, the solver finds its continuous columns again.
    fn take_mended(&mut self, values: &[f64], plan: &mut Plan) -> Result<(), SearchError> {
        let mut verdict = self.offer_now(values, StageKind::Start);
        if verdict == Verdict::Rejected {
            let limit = Some(self.clock.sub(&self.settings.staged));
            let solver = self.problem.solver;
            if let Some(values) = self.board.polish(solver, values, limit, &self.stop)? {
                verdict = self.offer_now(&values, StageKind::Start);
            }
        }
        plan.past.incumbents += usize::from(verdict == Verdict::Better);
        Ok(())
    }
}

impl Mending {
    /// A past solution within the bounds; what it does not say is as near to zero as they allow.
    fn new(model: &Model, bounds: &Bounds, start: &[f64]) -> Self {
        let columns = model.num_columns();
        let value = |j: usize| {
            let value = start.get(j).copied().filter(|value| value.is_finite());
            value
                .unwrap_or(0.0)
                .max(bounds.lower[j])
                .min(bounds.upper[j])
        };
        let values: Vec<f64> = (0..columns).map(value).collect();
        Mending {
            values: round_discrete(model, &values),
            size: FIRST.max(columns / FIRST_SHARE) as f64,
            fruitless: 0,
        }
    }
}

/// The rows that these values break.
fn broken_rows(model: &Model, by_row: &Matrix, values: &[f64]) -> Vec<Broken> {
    let mut all = Vec::new();
    for row in 0..model.num_rows() {
        let (lower, upper) = (model.rows.lower[row], model.rows.upper[row]);
        let (mut activity, mut largest) = (0.0, 0.0f64);
        for (j, a) in by_row.entries(row) {
            activity += a * values[j];
            largest = largest.max(a.abs());
        }
        let lacks = match activity {
            low if low < lower => lower - activity,
            high if high > upper => upper - activity,
            _ => 0.0,
        };
        if lacks.abs() > ROW_SLACK * activity.abs().max(1.0) {
            all.push(Broken {
                row,
                lacks,
                cost: 1.0 / largest.max(LEAST_COEFFICIENT),
            });
        }
    }
    all
}

/// What the slack of these rows costs.
fn slack_of(broken: &[Broken]) -> f64 {
    let costs = broken.iter().map(|broken| broken.cost * broken.lacks.abs());
    costs.sum()
}

/// The model in which broken rows may stay broken at a price and nothing else costs anything; its bounds, and the point.
fn elastic(
    model: &Model,
    within: Bounds,
    values: &[f64],
    broken: &[Broken],
) -> (Model, Bounds, Vec<f64>) {
    let mut elastic = model.clone();
    elastic.sense = Sense::Minimize;
    elastic.objective_constant = 0.0;
    elastic.columns.cost.fill(0.0);
    let (mut bounds, mut point) = (within, values.to_vec());
    for broken in broken {
        let columns = &mut elastic.columns;
        // Names are unique; the solver does not see them.
        let mut name = format!("slack {}", model.rows.names.get(broken.row));
        while columns.names.push(&name).is_err() {
            name.push('\'');
        }
        columns.cost.push(broken.cost);
        columns.lower.push(0.0);
        columns.upper.push(f64::INFINITY);
        columns.kind.push(VarKind::Continuous);
        elastic.matrix.push(broken.row, broken.lacks.signum());
        elastic.matrix.close();
        bounds.lower.push(0.0);
        bounds.upper.push(f64::INFINITY);
        point.push(broken.lacks.abs());
    }
    (elastic, bounds, point)
}

#[cfg(test)]
mod tests {
    use idpas_mip::ModelBuilder;

    use super::*;

    #[test]
    fn slack_makes_a_point_feasible() -> Result<(), idpas_mip::ModelError> {
        let mut b = ModelBuilder::new("two rows", Sense::Maximize);
        let x = b.column("x", VarKind::Integer, 0.0, 9.0, 5.0)?;
        let y = b.column("slack cover", VarKind::Continuous, 0.0, 9.0, 1.0)?;
        b.row("cover", 6.0, f64::INFINITY, [(x, 2.0), (y, 1.0)])?;
        b.row("most", f64::NEG_INFINITY, 1.0, [(x, 1.0)])?;
        b.row("held", 0.0, 9.0, [(y, 1.0)])?;
        let model = b.build()?;
        let by_row = model.matrix.transposed(model.num_rows());
        let values = [2.0, 0.0];
        let broken = broken_rows(&model, &by_row, &values);
        let found: Vec<(usize, f64)> = broken.iter().map(|b| (b.row, b.lacks)).collect();
        assert_eq!(found, [(0, 2.0), (1, -1.0)]);
        let within = Bounds::of(&model);
        let (elastic, bounds, point) = elastic(&model, within, &values, &broken);
        elastic.validate()?;
        assert_eq!(point, [2.0, 0.0, 2.0, 1.0]);
        assert_eq!(bounds.upper.len(), elastic.num_columns());
        let by_row = elastic.matrix.transposed(elastic.num_rows());
        assert!(broken_rows(&elastic, &by_row, &point).is_empty());
        // The row with larger coefficients costs less by unit, and the objective of the model counts for nothing.
        assert_eq!(elastic.objective(&point), 2.0 / 2.0 + 1.0);
        assert_eq!(elastic.objective(&point), slack_of(&broken));
        Ok(())
    }

    #[test]
    fn a_past_solution_is_brought_within_bounds() -> Result<(), idpas_mip::ModelError> {
        let mut b = ModelBuilder::new("bounds", Sense::Minimize);
        b.column("fixed", VarKind::Integer, 1.0, 1.0, 0.0)?;
        b.column("unknown", VarKind::Integer, 2.0, 9.0, 0.0)?;
        b.column("as it was", VarKind::Continuous, 0.0, 9.0, 0.0)?;
        let model = b.build()?;
        let mending = Mending::new(&model, &Bounds::of(&model), &[0.0, f64::NAN, 4.5]);
        assert_eq!(mending.values, [1.0, 2.0, 4.5]);
        Ok(())
    }
}
