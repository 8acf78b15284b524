//! The runs that a benchmark consists of, and the order in which they are made.

use std::ffi::OsString;
use std::path::Path;

use idpas_search::Method;

use super::StudyWork;
use super::prepare::{PreparedBenchmark, PreparedMethod};
use crate::results::{Configuration, REFERENCE, TestInstance};
use crate::study::{Entry, slug};
use crate::tune::AROUND_A_SEARCH;

/// When a run can be made: after all runs of the same instance in earlier phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RunPhase {
    /// The methods that are compared.
    Methods,
    /// A longer run from the best solution of those.
    Reference,
    /// Methods that are given the best solution of all others.
    Ceilings,
}

/// A run that is wanted.
pub(super) struct WantedRun<'a> {
    pub(super) phase: RunPhase,
    /// The place of its instance in the benchmark.
    pub(super) at: usize,
    pub(super) instance: &'a TestInstance,
    pub(super) seed: u32,
    pub(super) method: &'a PreparedMethod,
    pub(super) configuration: &'a Configuration,
    /// The solver that it runs on.
    pub(super) solver: &'a str,
}

/// The method behind the longer runs that improve the best solutions.
pub(super) struct ReferenceMethod {
    method: PreparedMethod,
    configuration: Configuration,
}

impl ReferenceMethod {
    /// `None` if the study does not ask for such runs.
    pub(super) fn of(work: &StudyWork<'_>, prepared: &PreparedBenchmark) -> Option<Self> {
        let like = prepared.outline.methods.first()?;
        let configuration = Configuration {
            method: Method::Solver,
            time_limit: work.study.reference_time?,
            model_sha256: None,
            settings_sha256: None,
            options: Vec::new(),
            ..like.configuration.clone()
        };
        let entry = Entry {
            label: REFERENCE.into(),
            solver: prepared.methods.first()?.entry.solver.clone(),
            ..Entry::plain(Method::Solver)
        };
        Some(ReferenceMethod {
            method: PreparedMethod {
                entry,
                model: None,
                settings: None,
            },
            configuration,
        })
    }
}

/// All runs on some instances: phase by phase, in each the instances in their order.
pub(super) fn list<'a>(
    work: &'a StudyWork<'_>,
    prepared: &'a PreparedBenchmark,
    reference: Option<&'a ReferenceMethod>,
    instances: &[usize],
) -> Vec<WantedRun<'a>> {
    let mut jobs = Vec::new();
    for &at in instances {
        let job =
            |phase, seed, method: &'a PreparedMethod, configuration: &'a Configuration| WantedRun {
                phase,
                at,
                instance: &prepared.outline.instances[at],
                seed,
                method,
                configuration,
                solver: work.study.solver_of(&method.entry),
            };
        for &seed in &work.study.seeds {
            let methods = prepared.methods.iter().zip(&prepared.outline.methods);
            jobs.extend(methods.map(|(method, outlined)| {
                let phase = match method.entry.is_ceiling() {
                    true => RunPhase::Ceilings,
                    false => RunPhase::Methods,
                };
                job(phase, seed, method, &outlined.configuration)
            }));
        }
        if let Some(reference) = reference {
            let (method, configuration) = (&reference.method, &reference.configuration);
            let seed = work.study.seeds[0];
            jobs.push(job(RunPhase::Reference, seed, method, configuration));
        }
    }
    // A stable sort, which keeps the order within each phase.
    jobs.sort_by_key(|job| job.phase);
    jobs
}

impl WantedRun<'_> {
    /// The name of this run among those of its benchmark, which does for a file.
    pub(super) fn name(&self) -> String {
        let label = slug(&self.method.entry.label);
        format!("{}-{label}-s{}", self.instance.name, self.seed)
    }

    /// Seconds that it takes, about, with its processes and the reading of its model.
    pub(super) fn most_seconds(&self) -> f64 {
        let ways = if self.method.entry.is_ceiling() {
            2.0
        } else {
            1.0
        };
        ways * (self.configuration.time_limit + AROUND_A_SEARCH)
    }

    /// Words of `idpas solve` beyond limits and seed; `given` is the file of a solution to start from, or the oracle's.
    pub(super) fn options(&self, given: Option<&Path>) -> Vec<OsString> {
        let method = self.method;
        let mut words: Vec<OsString> = vec!["--solver".into(), self.solver.into()];
        if self.phase == RunPhase::Reference {
            if let Some(start) = given {
                words.extend(["--start".into(), start.into()]);
            }
            return words;
        }
        // The plain solver is what a user without any model runs.
        if method.entry.method != Method::Solver || !method.entry.options.is_empty() {
            words.extend(["--method".into(), method.entry.method.as_str().into()]);
        }
        if let Some(model) = &method.model {
            words.extend(["--model".into(), model.into()]);
        }
        if let Some(settings) = &method.settings {
            words.extend(["--settings".into(), settings.into()]);
        }
        if let Some(solution) = given {
            words.extend(["--oracle".into(), solution.into()]);
        }
        words.extend(method.entry.options.iter().map(OsString::from));
        words
    }

    /// The words of an oracle's second way: the staged search with the same solution for its scores. `None` for other runs, and
    /// for an oracle with options of its own, which are about the first way.
    pub(super) fn second_way(&self, given: Option<&Path>) -> Option<Vec<OsString>> {
        let entry = &self.method.entry;
        if !entry.is_ceiling() || !entry.options.is_empty() {
            return None;
        }
        let method = Method::Idpas.as_str();
        Some(vec![
            "--solver".into(),
            self.solver.into(),
            "--method".into(),
            method.into(),
            "--oracle".into(),
            given?.into(),
        ])
    }
}
