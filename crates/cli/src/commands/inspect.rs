//! `idpas inspect`: shows the size and kind of a model.

use idpas_base::words::thousands;
use serde::Serialize;

use crate::args::{InspectArgs, OutputFormat, Verbosity};
use crate::failure::{Done, Failure};
use crate::output::{Lines, json, read_with_warnings};

#[derive(Serialize)]
struct Inspection<'a> {
    name: &'a str,
    rows: usize,
    columns: usize,
    binaries: usize,
    integers: usize,
    continuous: usize,
    nonzeros: usize,
    sense: &'static str,
    objective_constant: f64,
}

pub(crate) fn run(args: &InspectArgs, verbosity: Verbosity) -> Result<Done, Failure> {
    let model = read_with_warnings(&args.file, verbosity)?;
    let shape = model.shape();
    if args.format == OutputFormat::Json {
        return json(&Inspection {
            name: &model.name,
            rows: shape.rows,
            columns: shape.columns,
            binaries: shape.binaries,
            integers: shape.integers,
            continuous: shape.continuous,
            nonzeros: shape.nonzeros,
            sense: model.sense.as_str(),
            objective_constant: model.objective_constant,
        });
    }
    let mut lines = Lines::default();
    lines
        .add(
            "name",
            if model.name.is_empty() {
                "-"
            } else {
                &model.name
            },
        )
        .add("sense", model.sense.as_str())
        .add("rows", thousands(shape.rows))
        .add("columns", thousands(shape.columns))
        .add("  binaries", thousands(shape.binaries))
        .add("  integers", thousands(shape.integers))
        .add("  continuous", thousands(shape.continuous))
        .add("nonzeros", thousands(shape.nonzeros));
    if model.objective_constant != 0.0 {
        lines.add("constant", model.objective_constant);
    }
    Ok(lines.done())
}
