//! Who leads the searches of a family: found out by comparing, and by what each has brought.

use idpas_mip::Sense;

use super::plan::{HOPE, Plan};
use super::turn::{Lead, TurnKind};
use crate::pool::beyond;

/// Leads are compared on one in this many instances, on at least one and at most [`COMPARISONS`] of them.
const COMPARED: usize = 10;
const COMPARISONS: usize = 4;
/// Families with fewer instances than this have no time for comparisons.
const SMALL_FAMILY: usize = 8;
/// A lead must be better by this mean relative gap to be preferred to one before it in [`Lead::ALL`].
const CLEARLY: f64 = 1e-4;
/// What another turn is expected to bring with a lead that is not the best one; see [`HOPE`].
const OTHER_HOPE: f64 = 0.01;

impl Plan<'_> {
    /// Who leads, by the comparisons so far.
    pub(super) fn lead(&self) -> Lead {
        let mut sums = [0.0; Lead::ALL.len()];
        for standing in &self.standings {
            for turn in &standing.turns {
                if turn.compared.len() == sums.len() {
                    add_gaps(&mut sums, &turn.compared, standing.sense);
                }
            }
        }
        let count = self.comparisons_made().max(1) as f64;
        let mut best = 0;
        for k in 1..sums.len() {
            if sums[k] / count < sums[best] / count - CLEARLY {
                best = k;
            }
        }
        Lead::ALL[best]
    }

    /// How many comparisons have been made.
    pub(super) fn comparisons_made(&self) -> usize {
        let turns = self.standings.iter().flat_map(|s| &s.turns);
        turns.filter(|turn| !turn.compared.is_empty()).count()
    }

    /// How many comparisons this family is worth.
    pub(super) fn comparisons_wanted(&self) -> usize {
        match self.standings.len() {
            few if few < SMALL_FAMILY => 0,
            many => (many / COMPARED).clamp(1, COMPARISONS),
        }
    }

    /// Comparisons made or under way.
    pub(super) fn comparisons_begun(&self) -> usize {
        let under_way = self.standings.iter().filter(|s| s.is_comparing());
        self.comparisons_made() + under_way.count()
    }

    /// Who leads turns for better solutions: who has improved most per second in such turns, where everybody is taken to have
    /// had one turn that brought what is hoped for. So an instance that one lead has left behind is tried by another.
    pub(super) fn lead_again(&self) -> Lead {
        let best = self.lead();
        let rate = |lead: Lead| {
            let hope = if lead == best { HOPE } else { OTHER_HOPE };
            let (mut gain, mut seconds) = (hope, again_share(lead) * self.settings.time_limit);
            for standing in &self.standings {
                for (k, turn) in standing.turns.iter().enumerate().skip(1) {
                    let is_theirs = turn.kind == TurnKind::Again && turn.lead == Some(lead);
                    if is_theirs && standing.turns[k - 1].best.is_some() {
                        gain += standing.gain(k);
                        seconds += turn.seconds;
                    }
                }
            }
            gain / seconds
        };
        let leads = Lead::ALL.into_iter();
        let best = leads.reduce(|a, b| if rate(b) > rate(a) { b } else { a });
        best.unwrap_or(Lead::Search)
    }
}

/// The share of an instance's time for its opening.
pub(super) fn opening_share(lead: Lead) -> f64 {
    match lead {
        Lead::Search => 0.45,
        Lead::Whole => 0.55,
        Lead::Solver => 0.5,
    }
}

/// The share of an instance's time for another turn.
pub(super) fn again_share(lead: Lead) -> f64 {
    match lead {
        Lead::Search => 0.25,
        Lead::Whole => 0.35,
        // It begins anew with a tree of its own.
        Lead::Solver => 0.45,
    }
}

/// The share of an instance's time for its closing.
pub(super) fn closing_share(lead: Lead) -> f64 {
    match lead {
        Lead::Search => 0.25,
        Lead::Whole => 0.35,
        Lead::Solver => 0.5,
    }
}

/// Adds the relative gap of each lead's objective from the best of them, 1 where there is no solution.
fn add_gaps(sums: &mut [f64], compared: &[Option<f64>], sense: Sense) {
    let Some(best) = sense.best(compared.iter().flatten().copied()) else {
        return;
    };
    for (sum, found) in sums.iter_mut().zip(compared) {
        *sum += found.map_or(1.0, |found| beyond(found, best).min(1.0));
    }
}
