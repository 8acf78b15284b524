//! `idpas relax`: solves the linear relaxation and writes its values, duals and basis.

use std::fmt::Write;
use std::time::Instant;

use idpas_mip::files::save_bytes;
use idpas_mip::{BasisStatus, Relaxation};
use idpas_solver::{Control, HardStop, Params, Termination};
use serde::Serialize;

use crate::args::{OutputFormat, RelaxArgs, Verbosity};
use crate::failure::{Done, Failure, INTERNAL, NOTHING};
use crate::output::{Lines, csv_field, json, read_with_warnings, value};
use crate::target::refuse_unwritable;

#[derive(Serialize)]
struct RelaxJson {
    status: String,
    objective: Option<f64>,
    time: f64,
    iterations: u64,
}

pub(crate) fn run(args: &RelaxArgs, verbosity: Verbosity) -> Result<Done, Failure> {
    let solver = idpas_solver::by_name(&args.solver)?;
    refuse_unwritable(args.columns.iter().chain(&args.rows), &args.file)?;
    let model = read_with_warnings(&args.file, verbosity)?;
    let params = Params {
        time_limit: args.time_limit,
        ..Params::default()
    };
    let mut loaded = solver.load(&model)?;
    let mut control = Control {
        stop: HardStop::after(Instant::now(), args.time_limit),
        ..Control::default()
    };
    let result = loaded.solve_relaxation(&params, &mut control)?;
    if let Some(lp) = &result.solution {
        let Relaxation {
            values,
            reduced_costs,
            activities,
            duals,
            column_basis,
            row_basis,
            ..
        } = lp;
        if let Some(path) = &args.columns {
            let names = model.columns.names.iter();
            let table = table(
                "name,value,reduced_cost,basis",
                names,
                values,
                reduced_costs,
                column_basis,
            );
            save_bytes(path, table.as_bytes())?;
        }
        if let Some(path) = &args.rows {
            let names = model.rows.names.iter();
            let table = table(
                "name,activity,dual,basis",
                names,
                activities,
                duals,
                row_basis,
            );
            save_bytes(path, table.as_bytes())?;
        }
    }
    let code = match result.termination {
        Termination::Optimal => 0,
        Termination::Trouble(_) => INTERNAL,
        _ => NOTHING,
    };
    let objective = result.solution.as_ref().map(|lp| lp.objective);
    if args.format == OutputFormat::Json {
        let status = result.termination.as_str().to_owned();
        let shown = RelaxJson {
            status,
            objective,
            time: result.time,
            iterations: result.iterations,
        };
        return Ok(json(&shown)?.with_code(code));
    }
    let mut lines = Lines::default();
    lines
        .add("status", result.termination.as_str().replace('_', " "))
        .add("objective", objective.map_or("-".into(), value))
        .add("iterations", result.iterations)
        .add("time", format!("{:.2}s", result.time));
    Ok(lines.done().with_code(code))
}

fn table<'a>(
    header: &str,
    names: impl Iterator<Item = &'a str>,
    first: &[f64],
    second: &[f64],
    basis: &[BasisStatus],
) -> String {
    let mut text = format!("{header}\n");
    for (i, name) in names.enumerate() {
        let status = match basis[i] {
            BasisStatus::Lower => "lower",
            BasisStatus::Basic => "basic",
            BasisStatus::Upper => "upper",
            BasisStatus::Zero => "zero",
            BasisStatus::Nonbasic => "nonbasic",
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{},{},{},{status}",
            csv_field(name),
            first[i],
            second[i]
        );
    }
    text
}
