//! The staged search: the method `idpas`. One search over many sources of solutions.
//!
//! A [`Source`] does one piece of work at a time: it makes a past solution fit, solves a sub-model that a set of scores
//! leads to, crosses two solutions, searches a neighbourhood of the best one, or lets the solver go on with the whole model
//! for a moment. The [ledger](ledger) says whose turn it is, by what each has brought per second. A set of scores that
//! misleads costs its first pieces of work and not the rest of the time, and the whole model, which pauses while others
//! work, is never starved: its tree, its cuts and its bound live through the whole search.
//!
//! With two threads or more, the whole model is solved beside all this from the beginning.

mod adaptive;
mod bands;
mod blame;
mod crossing;
mod ledger;
mod narrow;
mod neighbourhoods;
mod opening;
mod past;
mod plan;
mod prediction;
mod proven;
mod sets;
mod sub;
mod whole;

use std::borrow::Cow;

use fastrand::Rng;
use idpas_mip::Relaxation;
use idpas_mip::propagate::{Bounds, Propagator};

use crate::driver::{SWEEPS, Search};
use crate::first::FirstSearch;
use crate::neighbourhood::ranked::Links;
use crate::{SearchError, SearchOutcome, Selection, Source, StageEnd};
use plan::{Piece, Plan};
use proven::Proven;
use sets::ScoreSets;

/// What the staged search knows.
struct Known<'a> {
    links: Links<'a>,
    propagator: &'a Propagator<'a>,
    /// Bounds that follow from the rows.
    bounds: Bounds,
    sets: ScoreSets<'a>,
    relaxation: Option<Cow<'a, Relaxation>>,
    /// Seconds that the relaxation took, if it was solved here.
    relaxation_seconds: Option<f64>,
    proven: Proven,
    /// The search for a first solution, once it has begun.
    first: Option<FirstSearch<'a>>,
    /// What was held at zero by the last band, and how much was released in all.
    selection: Selection,
    released: usize,
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
        let mut known = Known {
            links: Links::new(model, propagator.by_row()),
            propagator: &propagator,
            bounds,
            sets: ScoreSets::new(self.problem),
            relaxation: self.problem.relaxation.map(Cow::Borrowed),
            relaxation_seconds: None,
            proven: Proven::default(),
            first: None,
            selection: Selection::default(),
            released: 0,
            random: Rng::with_seed(u64::from(self.params.seed)),
        };
        let mut plan = Plan::new(&self);
        if self.params.threads > 1 && plan.is_on(Source::Whole) {
            match self.begin_whole(&known, None) {
                // It gets another chance in turn with the others, which need not wait for it.
                Ok(_) | Err(SearchError::Solver(_)) => {}
                Err(error) => return Err(error),
            }
        }
        self.take_starts(&mut plan);
        while !self.is_over() && !self.whole_is_decided() && !plan.is_decided {
            let Some(source) = self.next_source(&known, &mut plan) else {
                break;
            };
            self.piece(source, &mut known, &mut plan)?;
        }
        self.end_sources(plan);
        self.end_whole();
        let scores = known.sets.shown();
        Ok(self.finish(&known.selection, known.released, scores))
    }

    /// One piece of work of a source, and its credit.
    fn piece<'a>(
        &mut self,
        source: Source,
        known: &mut Known<'a>,
        plan: &mut Plan,
    ) -> Result<(), SearchError>
    where
        Self: 'a,
    {
        let began = self.control.time();
        let before = self.board.best().map(|best| best.objective);
        let done = match source {
            Source::Past => self.fit_next(known, plan),
            Source::First => self.find_first(known, plan),
            Source::Bands(origin) => self.next_band(known, origin),
            Source::Prediction => self.predict(known),
            Source::Crossing => self.cross(known, plan),
            Source::Neighbourhoods => self.neighbourhood(known, plan),
            Source::Whole => self.whole_model(known, plan),
        };
        let piece = match done {
            Ok(piece) => piece,
            // The others may fare better.
            Err(SearchError::Solver(error)) if self.has_others(source) => {
                plan.trouble(source, error.to_string());
                Piece::Last
            }
            Err(error) => return Err(error),
        };
        let seconds = self.control.time() - began;
        plan.account(self, source, piece, seconds, before);
        Ok(())
    }

    /// Whether a source that fails is not the only one: without the whole model nothing is proved, and without a solution
    /// nothing is found.
    fn has_others(&self, source: Source) -> bool {
        source != Source::Whole || self.board.best().is_some()
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
