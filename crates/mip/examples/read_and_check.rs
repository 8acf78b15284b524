//! A model in code, the same model as a file, and an exact check of a solution.
//!
//! `cargo run --release -p idpas-mip --example read_and_check`
#![allow(clippy::print_stdout)]

use std::error::Error;

use idpas_mip::check::{Tolerances, check};
use idpas_mip::{ModelBuilder, Sense, VarKind, read_model, write_model};

fn main() -> Result<(), Box<dyn Error>> {
    // Which of three parcels go on a van that carries 10 kg? The objective is what each one pays.
    let mut builder = ModelBuilder::new("van", Sense::Maximize);
    let books = builder.column("take[books]", VarKind::Integer, 0.0, 1.0, 9.0)?;
    let lamp = builder.column("take[lamp]", VarKind::Integer, 0.0, 1.0, 6.0)?;
    let tent = builder.column("take[tent]", VarKind::Integer, 0.0, 1.0, 5.0)?;
    let weights = [(books, 7.0), (lamp, 4.0), (tent, 5.0)];
    builder.row("weight", f64::NEG_INFINITY, 10.0, weights)?;
    let model = builder.build()?;

    // The path's ending says the format: .mps or .lp, each also with .gz.
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("van.mps.gz");
    write_model(&model, &path)?;

    // Reading looks at the content and keeps names exactly; oddities of the file come as warnings.
    let read = read_model(&path)?;
    assert!(read.warnings.is_empty());
    println!("{}: {:?}", read.model.name, read.model.shape());

    // Sums are exact, so no rounding hides a violation. Values are given by column.
    for values in [[0.0, 1.0, 1.0], [1.0, 1.0, 0.0]] {
        let report = check(&read.model, &values, &Tolerances::default())?;
        match report.worst_row.filter(|_| !report.feasible) {
            None => println!("{values:?} is feasible and worth {}", report.objective),
            Some(violation) => println!("{values:?} is not feasible: {violation}"),
        }
    }
    Ok(())
}
