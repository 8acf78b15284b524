//! Where an instance of a family stands, as its pool shows it.

use idpas_mip::Sense;

use super::turn::{Turn, TurnKind, TurnPlan};
use crate::pool::beyond;
use crate::sketch::Sketch;

/// Where an instance stands.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    /// Whether this process works on it.
    pub(super) ours: bool,
    /// Whether others may learn from it: instances of the training set only, so that what is measured on the others
    /// means something.
    pub(super) teaches: bool,
    pub(super) sketch: Option<Sketch>,
    pub(super) turns: Vec<Turn>,
    pub(super) sense: Sense,
    pub(super) best: Option<f64>,
    pub(super) bound: Option<f64>,
    /// Whether its best solution is proved to be optimal.
    pub(super) is_proven: bool,
    pub(super) state: Availability,
}

/// Whether an instance can have a turn now.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Availability {
    Free,
    /// It has this turn now; `None` if another process has it.
    Busy(Option<TurnPlan>),
    /// It has no turn any more.
    Ended,
}

impl Standing {
    pub(super) fn new(ours: bool, teaches: bool, sketch: Option<Sketch>) -> Self {
        Standing {
            ours,
            teaches,
            sketch,
            turns: Vec::new(),
            sense: Sense::Minimize,
            best: None,
            bound: None,
            is_proven: false,
            state: Availability::Free,
        }
    }

    /// Seconds of the turns taken.
    pub(super) fn seconds(&self) -> f64 {
        self.turns.iter().map(|turn| turn.seconds).sum()
    }

    pub(super) fn is_free(&self) -> bool {
        self.ours && self.state == Availability::Free
    }

    pub(super) fn is_busy(&self) -> bool {
        matches!(self.state, Availability::Busy(_))
    }

    /// Whether leads are compared on it now.
    pub(super) fn is_comparing(&self) -> bool {
        let compares = |plan: &TurnPlan| plan.lead.is_none() && plan.search > 0.0;
        matches!(&self.state, Availability::Busy(Some(plan)) if compares(plan))
    }

    pub(super) fn is_closed(&self) -> bool {
        let last = |turn: &Turn| matches!(turn.kind, TurnKind::Alone | TurnKind::Closing);
        self.turns.iter().any(last)
    }

    /// The relative improvement that turn `k` brought.
    pub(super) fn gain(&self, k: usize) -> f64 {
        let before = k.checked_sub(1).and_then(|k| self.turns[k].best);
        match (before, self.turns[k].best) {
            (Some(before), Some(after)) => beyond(before, after).min(1.0),
            (None, Some(_)) => 1.0,
            _ => 0.0,
        }
    }

    /// The improvements of turns that were for better solutions only, after the first one.
    pub(super) fn gains(&self) -> impl DoubleEndedIterator<Item = f64> {
        let again = |k: &usize| self.turns[*k].kind == TurnKind::Again;
        (1..self.turns.len()).filter(again).map(|k| self.gain(k))
    }

    /// The relative distance of its best solution from its bound, at most 1.
    pub(super) fn gap(&self) -> Option<f64> {
        Some(beyond(self.bound?, self.best?).min(1.0))
    }
}
