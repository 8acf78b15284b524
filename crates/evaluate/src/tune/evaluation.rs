//! One evaluation: a search in a process of its own, so that a solver that ignores its limit cannot disturb the next.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use idpas_base::process::Commands;
use idpas_mip::files::temporary_in;

use super::record::{EvaluationKey, EvaluationRecord};
use crate::EvaluateError;
use crate::solving::SolveTask;

/// Seconds that starting a process and reading its files may add to a search, about.
pub(crate) const AROUND_A_SEARCH: f64 = 5.0;
/// Seconds beyond its limit after which a search is taken to hang.
const GRACE: f64 = 15.0;

/// Runs searches with one model.
pub(super) struct SearchRunner<'a> {
    pub(super) commands: &'a Commands,
    pub(super) model: &'a Path,
    /// Where the settings of a search are put for its process.
    pub(super) folder: &'a Path,
    /// Threads of each search.
    pub(super) threads: u16,
    /// Seed of each search.
    pub(super) seed: u32,
    /// Solver of each search.
    pub(super) solver: &'a str,
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
        let unwritten = |error| EvaluateError::io(self.folder, error);
        let mut settings = temporary_in(self.folder).map_err(unwritten)?;
        let text = serde_json::to_vec(&key.settings).map_err(cannot_run)?;
        settings.write_all(&text).map_err(unwritten)?;
        let mut options: Vec<OsString> = vec!["--model".into(), self.model.into()];
        options.extend(["--settings".into(), settings.path().into()]);
        options.extend(["--solver".into(), self.solver.into()]);
        let task = SolveTask {
            instance,
            time_limit: key.time_limit,
            threads: self.threads,
            seed: self.seed,
            options,
            cores: &[],
            grace: GRACE,
            name: key.instance.clone(),
            if_killed: "it did not stop in time or crashed",
        };
        let clock = Instant::now();
        let solved = task.run(self.commands)?;
        let seconds = clock.elapsed().as_secs_f64();
        Ok(EvaluationRecord {
            status: solved.status(),
            seconds: solved.report.as_ref().map_or(seconds, |report| report.time),
            trajectory: solved.trajectory(),
            sources: (solved.report.as_ref())
                .and_then(|report| report.sources.clone())
                .unwrap_or_default(),
            failure: solved.failure,
            key,
        })
    }
}
