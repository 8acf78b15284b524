//! Narrower bounds: those that every better solution is within, and those that keep what is known of a solution.

use idpas_mip::propagate::Bounds;
use idpas_mip::{Model, Relaxation, Sense};
use idpas_solver::judge::CheckedSolution;

use super::Known;
use crate::repair::hold;

/// What reduced costs may be wrong by.
const SLACK: f64 = 1e-6;

impl Known<'_> {
    /// The bounds that every solution better than `best` is within, by the relaxation's reduced costs: a column cannot
    /// leave its bound if that alone costs more than the gap.
    pub(super) fn narrowed(&self, model: &Model, best: Option<&CheckedSolution>) -> Bounds {
        let mut bounds = self.bounds.clone();
        if let (Some(lp), Some(best)) = (&self.relaxation, best) {
            narrow(model, lp, best.objective, &best.values, &mut bounds);
        }
        bounds
    }

    /// The bounds with as many of these columns at their values as contradict no row. What is not zero comes first: it is
    /// fewer, and what a solution is about.
    pub(super) fn holding(&self, model: &Model, mut targets: Vec<(usize, f64)>) -> Bounds {
        targets.sort_by_key(|&(_, value)| value == 0.0);
        let kept = hold(model, self.propagator, &self.bounds, &targets);
        let mut bounds = self.bounds.clone();
        for (j, value) in targets.into_iter().filter(|(j, _)| kept[*j]) {
            (bounds.lower[j], bounds.upper[j]) = (value, value);
        }
        bounds
    }
}

/// Takes away what no solution better than `objective` has, but for the values of a solution that has it.
fn narrow(model: &Model, lp: &Relaxation, objective: f64, values: &[f64], bounds: &mut Bounds) {
    let sign = match model.sense {
        Sense::Minimize => 1.0,
        Sense::Maximize => -1.0,
    };
    let gap = sign * (objective - lp.objective) + lp.slack();
    if gap <= 0.0 {
        return;
    }
    for j in (0..model.num_columns()).filter(|&j| model.is_integer(j)) {
        let cost = sign * lp.reduced_costs[j];
        let (lower, upper) = (model.columns.lower[j], model.columns.upper[j]);
        let steps = (gap / cost.abs() + SLACK).floor();
        if cost > SLACK && lower.is_finite() {
            let most = lower.ceil() + steps;
            bounds.upper[j] = bounds.upper[j].min(most.max(values[j].round()));
        } else if cost < -SLACK && upper.is_finite() {
            let least = upper.floor() - steps;
            bounds.lower[j] = bounds.lower[j].max(least.min(values[j].round()));
        }
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;
    use idpas_mip::check::{Tolerances, check};
    use idpas_mip::{ModelBuilder, ModelError, VarKind};
    use idpas_solver::highs::Highs;
    use idpas_solver::{Control, Params, Solver};

    use super::*;

    /// Five integers between −1 and 3, of which rows and costs are drawn.
    fn model(random: &mut Rng) -> Result<Model, ModelError> {
        let sense = [Sense::Minimize, Sense::Maximize][random.usize(..2)];
        let mut b = ModelBuilder::new("", sense);
        for j in 0..5 {
            let (lower, width) = (random.i32(-1..2), random.i32(0..3));
            let (lower, upper) = (f64::from(lower), f64::from(lower + width));
            let cost = f64::from(random.i32(-9..10)) * [1.0, 0.25, 1e5][random.usize(..3)];
            b.column(&format!("x{j}"), VarKind::Integer, lower, upper, cost)?;
        }
        for i in 0..3 {
            let entries: Vec<(usize, f64)> =
                (0..5).map(|j| (j, f64::from(random.i32(-4..5)))).collect();
            let side = f64::from(random.i32(-2..9));
            b.row(&format!("r{i}"), f64::NEG_INFINITY, side, entries)?;
        }
        b.build()
    }

    /// All solutions, with their objective values.
    fn solutions(model: &Model) -> Vec<(f64, Vec<f64>)> {
        let mut points = vec![Vec::new()];
        for j in 0..model.num_columns() {
            let (low, high) = (model.columns.lower[j] as i64, model.columns.upper[j] as i64);
            let longer = |point: &Vec<f64>, x: i64| [&point[..], &[x as f64]].concat();
            let all = points.iter();
            points = all
                .flat_map(|p| (low..=high).map(move |x| longer(p, x)))
                .collect();
        }
        let solution = |x: Vec<f64>| {
            let report = check(model, &x, &Tolerances::default()).ok()?;
            report.feasible.then_some((report.objective, x))
        };
        points.into_iter().filter_map(solution).collect()
    }

    #[test]
    fn no_better_solution_is_cut_off() -> Result<(), Box<dyn std::error::Error>> {
        let (mut narrowed, mut kept) = (0, 0);
        for seed in 0..300 {
            let model = model(&mut Rng::with_seed(seed))?;
            let mut loaded = Highs.load(&model)?;
            let lp = loaded.solve_relaxation(&Params::default(), &mut Control::default())?;
            let Some(lp) = lp.solution else { continue };
            let all = solutions(&model);
            for (objective, values) in all.iter().step_by(7) {
                let mut bounds = Bounds::of(&model);
                narrow(&model, &lp, *objective, values, &mut bounds);
                narrowed += usize::from(bounds != Bounds::of(&model));
                let better = |other: &&(f64, _)| model.sense.is_better(other.0, *objective);
                for (_, x) in all
                    .iter()
                    .filter(better)
                    .chain([&(*objective, values.clone())])
                {
                    let within = |j: usize| (bounds.lower[j]..=bounds.upper[j]).contains(&x[j]);
                    assert!((0..5).all(within), "seed {seed}: {x:?} {bounds:?}");
                    kept += 1;
                }
            }
        }
        assert!(narrowed > 300 && kept > 1000, "{narrowed} {kept}");
        Ok(())
    }
}
