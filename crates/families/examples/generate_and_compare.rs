//! Two instances of a benchmark family, written as files and compared coefficient by coefficient.
//!
//! `cargo run --release -p idpas-families --example generate_and_compare`
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::ops::ControlFlow;

use idpas_families::mmcnp::Mmcnp;
use idpas_families::{GenerateOptions, InstanceFamily, Size, diff, generate};
use idpas_mip::read_model;

fn main() -> Result<(), Box<dyn Error>> {
    // The seed fixes the network of sites and routes; the number of an instance fixes its demand.
    let family = Mmcnp::new(Size::Tiny, 1)?;
    println!("{}: what varies is {}", family.name(), family.varies());

    // Instances are written in parallel. The closure is called after each of them and may end the work.
    let folder = tempfile::tempdir()?;
    let options = GenerateOptions::new(folder.path(), 2);
    let manifest = generate(&family, &options, &|_| ControlFlow::Continue(()))?;

    let mut days = Vec::new();
    for file in &manifest.instances {
        let model = read_model(folder.path().join(&file.name))?.model;
        let (columns, rows) = (model.num_columns(), model.num_rows());
        println!("{}: {columns} columns, {rows} rows", file.name);
        days.push(model);
    }

    // Both have columns with the same names, by which learning recognises a variable.
    assert_eq!(days[0].columns.names, days[1].columns.names);
    let changes = diff::compare(&days[0], &days[1]);
    println!("{} differences, the first: {}", changes.len(), changes[0]);
    Ok(())
}
