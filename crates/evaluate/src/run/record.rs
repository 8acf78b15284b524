//! One run, as a user would run it, on processors of its own, and the record of it.

use std::ffi::OsString;
use std::path::Path;

use super::{StudyWork, seconds_since_1970};
use crate::EvaluateError;
use crate::results::{Configuration, Record, TestInstance};
use crate::solving::{SolveTask, Solved};

/// Seconds beyond its limit after which a run is taken to hang: reading a large model takes time too.
const GRACE: f64 = 60.0;

/// A run to make.
pub(super) struct RunToMake<'a> {
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
pub(super) struct RunPlace<'a> {
    /// The processors that it is kept on; any if empty.
    pub(super) cores: &'a [usize],
    /// Whether no other work of this program uses them.
    pub(super) exclusive: bool,
}

impl RunToMake<'_> {
    /// Makes the run; its best solution goes to the file `solution`.
    pub(super) fn make(
        &self,
        work: &StudyWork<'_>,
        place: &RunPlace<'_>,
        solution: &Path,
    ) -> Result<Record, EvaluateError> {
        let configuration = self.configuration;
        let mut options: Vec<OsString> = vec!["--solution".into(), solution.into()];
        options.extend(["--gap".into(), configuration.gap.to_string().into()]);
        options.extend(self.options.iter().cloned());
        let task = SolveTask {
            instance: &self.instance.file,
            time_limit: configuration.time_limit,
            threads: configuration.threads,
            seed: self.seed,
            options,
            cores: place.cores,
            grace: GRACE,
            name: format!("{}, {}", self.instance.name, self.label),
            if_killed: "it crashed or did not stop in time",
        };
        let solved = task.run(work.commands)?;
        Ok(self.record(place, solved))
    }

    fn record(&self, place: &RunPlace<'_>, solved: Solved) -> Record {
        let report = solved.report.as_ref();
        let guided = report.and_then(|report| report.guided.as_ref());
        // A plain solve has one stage, before which there is only reading.
        let first_stage = || Some(report?.stages.first()?.begin);
        let overhead = guided.map(|guided| guided.overhead.total);
        let printed = |name: &str| Some(solved.printed[name].clone()).filter(|v| !v.is_null());
        Record {
            benchmark: self.benchmark.to_owned(),
            label: self.label.to_owned(),
            instance: self.instance.name.clone(),
            instance_sha256: self.instance.sha256.clone(),
            seed: self.seed,
            given_sha256: self.given_sha256.clone(),
            configuration: self.configuration.clone(),
            configuration_sha256: self.configuration.hash(),
            status: solved.status(),
            objective: report.and_then(|report| report.objective),
            bound: report.and_then(|report| report.bound),
            time: report.map_or(self.configuration.time_limit, |report| report.time),
            overhead: overhead.or_else(first_stage).unwrap_or(0.0),
            trajectory: solved.trajectory(),
            cores: place.cores.to_vec(),
            exclusive: place.exclusive,
            cpu_seconds: solved.usage.map(|usage| usage.cpu),
            waited_seconds: solved.usage.map(|usage| usage.waited),
            host: idpas_base::system::host(),
            finished: seconds_since_1970(),
            settings: printed("settings"),
            stages: printed("stages"),
            warnings: guided.map_or(Vec::new(), |guided| guided.warnings.clone()),
            failure: solved.failure,
        }
    }

    /// The record of a run that cannot be made.
    pub(super) fn impossible(&self, why: &str) -> Record {
        let place = RunPlace {
            cores: &[],
            exclusive: true,
        };
        let solved = Solved {
            failure: Some(why.to_owned()),
            ..Solved::default()
        };
        self.record(&place, solved)
    }
}
