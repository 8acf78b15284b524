//! What to expect of a guide: the plain solver and the guided search on the validation set of a folder of pools, in turn.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use idpas_base::process::Commands;
use idpas_base::sealed;
use idpas_mip::Sense;
use idpas_mip::files::save_bytes;
use idpas_search::Method;
use idpas_search::measure::{integral, primal_gap};
use serde::{Deserialize, Serialize};

use crate::solving::SolveTask;
use crate::tune::TuneOverrides;
use crate::tune::instances::{ValidationInstance, find};
use crate::{EvaluateError, cores};

/// Seconds beyond its limit after which a run is taken to hang.
const GRACE: f64 = 15.0;
/// Objectives that are nearer than this, relatively, are as good.
const EQUAL: f64 = 1e-6;

/// A judgement to be made.
#[derive(Clone, Copy, Debug)]
pub struct JudgeRequest<'a> {
    /// The file of the guide.
    pub model: &'a Path,
    /// A folder of pools, whose validation set is used, or of instances.
    pub instances: &'a Path,
    /// Instances to use, at most; the last ones, since settings were chosen on the first.
    pub count: usize,
    /// Seconds of each run.
    pub time_limit: f64,
    /// Solver of each run.
    pub solver: &'a str,
    /// Runs at a time; one per processor if not given.
    pub jobs: Option<usize>,
    /// Where runs are kept, so that a judgement that was interrupted goes on.
    pub out: &'a Path,
    /// How runs are started.
    pub commands: &'a Commands,
}

/// A run of one method on one instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgedRun {
    /// The instance.
    pub instance: String,
    /// `solver` or `idpas`.
    pub method: Method,
    /// How it ended.
    pub status: String,
    /// Times and objectives of its solutions.
    pub trajectory: Vec<(f64, f64)>,
}

/// The runs of a judgement, as its file keeps them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// SHA-256 of the guide's file.
    pub model_sha256: String,
    /// Hash of the settings that were tuned for it; empty if there are none.
    pub tuned_sha256: String,
    /// Seconds of each run.
    pub time_limit: f64,
    /// Solver of each run.
    #[serde(default = "default_solver")]
    pub solver: String,
    /// The instances, with what is known of each beside the runs.
    pub instances: Vec<JudgedInstance>,
    /// The runs so far.
    pub runs: Vec<JudgedRun>,
}

/// The solver of judgements whose file says nothing of it.
fn default_solver() -> String {
    TuneOverrides::SOLVER.into()
}

/// An instance of a judgement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgedInstance {
    /// Its name.
    pub name: String,
    /// Hash of its file.
    pub sha256: String,
    /// Whether it is minimised.
    pub minimize: bool,
    /// The best objective of its pool.
    pub best_known: Option<f64>,
}

/// How a method did, over all instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct MethodSummary {
    /// Mean relative gap at the end to the best objective known; 1 where there was no solution.
    pub gap: f64,
    /// Mean integral of that gap over time, in seconds.
    pub integral: f64,
    /// Instances without a solution.
    pub unsolved: usize,
}

/// What a judgement says.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// How many instances were solved by both.
    pub instances: usize,
    /// Seconds of each run.
    pub time_limit: f64,
    /// The plain solver.
    pub solver: MethodSummary,
    /// The search with the guide.
    pub guided: MethodSummary,
    /// Instances on which the guided search ended better, equal and worse.
    pub better: usize,
    /// See [`better`](Self::better).
    pub equal: usize,
    /// See [`better`](Self::better).
    pub worse: usize,
    /// The median time, in seconds, after which the guided search was as good as the plain solver at its end; `None` if it
    /// was not on more than half of the instances.
    pub as_good_after: Option<f64>,
}

/// Runs the plain solver and the guided search on every instance, unless the file has the runs already, and writes it after
/// every run. Fails with [`EvaluateError::Interrupted`] when [`Commands::interrupted`] is raised.
pub fn judge(
    request: &JudgeRequest<'_>,
    observer: &(dyn Fn(&JudgedRun, usize, usize) + Sync),
) -> Result<Judgement, EvaluateError> {
    let set = find(request.instances, usize::MAX, &|_| ())?;
    let skipped = set.list.len().saturating_sub(request.count);
    let list = &set.list[skipped..];
    let judgement = request.begun(list)?;
    let tasks: Vec<(&ValidationInstance, Method)> = list
        .iter()
        .flat_map(|instance| [Method::Solver, Method::Idpas].map(|method| (instance, method)))
        .filter(|(instance, method)| judgement.run(&instance.name, *method).is_none())
        .collect();
    let total = 2 * list.len();
    let (next, state) = (AtomicUsize::new(0), Mutex::new((judgement, None)));
    let lock = || state.lock().unwrap_or_else(PoisonError::into_inner);
    let work = || {
        while let Some((instance, method)) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            let run = request.run(instance, *method);
            let mut state = lock();
            let kept = run.and_then(|run| {
                state.0.runs.push(run.clone());
                observer(&run, state.0.runs.len(), total);
                state.0.write(request.out)
            });
            if let Err(error) = kept {
                state.1 = Some(error);
            }
            if state.1.is_some() {
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..cores::jobs(request.jobs, 1) {
            scope.spawn(work);
        }
    });
    let (judgement, error) = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    match error {
        Some(error) => Err(error),
        None => Ok(judgement),
    }
}

