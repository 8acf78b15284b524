//! One evaluation: a search in a process of its own, so that a solver that ignores its limit cannot disturb the next.

use std::ffi::OsString;
use std::path::Path;
use std::time::Instant;

use idpas_base::process::{Commands, Ended, Task};
use idpas_base::words::one_line;
use serde_json::Value;

use super::record::{EvaluationKey, EvaluationRecord};
use crate::EvaluateError;
use crate::exit::{FOUND_NOTHING, INTERNAL};

/// Seconds beyond its limit after which a search is taken to hang.
const GRACE: f64 = 15.0;

/// Runs searches with one model.
pub(super) struct SearchRunner<'a> {
    pub(super) commands: &'a Commands,
    pub(super) model: &'a Path,
    /// Threads of each search.
    pub(super) threads: u16,
    /// Seed of each search.
    pub(super) seed: u32,
}

fn cannot_run(error: impl std::fmt::Display) -> EvaluateError {
    EvaluateError::Search(error.to_string())
}

impl SearchRunner<'_> {
    /// Whether this program was told to end.
    pub(super) fn is_interrupted(&self) -> bool {
        self.commands.is_interrupted()
    }

    /// Searches one instance with the settings of the key.
    pub(super) fn run(
        &self,
        key: EvaluationKey,
        instance: &Path,
    ) -> Result<EvaluationRecord, EvaluateError> {
        let settings = tempfile::NamedTempFile::new().map_err(cannot_run)?;
        serde_json::to_writer(settings.as_file(), &key.settings).map_err(cannot_run)?;
        let words = self.words(&key, instance, settings.path());
        let clock = Instant::now();
        let task = Task {
            arguments: &words,
            cores: &[],
            shown: false,
            limit: Some(key.time_limit + GRACE),
        };
        let ended = self.commands.run(&task)??;
        record(key, &ended, clock.elapsed().as_secs_f64())
    }

    fn words(&self, key: &EvaluationKey, instance: &Path, settings: &Path) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec!["solve".into(), instance.into()];
        words.extend(["--model".into(), self.model.into()]);
        words.extend(["--settings".into(), settings.into()]);
        for (name, value) in [
            ("--time-limit", key.time_limit.to_string()),
            ("--threads", self.threads.to_string()),
            ("--seed", self.seed.to_string()),
            ("--format", "json".into()),
        ] {
            words.extend([name.into(), value.into()]);
        }
        words.push("--quiet".into());
        words
    }
}

/// The result of a search. `seconds` is how long it took where it does not say so itself.
fn record(
    key: EvaluationKey,
    ended: &Ended,
    seconds: f64,
) -> Result<EvaluationRecord, EvaluateError> {
    let why = || one_line(ended.stderr.trim());
    let failure = match ended.code {
        Some(0) => None,
        Some(code) if code == FOUND_NOTHING => None,
        // A solver in trouble is a bad evaluation; anything else is wrong with all of them.
        Some(code) if code == INTERNAL => Some(why()),
        Some(_) => return Err(EvaluateError::Input(format!("{}: {}", key.instance, why()))),
        None => Some("it did not stop in time or crashed".to_owned()),
    };
    let result: Value = serde_json::from_str(&ended.stdout).unwrap_or_default();
    let point = |point: &Value| Some((point["time"].as_f64()?, point["objective"].as_f64()?));
    let points = result["trajectory"].as_array().into_iter().flatten();
    Ok(EvaluationRecord {
        status: result["status"].as_str().unwrap_or("failed").to_owned(),
        seconds: result["time"].as_f64().unwrap_or(seconds),
        trajectory: points.filter_map(point).collect(),
        failure,
        key,
    })
}
