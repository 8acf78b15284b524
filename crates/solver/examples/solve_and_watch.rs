//! A solve whose incumbents are checked while it runs, and the same model solved again after a change.
//!
//! `cargo run --release -p idpas-solver --example solve_and_watch`
#![allow(clippy::print_stdout)]

use std::error::Error;

use idpas_mip::{Model, ModelBuilder, ModelError, Sense, VarKind};
use idpas_solver::judge::{Judge, JudgeOptions, Verdict};
use idpas_solver::{BoundChange, Control, Event, Params, by_name};

/// Which of six depots to open so that each of twelve towns, placed on a line, is served by an open one.
fn depots() -> Result<Model, ModelError> {
    let mut builder = ModelBuilder::new("depots", Sense::Minimize);
    let mut served = vec![Vec::new(); 12];
    for depot in 0..6 {
        let open = format!("open[{depot}]");
        let open = builder.column(&open, VarKind::Integer, 0.0, 1.0, 14.0)?;
        for (town, entries) in served.iter_mut().enumerate() {
            let distance = (2.0 * depot as f64 - town as f64).abs();
            let name = format!("serve[{depot},{town}]");
            let serve = builder.column(&name, VarKind::Integer, 0.0, 1.0, distance)?;
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
    let model = depots()?;
    let solver = by_name("highs")?;
    let params = Params::with_time_limit(10.0);

    // Each incumbent that is printed here has passed an exact check in the model as it was given.
    let mut judge = Judge::new(&model, JudgeOptions::default());
    let mut watch = |event: Event<'_>| {
        if let Event::Incumbent { time, values, .. } = event
            && judge.offer(values, time) == Verdict::Better
            && let Some(best) = judge.best()
        {
            println!("a solution of cost {}", best.objective);
        }
    };
    let mut control = Control {
        observer: Some(&mut watch),
        ..Control::default()
    };
    let mut loaded = solver.load(&model)?;
    let result = loaded.solve(&params, None, &mut control)?;
    let solution = judge.into_best().ok_or("no solution")?;
    println!(
        "{:?} with cost {}, bound {}",
        result.termination, solution.objective, result.bound
    );

    // A loaded model can be changed and solved again: what if the first depot that is open now may not be?
    let open =
        |j: &usize| model.columns.names.get(*j).starts_with("open") && solution.values[*j] > 0.5;
    let closed = (0..model.num_columns()).find(open).ok_or("no open depot")?;
    loaded.set_column_bounds(&[BoundChange::fixed(closed, 0.0)])?;
    let result = loaded.solve(&params, None, &mut Control::default())?;
    let best = result.best.ok_or("no solution")?;
    let name = model.columns.names.get(closed);
    println!("with {name} = 0 the cost is {}", best.objective);
    Ok(())
}
