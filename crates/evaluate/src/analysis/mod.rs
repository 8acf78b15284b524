//! Computes the numbers of the report from the records of runs.
//!
//! The primal gap and integral are those of [`idpas_search::measure`]: |v − v*| / max(|v*|, 1e-8), 1 where there is no
//! solution yet, integrated over [0, T]. v* is the best value that any run of the study found, the oracle's and the
//! reference's included. Only instances on which every method has every seed count, so that all are compared on the
//! same ones; a run that failed counts as one without a solution.

mod best;
mod compare;
mod curve;
mod speed;

use std::path::Path;

use idpas_pools::Growth;
use serde::Serialize;
use serde_json::Value;

use crate::results::{Manifest, Outline, Quality, Record, Results, StageTime, TestInstance};
use crate::statistics::{Spread, Wilcoxon, mean};
use crate::{EvaluateError, Study};
use best::{Known, best_known};
pub use curve::CurvePoint;
pub use speed::SpeedUp;

/// Largest difference between gaps that count as the same: 0.0001 %.
pub const SAME_GAP: f64 = 1e-6;

/// Share of its time, between 0 and 1, above which waiting for a processor makes a run count as disturbed.
const DISTURBED: f64 = 0.05;

/// When time begins. End to end, reading, relaxation, prediction and model building count. On the solver's clock they do
/// not, and what a run has at its end, it keeps until the limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Clock {
    /// When the instance file is opened.
    #[default]
    EndToEnd,
    /// When the solver is first asked, as in the paper.
    Solver,
}

impl Clock {
    /// Times in seconds and objective values of a run's solutions, by this clock.
    pub fn trajectory(self, record: &Record) -> Vec<(f64, f64)> {
        let before = match self {
            Clock::EndToEnd => 0.0,
            Clock::Solver => record.overhead,
        };
        let shifted = |&(time, value): &(f64, f64)| ((time - before).max(0.0), value);
        record.trajectory.iter().map(shifted).collect()
    }
}

/// All numbers of a study.
#[derive(Clone, Debug, Serialize)]
pub struct Analysis {
    /// Name of the study.
    pub study: String,
    /// Description of the study.
    pub about: Option<String>,
    /// The moment from which times are counted.
    pub clock: Clock,
    /// Label of the method with which the others are compared.
    pub subject: Option<String>,
    /// The random seeds; every method runs once with each on every instance.
    pub seeds: Vec<u32>,
    /// Number of threads of each run.
    pub threads: u16,
    /// The benchmarks that have results.
    pub benchmarks: Vec<BenchmarkAnalysis>,
    /// Names of the benchmarks that have no results.
    pub without_results: Vec<String>,
    /// Program, solver and machine with which the results were made.
    pub manifest: Option<Manifest>,
}

/// All numbers of a benchmark.
#[derive(Clone, Debug, Serialize)]
pub struct BenchmarkAnalysis {
    /// Name of the benchmark.
    pub name: String,
    /// Origin of its instances.
    pub source: String,
    /// Number of training instances.
    pub train: usize,
    /// Number of validation instances.
    pub validation: usize,
    /// Time limit of each run in seconds.
    pub time_limit: f64,
    /// The test instances.
    pub instances: Vec<InstanceAnalysis>,
    /// The methods.
    pub methods: Vec<MethodAnalysis>,
    /// Counts that tell how sound the comparison is.
    pub soundness: Soundness,
    /// Time of each stage before the runs.
    pub stages: Vec<StageTime>,
    /// Quality of the scores of its models.
    pub quality: Vec<Quality>,
    /// How the solutions that were learned from grew, round by round; empty if the pools are elsewhere.
    pub growth: Vec<Growth>,
}

/// Counts that a reader must know to judge a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Soundness {
    /// Number of runs planned.
    pub planned: usize,
    /// Number of runs that are missing.
    pub missing: usize,
    /// Number of instances left out because one of their runs is missing.
    pub left_out: usize,
    /// Number of runs that failed.
    pub failed: usize,
    /// Number of runs that shared a processor with other work of this program.
    pub shared: usize,
    /// Number of runs that waited for a processor for more than a twentieth of their time.
    pub disturbed: usize,
    /// Number of runs on systems that do not tell how long a run waited.
    pub unwatched: usize,
}

/// All numbers of a test instance.
#[derive(Clone, Debug, Serialize)]
pub struct InstanceAnalysis {
    /// Name, size and sense.
    #[serde(flatten)]
    pub instance: TestInstance,
    /// The best objective value of any run; `None` if no run found a solution.
    pub best: Option<f64>,
    /// Which run found it, in words.
    pub best_by: Option<String>,
    /// Whether it counts in the comparison, because none of its runs is missing.
    pub complete: bool,
}

