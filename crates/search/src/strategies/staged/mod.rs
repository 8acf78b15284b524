//! The staged search: the method `idpas`.
//!
//! 1. Past solutions, made to fit, where there are any; and, where better scores take a while, first sub-models by
//!    scores that are there at once.
//! 2. Sub-models in which columns that the scores are sure about are held at zero, the smallest first. They are so
//!    small that a good solution takes a moment.
//! 3. The whole model for a moment, if all of these were easy.
//! 4. Neighbourhoods of the best solution, chosen by scores, relaxation and success, until
//! 5. the whole model gets the rest of the time, to prove what can be proved.
//!
//! With two threads or more, the whole model is solved beside all this from the beginning, and each gets the other's
//! solutions.

mod adaptive;
mod bands;
mod blame;
mod neighbourhoods;
mod past;
mod proven;
mod sub;

use std::borrow::Cow;

use fastrand::Rng;
use idpas_mip::propagate::{Bounds, Propagator};
use idpas_mip::{Model, Relaxation, Sense};
use idpas_solver::judge::CheckedSolution;
use idpas_solver::{Control, Params, Termination};

use crate::driver::beside::Beside;
use crate::driver::stage::Stage;
use crate::driver::{SWEEPS, Search};
use crate::neighbourhood::ranked::Links;
use crate::untrained::relaxation_scores;
use crate::{Region, SearchError, SearchOutcome, Selection, StageEnd, StageKind};
use bands::Ladder;
use proven::Proven;

/// The share of the time that the linear relaxation may take where nothing is predicted.
const RELAXATION_SHARE: f64 = 0.2;
/// The bands of early scores: large steps, since these sub-models are only the beginning.
const EARLY: [f32; 4] = [0.5, 0.3, 0.1, 0.05];
/// What reduced costs may be wrong by.
const SLACK: f64 = 1e-6;

/// What the staged search knows.
struct Known<'a> {
    links: Links<'a>,
    propagator: &'a Propagator<'a>,
    /// Bounds that follow from the rows.
    bounds: Bounds,
    scores: Option<Cow<'a, [f32]>>,
    relaxation: Option<Cow<'a, Relaxation>>,
    /// The solution that neighbourhoods are around. It need not be the best: from a poor one that the relaxation or
    /// the scores lead to, the way can go further than from a good one of another kind.
    current: Option<CheckedSolution>,
    proven: Proven,
    /// What was held at zero by the last band, and how much was released in all.
    selection: Selection,
    released: usize,
    /// Scores up to this were held in the widest sub-model that was searched.
    sure: f32,
    /// A band could not be searched to its end, so the whole model cannot either.
    hard: bool,
    random: Rng,
}

impl Search<'_, '_> {
    /// The whole staged search, to its end.
    pub(crate) fn staged(mut self) -> Result<SearchOutcome, SearchError> {
        let model = self.problem.model;
        let propagator = Propagator::new(model);
        let mut bounds = Bounds::of(model);
        if !model.has_integers() || propagator.tighten(&mut bounds, SWEEPS).is_err() {
            self.full()?;
            return Ok(self.finish(&Selection::default(), 0, None));
        }
        self.begin_beside()?;
        let first = self.problem.sets.first().map(|set| &set.scores[..]);
        let scores = self.problem.scores.or(first);
        let mut known = Known {
            links: Links::new(model, propagator.by_row()),
            propagator: &propagator,
            bounds,
            scores: scores.map(Cow::Borrowed),
            relaxation: self.problem.relaxation.map(Cow::Borrowed),
            current: None,
            proven: Proven::default(),
            selection: Selection::default(),
            released: 0,
            sure: 0.0,
            hard: false,
            random: Rng::with_seed(u64::from(self.params.seed)),
        };
        self.past(&mut known)?;
        known.current = self.board.best().cloned();
        if self.early(&mut known)?
            && self.probe_first(&known)?
            && self.relax_and_climb(&mut known)?
            && self.attempt(&known)?
        {
            self.neighbourhoods(&mut known)?;
            self.last()?;
        }
        self.end_beside();
        let scores = known.scores.as_deref();
        Ok(self.finish(&known.selection, known.released, scores))
    }

    /// Threads for sub-models.
    pub(super) fn sub_threads(&self) -> usize {
        match self.beside {
            Some(_) => 1,
            None => self.params.threads,
        }
    }