impl JudgeRequest<'_> {
    /// The judgement of the same guide that was begun before, or a new one.
    fn begun(&self, list: &[ValidationInstance]) -> Result<Judgement, EvaluateError> {
        let hash = |path: &Path| idpas_pools::instance_hash(path).unwrap_or_default();
        let new = Judgement {
            model_sha256: hash(self.model),
            tuned_sha256: hash(&idpas_search::sidecar(self.model)),
            time_limit: self.time_limit,
            solver: self.solver.into(),
            instances: list
                .iter()
                .map(|instance| JudgedInstance {
                    name: instance.name.clone(),
                    sha256: instance.sha256.clone(),
                    minimize: instance.sense == Sense::Minimize,
                    best_known: instance.best_known,
                })
                .collect(),
            runs: Vec::new(),
        };
        let text = std::fs::read(self.out).unwrap_or_default();
        let old: Option<Judgement> = sealed::from_slice(&text).ok();
        let same = |old: &Judgement| {
            let runs = old.runs.clone();
            *old == Judgement {
                runs,
                ..new.clone()
            }
        };
        Ok(old.filter(same).unwrap_or(new))
    }

    fn run(
        &self,
        instance: &ValidationInstance,
        method: Method,
    ) -> Result<JudgedRun, EvaluateError> {
        let mut options = match method {
            Method::Solver => vec!["--method".into(), method.as_str().into()],
            _ => vec!["--model".into(), self.model.into()],
        };
        options.extend(["--solver".into(), self.solver.into()]);
        let task = SolveTask {
            instance: &instance.path,
            time_limit: self.time_limit,
            threads: 1,
            seed: 0,
            options,
            cores: &[],
            grace: GRACE,
            name: instance.name.clone(),
            if_killed: "it did not stop in time or crashed",
        };
        let solved = task.run(self.commands)?;
        Ok(JudgedRun {
            instance: instance.name.clone(),
            method,
            status: solved.status(),
            trajectory: solved.trajectory(),
        })
    }
}

impl Judgement {
    /// The file of the judgement beside a guide's: `guide.safetensors` has `guide.judge.json`.
    pub fn beside(model: &Path) -> PathBuf {
        model.with_extension("judge.json")
    }

    fn run(&self, instance: &str, method: Method) -> Option<&JudgedRun> {
        let mut runs = self.runs.iter();
        runs.find(|run| run.instance == instance && run.method == method)
    }

    fn write(&self, path: &Path) -> Result<(), EvaluateError> {
        let text = sealed::to_text(self)
            .map_err(|error| EvaluateError::Input(format!("{}: {error}", path.display())))?;
        Ok(save_bytes(path, text.as_bytes())?)
    }

    /// What the runs say; `None` if no instance was solved by either method.
    pub fn verdict(&self) -> Option<Verdict> {
        let mut verdict = Verdict {
            instances: 0,
            time_limit: self.time_limit,
            solver: MethodSummary::default(),
            guided: MethodSummary::default(),
            better: 0,
            equal: 0,
            worse: 0,
            as_good_after: None,
        };
        let mut times = Vec::new();
        for instance in &self.instances {
            let runs = [Method::Solver, Method::Idpas].map(|m| self.run(&instance.name, m));
            let [Some(solver), Some(guided)] = runs else {
                continue;
            };
            let sense = match instance.minimize {
                true => Sense::Minimize,
                false => Sense::Maximize,
            };
            let last = |run: &JudgedRun| run.trajectory.last().map(|point| point.1);
            let ends = [last(solver), last(guided)];
            let known = ends.into_iter().flatten().chain(instance.best_known);
            let Some(best) = sense.best(known) else {
                continue;
            };
            verdict.instances += 1;
            verdict.solver.add(solver, best, self.time_limit);
            verdict.guided.add(guided, best, self.time_limit);
            let lead = primal_gap(ends[0], best) - primal_gap(ends[1], best);
            verdict.better += usize::from(lead > EQUAL);
            verdict.worse += usize::from(lead < -EQUAL);
            verdict.equal += usize::from(lead.abs() <= EQUAL);
            let target = primal_gap(ends[0], best) + EQUAL;
            let as_good = |point: &&(f64, f64)| primal_gap(Some(point.1), best) <= target;
            let first = guided.trajectory.iter().find(as_good).map(|point| point.0);
            times.push(first.unwrap_or(f64::INFINITY));
        }
        if verdict.instances == 0 {
            return None;
        }
        verdict.solver.divide(verdict.instances);
        verdict.guided.divide(verdict.instances);
        times.sort_by(f64::total_cmp);
        let median = times[times.len() / 2];
        verdict.as_good_after = median.is_finite().then_some(median);
        Some(verdict)
    }
}

