//! One run: `idpas solve` in a process of its own, as a user would run it, on processors of its own.

use std::ffi::OsString;
use std::path::Path;

use idpas_base::process::{Ended, Task};
use idpas_base::words::one_line;
use serde_json::Value;

use super::{StudyWork, seconds_since_1970};
use crate::EvaluateError;
use crate::exit::{FOUND_NOTHING, INTERNAL};
use crate::results::{Configuration, Record, TestInstance};

/// Seconds beyond its limit after which a run is taken to hang: reading a large model takes time too.
const GRACE: f64 = 60.0;

/// A run to make.
pub(super) struct SolveCommand<'a> {
    pub(super) benchmark: &'a str,
    pub(super) label: &'a str,
    pub(super) instance: &'a TestInstance,
    pub(super) seed: u32,
    pub(super) configuration: &'a Configuration,
    /// Further options: model, settings, method, start.
    pub(super) options: Vec<OsString>,
    /// The hash of a solution that it is given.
    pub(super) given_sha256: Option<String>,
}

/// Where a run is made.
pub(super) struct Place<'a> {
    /// The processors that it is kept on; any if empty.
    pub(super) cores: &'a [usize],
    /// Whether no other work of this program uses them.
    pub(super) exclusive: bool,
}

impl SolveCommand<'_> {
    /// Makes the run; its best solution goes to the file `solution`.
    pub(super) fn make(
        &self,
        work: &StudyWork<'_>,
        place: &Place<'_>,
        solution: &Path,
    ) -> Result<Record, EvaluateError> {
        let configuration = self.configuration;
        let mut words: Vec<OsString> = vec!["solve".into(), self.instance.file.clone().into()];
        for (name, value) in [
            ("--time-limit", configuration.time_limit.to_string()),
            ("--threads", configuration.threads.to_string()),
            ("--seed", self.seed.to_string()),
            ("--gap", configuration.gap.to_string()),
            ("--format", "json".into()),
        ] {
            words.extend([name.into(), value.into()]);
        }
        words.extend(["--solution".into(), solution.into(), "--quiet".into()]);
        words.extend(self.options.iter().cloned());
        let task = Task {
            arguments: &words,
            cores: place.cores,
            shown: false,
            limit: Some(configuration.time_limit + GRACE),
        };
        let ended = work.commands.run(&task)??;
        let failure = match ended.code {
            Some(0) => None,
            Some(code) if code == FOUND_NOTHING => None,
            // A solver in trouble costs its run; anything else is wrong with all of them.
            Some(code) if code == INTERNAL => Some(one_line(ended.stderr.trim())),
            Some(_) => {
                let why = format!(
                    "{}, {}: {}",
                    self.instance.name,
                    self.label,
                    one_line(ended.stderr.trim())
                );
                return Err(EvaluateError::Input(why));
            }
            None => Some("it crashed or did not stop in time".to_owned()),
        };
        Ok(self.record(place, &ended, failure))
    }

    fn record(&self, place: &Place<'_>, ended: &Ended, failure: Option<String>) -> Record {
        let printed: Value = serde_json::from_str(&ended.stdout).unwrap_or_default();
        let point = |point: &Value| Some((point["time"].as_f64()?, point["objective"].as_f64()?));
        let points = printed["trajectory"].as_array().into_iter().flatten();
        let before = printed["overhead"]["total"].as_f64();
        let field = |name: &str| Some(printed[name].clone()).filter(|value| !value.is_null());
        let warnings = printed["warnings"].as_array().into_iter().flatten();
        Record {
            benchmark: self.benchmark.to_owned(),
            label: self.label.to_owned(),
            instance: self.instance.name.clone(),
            instance_sha256: self.instance.sha256.clone(),
            seed: self.seed,
            given_sha256: self.given_sha256.clone(),
            configuration: self.configuration.clone(),
            configuration_sha256: self.configuration.hash(),
            status: printed["status"].as_str().unwrap_or("failed").to_owned(),
            objective: printed["objective"].as_f64(),
            bound: printed["bound"].as_f64(),
            time: printed["time"]
                .as_f64()
                .unwrap_or(self.configuration.time_limit),
            overhead: before
                .or(printed["stages"][0]["begin"].as_f64())
                .unwrap_or(0.0),
            trajectory: points.filter_map(point).collect(),
            cores: place.cores.to_vec(),
            exclusive: place.exclusive,
            cpu_seconds: ended.usage.map(|usage| usage.cpu),
            waited_seconds: ended.usage.map(|usage| usage.waited),
            host: idpas_base::system::host(),
            finished: seconds_since_1970(),
            settings: field("settings"),
            stages: field("stages"),
            warnings: warnings
                .filter_map(|w| Some(w.as_str()?.to_owned()))
                .collect(),
            failure,
        }
    }

    /// The record of a run that cannot be made.
    pub(super) fn impossible(&self, why: &str) -> Record {
        let ended = Ended {
            code: None,
            stdout: String::new(),
            stderr: String::new(),
            usage: None,
        };
        let place = Place {
            cores: &[],
            exclusive: true,
        };
        self.record(&place, &ended, Some(why.to_owned()))
    }
}
