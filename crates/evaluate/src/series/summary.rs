//! A series in numbers: the scores of its instances, their means over batches of ten, and the comparison with the
//! default solver.

use std::collections::BTreeMap;

use idpas_search::SearchStatus;
use serde::Serialize;

use super::{Score, SeriesRecord, SeriesRun};
use crate::statistics::{Wilcoxon, mean, reduction, strictly_better, wilcoxon};

/// Instances in a batch, as the competition has them.
pub const BATCH: usize = 10;

/// Scores that are at most this far apart are equal: a thousandth of the time limit, or a gap of 0.1 %.
pub const TIE: f64 = 1e-3;

/// All numbers of a series.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeriesSummary {
    /// The instances in the order in which they were solved.
    pub instances: Vec<InstanceScore>,
    /// All instances together.
    pub all: SeriesPart,
    /// The instances in batches of ten; the last may have fewer.
    pub batches: Vec<SeriesPart>,
    /// How the instances were solved, the most frequent way first.
    pub ways: Vec<WayCount>,
}

/// An instance of a series with its scores.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InstanceScore {
    /// Its place in the series, from 1 on.
    pub number: usize,
    /// Its name.
    pub name: String,
    /// Seconds that a run had.
    pub time_limit: f64,
    /// How the series solved it.
    pub way: String,
    /// The series' own run.
    pub ours: ScoredRun,
    /// The default solver's run, if there was one.
    pub solver: Option<ScoredRun>,
    /// Seconds that learning from it took, after it was solved.
    pub learning: f64,
    /// What the user was told about it.
    pub notes: Vec<String>,
}

/// A run with its score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScoredRun {
    /// Why it ended.
    pub status: SearchStatus,
    /// Whether the solution was proved optimal, or the instance infeasible.
    pub solved: bool,
    /// The objective value of its best solution.
    pub objective: Option<f64>,
    /// The best bound that it proved.
    pub bound: Option<f64>,
    /// Seconds from opening the instance to the end of the solve, learning left out.
    pub seconds: f64,
    /// The parts of its score.
    pub score: Score,
    /// The score: the sum of the parts.
    pub total: f64,
}

/// Consecutive instances of a series.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeriesPart {
    /// Number of the first instance.
    pub first: usize,
    /// Number of the last instance.
    pub last: usize,
    /// The series' own runs on all of these instances.
    pub ours: MeanScore,
    /// The comparison on those of them that the default solver was run on, too; `None` if there are none.
    pub compared: Option<ScoreComparison>,
}

/// Mean scores over instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct MeanScore {
    /// Number of instances.
    pub instances: usize,
    /// Number of instances that were solved: proved optimal, or infeasible.
    pub solved: usize,
    /// Mean score.
    pub total: f64,
    /// Mean of its part for time.
    pub time: f64,
    /// Mean of its part for the gap.
    pub gap: f64,
    /// Mean of its part for instances without a solution: their share.
    pub no_solution: f64,
}

/// The series against the default solver, on instances that both were run on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScoreComparison {
    /// The series' runs on these instances.
    pub ours: MeanScore,
    /// The default solver's runs.
    pub solver: MeanScore,
    /// By how much the series' mean score is below the solver's, as a share of it; negative if it is above.
    pub reduction: Option<f64>,
    /// Instances on which the series' score is better.
    pub better: usize,
    /// Instances on which the scores are at most [`TIE`] apart.
    pub equal: usize,
    /// Instances on which the series' score is worse.
    pub worse: usize,
    /// Seconds to the proof on instances that both solved; `None` if there are none.
    pub proof: Option<ProofTimes>,
    /// Wilcoxon's test of the instances' scores; pairs at most [`TIE`] apart are left out. `None` if no others are there.
    pub test: Option<Wilcoxon>,
}

/// Mean times to the proof on instances that both the series and the default solver solved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ProofTimes {
    /// Number of these instances.
    pub instances: usize,
    /// Mean seconds of the series' runs, learning left out.
    pub ours: f64,
    /// Mean seconds of the default solver's runs.
    pub solver: f64,
}

/// How many instances were solved in a certain way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WayCount {
    /// The way, as in the records.
    pub way: String,
    /// Number of instances.
    pub instances: usize,
}

impl SeriesSummary {
    /// The summary of a series' records, which are in the order in which its instances were solved.
    pub fn new(records: &[SeriesRecord]) -> Self {
        let instances: Vec<InstanceScore> = records.iter().map(InstanceScore::new).collect();
        SeriesSummary {
            all: SeriesPart::new(&instances),
            batches: instances.chunks(BATCH).map(SeriesPart::new).collect(),
            ways: ways(&instances),
            instances,
        }
    }