/// All numbers of a method on a benchmark. Vectors have an entry for each complete instance. A number is `None` where
/// it cannot be computed.
#[derive(Clone, Debug, Serialize)]
pub struct MethodAnalysis {
    /// Label of the method.
    pub label: String,
    /// Whether it is an upper limit that is given the best solution (the oracle) and does not compete.
    pub ceiling: bool,
    /// The settings of its search; `None` for methods without any.
    pub settings: Option<Value>,
    /// Time of tuning the settings, in seconds of solving.
    pub tuning_seconds: Option<f64>,
    /// Primal gap at the end, over instances.
    pub gap: Option<Spread>,
    /// Primal integral in seconds by the chosen clock, over instances.
    pub integral: Option<Spread>,
    /// Primal integral in seconds by the other clock, over instances.
    pub other_integral: Option<Spread>,
    /// By how much the mean gap is below the solver's, as a share of the solver's.
    pub gap_reduction: Option<f64>,
    /// By how much the mean integral is below the solver's, as a share of the solver's.
    pub integral_reduction: Option<f64>,
    /// Number of instances won by gap; ties are shared.
    pub gap_wins: Option<f64>,
    /// Number of instances won by integral; ties are shared.
    pub integral_wins: Option<f64>,
    /// Shifted geometric mean of the gaps, with a shift of 0.01 %.
    pub gap_geometric: Option<f64>,
    /// Shifted geometric mean of the integrals in seconds, with a shift of a thousandth of the time limit.
    pub integral_geometric: Option<f64>,
    /// Test of whether its gaps differ from the subject's.
    pub gap_test: Option<Wilcoxon>,
    /// Test of whether its integrals differ from the subject's.
    pub integral_test: Option<Wilcoxon>,
    /// Share of the oracle's improvement over the solver that it reaches, by gap.
    pub gap_oracle_share: Option<f64>,
    /// Share of the oracle's improvement over the solver that it reaches, by integral.
    pub integral_oracle_share: Option<f64>,
    /// How much faster than the solver it reaches the solver's final value.
    pub speed_up: Option<SpeedUp>,
    /// Mean time in seconds before the first call of the solver.
    pub overhead: Option<f64>,
    /// The primal gap of each instance.
    pub gaps: Vec<f64>,
    /// The primal integral of each instance, in seconds.
    pub integrals: Vec<f64>,
    /// The mean primal gap over time.
    pub curve: Vec<CurvePoint>,
}

/// Computes all numbers from a folder of results.
pub fn analyse(results: &Results, clock: Clock) -> Result<Analysis, EvaluateError> {
    let study = results.study()?;
    let (mut benchmarks, mut without_results) = (Vec::new(), Vec::new());
    for benchmark in &study.benchmarks {
        match results.outline(&benchmark.name)? {
            Some(outline) => benchmarks.push(one(results, &study, outline, clock)?),
            None => without_results.push(benchmark.name.clone()),
        }
    }
    if benchmarks.is_empty() {
        return Err(EvaluateError::NoResults {
            path: results.folder().display().to_string(),
        });
    }
    Ok(Analysis {
        subject: study.subject(),
        study: study.name,
        about: study.about,
        clock,
        seeds: study.seeds,
        threads: study.threads,
        benchmarks,
        without_results,
        manifest: crate::results::read(&results.folder().join("manifest.json"), "manifest")?,
    })
}

/// The runs of one method on a benchmark.
struct Runs<'a> {
    outlined: &'a crate::results::OutlinedMethod,
    /// For each instance, the records of its seeds; `None` where a run is missing.
    records: Vec<Vec<Option<Record>>>,
}

fn one(
    results: &Results,
    study: &Study,
    outline: Outline,
    clock: Clock,
) -> Result<BenchmarkAnalysis, EvaluateError> {
    let mut runs = Vec::new();
    for outlined in &outline.methods {
        let wanted = outlined.configuration.hash();
        let mut records = Vec::new();
        for instance in &outline.instances {
            let mut seeds = Vec::new();
            for &seed in &study.seeds {
                let record =
                    results.record(&outline.name, &outlined.label, &instance.name, seed)?;
                // The oracle was given the best solution known at its time, so any given solution is accepted.
                seeds.push(record.filter(|record| {
                    let given = record.given_sha256.as_deref();
                    record.answers(&wanted, &instance.sha256, given)
                }));
            }
            records.push(seeds);
        }
        runs.push(Runs { outlined, records });
    }
    let known = best_known(results, &outline, &runs)?;
    let complete: Vec<bool> = (0..outline.instances.len())
        .map(|at| {
            runs.iter()
                .all(|runs| runs.records[at].iter().all(Option::is_some))
        })
        .collect();
    let setting = Setting {
        outline: &outline,
        known: &known,
        complete: &complete,
        clock,
    };
    let mut methods: Vec<MethodAnalysis> = runs.iter().map(|runs| setting.method(runs)).collect();
    compare::compare(&mut methods, &runs, &setting, study.subject().as_deref());
    let instances = outline.instances.iter().zip(known).zip(&complete);
    let instances: Vec<InstanceAnalysis> = instances
        .map(|((instance, known), &complete)| InstanceAnalysis {
            instance: instance.clone(),
            best: known.as_ref().map(|known| known.value),
            best_by: known.map(|known| known.by),
            complete,
        })
        .collect();
    Ok(BenchmarkAnalysis {
        soundness: soundness(&runs, &complete),
        quality: Quality::all(&results.benchmark(&outline.name))?,
        growth: growth(&results.benchmark(&outline.name)),
        name: outline.name,
        source: outline.source,
        train: outline.train,
        validation: outline.validation,
        time_limit: outline.time_limit,
        instances,
        methods,
        stages: outline.stages,
    })
}

