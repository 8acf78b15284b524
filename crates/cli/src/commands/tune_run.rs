//! One evaluation: a search in a process of its own, so that a solver that ignores its limit cannot disturb the next.

use std::ffi::OsString;
use std::path::Path;
use std::time::Instant;

use idpas_base::process::{Commands, Ended, Interrupted, Task};
use serde_json::Value;

use super::tune_race::Stopped;
use super::tune_record::{Key, Made};
use crate::failure::{Failure, INTERNAL, NOTHING};
use crate::output::one_line;

/// Seconds beyond its limit after which a search is taken to hang.
const GRACE: f64 = 15.0;

/// Runs searches with one model.
pub(super) struct Runner<'a> {
    pub(super) commands: Commands,
    pub(super) model: &'a Path,
    /// Threads of each search.
    pub(super) threads: u16,
    /// Seed of each search.
    pub(super) seed: u32,
}

impl From<Interrupted> for Stopped {
    fn from(_: Interrupted) -> Self {
        Stopped::Interrupted
    }
}

fn internal(error: impl std::fmt::Display) -> Stopped {
    Stopped::Failed(Failure::Internal(format!("cannot run a search: {error}")))
}

impl Runner<'_> {
    pub(super) fn is_interrupted(&self) -> bool {
        self.commands.is_interrupted()
    }

    /// Searches one instance with the settings of the key.
    pub(super) fn run(&self, key: Key, instance: &Path) -> Result<Made, Stopped> {
        let settings = tempfile::NamedTempFile::new().map_err(internal)?;
        serde_json::to_writer(settings.as_file(), &key.settings).map_err(internal)?;
        let words = self.words(&key, instance, settings.path());
        let clock = Instant::now();
        let task = Task {
            arguments: &words,
            cores: &[],
            shown: false,
            limit: Some(key.time_limit + GRACE),
        };
        let ended = self.commands.run(&task).map_err(Failure::from)??;
        made(key, &ended, clock.elapsed().as_secs_f64())
    }

    fn words(&self, key: &Key, instance: &Path, settings: &Path) -> Vec<OsString> {
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

/// What a search came to; `seconds` count where it does not say itself how long it took.
fn made(key: Key, ended: &Ended, seconds: f64) -> Result<Made, Stopped> {
    let why = || one_line(ended.stderr.trim());
    let failure = match ended.code {
        Some(0) => None,
        Some(code) if code == i32::from(NOTHING) => None,
        // A solver in trouble is a bad evaluation; anything else is wrong with all of them.
        Some(code) if code == i32::from(INTERNAL) => Some(why()),
        Some(_) => return Err(Failure::Usage(format!("{}: {}", key.instance, why())).into()),
        None => Some("it did not stop in time or crashed".to_owned()),
    };
    let result: Value = serde_json::from_str(&ended.stdout).unwrap_or_default();
    let point = |point: &Value| Some((point["time"].as_f64()?, point["objective"].as_f64()?));
    let points = result["trajectory"].as_array().into_iter().flatten();
    Ok(Made {
        status: result["status"].as_str().unwrap_or("failed").to_owned(),
        seconds: result["time"].as_f64().unwrap_or(seconds),
        trajectory: points.filter_map(point).collect(),
        failure,
        key,
    })
}
