//! `idpas solve` in a process of its own: what the evaluations of a tuning and the runs of a study have in common.

use std::ffi::OsString;
use std::path::Path;

use idpas_base::process::{Commands, Task, Usage};
use idpas_base::words::one_line;
use idpas_search::SolveReport;
use serde::Deserialize;
use serde_json::Value;

use crate::EvaluateError;
use crate::exit::{FOUND_NOTHING, INTERNAL};

/// A solve to be run.
pub(crate) struct SolveTask<'a> {
    /// The file of the instance.
    pub(crate) instance: &'a Path,
    /// Seconds.
    pub(crate) time_limit: f64,
    /// Threads of the solver.
    pub(crate) threads: u16,
    /// Seed of the solver.
    pub(crate) seed: u32,
    /// Further words of the command.
    pub(crate) options: Vec<OsString>,
    /// Processors to keep it on; any if empty.
    pub(crate) cores: &'a [usize],
    /// Seconds beyond its limit after which it is taken to hang.
    pub(crate) grace: f64,
    /// Its name in the message if it was started wrongly.
    pub(crate) name: String,
    /// What to say of one that crashed or hung.
    pub(crate) if_killed: &'static str,
}

/// A solve that came to its end.
#[derive(Default)]
pub(crate) struct Solved {
    /// What it reported; `None` if it broke.
    pub(crate) report: Option<SolveReport>,
    /// The report as it was printed, for files that keep parts of it word by word; null if there is none.
    pub(crate) printed: Value,
    /// What went wrong, if something did.
    pub(crate) failure: Option<String>,
    /// What the system says of the process.
    pub(crate) usage: Option<Usage>,
}

impl SolveTask<'_> {
    /// Runs the solve. A solver in trouble is a failure of this solve; a command that was used wrongly is an error, since
    /// all others would end like that.
    pub(crate) fn run(self, commands: &Commands) -> Result<Solved, EvaluateError> {
        let mut words: Vec<OsString> = vec!["solve".into(), self.instance.into()];
        for (name, value) in [
            ("--time-limit", self.time_limit.to_string()),
            ("--threads", self.threads.to_string()),
            ("--seed", self.seed.to_string()),
            ("--format", "json".into()),
        ] {
            words.extend([name.into(), value.into()]);
        }
        words.push("--quiet".into());
        words.extend(self.options);
        let ended = commands.run(&Task {
            arguments: &words,
            cores: self.cores,
            shown: false,
            limit: Some(self.time_limit + self.grace),
        })??;
        let message = || one_line(ended.stderr.trim());
        let failure = match ended.code {
            Some(0 | FOUND_NOTHING) => None,
            Some(INTERNAL) => Some(message()),
            Some(_) => {
                let why = format!("{}: {}", self.name, message());
                return Err(EvaluateError::Input(why));
            }
            None => Some(self.if_killed.to_owned()),
        };
        let printed = json_in(&ended.stdout);
        Ok(Solved {
            report: SolveReport::deserialize(&printed).ok(),
            printed,
            failure,
            usage: ended.usage,
        })
    }
}

/// The JSON that a solve has printed; null if there is none. Its solver may have printed before it, without an end of the line:
/// HiGHS does where the clock is set backwards.
fn json_in(output: &str) -> Value {
    let begins = output.match_indices('{').map(|(at, _)| at);
    let parsed = |at: usize| serde_json::from_str(&output[at..]).ok();
    // What follows its first brace is all of it, so few places have to be tried.
    begins.take(3).find_map(parsed).unwrap_or_default()
}

impl Solved {
    /// How it ended, in one word.
    pub(crate) fn status(&self) -> String {
        let status = self.report.as_ref().map(|report| report.status.as_str());
        status.unwrap_or("failed").to_owned()
    }

    /// Times and objective values of its solutions.
    pub(crate) fn trajectory(&self) -> Vec<(f64, f64)> {
        let points = self.report.iter().flat_map(|report| &report.trajectory);
        points.map(|point| (point.time, point.objective)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_found_behind_words_of_a_solver() {
        let report = serde_json::json!({ "status": "optimal", "stages": [{ "kind": "whole" }] });
        let text = serde_json::to_string_pretty(&report).expect("JSON");
        for before in ["", "clock not running\n", "clock {1} not running\nclock ru"] {
            assert_eq!(json_in(&format!("{before}{text}\n")), report, "{before}");
        }
        assert_eq!(json_in("clock not running\n"), Value::Null);
        assert_eq!(json_in(&text[..text.len() - 2]), Value::Null);
    }
}