/// How the pools of a benchmark grew. Results can be looked at without them.
fn growth(benchmark: &Path) -> Vec<Growth> {
    let status = idpas_pools::status(&benchmark.join("pools"));
    status.map_or_else(|_| Vec::new(), |status| status.growth)
}

/// What is needed to evaluate the runs of a benchmark.
struct Setting<'a> {
    outline: &'a Outline,
    known: &'a [Option<Known>],
    complete: &'a [bool],
    clock: Clock,
}

impl Setting<'_> {
    /// The complete instances, each with its runs of a method and the best value known.
    fn complete<'b>(
        &'b self,
        runs: &'b Runs<'_>,
    ) -> impl Iterator<Item = (&'b TestInstance, Vec<&'b Record>, Option<f64>)> {
        let counts = (0..self.outline.instances.len()).filter(|&at| self.complete[at]);
        counts.map(|at| {
            let records = runs.records[at].iter().flatten().collect();
            let best = self.known[at].as_ref().map(|known| known.value);
            (&self.outline.instances[at], records, best)
        })
    }

    /// The mean of `of` over the seeds of each complete instance.
    fn measure(&self, runs: &Runs<'_>, of: impl Fn(&Record, Option<f64>) -> f64) -> Vec<f64> {
        self.complete(runs)
            .map(|(_, records, best)| {
                let values: Vec<f64> = records.iter().map(|record| of(record, best)).collect();
                mean(&values).unwrap_or(1.0)
            })
            .collect()
    }

    fn method(&self, runs: &Runs<'_>) -> MethodAnalysis {
        let limit = self.outline.time_limit;
        let other = match self.clock {
            Clock::EndToEnd => Clock::Solver,
            Clock::Solver => Clock::EndToEnd,
        };
        let integral = |clock: Clock| {
            self.measure(runs, |record, best| match best {
                Some(best) => {
                    idpas_search::measure::integral(clock.trajectory(record), limit, best)
                }
                None => limit,
            })
        };
        let gaps = self.measure(runs, |record, best| {
            gap_at(&self.clock.trajectory(record), limit, limit, best)
        });
        let integrals = integral(self.clock);
        let overheads = self.measure(runs, |record, _| record.overhead);
        let outlined = runs.outlined;
        let reported = runs
            .records
            .iter()
            .flatten()
            .flatten()
            .find_map(|r| r.settings.clone());
        MethodAnalysis {
            label: outlined.label.clone(),
            ceiling: outlined.method == idpas_search::Method::Oracle,
            settings: reported.or_else(|| outlined.tuned.clone()),
            tuning_seconds: outlined.tuning_seconds,
            gap: Spread::of(&gaps),
            integral: Spread::of(&integrals),
            other_integral: Spread::of(&integral(other)),
            gap_reduction: None,
            integral_reduction: None,
            gap_wins: None,
            integral_wins: None,
            gap_geometric: crate::statistics::shifted_geometric_mean(&gaps, 1e-4),
            integral_geometric: crate::statistics::shifted_geometric_mean(&integrals, 1e-3 * limit),
            gap_test: None,
            integral_test: None,
            gap_oracle_share: None,
            integral_oracle_share: None,
            speed_up: None,
            overhead: mean(&overheads),
            curve: curve::mean_gap(self, runs),
            gaps,
            integrals,
        }
    }
}

/// The primal gap at a time. At the limit, a solution that a run returns when it is stopped counts too, although it
/// may come a little later: a user who sets this limit gets it as well.
fn gap_at(trajectory: &[(f64, f64)], time: f64, limit: f64, best: Option<f64>) -> f64 {
    let found = trajectory
        .iter()
        .take_while(|point| point.0 <= time || time >= limit)
        .last();
    let value = found.map(|point| point.1);
    best.map_or(1.0, |best| idpas_search::measure::primal_gap(value, best))
}

fn soundness(runs: &[Runs<'_>], complete: &[bool]) -> Soundness {
    let mut sound = Soundness {
        left_out: complete.iter().filter(|complete| !**complete).count(),
        ..Soundness::default()
    };
    for record in runs.iter().flat_map(|runs| runs.records.iter().flatten()) {
        sound.planned += 1;
        let Some(record) = record else {
            sound.missing += 1;
            continue;
        };
        sound.failed += usize::from(record.failure.is_some());
        sound.shared += usize::from(!record.exclusive);
        match record.waited_seconds {
            Some(waited) => {
                sound.disturbed += usize::from(waited > DISTURBED * record.time.max(0.1));
            }
            None => sound.unwatched += 1,
        }
    }
    sound
}
