//! The race itself.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Plan, Rung};
use crate::SearchSettings;

/// With fewer instances, nothing is clear.
const LEAST_PAIRS: usize = 3;
/// A mean difference of so many standard errors is clear.
const CLEAR: f64 = 2.0;

/// An evaluation to be made.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    /// Which candidate.
    pub candidate: usize,
    /// Its settings.
    pub settings: &'a SearchSettings,
    /// Which instance.
    pub instance: usize,
    /// Seconds.
    pub time_limit: f64,
}

/// What an evaluation cost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cost {
    /// What is to be small: the primal integral, divided by the time limit or not.
    pub cost: f64,
    /// Seconds of solver time it took.
    pub seconds: f64,
}

/// An evaluation that was made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Which rung asked for it.
    pub rung: usize,
    /// Which candidate.
    pub candidate: usize,
    /// Which instance.
    pub instance: usize,
    /// Seconds it was given.
    pub time_limit: f64,
    /// What it cost.
    pub cost: f64,
    /// Seconds of solver time it took.
    pub seconds: f64,
}

/// How a candidate stood at the end of a rung.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// Which candidate.
    pub candidate: usize,
    /// Instances it was evaluated on.
    pub instances: usize,
    /// Its mean cost over them.
    pub mean: f64,
    /// Whether it went on.
    pub kept: bool,
}

/// What a rung found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RungReport {
    /// As planned.
    pub rung: Rung,
    /// The candidates, best first; those left out early behind the others.
    pub standings: Vec<Standing>,
}

/// The chosen candidate and the evidence for it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Choice {
    /// Which candidate.
    pub candidate: usize,
    /// Its settings.
    pub settings: SearchSettings,
    /// Solver time of all evaluations, in seconds.
    pub seconds: f64,
    /// Rung by rung.
    pub rungs: Vec<RungReport>,
    /// Every evaluation, in its order.
    pub evaluations: Vec<Evaluation>,
}

