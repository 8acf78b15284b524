//! The whole model as a source: the solver goes on with it for a moment, and pauses while others work.

use idpas_solver::{BoundChange, Gate, LoadedModel, Offers, Params, Termination};

use super::plan::{Piece, Plan};
use super::{Known, is_decided};
use crate::driver::Search;
use crate::driver::stage::Stage;
use crate::driver::whole::Whole;
use crate::{SearchError, SearchEvent, StageEnd};

impl Search<'_, '_> {
    /// Threads for sub-models.
    pub(super) fn sub_threads(&self) -> usize {
        match &self.whole {
            Some(whole) if whole.is_beside() => 1,
            _ => self.params.threads,
        }
    }

    /// Lets the solver go on with the whole model for a moment.
    pub(super) fn whole_model(
        &mut self,
        known: &Known<'_>,
        plan: &mut Plan,
    ) -> Result<Piece, SearchError> {
        if self.whole.is_none() {
            let gate = Gate::new();
            gate.shut();
            if !self.begin_whole(known, Some(gate))? {
                return self.whole_at_once(plan);
            }
        }
        let seconds = plan.slice();
        let (params, clock) = (self.params, &self.clock);
        let interrupt = self.control.interrupt.clone();
        let Some(whole) = &mut self.whole else {
            return Ok(Piece::Last);
        };
        if whole.is_beside() {
            whole.wait(&mut self.board, self.control);
        } else {
            let is_over = |board: &crate::board::Board<'_>| {
                interrupt.is_raised() || clock.is_over() || board.is_closed(params)
            };
            whole.work(seconds, &mut self.board, self.control, is_over);
        }
        Ok(match whole.ended {
            Some(_) => Piece::Last,
            None => Piece::More,
        })
    }

    /// A solver that cannot pause: until there is a first solution, or to the end.
    fn whole_at_once(&mut self, plan: &mut Plan) -> Result<Piece, SearchError> {
        let stage = match self.board.best() {
            None => Stage::first(self.clock.left()),
            Some(_) => Stage::full(self.clock.left()),
        };
        let is_last = stage.is_last();
        let end = self.stage(stage)?;
        plan.is_decided |= is_decided(end);
        Ok(match is_last {
            true => Piece::Last,
            false => Piece::More,
        })
    }

    /// Begins to solve the whole model: in turn with everything else if there is a gate to pause at, else beside it on all
    /// threads but one. False if the solver cannot pause.
    pub(super) fn begin_whole(
        &mut self,
        known: &Known<'_>,
        gate: Option<Gate>,
    ) -> Result<bool, SearchError> {
        let mut loaded = self.problem.solver.load(self.problem.model)?;
        if gate.as_ref().is_some_and(|gate| !loaded.pause_at(gate)) {
            return Ok(false);
        }
        self.narrow_whole(known, &mut *loaded)?;
        let stage = Stage::full(self.clock.left());
        let time = self.control.time();
        let report = stage.report(self.problem.model, time);
        let stage = &report;
        self.control.tell(SearchEvent::StageStarted { time, stage });
        let params = Params {
            time_limit: self.clock.left(),
            threads: match gate {
                Some(_) => self.params.threads,
                None => self.params.threads - 1,
            },
            raw: {
                let mut raw = self.params.raw.clone();
                raw.extend(self.settings.staged.whole_options.iter().cloned());
                raw
            },
            ..self.params.clone()
        };
        let offers = Offers::new();
        if let Some(best) = self.board.best() {
            offers.put(best.values.clone());
        }
        let whole = Whole::begin(loaded, params, &offers, gate, self.stop.clone(), report)?;
        self.board.offers = Some(offers);
        self.whole = Some(whole);
        Ok(true)
    }

    /// Gives the whole model the bounds that every solution better than the best one is within, by the relaxation's reduced
    /// costs. The best one is within them too, so that optimum and bounds are still those of the model.
    fn narrow_whole(
        &self,
        known: &Known<'_>,
        loaded: &mut dyn LoadedModel,
    ) -> Result<(), SearchError> {
        let best = self.board.best();
        if !self.settings.staged.reduced_costs || known.relaxation.is_none() || best.is_none() {
            return Ok(());
        }
        let model = self.problem.model;
        let narrowed = known.narrowed(model, best);
        let changes: Vec<BoundChange> = (0..model.num_columns())
            .filter(|&j| model.is_integer(j))
            .map(|j| BoundChange {
                index: j,
                lower: narrowed.lower[j],
                upper: narrowed.upper[j],
            })
            .filter(|to| {
                let columns = &model.columns;
                to.lower > columns.lower[to.index] || to.upper < columns.upper[to.index]
            })
            .collect();
        if !changes.is_empty() {
            loaded.set_column_bounds(&changes)?;
        }
        Ok(())
    }

    /// Whether the solve of the whole model has ended and leaves nothing to do.
    pub(super) fn whole_is_decided(&self) -> bool {
        self.whole.as_ref().is_some_and(Whole::is_decided)
    }

    pub(super) fn end_whole(&mut self) {
        let Some(mut whole) = self.whole.take() else {
            return;
        };
        whole.end(&mut self.board, &self.stop, self.control);
        self.board.offers = None;
        let termination = whole.ended.clone();
        let mut report = whole.report.clone();
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
