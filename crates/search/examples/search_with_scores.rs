//! Today's model, searched first where yesterday's solution says that good solutions are.
//!
//! `cargo run --release -p idpas-search --example search_with_scores`
#![allow(clippy::print_stdout)]

use std::error::Error;

use idpas_mip::{Model, ModelBuilder, ModelError, Sense, VarKind};
use idpas_search::{Method, SearchControl, SearchProblem, SearchSettings, measure, search};
use idpas_solver::{Params, by_name};

/// Which of ten depots to open for forty towns; the towns' demand differs from day to day.
fn depots(day: usize) -> Result<Model, ModelError> {
    let mut builder = ModelBuilder::new("depots", Sense::Minimize);
    let mut served = vec![Vec::new(); 40];
    for depot in 0..10 {
        let opening = 150.0 + (depot * 37 % 50) as f64;
        let open = builder.column(
            &format!("open[{depot}]"),
            VarKind::Integer,
            0.0,
            1.0,
            opening,
        )?;
        for (town, entries) in served.iter_mut().enumerate() {
            let demand = 1.0 + ((town * 13 + day * 7) % 5) as f64;
            let distance = (4.0 * depot as f64 - town as f64).abs();
            let name = format!("serve[{depot},{town}]");
            let serve = builder.column(&name, VarKind::Integer, 0.0, 1.0, demand * distance)?;
            let name = format!("only_open[{depot},{town}]");
            builder.row(&name, f64::NEG_INFINITY, 0.0, [(serve, 1.0), (open, -1.0)])?;
            entries.push((serve, 1.0));
        }
    }
    for (town, entries) in served.into_iter().enumerate() {
        builder.row(&format!("served[{town}]"), 1.0, 1.0, entries)?;
    }
    builder.build()
}

fn main() -> Result<(), Box<dyn Error>> {
    let solver = by_name("highs")?;
    let params = Params::with_time_limit(20.0);

    // Yesterday nothing was known: the solver alone.
    let yesterday = depots(1)?;
    let problem = SearchProblem::new(solver.as_ref(), &yesterday);
    let alone = SearchSettings::of(Method::Solver);
    let outcome = search(&problem, &alone, &params, &mut SearchControl::default())?;
    let past = outcome.solution.ok_or("no solution")?;
    println!(
        "yesterday: {} with cost {}",
        outcome.status.as_str(),
        past.objective
    );

    // A score is the probability that a variable is not zero. A trained model gives better ones than this.
    let likely = |&value: &f64| if value > 0.5 { 0.95 } else { 0.05 };
    let scores: Vec<f32> = past.values.iter().map(likely).collect();

    // Today. What the scores say is only a place to begin: the answer and the bound are those of the whole model.
    let today = depots(2)?;
    let problem = SearchProblem {
        scores: Some(&scores),
        ..SearchProblem::new(solver.as_ref(), &today)
    };
    let settings = SearchSettings::of(Method::Idpas);
    let outcome = search(&problem, &settings, &params, &mut SearchControl::default())?;
    let best = outcome.solution.ok_or("no solution")?;
    println!(
        "today: {} with cost {}",
        outcome.status.as_str(),
        best.objective
    );
    for stage in &outcome.stages {
        println!(
            "a stage of {} of {} columns",
            stage.columns,
            today.num_columns()
        );
    }
    let first = outcome.trajectory.first().ok_or("no solution")?.objective;
    let gap = 100.0 * measure::primal_gap(Some(first), best.objective);
    println!("the first solution was {gap:.2} % off");
    Ok(())
}
