//! Taking a turn: the work on one instance, in this process.
//!
//! 1. The linear relaxation is solved, unless the pool has it already.
//! 2. The lead looks for better solutions: the staged search with what siblings know, or the solver alone. Every
//!    solution on the way is a candidate.
//! 3. Re-solves around the solutions known fill the pool: see [`neighbourhood`](idpas_search::neighbourhood).

use std::collections::VecDeque;

use idpas_base::random::Random;
use idpas_mip::{Model, Relaxation};
use idpas_search::{
    Method, SearchControl, SearchEvent, SearchOutcome, SearchProblem, SearchSettings, SearchStatus,
    StagedSettings, search,
};
use idpas_solver::{Interrupt, LpResult, Params, Solver, Termination};

use super::CollectSettings;
use super::fill::Filling;
use super::rounds::Rounds;
use super::siblings::SiblingAdvice;
use super::turn::{Lead, Turn, TurnKind, TurnPlan};
use crate::pool::{
    InstanceInfo, LpInfo, Pool, PoolInfo, PoolSolution, SolverInfo, Source, close_copies,
};
use crate::{NoPool, PoolError};

/// Share of a turn's search that the relaxation may take. It is no label, but training and the search need it.
const RELAXATION_SHARE: f64 = 0.3;
/// The share of a closing that it may take, if that was too little.
const CLOSING_RELAXATION: f64 = 0.6;
/// The share of a turn by which it may be longer to check the solutions that were found.
const CHECKING: f64 = 0.1;

/// What is there of an instance before a turn.
#[derive(Debug, Default)]
pub(super) struct Before {
    /// Solutions to be checked before they count: imported ones, or those of an earlier version of the instance.
    pub(super) unchecked: Vec<PoolSolution>,
    /// The pool of earlier turns.
    pub(super) pool: Option<Pool>,
    /// The turns taken.
    pub(super) turns: Vec<Turn>,
}

/// What a turn gave.
pub(super) enum Taken {
    /// A pool, new or better than before.
    Pool(Box<Pool>),
    /// There is no solution yet.
    Nothing(Turn),
}

/// Makes the pool of one instance by itself, in this process: half of the time, by default, for a solve of the whole
/// instance, the rest for re-solves around what it found. `known` are solutions to start from, imported ones as a rule.
pub fn fill_pool(
    model: &Model,
    instance: InstanceInfo,
    known: Vec<PoolSolution>,
    settings: &CollectSettings,
    solver: &dyn Solver,
    interrupt: &Interrupt,
) -> Result<Pool, PoolError> {
    let before = Before {
        unchecked: known,
        ..Before::default()
    };
    let work = TurnWork {
        model,
        instance,
        settings,
        solver,
        interrupt,
        advice: &SiblingAdvice::default(),
    };
    match work.take(&TurnPlan::alone(settings), before)? {
        Taken::Pool(pool) => Ok(*pool),
        Taken::Nothing(_) => Err(PoolError::NoPool(NoPool::NothingFound)),
    }
}

impl TurnPlan {
    /// All that is done for an instance by itself.
    pub(super) fn alone(settings: &CollectSettings) -> Self {
        let search = settings.first_share * settings.time_limit;
        let rest = settings.time_limit - search;
        TurnPlan {
            kind: TurnKind::Alone,
            lead: Some(Lead::Solver),
            search,
            until_first: 0.0,
            fill: rest,
        }
    }
}

/// A turn to be taken.
pub(super) struct TurnWork<'a> {
    pub(super) model: &'a Model,
    pub(super) instance: InstanceInfo,
    pub(super) settings: &'a CollectSettings,
    pub(super) solver: &'a dyn Solver,
    pub(super) interrupt: &'a Interrupt,
    pub(super) advice: &'a SiblingAdvice,
}

/// Solutions that a search came across, with the seconds of its clock, the latest last.
type Found = VecDeque<(f64, Vec<f64>)>;