    /// Where nothing was learned, the solver's own first solution is better than what its relaxation says. Says whether
    /// there is more to do.
    fn probe_first(&mut self, known: &Known<'_>) -> Result<bool, SearchError> {
        let learned = known.scores.is_some() || self.board.best().is_some();
        if learned || self.beside.is_some() || self.is_over() {
            return Ok(!self.is_over());
        }
        let limit = self.clock.share(self.settings.staged.probe_share);
        if limit <= 0.0 {
            return Ok(true);
        }
        let end = self.stage(Stage::probe(limit))?;
        Ok(!is_decided(end) && !self.is_over())
    }

    /// First solutions by the scores that are there at once, and then the better ones. Says whether there is more to do.
    fn early(&mut self, known: &mut Known<'_>) -> Result<bool, SearchError> {
        let Some(late) = self.problem.late else {
            return Ok(true);
        };
        let share = self.settings.staged.early_share;
        if share > 0.0 {
            let current = known.current.clone();
            let ladder = Ladder {
                kind: |most| StageKind::EarlyBand { most },
                bands: &EARLY,
                share,
                hurried: true,
            };
            if !self.climb(known, &ladder)? {
                return Ok(false);
            }
            // The better scores find their own way; the best solution is not forgotten.
            known.current = current;
            (known.selection, known.released, known.sure) = (Selection::default(), 0, 0.0);
        }
        let advice = late();
        let columns = self.problem.model.num_columns();
        let fits = |len: usize| len == columns;
        let mut sets = advice.sets.into_iter().map(|set| set.scores);
        if let Some(better) = sets.find(|better| fits(better.len())) {
            known.scores = Some(Cow::Owned(better));
        }
        let relaxation = advice.relaxation.filter(|lp| fits(lp.values.len()));
        known.relaxation = relaxation.map(Cow::Owned);
        if let Some(bound) = advice.bound {
            let found = self.control.time();
            self.board.improve_bound(bound, found, self.control);
        }
        Ok(true)
    }

    fn relax_and_climb(&mut self, known: &mut Known<'_>) -> Result<bool, SearchError> {
        self.relax(known)?;
        let ladder = Ladder {
            kind: |most| StageKind::Band { most },
            bands: &self.settings.staged.bands,
            share: self.settings.staged.bands_share,
            hurried: false,
        };
        Ok(self.climb(known, &ladder)? && self.region(known)?)
    }

    /// The paper's region around what the last band held, from its solution. Says whether there is more to do.
    fn region(&mut self, known: &mut Known<'_>) -> Result<bool, SearchError> {
        let limit = self.clock.share(self.settings.staged.region_share);
        if limit <= 0.0 || known.selection.is_empty() || self.is_over() {
            return Ok(!self.is_over());
        }
        let amount = self.settings.selection.delta;
        let selection = known.selection.clone();
        let region = Region::new(selection, |n| amount.of(n).max(1), &known.bounds);
        self.stage(Stage::region(&region, 1.0, Some(limit), None))?;
        known.current = self.board.best().cloned().or(known.current.take());
        Ok(!self.is_over() && !self.beside_ended())
    }

    /// Solves the relaxation where scores are missing.
    fn relax(&mut self, known: &mut Known<'_>) -> Result<(), SearchError> {
        if known.scores.is_some() || self.is_over() {
            return Ok(());
        }
        let limit = self.clock.share(RELAXATION_SHARE);
        let mut loaded = self.problem.solver.load(self.problem.model)?;
        let mut control = Control {
            stop: self.stop.clone(),
            ..Control::default()
        };
        let params = Params {
            threads: self.sub_threads(),
            ..Params::with_time_limit(limit)
        };
        let lp = loaded.solve_relaxation(&params, &mut control)?;
        if let Some(lp) = lp.solution {
            let bound = lp.bound(self.problem.model.sense);
            let found = self.control.time();
            self.board.improve_bound(bound, found, self.control);
            known.scores = Some(relaxation_scores(self.problem.model, &lp).into());
            known.relaxation = Some(Cow::Owned(lp));
        }
        Ok(())
    }

