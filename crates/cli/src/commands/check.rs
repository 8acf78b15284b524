//! `idpas check`: checks a solution exactly in the original model.

use idpas_mip::check::{Report, Tolerances, Violation, check};
use idpas_mip::files::Input;
use idpas_mip::solution;
use serde::Serialize;

use crate::args::{CheckArgs, OutputFormat, Verbosity};
use crate::failure::{Done, Failure, NOTHING};
use crate::output::{Lines, json, read_with_warnings, warn};

#[derive(Serialize)]
pub(crate) struct CheckJson {
    feasible: bool,
    objective: f64,
    max_row_violation: f64,
    max_bound_violation: f64,
    max_integrality_violation: f64,
    worst_row: Option<ViolationJson>,
    worst_bound: Option<ViolationJson>,
    worst_integrality: Option<ViolationJson>,
}

#[derive(Serialize)]
struct ViolationJson {
    name: String,
    value: f64,
    lower: Option<f64>,
    upper: Option<f64>,
    violation: f64,
}

impl ViolationJson {
    fn new(v: &Violation) -> Self {
        let finite = crate::output::finite;
        ViolationJson {
            name: v.name.clone(),
            value: v.value,
            lower: finite(v.lower),
            upper: finite(v.upper),
            violation: v.violation,
        }
    }
}

impl CheckJson {
    pub(crate) fn new(report: &Report) -> Self {
        CheckJson {
            feasible: report.feasible,
            objective: report.objective,
            max_row_violation: report.max_row_violation(),
            max_bound_violation: report.max_bound_violation(),
            max_integrality_violation: report.max_integrality_violation(),
            worst_row: report.worst_row.as_ref().map(ViolationJson::new),
            worst_bound: report.worst_bound.as_ref().map(ViolationJson::new),
            worst_integrality: report.worst_integrality.as_ref().map(ViolationJson::new),
        }
    }
}

pub(crate) fn run(args: &CheckArgs, verbosity: Verbosity) -> Result<Done, Failure> {
    let model = read_with_warnings(&args.file, verbosity)?;
    let file = solution::read(&Input::path(&args.solution), &model).map_err(Failure::Solution)?;
    warn(&args.solution, &file.warnings, verbosity);
    let tolerances = Tolerances {
        feasibility: args.tolerance,
        integrality: args.integrality,
    };
    let report = check(&model, &file.solution.values, &tolerances)?;
    let code = if report.feasible { 0 } else { NOTHING };
    if args.format == OutputFormat::Json {
        return Ok(json(&CheckJson::new(&report))?.with_code(code));
    }
    let mut lines = Lines::default();
    lines
        .add("feasible", if report.feasible { "yes" } else { "no" })
        .add("objective", report.objective)
        .add(
            "rows",
            described(report.worst_row.as_ref(), report.violated_rows),
        )
        .add(
            "bounds",
            described(report.worst_bound.as_ref(), report.violated_bounds),
        )
        .add(
            "integrality",
            described(
                report.worst_integrality.as_ref(),
                report.violated_integrality,
            ),
        );
    Ok(lines.done().with_code(code))
}

fn described(worst: Option<&Violation>, violated: usize) -> String {
    match worst {
        None => "no violation".into(),
        Some(worst) if violated == 0 => format!("within tolerance; worst: {worst}"),
        Some(worst) => format!("{violated} violated; worst: {worst}"),
    }
}
