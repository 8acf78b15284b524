//! Collect, train, solve: `cargo run --release -p idpas --example three_calls -- INSTANCES NEXT.mps`.
//!
//! INSTANCES is a folder of MPS or LP files of the same kind, NEXT.mps the one to solve.

#![allow(clippy::print_stdout)]

use idpas::{Collect, CollectSettings, Family, Guide, Solve, SolveControl, Train, TrainControl};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let instances = arguments.next().ok_or("expected a folder of instances")?;
    let next = arguments.next().ok_or("expected an instance to solve")?;
    let seconds = CollectSettings {
        time_limit: 2.0,
        ..CollectSettings::default()
    };
    let collect = Collect {
        settings: seconds,
        ..Collect::default()
    };

    let family = Family::collect(instances, &collect, &mut |_| {})?;
    let guide = Guide::train(&family, &Train::default(), &mut TrainControl::default())?;
    let model = idpas::read_model(next)?.model;
    let options = Solve::with_time_limit(10.0);
    let solved = idpas::solve(&model, Some(&guide), &options, &mut SolveControl::default())?;

    let solution = solved.outcome.solution.ok_or("no solution was found")?;
    println!("{}: {}", solved.outcome.status.as_str(), solution.objective);
    Ok(())
}