impl MethodSummary {
    fn add(&mut self, run: &JudgedRun, best: f64, time_limit: f64) {
        let last = run.trajectory.last().map(|point| point.1);
        self.gap += primal_gap(last, best);
        self.integral += integral(run.trajectory.iter().copied(), time_limit, best);
        self.unsolved += usize::from(last.is_none());
    }

    fn divide(&mut self, count: usize) {
        self.gap /= count as f64;
        self.integral /= count as f64;
    }
}

impl Verdict {
    /// What to expect on a new instance, in three lines.
    pub fn lines(&self) -> [String; 3] {
        let percent = |gap: f64| format!("{:.2} %", 100.0 * gap);
        let limit = self.time_limit;
        let (solver, guided) = (percent(self.solver.gap), percent(self.guided.gap));
        let expect = if self.guided.gap <= self.solver.gap + EQUAL
            && self.guided.integral <= self.solver.integral
        {
            match self.as_good_after {
                Some(seconds) => format!(
                    "Expect after about {seconds:.1} s what the plain solver has after {limit} s, and then better."
                ),
                None => {
                    "Expect better solutions than the plain solver's, most of the time.".to_owned()
                }
            }
        } else if self.guided.integral < self.solver.integral {
            format!(
                "Expect good solutions sooner than from the plain solver, but after {limit} s no better ones."
            )
        } else {
            "Expect no gain over the plain solver: more instances, or more time for each, may change that.".to_owned()
        };
        [
            expect,
            format!(
                "{} validation instances, {limit} s each: {guided} from the best known at the end, the plain solver {solver}; \
                 better on {}, equal on {}, worse on {}.",
                self.instances, self.better, self.equal, self.worse
            ),
            format!(
                "The gap over time (integral) is {:.3} s, the plain solver's {:.3} s; without a solution: {}, the plain \
                 solver {}.",
                self.guided.integral,
                self.solver.integral,
                self.guided.unsolved,
                self.solver.unsolved
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(instance: &str, method: Method, trajectory: &[(f64, f64)]) -> JudgedRun {
        JudgedRun {
            instance: instance.into(),
            method,
            status: "time_limit".into(),
            trajectory: trajectory.to_vec(),
        }
    }

    fn judgement(solver: &[(f64, f64)], guided: &[(f64, f64)]) -> Judgement {
        Judgement {
            model_sha256: "m".into(),
            tuned_sha256: String::new(),
            solver: default_solver(),
            time_limit: 10.0,
            instances: vec![JudgedInstance {
                name: "a".into(),
                sha256: "a".into(),
                minimize: true,
                best_known: Some(100.0),
            }],
            runs: vec![
                run("a", Method::Solver, solver),
                run("a", Method::Idpas, guided),
            ],
        }
    }

    #[test]
    fn a_verdict_says_what_the_runs_show() {
        let verdict = judgement(&[(5.0, 110.0)], &[(0.5, 109.0), (1.0, 100.0)]).verdict();
        let verdict = verdict.expect("solutions");
        assert_eq!((verdict.better, verdict.equal, verdict.worse), (1, 0, 0));
        assert!((verdict.solver.gap - 0.1).abs() < 1e-12 && verdict.guided.gap == 0.0);
        assert!((verdict.solver.integral - 5.5).abs() < 1e-12);
        assert_eq!(verdict.as_good_after, Some(0.5));
        assert!(verdict.lines()[0].starts_with("Expect after about 0.5 s what the plain solver"));

        let worse = judgement(&[(1.0, 100.0)], &[(2.0, 110.0)]).verdict();
        let worse = worse.expect("solutions");
        assert_eq!((worse.worse, worse.as_good_after), (1, None));
        assert!(worse.lines()[0].starts_with("Expect no gain"));
        let sooner = judgement(&[(5.0, 100.0)], &[(0.1, 101.0)]).verdict();
        assert!(sooner.expect("solutions").lines()[0].starts_with("Expect good solutions sooner"));
        let mut none = judgement(&[], &[]);
        none.instances[0].best_known = None;
        assert_eq!(none.verdict(), None);
    }
}
