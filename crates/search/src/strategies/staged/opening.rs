//! First solutions by fixing and propagating.

use idpas_solver::judge::Verdict;

use super::Known;
use super::plan::{Piece, Plan};
use crate::driver::Search;
use crate::first::{FirstSearch, Order};
use crate::{SearchError, StageKind};

/// Tries after which it is left to the others.
const TRIES: usize = 4;
/// Longest time of the first try: a share of what a piece of work usually takes, and seconds for each million entries.
const FIRST: f64 = 0.5;
const FIRST_PER_MILLION: f64 = 10.0;
/// Longest time of any try, as a share of all time.
const LONGEST: f64 = 0.25;

impl Search<'_, '_> {
    /// Looks for a first solution: from a start that says something, if there is one, and in the order of the next set of
    /// scores, of the relaxation, or of neither. Every try may take twice as long as the one before.
    pub(super) fn find_first(
        &mut self,
        known: &mut Known<'_>,
        plan: &mut Plan,
    ) -> Result<Piece, SearchError> {
        let tried = plan.next_order;
        plan.next_order += 1;
        let longer = f64::from(1u32 << tried.min(TRIES));
        let entries = self.problem.model.matrix.nonzeros() as f64 / 1e6;
        let least = (FIRST * plan.usual()).max(FIRST_PER_MILLION * entries);
        let limit = (least * longer).min(self.clock.share(LONGEST));
        let columns = self.problem.model.num_columns();
        let mut starts = self.problem.starts.iter();
        let start = starts.find(|start| start.len() == columns);
        let start = start.map(|start| &start[..]);
        let (propagator, bounds) = (known.propagator, &known.bounds);
        let first = known
            .first
            .get_or_insert_with(|| FirstSearch::new(propagator, bounds));
        let scores = known.sets.iter().map(|set| Order::Scores(&set.scores));
        let relaxation = known.relaxation.as_deref();
        let relaxation = relaxation.map(|lp| Order::Relaxation(&lp.values));
        let orders: Vec<Order<'_>> = scores.chain(relaxation).chain([Order::Plain]).collect();
        let order = &orders[tried % orders.len()];
        let attempt = first.find(order, start, limit, &self.stop, &mut known.random);
        let kind = StageKind::First;
        if attempt.complete {
            match self.offer_now(&attempt.values, kind) {
                Verdict::Better => plan.first.incumbents += 1,
                Verdict::NoBetter => {}
                // Its discrete columns are right; the solver finds the others again.
                Verdict::Rejected => {
                    let limit = self.clock.sub(&self.settings.staged);
                    self.solve_sub(&mut plan.first, kind, &attempt.bounds, None, limit)?;
                }
            }
        }
        Ok(match tried + 1 < TRIES {
            true => Piece::More,
            false => Piece::Last,
        })
    }
}