    /// The whole model for a moment, if it may be easy, or until there is a first solution. Says whether to go on.
    fn attempt(&mut self, known: &Known<'_>) -> Result<bool, SearchError> {
        if self.beside.is_some() {
            while self.board.best().is_none() && !self.is_over() && !self.beside_ended() {
                self.wait_for_beside();
            }
            return Ok(!self.is_over() && !self.beside_ended());
        }
        if self.is_over() {
            return Ok(false);
        }
        let settings = &self.settings.staged;
        let end = if self.board.best().is_some() {
            let limit = self.clock.share(settings.try_share);
            if known.hard || limit <= 0.0 {
                return Ok(true);
            }
            self.stage(Stage::full(Some(limit)))?
        } else {
            self.stage(Stage::first(self.clock.left()))?
        };
        Ok(!is_decided(end) && !self.is_over() && self.board.best().is_some())
    }

    /// What is left of the time for the whole model.
    fn last(&mut self) -> Result<(), SearchError> {
        if self.beside.is_none() {
            if !self.is_over() {
                self.stage(Stage::full(self.clock.left()))?;
            }
            return Ok(());
        }
        while !self.is_over() && !self.beside_ended() {
            self.wait_for_beside();
        }
        Ok(())
    }

    /// Begins to solve the whole model on threads of its own, if there are any.
    fn begin_beside(&mut self) -> Result<(), SearchError> {
        if !self.settings.staged.beside || self.params.threads < 2 || self.is_over() {
            return Ok(());
        }
        let stage = Stage::full(self.clock.left());
        let time = self.control.time();
        let report = stage.report(self.problem.model, time);
        self.control.tell(crate::SearchEvent::StageStarted {
            time,
            stage: &report,
        });
        let params = Params {
            time_limit: self.clock.left(),
            threads: self.params.threads - 1,
            ..self.params.clone()
        };
        let (solver, model) = (self.problem.solver, self.problem.model);
        let offers = self.board.offers.insert(idpas_solver::Offers::new());
        let beside = Beside::begin(solver, model, params, offers, self.stop.clone(), report)?;
        self.beside = Some(beside);
        Ok(())
    }

    fn wait_for_beside(&mut self) {
        if let Some(beside) = &mut self.beside {
            beside.wait(&mut self.board, self.control);
        }
    }

    pub(super) fn beside_ended(&self) -> bool {
        self.beside.as_ref().is_some_and(Beside::is_decided)
    }

    fn end_beside(&mut self) {
        let Some(mut beside) = self.beside.take() else {
            return;
        };
        beside.end(&mut self.board, &self.stop, self.control);
        self.board.offers = None;
        let termination = beside.ended.clone();
        let mut report = beside.report.clone();
        report.abandoned |= termination.is_none();
        let stage = Stage::full(None);
        let termination = termination.unwrap_or(Termination::Interrupted);
        // It was told to stop since the time is over.
        let (outcome, trouble) = match termination {
            Termination::Interrupted if !self.control.interrupt.is_raised() => {
                (StageEnd::TimeLimit, None)
            }
            other => self.stage_end(&stage, other, false),
        };
        (report.outcome, report.trouble) = (outcome, trouble);
        self.end(report);
    }
}

/// Whether a solve of the whole model leaves nothing to find.
fn is_decided(end: StageEnd) -> bool {
    matches!(
        end,
        StageEnd::Exhausted
            | StageEnd::Infeasible
            | StageEnd::Unbounded
            | StageEnd::InfeasibleOrUnbounded
    )
}

impl Known<'_> {
    /// The bounds that every solution better than the current one is within, by the relaxation's reduced costs: a
    /// column cannot leave its bound if that alone costs more than the gap.
    fn narrowed(&self, model: &Model) -> Bounds {
        let mut bounds = self.bounds.clone();
        let (Some(lp), Some(current)) = (&self.relaxation, &self.current) else {
            return bounds;
        };
        let sign = match model.sense {
            Sense::Minimize => 1.0,
            Sense::Maximize => -1.0,
        };
        let gap = sign * (current.objective - lp.objective) + lp.slack();
        if gap <= 0.0 {
            return bounds;
        }
        for j in (0..model.num_columns()).filter(|&j| model.is_integer(j)) {
            let cost = sign * lp.reduced_costs[j];
            let (lower, upper) = (model.columns.lower[j], model.columns.upper[j]);
            let steps = (gap / cost.abs() + SLACK).floor();
            if cost > SLACK && lower.is_finite() {
                let most = lower.ceil() + steps;
                bounds.upper[j] = bounds.upper[j].min(most.max(current.values[j].round()));
            } else if cost < -SLACK && upper.is_finite() {
                let least = upper.floor() - steps;
                bounds.lower[j] = bounds.lower[j].max(least.min(current.values[j].round()));
            }
        }
        bounds
    }
}
