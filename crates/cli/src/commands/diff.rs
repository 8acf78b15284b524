//! `idpas diff`: shows the differences between two models, by name.

use std::path::PathBuf;

use idpas_base::words::visible;
use idpas_families::diff::{Change, compare};
use serde::Serialize;

use crate::args::{OutputFormat, Verbosity};
use crate::failure::{Done, Failure, NOTHING};
use crate::output::{json, read_with_warnings};

#[derive(Debug, clap::Args)]
pub(crate) struct DiffArgs {
    /// Model file: MPS or LP, plain or gzipped
    first: PathBuf,
    /// The model file to compare it with
    second: PathBuf,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

#[derive(Serialize)]
struct DiffJson {
    same: bool,
    changes: Vec<String>,
}

pub(crate) fn run(args: &DiffArgs, verbosity: Verbosity) -> Result<Done, Failure> {
    let first = read_with_warnings(&args.first, verbosity)?;
    let second = read_with_warnings(&args.second, verbosity)?;
    let changes: Vec<String> = compare(&first, &second)
        .iter()
        .map(Change::to_string)
        .collect();
    let code = if changes.is_empty() { 0 } else { NOTHING };
    if args.format == OutputFormat::Json {
        let same = changes.is_empty();
        return Ok(json(&DiffJson { same, changes })?.with_code(code));
    }
    let mut text = String::new();
    for change in &changes {
        text.push_str(&visible(change));
        text.push('\n');
    }
    Ok(Done::text(text).with_code(code))
}
