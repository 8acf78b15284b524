//! How long the parts of a benchmark will take, from what the study says about them.

use std::collections::BTreeSet;

use idpas_base::words::counted;
use idpas_search::tune::grid_paper;
use idpas_search::tuned::Grid;

use super::{Benchmark, Entry, Study};
use crate::tune::{RACE_SHARE, TuneOverrides};

/// Points of the paper's grid that it found best, at most: two amounts of two kinds of variables.
const MOST_PAPER_BEST: f64 = 4.0;

/// One part of the work on a benchmark.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedPart {
    /// The command that does it: `generate`, `collect`, `train`, `tune` or `solve`.
    pub command: &'static str,
    /// What is made, such as `24 instances, 6 s each`.
    pub what: String,
    /// Seconds on the clock, at most. `None` where the study sets no limit.
    pub seconds: Option<f64>,
}

impl Study {
    /// Seconds of solving that tuning a method takes, about; `None` if its settings are not tuned.
    pub fn tuning_seconds(&self, benchmark: &Benchmark, entry: &Entry) -> Option<f64> {
        let tune = entry.tune.or(&self.tune_of(benchmark));
        if tune.grid == Some(Grid::Off) || !entry.is_tuned() {
            return None;
        }
        let limit = tune.time_limit.unwrap_or(self.time_limit_of(benchmark));
        let count = tune.count.unwrap_or(TuneOverrides::COUNT);
        let each = limit * count.min(benchmark.validation) as f64;
        let whole = each * grid_paper(entry.method).len() as f64;
        Some(match tune.grid.unwrap_or_default() {
            Grid::Paper => whole,
            Grid::PaperBest => MOST_PAPER_BEST * each,
            Grid::Race | Grid::Off => tune.budget.unwrap_or(RACE_SHARE * whole),
        })
    }

