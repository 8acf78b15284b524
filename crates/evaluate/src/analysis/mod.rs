//! From records of runs to the numbers of the report.
//!
//! The primal gap and integral are those of [`idpas_search::measure`]: |v − v*| / max(|v*|, 1e-8), 1 where there is no
//! solution yet, integrated over [0, T]. v* is the best value that any run of the study found, the oracle's and the
//! reference's included. Only instances on which every method has every seed count, so that all are compared on the
//! same ones; a run that failed counts as one without a solution.

mod best;
mod compare;
mod curve;
mod speed;

use serde::Serialize;
use serde_json::Value;

use crate::results::{Manifest, Outline, Quality, Record, Results, StageTime, TestInstance};
use crate::statistics::{Spread, Wilcoxon, mean};
use crate::{EvaluateError, Study};
use best::{Known, best_known};
pub use curve::CurvePoint;
pub use speed::SpeedUp;

/// Gaps closer than this are the same: a ten-thousandth of a per cent.
pub const SAME_GAP: f64 = 1e-6;

/// Runs that waited longer than this share of their time for a processor were disturbed.
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
    /// Times and values of a run on this clock.
    pub fn trajectory(self, record: &Record) -> Vec<(f64, f64)> {
        let before = match self {
            Clock::EndToEnd => 0.0,
            Clock::Solver => record.overhead,
        };
        let shifted = |&(time, value): &(f64, f64)| ((time - before).max(0.0), value);
        record.trajectory.iter().map(shifted).collect()
    }
}

/// A study in numbers.
#[derive(Clone, Debug, Serialize)]
pub struct Analysis {
    /// Its name.
    pub study: String,
    /// What it is for.
    pub about: Option<String>,
    /// When time begins.
    pub clock: Clock,
    /// The method that the others are compared with.
    pub subject: Option<String>,
    /// Seeds of each instance.
    pub seeds: Vec<u32>,
    /// Threads of each run.
    pub threads: u16,
    /// The benchmarks that have results.
    pub benchmarks: Vec<BenchmarkAnalysis>,
    /// Those that have none, by name.
    pub without_results: Vec<String>,
    /// What the results were made with.
    pub manifest: Option<Manifest>,
}

/// A benchmark in numbers.
#[derive(Clone, Debug, Serialize)]
pub struct BenchmarkAnalysis {
    /// Its name.
    pub name: String,
    /// Where its instances come from.
    pub source: String,
    /// Instances learned from.
    pub train: usize,
    /// Instances chosen by.
    pub validation: usize,
    /// Seconds of each run.
    pub time_limit: f64,
    /// The test instances.
    pub instances: Vec<InstanceAnalysis>,
    /// The methods.
    pub methods: Vec<MethodAnalysis>,
    /// How sound the comparison is.
    pub soundness: Soundness,
    /// What was spent before the runs.
    pub stages: Vec<StageTime>,
    /// How good the scores of its models are.
    pub quality: Vec<Quality>,
}

/// What a reader must know before believing a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Soundness {
    /// Runs planned.
    pub planned: usize,
    /// Runs that are missing.
    pub missing: usize,
    /// Instances left out because a run of theirs is missing.
    pub left_out: usize,
    /// Runs that failed.
    pub failed: usize,
    /// Runs that shared a processor with other work of this program.
    pub shared: usize,
    /// Runs that waited for a processor for more than a twentieth of their time.
    pub disturbed: usize,
    /// Runs on machines or systems that do not tell how long a run waited.
    pub unwatched: usize,
}

/// A test instance in numbers.
#[derive(Clone, Debug, Serialize)]
pub struct InstanceAnalysis {
    /// Name, size and sense.
    #[serde(flatten)]
    pub instance: TestInstance,
    /// The best value of any run.
    pub best: Option<f64>,
    /// Who found it.
    pub best_by: Option<String>,
    /// Whether it counts: no run is missing.
    pub complete: bool,
}

/// A method on a benchmark in numbers. Vectors have an entry per complete instance.
#[derive(Clone, Debug, Serialize)]
pub struct MethodAnalysis {
    /// Its label.
    pub label: String,
    /// Whether it is given the answer, and competes with nobody.
    pub ceiling: bool,
    /// The settings of its search.
    pub settings: Option<Value>,
    /// What tuning them took, in seconds of solving.
    pub tuning_seconds: Option<f64>,
    /// Mean primal gap at the end.
    pub gap: Option<Spread>,
    /// Mean primal integral on the chosen clock.
    pub integral: Option<Spread>,
    /// The same on the other clock.
    pub other_integral: Option<Spread>,
    /// By how much the mean gap is below the solver's.
    pub gap_reduction: Option<f64>,
    /// By how much the mean integral is below the solver's.
    pub integral_reduction: Option<f64>,
    /// Instances won by gap, ties shared.
    pub gap_wins: Option<f64>,
    /// Instances won by integral.
    pub integral_wins: Option<f64>,
    /// Shifted geometric mean of the gap, shift 0.01 %.
    pub gap_geometric: Option<f64>,
    /// Shifted geometric mean of the integral, shift a thousandth of the limit.
    pub integral_geometric: Option<f64>,
    /// Whether its gaps differ from the subject's.
    pub gap_test: Option<Wilcoxon>,
    /// Whether its integrals differ from the subject's.
    pub integral_test: Option<Wilcoxon>,
    /// How much of the oracle's improvement over the solver it reaches, by gap.
    pub gap_oracle_share: Option<f64>,
    /// The same by integral.
    pub integral_oracle_share: Option<f64>,
    /// How fast it reaches what the solver has at its end.
    pub speed_up: Option<SpeedUp>,
    /// Mean seconds before the solver is first asked.
    pub overhead: Option<f64>,
    /// The gap of each instance.
    pub gaps: Vec<f64>,
    /// The integral of each instance.
    pub integrals: Vec<f64>,
    /// The mean gap over time.
    pub curve: Vec<CurvePoint>,
}

/// Computes everything from a folder of results.
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

/// The runs of one method, by instance.
struct Runs<'a> {
    outlined: &'a crate::results::OutlinedMethod,
    /// By instance, then by seed.
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
                // Whatever solution the oracle was given, it was the best one of its time.
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

/// What the runs of a benchmark are measured by.
struct Setting<'a> {
    outline: &'a Outline,
    known: &'a [Option<Known>],
    complete: &'a [bool],
    clock: Clock,
}

impl Setting<'_> {
    /// The complete instances with their runs of a method and the best value known.
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

    /// A measurement of each complete instance: the mean over its seeds.
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

/// The gap at a time. At the limit, what a run hands over when it is stopped counts too, though it may come a little
/// later: that is what a user gets who sets this limit.
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
