//! What HiGHS alone says of a model, to compare searches with.

use idpas_mip::Model;
use idpas_solver::highs::Highs;
use idpas_solver::judge::{CheckedSolution, Judge, JudgeOptions, Verdict};
use idpas_solver::{Control, Event, Params, SolveResult, Solver, relative_gap};

/// One solve of a whole model, without a search around it.
pub struct DirectSolve {
    /// What the solver gave back.
    pub result: SolveResult,
    /// The best incumbent that passed the check in the model.
    pub solution: Option<CheckedSolution>,
    /// Objective and, where finite, bound of each incumbent that passed and was better than those before.
    pub improvements: Vec<(f64, Option<f64>)>,
    /// How many incumbents failed the check. None of them is mended.
    pub rejected: usize,
}

impl DirectSolve {
    /// The relative gap between solution and bound.
    pub fn gap(&self) -> Option<f64> {
        let solution = self.solution.as_ref()?;
        relative_gap(solution.objective, self.result.bound)
    }
}

/// Solves a model with HiGHS and checks every incumbent.
pub fn solve_directly(model: &Model, params: &Params) -> DirectSolve {
    let mut judge = Judge::new(model, JudgeOptions::default());
    let (mut improvements, mut rejected) = (Vec::new(), 0);
    let mut observer = |event: Event<'_>| {
        let Event::Incumbent {
            time,
            bound,
            values,
            ..
        } = event
        else {
            return;
        };
        match judge.offer(values, time) {
            Verdict::Better => {
                let objective = judge.best().unwrap().objective;
                improvements.push((objective, Some(bound).filter(|bound| bound.is_finite())));
            }
            Verdict::Rejected => rejected += 1,
            Verdict::NoBetter => {}
        }
    };
    let mut control = Control {
        observer: Some(&mut observer),
        ..Control::default()
    };
    let mut loaded = Highs.load(model).unwrap();
    let result = loaded.solve(params, None, &mut control).unwrap();
    DirectSolve {
        result,
        solution: judge.into_best(),
        improvements,
        rejected,
    }
}