    /// The time limit of all instances in seconds; `None` if they had different ones, or if there are none.
    pub fn time_limit(&self) -> Option<f64> {
        let first = self.instances.first()?.time_limit;
        let same = self
            .instances
            .iter()
            .all(|instance| instance.time_limit == first);
        same.then_some(first)
    }
}

impl InstanceScore {
    fn new(record: &SeriesRecord) -> Self {
        let limit = record.time_limit;
        InstanceScore {
            number: record.number,
            name: record.name.clone(),
            time_limit: limit,
            way: record.way.clone(),
            ours: ScoredRun::new(&record.run, record.learning, limit),
            solver: record
                .solver
                .as_ref()
                .map(|run| ScoredRun::new(run, 0.0, limit)),
            learning: record.learning,
            notes: record.notes.clone(),
        }
    }
}

impl ScoredRun {
    fn new(run: &SeriesRun, learning: f64, time_limit: f64) -> Self {
        let score = Score::of(run, learning, time_limit);
        ScoredRun {
            status: run.status,
            solved: run.is_solved(),
            objective: run.objective,
            bound: run.bound,
            seconds: run.seconds,
            score,
            total: score.total(),
        }
    }
}

impl SeriesPart {
    fn new(instances: &[InstanceScore]) -> Self {
        let ours: Vec<&ScoredRun> = instances.iter().map(|instance| &instance.ours).collect();
        SeriesPart {
            first: instances.first().map_or(0, |instance| instance.number),
            last: instances.last().map_or(0, |instance| instance.number),
            ours: MeanScore::new(&ours),
            compared: ScoreComparison::new(instances),
        }
    }
}

impl MeanScore {
    fn new(runs: &[&ScoredRun]) -> Self {
        let mean_of = |part: fn(&ScoredRun) -> f64| {
            let values: Vec<f64> = runs.iter().map(|run| part(run)).collect();
            mean(&values).unwrap_or_default()
        };
        MeanScore {
            instances: runs.len(),
            solved: runs.iter().filter(|run| run.solved).count(),
            total: mean_of(|run| run.total),
            time: mean_of(|run| run.score.time),
            gap: mean_of(|run| run.score.gap),
            no_solution: mean_of(|run| run.score.no_solution),
        }
    }
}

impl ScoreComparison {
    fn new(instances: &[InstanceScore]) -> Option<Self> {
        let pairs = instances.iter();
        let pairs = pairs.filter_map(|instance| Some((&instance.ours, instance.solver.as_ref()?)));
        let (ours, solver): (Vec<&ScoredRun>, Vec<&ScoredRun>) = pairs.unzip();
        if ours.is_empty() {
            return None;
        }
        let totals =
            |runs: &[&ScoredRun]| -> Vec<f64> { runs.iter().map(|run| run.total).collect() };
        let (our_totals, solver_totals) = (totals(&ours), totals(&solver));
        let better = strictly_better(&our_totals, &solver_totals, TIE);
        let worse = strictly_better(&solver_totals, &our_totals, TIE);
        let (our_mean, solver_mean) = (MeanScore::new(&ours), MeanScore::new(&solver));
        Some(ScoreComparison {
            reduction: reduction(solver_mean.total, our_mean.total),
            ours: our_mean,
            solver: solver_mean,
            better,
            equal: ours.len() - better - worse,
            worse,
            proof: ProofTimes::new(&ours, &solver),
            test: wilcoxon(&our_totals, &solver_totals, TIE),
        })
    }
}

impl ProofTimes {
    fn new(ours: &[&ScoredRun], solver: &[&ScoredRun]) -> Option<Self> {
        let pairs = ours.iter().zip(solver);
        let solved = pairs.filter(|(ours, solver)| ours.solved && solver.solved);
        let (ours, solver): (Vec<f64>, Vec<f64>) = solved
            .map(|(ours, solver)| (ours.seconds, solver.seconds))
            .unzip();
        Some(ProofTimes {
            instances: ours.len(),
            ours: mean(&ours)?,
            solver: mean(&solver)?,
        })
    }
}

/// Counts the ways, the most frequent first, equally frequent ones by name.
fn ways(instances: &[InstanceScore]) -> Vec<WayCount> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for instance in instances {
        *counts.entry(&instance.way).or_default() += 1;
    }
    let mut ways: Vec<WayCount> = counts
        .into_iter()
        .map(|(way, instances)| WayCount {
            way: way.to_owned(),
            instances,
        })
        .collect();
    ways.sort_by_key(|way| std::cmp::Reverse(way.instances));
    ways
}
