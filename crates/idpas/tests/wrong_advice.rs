//! However wrong scores, starts, past solutions and model files are: never an infeasible answer, never a bound on the wrong side
//! of the optimum, never "infeasible" for a model that has a solution. The truth is found in exact arithmetic.
//!
//! The long run is `make advice`; the number of models, the first of them and the seed are `IDPAS_ADVICE_MODELS`,
//! `IDPAS_ADVICE_FIRST` and `IDPAS_ADVICE_SEED`.

mod advice;

use std::path::PathBuf;

use advice::campaign::Campaign;
use advice::claims::{Claim, faults};
use advice::guides::Guides;
use advice::models::{Case, Class};
use advice::tally::Tally;
use advice::truth::{Truth, truth};
use idpas::{Model, ModelBuilder, SearchStatus, Sense, VarKind};

fn number(variable: &str, otherwise: u64) -> u64 {
    let text = std::env::var(variable);
    text.map_or(otherwise, |text| text.parse().expect("a number"))
}

fn campaign(seed: u64, first: u64, models: u64) -> Tally {
    let folder = tempfile::tempdir().expect("a folder");
    let guides: Vec<Guides> = [1, 2]
        .map(|family| Guides::train(folder.path(), family).expect("guides"))
        .into();
    let campaign = Campaign {
        seed,
        first,
        models,
        guides: &guides,
        out: PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("wrong-advice"),
    };
    campaign.run()
}

#[test]
fn wrong_advice_never_makes_a_wrong_answer() {
    let tally = campaign(1, 0, 260);
    let report = tally.report();
    assert!(
        tally.faults.is_empty(),
        "{}\n{report}",
        tally.faults.join("\n")
    );
    assert_eq!(tally.wrong_by_solver(), 0, "{report}");
    // There was something to be wrong about.
    for truth in ["an optimum", "infeasible", "unbounded"] {
        assert!(tally.with_truth(truth) > 10, "{report}");
    }
    assert!(tally.with_status("optimal") > tally.runs() / 2, "{report}");
    assert!(tally.with_status("infeasible") > 50, "{report}");
    assert!(tally.with_status("unbounded") > 50, "{report}");
}

/// max 2x + y with 3x + 4y ≤ 7, x an integer between 0 and 2, y between 0 and `most`: 4.25 at (2, 1/4).
fn small(most: f64) -> Model {
    let mut b = ModelBuilder::new("small", Sense::Maximize);
    let x = b.column("x", VarKind::Integer, 0.0, 2.0, 2.0).expect("x");
    let y = b
        .column("y", VarKind::Continuous, 0.0, most, 1.0)
        .expect("y");
    b.row("r", f64::NEG_INFINITY, 7.0, [(x, 3.0), (y, 4.0)])
        .expect("r");
    b.build().expect("a model")
}

fn known(model: Model) -> Case {
    let truth = truth(&model).expect("a small model");
    Case {
        class: Class::Mixed,
        model,
        truth,
    }
}