/// Chooses the best of `candidates` by the plan; `None` if there are none. The first error of `evaluate` ends it.
///
/// A cost that is NaN counts as infinite. Ties go to the earlier candidate.
pub fn race<E>(
    candidates: &[SearchSettings],
    plan: &Plan,
    mut evaluate: impl FnMut(&Trial<'_>) -> Result<Cost, E>,
) -> Result<Option<Choice>, E> {
    race_in_batches(candidates, plan, |trials| {
        trials.iter().map(&mut evaluate).collect()
    })
}

/// The same for a caller that makes several evaluations at a time, and wants one cost for each trial. A batch is as
/// large as can be while nothing depends on its results: all candidates that are still in the race on one instance, on
/// the first few of a rung, or on all of a rung where nobody is left out early.
pub fn race_in_batches<E>(
    candidates: &[SearchSettings],
    plan: &Plan,
    mut evaluate: impl FnMut(&[Trial<'_>]) -> Result<Vec<Cost>, E>,
) -> Result<Option<Choice>, E> {
    let mut alive: Vec<usize> = (0..candidates.len()).collect();
    let mut evaluations = Vec::new();
    let mut rungs = Vec::new();
    for (at, rung) in plan.rungs.iter().enumerate() {
        if alive.len() <= 1 {
            break;
        }
        let mut field = Field::new(&alive);
        let mut instance = 0;
        while instance < rung.instances {
            let batch = instance..field.undecided(rung, instance);
            let trials = field.trials(candidates, batch.clone(), rung.time_limit);
            let costs = evaluate(&trials)?;
            for (trial, Cost { cost, seconds }) in trials.iter().zip(costs) {
                let cost = if cost.is_nan() { f64::INFINITY } else { cost };
                field.add(trial.candidate, cost);
                evaluations.push(Evaluation {
                    rung: at,
                    candidate: trial.candidate,
                    instance: trial.instance,
                    time_limit: rung.time_limit,
                    cost,
                    seconds,
                });
            }
            instance = batch.end;
            if rung.early {
                field.leave_out(rung.keep);
                if field.running() <= rung.keep {
                    break;
                }
            }
        }
        let standings = field.standings(rung.keep);
        alive = standings
            .iter()
            .filter(|standing| standing.kept)
            .map(|standing| standing.candidate)
            .collect();
        rungs.push(RungReport {
            rung: *rung,
            standings,
        });
    }
    let Some(&candidate) = alive.first() else {
        return Ok(None);
    };
    Ok(Some(Choice {
        candidate,
        settings: candidates[candidate].clone(),
        seconds: evaluations.iter().map(|e: &Evaluation| e.seconds).sum(),
        rungs,
        evaluations,
    }))
}

/// By how much the first costs are below the second on average, pair by pair, and the standard error of that; none with
/// fewer than two pairs.
pub fn paired_lead(costs: &[f64], others: &[f64]) -> Option<(f64, f64)> {
    let n = costs.len().min(others.len());
    if n < 2 {
        return None;
    }
    let differences = || others.iter().zip(costs).map(|(other, cost)| other - cost);
    let mean = differences().sum::<f64>() / n as f64;
    let squares: f64 = differences().map(|d| (d - mean).powi(2)).sum();
    Some((mean, (squares / (n * (n - 1)) as f64).sqrt()))
}

/// A candidate in a rung, with its costs on the first instances.
struct Racer {
    candidate: usize,
    costs: Vec<f64>,
    running: bool,
}

impl Racer {
    fn mean(&self) -> f64 {
        self.costs.iter().sum::<f64>() / self.costs.len().max(1) as f64
    }

    /// Whether this one is clearly better than another on the same instances.
    fn beats(&self, other: &Racer) -> bool {
        if self.costs.len().min(other.costs.len()) < LEAST_PAIRS {
            return false;
        }
        let lead = paired_lead(&self.costs, &other.costs);
        lead.is_some_and(|(mean, error)| mean > 0.0 && mean > CLEAR * error)
    }
}

struct Field {
    racers: Vec<Racer>,
}

impl Field {
    fn new(candidates: &[usize]) -> Self {
        let racer = |&candidate: &usize| Racer {
            candidate,
            costs: Vec::new(),
            running: true,
        };
        Field {
            racers: candidates.iter().map(racer).collect(),
        }
    }

    fn running(&self) -> usize {
        self.racers.iter().filter(|racer| racer.running).count()
    }

    /// The first instance after `next` at which somebody may be left out, so that all before it can be done in any
    /// order.
    fn undecided(&self, rung: &Rung, next: usize) -> usize {
        let end = match rung.early {
            false => rung.instances,
            true if self.running() <= rung.keep => next + 1,
            true => LEAST_PAIRS.max(next + 1),
        };
        end.min(rung.instances)
    }

    /// Everyone who is running, on each of some instances.
    fn trials<'a>(
        &self,
        candidates: &'a [SearchSettings],
        instances: Range<usize>,
        time_limit: f64,
    ) -> Vec<Trial<'a>> {
        let running = || self.racers.iter().filter(|racer| racer.running);
        let on = |instance| {
            running().map(move |racer| Trial {
                candidate: racer.candidate,
                settings: &candidates[racer.candidate],
                instance,
                time_limit,
            })
        };
        instances.flat_map(on).collect()
    }

    fn add(&mut self, candidate: usize, cost: f64) {
        let racers = self.racers.iter_mut();
        for racer in racers.filter(|racer| racer.candidate == candidate) {
            racer.costs.push(cost);
        }
    }

    /// Leaves out whom at least `keep` others clearly beat.
    fn leave_out(&mut self, keep: usize) {
        let beaten = |racer: &Racer| {
            let running = self.racers.iter().filter(|other| other.running);
            running.filter(|other| other.beats(racer)).count() >= keep
        };
        let out: Vec<bool> = self.racers.iter().map(beaten).collect();
        for (racer, out) in self.racers.iter_mut().zip(out) {
            racer.running &= !out;
        }
    }

    /// Everyone, best first, of whom the first `keep` go on.
    fn standings(&self, keep: usize) -> Vec<Standing> {
        let mut order: Vec<&Racer> = self.racers.iter().collect();
        order.sort_by(|a, b| {
            (b.running.cmp(&a.running))
                .then(b.costs.len().cmp(&a.costs.len()))
                .then(a.mean().total_cmp(&b.mean()))
                .then(a.candidate.cmp(&b.candidate))
        });
        let standing = |(place, racer): (usize, &Racer)| Standing {
            candidate: racer.candidate,
            instances: racer.costs.len(),
            mean: racer.mean(),
            kept: place < keep,
        };
        order.into_iter().enumerate().map(standing).collect()
    }
}
