//! Counts of a campaign.

use std::collections::BTreeMap;

use idpas::{SearchOutcome, SearchStatus};

use super::models::Class;
use super::runs::Ran;
use super::truth::Truth;

/// What was thrown, and what came back.
#[derive(Debug, Default)]
pub struct Tally {
    pub models: usize,
    /// Models by class and truth.
    truths: BTreeMap<(String, &'static str), usize>,
    /// Runs by method, advice and threads.
    cells: BTreeMap<(String, String, usize), usize>,
    /// Runs by truth and status.
    statuses: BTreeMap<(&'static str, &'static str), usize>,
    /// What solvers and searches refused, by message, with one that did.
    refused: BTreeMap<String, (usize, String)>,
    /// What searches called trouble, by message, with one that did.
    troubles: BTreeMap<String, (usize, String)>,
    /// One line for each run that said something wrong.
    pub faults: Vec<String>,
    /// The same where the solver alone is wrong.
    pub faults_of_solver: Vec<String>,
    /// Models with something wrong by number, and whether the solver alone is wrong.
    looked_at: BTreeMap<u64, bool>,
}

pub fn name_of(truth: &Truth) -> &'static str {
    match truth {
        Truth::Infeasible => "infeasible",
        Truth::Unbounded => "unbounded",
        Truth::Optimal(_) => "an optimum",
    }
}

impl Tally {
    pub fn count_model(&mut self, class: Class, truth: &Truth) {
        self.models += 1;
        let key = (format!("{class:?}"), name_of(truth));
        *self.truths.entry(key).or_default() += 1;
    }

    /// Whether the solver alone is wrong about this model; asked once for each.
    pub fn is_solvers(&mut self, number: u64, ask: impl FnOnce() -> bool) -> bool {
        *self.looked_at.entry(number).or_insert_with(ask)
    }

    /// How many models the solver alone is wrong about.
    pub fn wrong_by_solver(&self) -> usize {
        self.looked_at
            .values()
            .filter(|is_solvers| **is_solvers)
            .count()
    }

    /// Counts a run by method, advice and threads.
    pub fn count_run(
        &mut self,
        cell: (String, String, usize),
        name: String,
        truth: &Truth,
        ran: &Ran,
    ) {
        *self.cells.entry(cell).or_default() += 1;
        match ran {
            Ok(outcome) => self.count_outcome(name, truth, outcome),
            Err(words) => self.refused.entry(words.clone()).or_insert((0, name)).0 += 1,
        }
    }

    fn count_outcome(&mut self, name: String, truth: &Truth, outcome: &SearchOutcome) {
        let key = (name_of(truth), outcome.status.as_str());
        *self.statuses.entry(key).or_default() += 1;
        if outcome.status == SearchStatus::Trouble {
            let words = outcome.trouble.clone().unwrap_or_default();
            self.troubles.entry(words).or_insert((0, name)).0 += 1;
        }
    }

    /// Takes the counts of another part of the campaign.
    pub fn add(&mut self, other: Tally) {
        fn join<K: Ord>(mine: &mut BTreeMap<K, usize>, other: BTreeMap<K, usize>) {
            for (key, count) in other {
                *mine.entry(key).or_default() += count;
            }
        }
        fn join_named(
            mine: &mut BTreeMap<String, (usize, String)>,
            other: BTreeMap<String, (usize, String)>,
        ) {
            for (key, (count, name)) in other {
                mine.entry(key).or_insert((0, name)).0 += count;
            }
        }
        self.models += other.models;
        join(&mut self.truths, other.truths);
        join(&mut self.cells, other.cells);
        join(&mut self.statuses, other.statuses);
        join_named(&mut self.refused, other.refused);
        join_named(&mut self.troubles, other.troubles);
        self.faults.extend(other.faults);
        self.faults_of_solver.extend(other.faults_of_solver);
        self.looked_at.extend(other.looked_at);
    }

    pub fn runs(&self) -> usize {
        self.cells.values().sum()
    }

    /// Runs that ended with this status, whatever is true.
    pub fn with_status(&self, status: &str) -> usize {
        let of = self.statuses.iter().filter(|((_, s), _)| *s == status);
        of.map(|(_, count)| count).sum()
    }

    /// Models of which this is true.
    pub fn with_truth(&self, truth: &str) -> usize {
        let of = self.truths.iter().filter(|((_, t), _)| *t == truth);
        of.map(|(_, count)| count).sum()
    }

    /// The counts as lines of text.
    pub fn report(&self) -> String {
        let counts = || self.cells.values().copied();
        let mut lines = vec![
            format!(
                "{} models, {} runs in {} cells of method, advice and threads, {} to {} in each",
                self.models,
                self.runs(),
                self.cells.len(),
                counts().min().unwrap_or(0),
                counts().max().unwrap_or(0),
            ),
            format!(
                "{} runs with something wrong, {} more on {} models that the solver alone is wrong about",
                self.faults.len(),
                self.faults_of_solver.len(),
                self.wrong_by_solver()
            ),
        ];
        let lists = [
            ("models", text(&self.truths)),
            ("runs by truth and status", text(&self.statuses)),
            ("refused", named(&self.refused)),
            ("trouble", named(&self.troubles)),
        ];
        for (name, list) in lists {
            lines.push(format!("{name}:"));
            lines.extend(list.into_iter().map(|line: String| format!("  {line}")));
        }
        lines.join("\n")
    }
}

fn text<A: std::fmt::Display, B: std::fmt::Display>(
    counts: &BTreeMap<(A, B), usize>,
) -> Vec<String> {
    let line = |((a, b), n): (&(A, B), &usize)| format!("{n} {a}, {b}");
    counts.iter().map(line).collect()
}

fn named(counts: &BTreeMap<String, (usize, String)>) -> Vec<String> {
    let line = |(words, (n, name)): (&String, &(usize, String))| format!("{n} {words} ({name})");
    counts.iter().map(line).collect()
}
