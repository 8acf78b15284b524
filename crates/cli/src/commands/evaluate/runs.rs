//! The runs of a benchmark, several at a time, each on processors of its own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use idpas_evaluate::results::{Best, Configuration, REFERENCE, Record, TestInstance, write};
use idpas_evaluate::study::{Entry, slug};
use idpas_search::Method;

use super::cores::{self, Cores};
use super::display::RunDisplay;
use super::prepare::{Prepared, Ready};
use super::run::{Place, Run};
use super::{Stop, Work};
use crate::failure::Failure;
use crate::workers;

/// Makes the runs that are missing: the oracle's last, since it is told the best solution of all others.
pub(super) fn run_all(work: &Work<'_>, prepared: &Prepared) -> Result<(), Stop> {
    let mine = work.shard.indices(prepared.outline.instances.len());
    let dealt = cores::deal(
        &cores::available(),
        usize::from(work.study.threads),
        work.jobs,
    );
    let display = RunDisplay::new(work.verbosity);
    let runner = Runner {
        work,
        prepared,
        dealt: &dealt,
        display: &display,
        best: Mutex::new(()),
    };
    if !dealt.exclusive {
        work.say("note: runs share processors: their times are not comparable to others, and the report says so");
    }
    let methods = || prepared.methods.iter().zip(&prepared.outline.methods);
    let mut first = Vec::new();
    let mut last = Vec::new();
    for &at in &mine {
        for &seed in &work.study.seeds {
            for (ready, outlined) in methods() {
                let job = Job {
                    instance: &prepared.outline.instances[at],
                    seed,
                    ready,
                    configuration: &outlined.configuration,
                };
                let list = if ready.entry.is_ceiling() {
                    &mut last
                } else {
                    &mut first
                };
                list.push(job);
            }
        }
    }
    let references = reference_jobs(work, prepared, &mine);
    let longest = references
        .as_ref()
        .map_or(0.0, |(_, c)| c.time_limit * mine.len() as f64);
    let limit = prepared.outline.time_limit;
    let seconds = limit * (first.len() + last.len()) as f64 + longest;
    let count = first.len() + last.len() + if longest > 0.0 { mine.len() } else { 0 };
    display.plan(&prepared.outline.name, count, seconds, dealt.sets.len());
    let done = runner
        .phase(&first)
        .and_then(|()| match &references {
            Some((ready, configuration)) => {
                let jobs: Vec<Job<'_>> = mine
                    .iter()
                    .map(|&at| Job {
                        instance: &prepared.outline.instances[at],
                        seed: work.study.seeds[0],
                        ready,
                        configuration,
                    })
                    .collect();
                runner.phase(&jobs)
            }
            None => Ok(()),
        })
        .and_then(|()| runner.phase(&last));
    display.finish();
    done
}

/// The method behind the longer runs, if they are asked for.
fn reference_jobs(
    work: &Work<'_>,
    prepared: &Prepared,
    mine: &[usize],
) -> Option<(Ready, Configuration)> {
    let seconds = work.study.reference_time.filter(|_| !mine.is_empty())?;
    let like = prepared.outline.methods.first()?;
    let entry = Entry {
        label: REFERENCE.into(),
        ..Entry::plain(Method::Solver)
    };
    let configuration = Configuration {
        method: Method::Solver,
        time_limit: seconds,
        model_sha256: None,
        settings_sha256: None,
        options: Vec::new(),
        ..like.configuration.clone()
    };
    let ready = Ready {
        entry,
        model: None,
        settings: None,
    };
    Some((ready, configuration))
}

/// A run that is wanted.
struct Job<'a> {
    instance: &'a TestInstance,
    seed: u32,
    ready: &'a Ready,
    configuration: &'a Configuration,
}

struct Runner<'a> {
    work: &'a Work<'a>,
    prepared: &'a Prepared,
    dealt: &'a Cores,
    display: &'a RunDisplay,
    /// Held while the best solution of an instance is compared and replaced.
    best: Mutex<()>,
}