    /// The parts of a benchmark in their order, when `at_a_time` solves run side by side. Parts that the study does not
    /// need are left out. Reading files and starting processes is not counted.
    pub fn plan(&self, benchmark: &Benchmark, at_a_time: usize) -> Vec<PlannedPart> {
        let at_a_time = at_a_time.max(1) as f64;
        let learning = benchmark.train + benchmark.validation;
        let limit = self.time_limit_of(benchmark);
        let entries: Vec<_> = self
            .entries()
            .into_iter()
            .filter(|entry| !benchmark.omit.contains(&entry.label))
            .collect();
        let learned = || {
            let trained_here = |label: &String| !benchmark.models.contains_key(label);
            entries
                .iter()
                .filter_map(move |entry| Some((entry, entry.model?)))
                .filter(move |(entry, _)| trained_here(&entry.label))
        };
        let mut parts = Vec::new();
        let mut add = |command, what, seconds| {
            parts.push(PlannedPart {
                command,
                what,
                seconds,
            });
        };
        if benchmark.family.is_some() {
            let count = learning + benchmark.test;
            add("generate", counted(count, "instance"), Some(0.0));
        }
        let kinds: BTreeSet<_> = learned().map(|(_, kind)| kind).collect();
        if !kinds.is_empty() {
            let each = self.collect_of(benchmark).time_limit.unwrap_or(limit);
            let rounds = (learning as f64 / at_a_time).ceil();
            let what = format!("{}, {each} s each", counted(learning, "instance"));
            add("collect", what, Some(each * rounds));
            let networks = kinds.iter().filter(|kind| kind.is_network()).count() as f64;
            let seconds = self.train_of(benchmark).time_limit;
            add(
                "train",
                counted(kinds.len(), "model"),
                seconds.map(|seconds| seconds * networks),
            );
        }
        let tuned: Vec<_> = learned()
            .filter(|(entry, _)| entry.is_tuned())
            .map(|(entry, _)| entry.tune.or(&self.tune_of(benchmark)))
            .filter(|tune| tune.grid != Some(Grid::Off))
            .collect();
        if !tuned.is_empty() {
            let budgets = tuned.iter().map(|tune| match tune.grid {
                Some(Grid::Paper) => None,
                Some(Grid::PaperBest) => {
                    let count = tune.count.unwrap_or(TuneOverrides::COUNT);
                    let instances = count.min(benchmark.validation) as f64;
                    Some(MOST_PAPER_BEST * instances * tune.time_limit.unwrap_or(limit))
                }
                _ => tune.budget,
            });
            let all: Option<f64> = budgets.sum();
            add(
                "tune",
                counted(tuned.len(), "method"),
                all.map(|seconds| seconds / at_a_time),
            );
        }
        // An oracle runs in two ways, of which the better one counts.
        let ways = |entry: &Entry| if entry.is_ceiling() { 2 } else { 1 };
        let each: usize = entries.iter().map(ways).sum();
        let runs = each * benchmark.test * self.seeds.len();
        let mut seconds = limit * (runs as f64 / at_a_time).ceil();
        let mut what = format!("{}, {limit} s each", counted(runs, "run"));
        if let Some(longer) = self.reference_time {
            seconds += longer * (benchmark.test as f64 / at_a_time).ceil();
            what = format!("{what}, and {} of {longer} s", benchmark.test);
        }
        add("solve", what, Some(seconds));
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(more: &str, at_a_time: usize) -> Vec<PlannedPart> {
        let text = format!(
            "name = \"p\"\ntime_limit = 10\nmethods = [\"solver\", \"nearest\", \"idpas\"]\n{more}\n\
             [[benchmark]]\nname = \"b\"\nfamily = \"mmcnp\"\nsize = \"tiny\"\n\
             train = 5\nvalidation = 2\ntest = 4\n"
        );
        let study = Study::parse(&text, "p.toml".as_ref()).unwrap();
        study.plan(&study.benchmarks[0], at_a_time)
    }

    fn seconds(plan: &[PlannedPart]) -> Vec<(&str, Option<f64>)> {
        plan.iter()
            .map(|part| (part.command, part.seconds))
            .collect()
    }

    #[test]
    fn every_part_has_its_most() {
        let more = "reference_time = 20\n[collect]\ntime_limit = 6\n[train]\ntime_limit = 30\n[tune]\nbudget = 60";
        // Seven instances make four rounds of two; one of the two models is a network.
        let expected = [
            ("generate", Some(0.0)),
            ("collect", Some(24.0)),
            ("train", Some(30.0)),
            ("tune", Some(60.0)),
            ("solve", Some(60.0 + 40.0)),
        ];
        assert_eq!(seconds(&plan(more, 2)), expected);
        assert_eq!(seconds(&plan(more, 1))[1], ("collect", Some(42.0)));
    }

    #[test]
    fn what_the_paper_found_best_is_tried_in_full() {
        // Four points on two instances, and nothing for what has no settings. The staged search is not in the paper.
        let text = "name = \"p\"\ntime_limit = 10\nmethods = [\"solver\", \"id-pas+\"]\n\
                    [tune]\ngrid = \"paper-best\"\ncount = 3\n[[benchmark]]\nname = \"b\"\n\
                    family = \"mmcnp\"\nsize = \"tiny\"\ntrain = 5\nvalidation = 2\ntest = 4\n";
        let study = Study::parse(text, "p.toml".as_ref()).unwrap();
        let plan = study.plan(&study.benchmarks[0], 2);
        let tune = plan.iter().find(|part| part.command == "tune");
        assert_eq!(tune.and_then(|part| part.seconds), Some(40.0));
    }

    #[test]
    fn what_the_study_does_not_limit_has_no_most() {
        let plan = plan("", 2);
        let open = [
            ("generate", Some(0.0)),
            ("collect", Some(40.0)),
            ("train", None),
            ("tune", None),
            ("solve", Some(60.0)),
        ];
        assert_eq!(seconds(&plan), open);
        assert_eq!(plan[1].what, "7 instances, 10 s each");
    }

    #[test]
    fn nothing_is_planned_that_is_not_needed() {
        let text = "name = \"p\"\ntime_limit = 10\nmethods = [\"solver\"]\n\
                    [[benchmark]]\nname = \"b\"\ninstances = \"x\"\ntest = 4\n";
        let study = Study::parse(text, "p.toml".as_ref()).unwrap();
        let plan = study.plan(&study.benchmarks[0], 1);
        assert_eq!(seconds(&plan), [("solve", Some(40.0))]);
    }
}
