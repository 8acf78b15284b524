//! Who works next: each source has an account of what it cost and what it brought.
//!
//! Time is shared in proportion to weights, and a weight is what a source has brought per second of late, compared with all
//! of them together. What was long ago counts for less and less: a source that has brought nothing for a while is tried
//! again, and one that was good once does not live on it.

use std::collections::BTreeMap;

use crate::{Source, SourceReport, StagedSettings};

/// Weights stay within these multiples of what a source is worth before it is tried.
const LEAST: f64 = 0.05;
const MOST: f64 = 20.0;
/// Gains per second below this are none.
const NOTHING: f64 = 1e-12;

/// The accounts of all sources.
pub(super) struct Ledger {
    accounts: BTreeMap<Source, Account>,
    /// Seconds after which what was is worth a third.
    memory: f64,
    /// Seconds of a usual piece of work.
    usual: f64,
    /// How far the sharing has come: the turn of the source that worked last.
    turn: f64,
}

struct Account {
    /// What the source is worth before it is tried.
    worth: f64,
    /// Its seconds divided by its weights, all that was: whoever has the least is next.
    turn: f64,
    /// Of late.
    seconds: f64,
    gain: f64,
    report: SourceReport,
}

impl Ledger {
    pub(super) fn new(memory: f64, usual: f64) -> Self {
        Ledger {
            accounts: BTreeMap::new(),
            memory,
            usual,
            turn: 0.0,
        }
    }

    /// Opens an account, unless there is one. It joins those that are there as an equal: what they had before is theirs.
    pub(super) fn open(&mut self, source: Source, worth: f64) {
        let turn = self.turn;
        self.accounts.entry(source).or_insert_with(|| Account {
            worth,
            turn,
            seconds: 0.0,
            gain: 0.0,
            report: SourceReport::new(source),
        });
    }

    /// The one of these whose turn it is, each with the seconds that its next piece of work will take.
    pub(super) fn next(&self, available: &[(Source, f64)]) -> Option<Source> {
        let due = |&(source, seconds): &(Source, f64)| {
            let account = self.accounts.get(&source)?;
            Some((account.turn + seconds / self.weight(account), source))
        };
        let due = available.iter().filter_map(due);
        let next = due.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        next.map(|(_, source)| source)
    }

    /// Takes account of a piece of work.
    pub(super) fn credit(&mut self, source: Source, seconds: f64, gain: f64) {
        let Some(account) = self.accounts.get(&source) else {
            return;
        };
        let turn = account.turn.max(self.turn) + seconds / self.weight(account);
        let left = (-seconds / self.memory).exp();
        for account in self.accounts.values_mut() {
            account.seconds *= left;
            account.gain *= left;
        }
        if let Some(account) = self.accounts.get_mut(&source) {
            account.turn = turn;
            account.seconds += seconds;
            account.gain += gain;
            account.report.tries += 1;
            account.report.improved += usize::from(gain > 0.0);
            account.report.gain += gain;
            account.report.seconds += seconds;
        }
        let turns = self.accounts.values().map(|account| account.turn);
        self.turn = turns.fold(f64::INFINITY, f64::min).max(self.turn);
    }

    /// Seconds that a source has had in all.
    pub(super) fn seconds(&self, source: Source) -> f64 {
        let account = self.accounts.get(&source);
        account.map_or(0.0, |account| account.report.seconds)
    }

    /// What a source has brought per second of late, compared with all together, times what it is worth untried. An untried
    /// source brings what others of its kind do, and an untried kind what all do on average.
    fn weight(&self, account: &Account) -> f64 {
        let rate = |accounts: &mut dyn Iterator<Item = &Account>, expected: f64| {
            let sums = accounts.fold((0.0, 0.0), |(gain, seconds), account| {
                (gain + account.gain, seconds + account.seconds)
            });
            (sums.0 + expected * self.usual) / (sums.1 + self.usual)
        };
        let mean = rate(&mut self.accounts.values(), 0.0).max(NOTHING);
        let of_kind = |other: &&Account| {
            let pair = (account.report.source, other.report.source);
            pair.0 == pair.1 || matches!(pair, (Source::Bands(_), Source::Bands(_)))
        };
        let kind = rate(&mut self.accounts.values().filter(of_kind), mean);
        let own = rate(&mut std::iter::once(account), kind);
        account.worth * (own / mean).clamp(LEAST, MOST)
    }

    pub(super) fn reports(&self) -> Vec<SourceReport> {
        let weights = || self.accounts.values().map(|account| self.weight(account));
        let all: f64 = weights().sum::<f64>().max(NOTHING);
        let reports = self.accounts.values().zip(weights());
        let tried = reports.filter(|(account, _)| account.report.tries > 0);
        tried
            .map(|(account, weight)| SourceReport {
                credit: weight / all,
                ..account.report.clone()
            })
            .collect()
    }
}

/// What a source is worth before it is tried: as it was measured, or else by experience.
pub(super) fn worth(settings: &StagedSettings, source: Source) -> f64 {
    let measured = settings.worth.get(&source).copied();
    measured.unwrap_or_else(|| source.usual_worth())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(ledger: &mut Ledger, gain: impl Fn(Source) -> f64) -> [f64; 2] {
        let both = [(Source::Whole, 1.0), (Source::Neighbourhoods, 1.0)];
        let before = both.map(|(source, _)| ledger.seconds(source));
        for _ in 0..100 {
            let next = ledger.next(&both).unwrap_or(Source::Past);
            ledger.credit(next, 1.0, gain(next));
        }
        let mut after = both.map(|(source, _)| ledger.seconds(source) / 100.0);
        for (after, before) in after.iter_mut().zip(before) {
            *after -= before / 100.0;
        }
        after
    }

    #[test]
    fn who_brings_more_gets_more_and_nobody_is_forgotten() {
        let mut ledger = Ledger::new(10.0, 1.0);
        ledger.open(Source::Whole, 1.0);
        ledger.open(Source::Neighbourhoods, 1.0);
        let even = shares(&mut ledger, |_| 0.0);
        assert!((even[0] - 0.5).abs() < 0.05, "{even:?}");
        let some = |good: Source| move |source: Source| f64::from(u8::from(source == good));
        let first = shares(&mut ledger, some(Source::Whole));
        assert!(first[0] > 0.75 && first[1] > 0.02, "{first:?}");
        // Success of long ago does not count.
        let second = shares(&mut ledger, some(Source::Neighbourhoods));
        assert!(second[1] > 0.6, "{second:?}");
    }

    #[test]
    fn what_is_worth_more_begins() {
        let mut ledger = Ledger::new(10.0, 1.0);
        ledger.open(Source::Whole, 1.0);
        ledger.open(Source::Neighbourhoods, 3.0);
        let both = [(Source::Whole, 1.0), (Source::Neighbourhoods, 1.0)];
        assert_eq!(ledger.next(&both), Some(Source::Neighbourhoods));
        // Unless its piece of work is so much longer.
        let long = [(Source::Whole, 1.0), (Source::Neighbourhoods, 9.0)];
        assert_eq!(ledger.next(&long), Some(Source::Whole));
        assert_eq!(ledger.next(&[]), None);
    }
}