impl Runner<'_> {
    fn phase(&self, jobs: &[Job<'_>]) -> Result<(), Stop> {
        let next = AtomicUsize::new(0);
        let worker = |cores: &[usize]| -> Result<(), Stop> {
            let place = Place {
                cores,
                exclusive: self.dealt.exclusive,
            };
            while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                let ended = match self.work.commands.is_interrupted() {
                    true => Err(Stop::Interrupted),
                    false => self.job(job, &place),
                };
                // The others need not begin anything new.
                ended.inspect_err(|_| next.store(jobs.len(), Ordering::Relaxed))?;
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let sets = self.dealt.sets.iter();
            let workers: Vec<_> = sets.map(|cores| scope.spawn(|| worker(cores))).collect();
            workers::join(workers)
        })
    }

    /// Makes a run unless it is there already. One that failed is tried again.
    fn job(&self, job: &Job<'_>, place: &Place<'_>) -> Result<(), Stop> {
        let results = self.work.results;
        let benchmark = &self.prepared.outline.name;
        let label = &job.ready.entry.label;
        let given = self.given(job)?;
        let given_sha256 = given.as_ref().map(|(_, sha256)| sha256.clone());
        let path = results.run_path(benchmark, label, &job.instance.name, job.seed);
        // A record that cannot be read is as good as none.
        let old = results
            .record(benchmark, label, &job.instance.name, job.seed)
            .unwrap_or_default();
        let wanted = job.configuration.hash();
        let answers = |record: &Record| {
            // The reference's start may have become better by itself.
            let given = match label.as_str() {
                REFERENCE => record.given_sha256.as_deref(),
                _ => given_sha256.as_deref(),
            };
            record.answers(&wanted, &job.instance.sha256, given) && record.failure.is_none()
        };
        if let Some(old) = old.filter(answers) {
            self.display.done(job.configuration.time_limit, &old, false);
            return Ok(());
        }
        let run = Run {
            benchmark,
            label,
            instance: job.instance,
            seed: job.seed,
            configuration: job.configuration,
            options: options(job, given.as_ref().map(|(path, _)| path.as_path())),
            given_sha256,
        };
        let record = if job.ready.entry.is_ceiling() && given.is_none() {
            run.impossible("no other run found a solution to go by")
        } else {
            let solution = self.temporary(job)?;
            let record = run.make(self.work, place, &solution);
            let kept = record
                .as_ref()
                .map_or(Ok(()), |record| self.keep_best(job, record, &solution));
            let _ = std::fs::remove_file(&solution);
            let record = record?;
            kept?;
            record
        };
        write(&path, &record)?;
        self.display
            .done(job.configuration.time_limit, &record, true);
        Ok(())
    }

    /// The best solution so far, for those who are told: the oracle, and the reference to start from.
    fn given(&self, job: &Job<'_>) -> Result<Option<(PathBuf, String)>, Stop> {
        let entry = &job.ready.entry;
        if !entry.is_ceiling() && entry.label != REFERENCE {
            return Ok(None);
        }
        let (results, name) = (self.work.results, &self.prepared.outline.name);
        let best = results.best(name, &job.instance.name)?;
        let best = best.filter(|best| best.instance_sha256 == job.instance.sha256);
        Ok(best.map(|best| {
            (
                results.best_path(name, &job.instance.name),
                best.solution_sha256,
            )
        }))
    }

    /// A file of this run's own for its solution.
    fn temporary(&self, job: &Job<'_>) -> Result<PathBuf, Stop> {
        let path = self
            .work
            .results
            .best_path(&self.prepared.outline.name, &job.instance.name);
        let folder = path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)
            .map_err(|e| Failure::Usage(format!("{}: {e}", folder.display())))?;
        let name = format!(
            ".{}-{}-s{}.sol",
            job.instance.name,
            slug(&job.ready.entry.label),
            job.seed
        );
        Ok(folder.join(name))
    }

    /// Keeps the solution if it is better than what is kept.
    fn keep_best(&self, job: &Job<'_>, record: &Record, solution: &Path) -> Result<(), Stop> {
        let (Some(objective), true) = (record.objective, solution.exists()) else {
            return Ok(());
        };
        let (results, name) = (self.work.results, &self.prepared.outline.name);
        let path = results.best_path(name, &job.instance.name);
        let _held = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        let old = results.best(name, &job.instance.name).unwrap_or_default();
        let old = old.filter(|old| old.instance_sha256 == job.instance.sha256 && path.exists());
        let slack = 1e-9 * objective.abs().max(1.0);
        if old.is_some_and(|old| {
            !job.instance.sense.is_better(objective, old.objective)
                || (objective - old.objective).abs() <= slack
        }) {
            return Ok(());
        }
        let best = Best {
            objective,
            instance_sha256: job.instance.sha256.clone(),
            solution_sha256: idpas_study::instance_hash(solution)?,
            label: record.label.clone(),
            seed: record.seed,
        };
        std::fs::rename(solution, &path)
            .map_err(|e| Failure::Usage(format!("{}: {e}", path.display())))?;
        write(&path.with_extension("json"), &best)?;
        Ok(())
    }
}

/// What `idpas solve` is told beyond limits and seed.
fn options(job: &Job<'_>, given: Option<&Path>) -> Vec<OsString> {
    let ready = job.ready;
    let mut words: Vec<OsString> = Vec::new();
    if ready.entry.label == REFERENCE {
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
