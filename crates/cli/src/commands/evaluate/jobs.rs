//! The runs that a benchmark consists of, and the order in which they are made.

use std::ffi::OsString;
use std::path::Path;

use idpas_evaluate::results::{Configuration, REFERENCE, TestInstance};
use idpas_evaluate::study::{Entry, slug};
use idpas_search::Method;

use super::Work;
use super::prepare::{Prepared, Ready};

/// When a run can be made: after all runs of the same instance in earlier phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// The methods that are compared.
    Methods,
    /// A longer run from the best solution of those.
    Reference,
    /// Methods that are told the best solution of all others.
    Ceilings,
}

/// A run that is wanted.
pub(super) struct Job<'a> {
    pub(super) phase: Phase,
    /// The place of its instance in the benchmark.
    pub(super) at: usize,
    pub(super) instance: &'a TestInstance,
    pub(super) seed: u32,
    pub(super) ready: &'a Ready,
    pub(super) configuration: &'a Configuration,
}

/// The method behind the longer runs that improve the best solutions.
pub(super) struct Reference {
    ready: Ready,
    configuration: Configuration,
}

impl Reference {
    /// `None` if the study does not ask for such runs.
    pub(super) fn of(work: &Work<'_>, prepared: &Prepared) -> Option<Self> {
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
            ..Entry::plain(Method::Solver)
        };
        Some(Reference {
            ready: Ready {
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
    work: &Work<'_>,
    prepared: &'a Prepared,
    reference: Option<&'a Reference>,
    instances: &[usize],
) -> Vec<Job<'a>> {
    let mut jobs = Vec::new();
    for &at in instances {
        let job = |phase, seed, ready: &'a Ready, configuration: &'a Configuration| Job {
            phase,
            at,
            instance: &prepared.outline.instances[at],
            seed,
            ready,
            configuration,
        };
        for &seed in &work.study.seeds {
            let methods = prepared.methods.iter().zip(&prepared.outline.methods);
            jobs.extend(methods.map(|(ready, outlined)| {
                let phase = match ready.entry.is_ceiling() {
                    true => Phase::Ceilings,
                    false => Phase::Methods,
                };
                job(phase, seed, ready, &outlined.configuration)
            }));
        }
        if let Some(reference) = reference {
            let (ready, configuration) = (&reference.ready, &reference.configuration);
            let seed = work.study.seeds[0];
            jobs.push(job(Phase::Reference, seed, ready, configuration));
        }
    }
    // Stable: what was said about the order within a phase holds.
    jobs.sort_by_key(|job| job.phase);
    jobs
}

impl Job<'_> {
    /// The name of this run among those of its benchmark, which does for a file.
    pub(super) fn name(&self) -> String {
        let label = slug(&self.ready.entry.label);
        format!("{}-{label}-s{}", self.instance.name, self.seed)
    }

    /// What `idpas solve` is told beyond limits and seed; `given` is a solution file to go by.
    pub(super) fn options(&self, given: Option<&Path>) -> Vec<OsString> {
        let ready = self.ready;
        let mut words: Vec<OsString> = Vec::new();
        if self.phase == Phase::Reference {
            if let Some(start) = given {
                words.extend(["--start".into(), start.into()]);
            }
            return words;
        }
        // The plain solver is what a user without any model runs.
        if ready.entry.method != Method::Solver || !ready.entry.options.is_empty() {
            words.extend(["--method".into(), ready.entry.method.as_str().into()]);
        }
        if let Some(model) = &ready.model {
            words.extend(["--model".into(), model.into()]);
        }
        if let Some(settings) = &ready.settings {
            words.extend(["--settings".into(), settings.into()]);
        }
        if let Some(solution) = given {
            words.extend(["--oracle".into(), solution.into()]);
        }
        words.extend(ready.entry.options.iter().map(OsString::from));
        words
    }
}
