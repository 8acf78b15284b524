//! Scores that take a while: the guide's, or those of the linear relaxation where nothing was learned.

use std::borrow::Cow;

use idpas_solver::{Control, Params};

use super::Known;
use super::plan::Piece;
use crate::driver::Search;
use crate::untrained::relaxation_scores;
use crate::{ScoreOrigin, ScoreSet, SearchError};

/// The share of the time that the linear relaxation may take where nothing is predicted.
const RELAXATION_SHARE: f64 = 0.2;

impl Search<'_, '_> {
    /// Asks for the scores that take a while, once.
    pub(super) fn predict(&mut self, known: &mut Known<'_>) -> Result<Piece, SearchError> {
        match self.problem.late {
            Some(ask) => self.ask(known, ask),
            None => self.relax(known)?,
        }
        Ok(Piece::Last)
    }

    fn ask(&mut self, known: &mut Known<'_>, ask: &dyn Fn() -> crate::LateScores) {
        let began = self.control.time();
        let late = ask();
        let columns = self.problem.model.num_columns();
        let fits = |len: usize| len == columns;
        for set in late.sets.into_iter().filter(|set| fits(set.scores.len())) {
            known.sets.add(set);
        }
        if let Some(lp) = late.relaxation.filter(|lp| fits(lp.values.len())) {
            known.relaxation = Some(Cow::Owned(lp));
            known.relaxation_seconds = Some(self.control.time() - began);
        }
        if let Some(bound) = late.bound {
            let found = self.control.time();
            self.board.improve_bound(bound, found, self.control);
        }
    }

    /// Solves the relaxation; where nothing else is known, its scores lead.
    fn relax(&mut self, known: &mut Known<'_>) -> Result<(), SearchError> {
        let began = self.control.time();
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
            if known.sets.is_empty() {
                let scores = relaxation_scores(self.problem.model, &lp);
                known
                    .sets
                    .add(ScoreSet::new(ScoreOrigin::Relaxation, scores));
            }
            known.relaxation = Some(Cow::Owned(lp));
            known.relaxation_seconds = Some(self.control.time() - began);
        }
        Ok(())
    }
}
