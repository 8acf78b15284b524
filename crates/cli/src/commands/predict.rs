//! `idpas predict`: computes a score for each discrete variable.

use std::fmt::Write;
use std::path::PathBuf;

use clap::ValueEnum;
use idpas_learn::{PredictOptions, Prediction, TrainedModel, UseIdentity, on_threads};
use idpas_mip::Model;
use idpas_mip::files::save_bytes;
use idpas_search::PredictionSeconds;
use serde::Serialize;

use crate::args::{Verbosity, seconds};
use crate::failure::{Done, Failure};
use crate::output::{csv_field, json, one_line, read_with_warnings, tell};
use crate::target::refuse_unwritable;

/// When to go by identities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum IdentityName {
    /// If the model knows at least half of the discrete variables
    #[default]
    Auto,
    /// Always
    On,
    /// Never
    Off,
}

impl From<IdentityName> for UseIdentity {
    fn from(name: IdentityName) -> Self {
        match name {
            IdentityName::Auto => UseIdentity::Auto,
            IdentityName::On => UseIdentity::On,
            IdentityName::Off => UseIdentity::Off,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ScoreFormat {
    /// A line `name,score` per discrete variable
    #[default]
    Csv,
    /// The same, with how much of the instance the model knows
    Json,
}

#[derive(Debug, clap::Args)]
pub(crate) struct PredictArgs {
    /// Model file of the instance: MPS or LP, plain or gzipped
    file: PathBuf,
    /// Trained model
    #[arg(long, value_name = "MODEL")]
    model: PathBuf,
    /// Whether to go by which variable is which
    #[arg(long, value_enum, default_value_t)]
    identity: IdentityName,
    /// Seconds for the linear relaxation
    #[arg(long, value_name = "S", value_parser = seconds)]
    time_limit: Option<f64>,
    /// Threads; one per processor by default
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Write the scores to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How to write the scores: P(x ≠ 0) of each discrete variable
    #[arg(long, value_enum, default_value_t)]
    format: ScoreFormat,
}

#[derive(Serialize)]
struct PredictJson<'a> {
    model: String,
    predictor: &'static str,
    with_identity: bool,
    known_columns: f64,
    known_rows: f64,
    seconds: PredictionSeconds,
    scores: Vec<ScoreJson<'a>>,
}

#[derive(Serialize)]
struct ScoreJson<'a> {
    name: &'a str,
    /// The score; `null` in JSON where the predictor has none.
    score: Option<f32>,
}

pub(crate) fn run(args: &PredictArgs, verbosity: Verbosity) -> Result<Done, Failure> {
    refuse_unwritable(&args.out, &args.file)?;
    let trained = TrainedModel::read(&args.model)?;
    let model = read_with_warnings(&args.file, verbosity)?;
    let options = PredictOptions {
        identity: args.identity.into(),
        relaxation_limit: args.time_limit,
        ..PredictOptions::default()
    };
    let prediction = on_threads(args.threads, || trained.predict(&model, &options))??;
    if verbosity > Verbosity::Quiet {
        for warning in &prediction.warnings {
            tell(&one_line(&format!("warning: {warning}")));
        }
    }
    let done = match args.format {
        ScoreFormat::Csv => Done::data(csv(&model, &prediction)),
        ScoreFormat::Json => {
            let scores = discrete(&model, &prediction);
            json(&PredictJson {
                model: args.model.display().to_string(),
                predictor: trained.predictor.kind().as_str(),
                with_identity: prediction.with_identity,
                known_columns: prediction.fit.columns,
                known_rows: prediction.fit.rows,
                seconds: prediction.seconds,
                scores: scores
                    .map(|(name, score)| ScoreJson { name, score })
                    .collect(),
            })?
        }
    };
    match &args.out {
        Some(path) => {
            save_bytes(path, done.text.as_bytes())?;
            Ok(Done::default())
        }
        None => Ok(done),
    }
}

/// The names and scores of all discrete columns.
fn discrete<'a>(
    model: &'a Model,
    prediction: &'a Prediction,
) -> impl Iterator<Item = (&'a str, Option<f32>)> {
    let columns = (0..model.num_columns()).filter(|&j| model.is_integer(j));
    columns.map(|j| {
        let score = prediction.scores[j];
        (
            model.columns.names.get(j),
            (!score.is_nan()).then_some(score),
        )
    })
}

fn csv(model: &Model, prediction: &Prediction) -> String {
    let mut text = String::from("name,score\n");
    for (name, score) in discrete(model, prediction) {
        let score = score.map_or(String::new(), |score| score.to_string());
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{},{score}", csv_field(name));
    }
    text
}