/// A turn under way.
struct UnderWay<'a> {
    filling: Filling<'a>,
    relaxation: Option<Relaxation>,
    /// How many turns there were before.
    number: usize,
    /// The best bound known.
    bound: Option<f64>,
    /// How the last search ended.
    status: String,
    /// Why there can be no pool.
    none: Option<NoPool>,
}

impl TurnWork<'_> {
    pub(super) fn take(self, plan: &TurnPlan, before: Before) -> Result<Taken, PoolError> {
        self.settings.validate()?;
        let number = before.turns.len();
        let earlier = before.turns.iter().map(|turn| turn.seconds).sum();
        let limit = plan.most_seconds();
        let mut filling = Filling::new(
            self.model,
            self.settings,
            self.solver,
            self.interrupt,
            limit,
            earlier,
        );
        let (old, kept, relaxation) = match before.pool {
            Some(pool) => (Some(pool.info), pool.solutions, pool.relaxation),
            None => (None, Vec::new(), None),
        };
        // They were checked before they were written.
        for solution in kept {
            filling.selection.add(solution);
        }
        for solution in before.unchecked {
            filling.offer(&solution.values, solution.time, solution.source);
        }
        let (lp, relaxation) = match (old.as_ref().and_then(|old| old.lp.clone()), relaxation) {
            (Some(lp), Some(relaxation)) => (lp, Some(relaxation)),
            // It took too long once; there is more time for it in the end.
            (Some(lp), None) if plan.kind == TurnKind::Again => (lp, None),
            _ => self.relax(plan, &mut filling)?,
        };
        let old = old.as_ref();
        let mut state = UnderWay {
            filling,
            relaxation,
            number,
            bound: self
                .model
                .sense
                .tighter(old.and_then(|old| old.bound), lp.objective),
            status: old
                .map_or(Termination::TimeLimit.as_str(), |old| &old.status)
                .into(),
            none: None,
        };
        let compared = self.search(plan, &mut state)?;
        if self.interrupt.is_raised() {
            return Err(PoolError::NoPool(NoPool::Interrupted));
        }
        if let (None, Some(none)) = (state.filling.selection.best(), state.none) {
            return Err(PoolError::NoPool(none));
        }
        let rounds = self.fill(plan, &mut state)?;
        if self.interrupt.is_raised() {
            return Err(PoolError::NoPool(NoPool::Interrupted));
        }
        let filling = state.filling;
        let seconds = filling.seconds();
        let turn = Turn {
            kind: plan.kind,
            lead: plan.lead,
            seconds,
            siblings: self.advice.count,
            best: filling.selection.best().map(|best| best.objective),
            solutions: filling.selection.solutions().len(),
            compared,
        };
        if turn.best.is_none() {
            return Ok(Taken::Nothing(turn));
        }
        let mut turns = before.turns;
        turns.push(turn);
        let rejected = filling.rejected;
        let solutions = filling.selection.into_solutions();
        let info = PoolInfo {
            copies: close_copies(&solutions, &self.model.columns.kind),
            instance: self.instance,
            sense: self.model.sense.as_str().into(),
            bound: state.bound,
            status: match old.is_some_and(PoolInfo::is_proven) {
                true => Termination::Optimal.as_str().into(),
                false => state.status,
            },
            solver: SolverInfo {
                name: self.solver.name().into(),
                version: self.solver.version(),
            },
            settings: Some(self.settings.clone()),
            settings_sha256: Some(self.settings.hash()),
            lp: Some(lp),
            seconds: earlier + seconds,
            rounds: rounds + old.map_or(0, |old| old.rounds),
            rejected: rejected + old.map_or(0, |old| old.rejected),
            program: idpas_base::PROGRAM.into(),
            turns,
        };
        Ok(Taken::Pool(Box::new(Pool {
            info,
            solutions,
            relaxation: state.relaxation,
        })))
    }

    /// Solves the linear relaxation.
    fn relax(
        &self,
        plan: &TurnPlan,
        filling: &mut Filling<'_>,
    ) -> Result<(LpInfo, Option<Relaxation>), PoolError> {
        let seconds = match plan.kind {
            TurnKind::Alone => filling.limit(),
            TurnKind::Closing => CLOSING_RELAXATION * plan.fill,
            TurnKind::Opening | TurnKind::Again => RELAXATION_SHARE * plan.search,
        };
        // Each solve loads the model anew: one that does not stop in time keeps what it was given.
        let mut loaded = self.solver.load(self.model)?;
        let params = filling.params(seconds);
        let lp = loaded.solve_relaxation(&params, &mut filling.control())?;
        Ok(keep_relaxation(lp))
    }

    /// Looks for better solutions. Where leads are compared, gives the best objective that each found by itself.
    fn search(
        &self,
        plan: &TurnPlan,
        state: &mut UnderWay<'_>,
    ) -> Result<Vec<Option<f64>>, PoolError> {
        if plan.search <= 0.0 {
            return Ok(Vec::new());
        }
        let Some(lead) = plan.lead else {
            let mut compared = Vec::new();
            for lead in Lead::ALL {
                compared.push(self.led(lead, plan.search, None, state)?);
            }
            return Ok(compared);
        };
        if plan.kind == TurnKind::Alone {
            self.start_from_siblings(&mut state.filling);
        }
        // The time that the relaxation took is part of it.
        let seconds = plan.search - state.filling.seconds();
        let best = state.filling.selection.best();
        let from = best.map(|best| best.values.clone());
        self.led(lead, seconds, from.as_deref(), state)?;
        // Some models need the solver's own means for a first solution.
        let nothing = state.filling.selection.best().is_none() && state.none.is_none();
        let left = state.filling.left() - plan.fill;
        if nothing && lead != Lead::Solver && left > 0.0 && !self.interrupt.is_raised() {
            self.led(Lead::Solver, left, None, state)?;
        }
        Ok(Vec::new())
    }

    /// Takes the solutions of siblings that are feasible, or become so when their continuous columns are found again.
    fn start_from_siblings(&self, filling: &mut Filling<'_>) {
        for start in &self.advice.starts {
            if start.iter().all(|value| value.is_finite()) {
                filling.offer(start, None, Source::Neighbourhood);
            }
        }
    }

    /// Re-solves around the solutions known, as long as the turn lasts; says how many there were. A solver that fills a pool in
    /// one solve does that first, and what time it leaves is for re-solves.
    fn fill(&self, plan: &TurnPlan, state: &mut UnderWay<'_>) -> Result<usize, PoolError> {
        let found = state.filling.selection.best().is_some();
        if !found || plan.fill <= 0.0 || !self.model.has_integers() {
            return Ok(0);
        }
        if self.solver.abilities().pools {
            state.filling.solve_pool(plan.fill)?;
        }
        let relaxation = state.relaxation.as_ref().map(|lp| lp.values.as_slice());
        let name = &self.instance.name;
        let rounds = Rounds::new(name, self.model, relaxation, self.settings, state.number);
        rounds.run(self.solver, &mut state.filling)
    }

    /// One lead's search of about `seconds`, from the solution `from` if there is one. Gives the best objective it found.
    fn led(
        &self,
        lead: Lead,
        seconds: f64,
        from: Option<&[f64]>,
        state: &mut UnderWay<'_>,
    ) -> Result<Option<f64>, PoolError> {
        let seed = self.seed(state.number);
        let (bound, best) = if lead == Lead::Solver {
            let result = state.filling.solve_alone(seconds, from, seed)?;
            state.status = match &result.termination {
                Termination::Interrupted => Termination::TimeLimit.as_str().into(),
                other => other.as_str().into(),
            };
            state.none = match result.termination {
                Termination::Infeasible => Some(NoPool::Infeasible),
                Termination::Unbounded | Termination::InfeasibleOrUnbounded => {
                    Some(NoPool::Unbounded)
                }
                _ => None,
            };
            let best = result.best.map(|best| best.objective);
            (Some(result.bound), best)
        } else {
            let began = state.filling.seconds();
            let (outcome, found) = self.staged(lead, seconds, from, seed, state)?;
            // The latest are the best; to check all of them may take longer than there is time.
            let best = outcome
                .solution
                .iter()
                .map(|best| (seconds, best.values.clone()));
            for (time, values) in best.chain(found.into_iter().rev()) {
                let time = Some(began + time);
                state.filling.offer_found(&values, time);
                if state.filling.left() <= -CHECKING * state.filling.limit() {
                    break;
                }
            }
            state.status = match outcome.status {
                SearchStatus::Optimal => Termination::Optimal.as_str().into(),
                _ => Termination::TimeLimit.as_str().into(),
            };
            state.none = match outcome.status {
                SearchStatus::Infeasible => Some(NoPool::Infeasible),
                SearchStatus::Unbounded | SearchStatus::InfeasibleOrUnbounded => {
                    Some(NoPool::Unbounded)
                }
                _ => None,
            };
            let best = outcome.solution.map(|best| best.objective);
            (outcome.bound, best)
        };
        let bound = bound.filter(|bound| bound.is_finite());
        state.bound = self.model.sense.tighter(state.bound, bound);
        Ok(best)
    }

    /// The staged search with what siblings know, and the solutions on its way with their times.
    fn staged(
        &self,
        lead: Lead,
        seconds: f64,
        from: Option<&[f64]>,
        seed: u32,
        state: &UnderWay<'_>,
    ) -> Result<(SearchOutcome, Found), PoolError> {
        let own = from.map(<[f64]>::to_vec);
        let starts: Vec<Vec<f64>> = own
            .into_iter()
            .chain(self.advice.starts.iter().cloned())
            .collect();
        let problem = SearchProblem {
            sets: &self.advice.sets,
            starts: &starts,
            relaxation: state.relaxation.as_ref(),
            ..SearchProblem::new(self.solver, self.model)
        };
        let mut settings = SearchSettings::of(Method::Idpas);
        if lead == Lead::Whole {
            settings.staged = StagedSettings {
                whole_share: StagedSettings::MOSTLY_WHOLE,
                whole_least: StagedSettings::MOSTLY_WHOLE,
                ..StagedSettings::default()
            };
        }
        let params = Params {
            seed,
            node_limit: None,
            ..state.filling.params(seconds.max(0.0))
        };
        // Solutions before these are hardly as good as the pool keeps them.
        let most = 2 * self.settings.pool;
        let mut found = VecDeque::new();
        let mut observer = |event: SearchEvent<'_>| {
            let (SearchEvent::Incumbent { time, values, .. }
            | SearchEvent::Candidate { time, values, .. }) = event
            else {
                return;
            };
            if found.len() == most {
                found.pop_front();
            }
            found.push_back((time, values.to_vec()));
        };
        let mut control = SearchControl {
            interrupt: self.interrupt.clone(),
            observer: Some(&mut observer),
            wants_candidates: true,
            ..SearchControl::default()
        };
        let outcome = search(&problem, &settings, &params, &mut control)?;
        drop(control);
        Ok((outcome, found))
    }

    /// The seed of a turn's solves. The first turn has the collection's own.
    fn seed(&self, number: usize) -> u32 {
        if number == 0 {
            return (self.settings.seed % (1 << 31)) as u32;
        }
        let purpose = format!("turn {}", self.instance.name);
        Random::new(self.settings.seed, &purpose, number as u64).below(1 << 31) as u32
    }
}

fn keep_relaxation(lp: LpResult) -> (LpInfo, Option<Relaxation>) {
    let info = LpInfo {
        status: lp.termination.as_str().into(),
        objective: lp.solution.as_ref().map(|lp| lp.objective),
        seconds: lp.time,
    };
    let relaxation = lp.solution.map(Relaxation::to_single);
    (info, relaxation)
}