#[test]
fn the_judge_catches_what_is_not_true() {
    let case = known(small(5.0));
    let Truth::Optimal(best) = &case.truth else {
        panic!("{:?}", case.truth)
    };
    assert_eq!(
        (best.value.approximate(), &best.point[..]),
        (4.25, &[2.0, 0.25][..])
    );
    let claim = |status, solution: Option<(&'static [f64], f64)>, bound: Option<f64>| {
        let claim = Claim {
            status,
            solution,
            bound,
            trajectory: (solution.iter())
                .map(|solution| (solution.1, bound))
                .collect(),
        };
        faults(&case, &claim).join("; ")
    };
    use SearchStatus::{Infeasible, Optimal, TimeLimit, Unbounded};
    let optimum: Option<(&[f64], f64)> = Some((&[2.0, 0.25], 4.25));
    let worse: Option<(&[f64], f64)> = Some((&[1.0, 1.0], 3.0));
    assert_eq!(claim(Optimal, optimum, Some(4.25)), "");
    assert_eq!(claim(TimeLimit, worse, Some(5.0)), "");
    assert_eq!(claim(TimeLimit, None, None), "");
    for (status, solution, bound, wrong) in [
        (Optimal, worse, Some(4.25), "the optimum is 4.25"),
        (Optimal, None, None, "without a solution"),
        (TimeLimit, worse, Some(4.2499), "cuts off the optimum"),
        (TimeLimit, worse, Some(f64::NAN), "the bound is NaN"),
        (Infeasible, None, None, "there is a solution"),
        (Infeasible, worse, None, "with a solution"),
        (Unbounded, None, None, "it is bounded"),
        (
            TimeLimit,
            Some((&[2.0, 0.2501][..], 4.2501)),
            None,
            "row 0 is violated",
        ),
        (
            TimeLimit,
            Some((&[3.0, 0.0][..], 6.0)),
            None,
            "out of bounds",
        ),
        (
            TimeLimit,
            Some((&[1.5, 0.0][..], 3.0)),
            None,
            "not an integer",
        ),
        (
            TimeLimit,
            Some((&[1.0, 1.0][..], 3.1)),
            None,
            "the objective is 3",
        ),
        (TimeLimit, Some((&[1.0][..], 2.0)), None, "no vector"),
    ] {
        let found = claim(status, solution, bound);
        assert!(found.contains(wrong), "{wrong}: {found}");
    }
    let early = Claim {
        status: Optimal,
        solution: optimum,
        bound: None,
        trajectory: vec![(3.0, Some(2.5)), (4.25, None)],
    };
    let found = faults(&case, &early).join("; ");
    assert!(found.contains("the bound 2.5 cuts off"), "{found}");
    // Within the tolerance of the row, a solution may be better than the optimum; a bound beyond it is wrong all the same.
    let within: Option<(&[f64], f64)> = Some((&[2.0, 0.25 + 2e-7], 4.25 + 2e-7));
    assert_eq!(claim(Optimal, within, Some(4.25 + 2e-7)), "");
}

#[test]
fn the_judge_knows_models_without_an_optimum() {
    let claim = |status| Claim {
        status,
        solution: None,
        bound: Some(1e9),
        trajectory: Vec::new(),
    };
    let mut model = small(5.0);
    model.rows.lower[0] = 7.5;
    model.rows.upper[0] = 8.0;
    model.columns.upper = vec![1.0, 1.0];
    let case = known(model);
    assert!(matches!(case.truth, Truth::Infeasible));
    assert!(faults(&case, &claim(SearchStatus::Infeasible)).is_empty());
    assert!(!faults(&case, &claim(SearchStatus::Unbounded)).is_empty());
    let beyond = Claim {
        solution: Some((&[1.0, 1.0], 3.0)),
        bound: Some(2.5),
        trajectory: vec![(3.0, None)],
        ..claim(SearchStatus::TimeLimit)
    };
    let found = faults(&case, &beyond).join("; ");
    assert!(found.contains("beyond the solution's 3"), "{found}");
    let mut model = small(f64::INFINITY);
    model.rows.upper[0] = f64::INFINITY;
    let case = known(model);
    assert!(matches!(case.truth, Truth::Unbounded));
    // Any bound is wrong.
    assert_eq!(faults(&case, &claim(SearchStatus::Unbounded)).len(), 1);
    assert_eq!(faults(&case, &claim(SearchStatus::Infeasible)).len(), 2);
}

#[test]
#[ignore = "takes long: make advice"]
#[allow(clippy::print_stdout)]
fn the_campaign() {
    let models = number("IDPAS_ADVICE_MODELS", 10_000);
    let first = number("IDPAS_ADVICE_FIRST", 0);
    let tally = campaign(number("IDPAS_ADVICE_SEED", 2026), first, models);
    println!("{}", tally.report());
    for fault in &tally.faults {
        println!("wrong: {fault}");
    }
    for fault in &tally.faults_of_solver {
        println!("wrong by the solver: {fault}");
    }
    let faults = tally.faults.len();
    assert!(faults == 0, "{faults} runs went wrong");
    // What a solver in doubles gets wrong by itself must stay rare.
    let by_solver = tally.wrong_by_solver() as u64;
    assert!(
        by_solver <= models / 1000 + 1,
        "the solver alone is wrong about {by_solver} models"
    );
}
