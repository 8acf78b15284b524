//! The checks, one for each kind of file.

mod explained;
mod families;
mod json;
mod learned;
mod models;
pub(crate) mod peer;
mod pools;
mod solutions;
mod studies;

use crate::limits::in_time;

/// A kind of file and what its reader must withstand.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name: that of its folder of regressions, too.
    pub name: &'static str,
    /// The readers that it calls.
    pub readers: &'static str,
    check: fn(&[u8]),
}

impl Target {
    /// The name of its folder of seeds: a comparison with another reader begins with the seeds of ours.
    pub fn seeds(&self) -> &'static str {
        self.name.strip_suffix("-peer").unwrap_or(self.name)
    }

    /// Puts bytes through the readers. Panics if they make a reader do what no file may make it do.
    pub fn check(&self, bytes: &[u8]) {
        in_time(|| (self.check)(bytes));
    }
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target {
        name: "mps",
        readers: "MPS, fixed and free; both writers",
        check: models::mps,
    },
    Target {
        name: "lp",
        readers: "LP; both writers",
        check: models::lp,
    },
    Target {
        name: "mps-peer",
        readers: "MPS, against HiGHS's reader",
        check: peer::mps,
    },
    Target {
        name: "lp-peer",
        readers: "LP, against HiGHS's reader",
        check: peer::lp,
    },
    Target {
        name: "gzip",
        readers: "compressed models, solutions and tables",
        check: models::gzip,
    },
    Target {
        name: "solution",
        readers: "`.sol` in all dialects; all writers",
        check: solutions::solution,
    },
    Target {
        name: "container",
        readers: "pools, models, checkpoints and graphs as they lie on disk",
        check: pools::container,
    },
    Target {
        name: "pool",
        readers: "pools behind their checksum; the writer",
        check: pools::pool,
    },
    Target {
        name: "pools-manifest",
        readers: "`manifest.json` of pools",
        check: pools::manifest,
    },
    Target {
        name: "series-list",
        readers: "lists of instances, `.test` files of series",
        check: pools::lists,
    },
    Target {
        name: "collect-state",
        readers: "failures, jobs and outcomes of collecting",
        check: pools::state,
    },
    Target {
        name: "model",
        readers: "trained models of all kinds behind their checksum, with registry, calibration and profile; their scores; the writer",
        check: learned::model,
    },
    Target {
        name: "checkpoint",
        readers: "checkpoints of a training behind their checksum",
        check: learned::checkpoint,
    },
    Target {
        name: "graph",
        readers: "graphs that a training keeps, behind their checksum",
        check: learned::graph,
    },
    Target {
        name: "training-log",
        readers: "`.log.jsonl` of a training",
        check: learned::log,
    },
    Target {
        name: "settings",
        readers: "settings of a search (`--settings`)",
        check: studies::settings,
    },
    Target {
        name: "tuned",
        readers: "`.tune.json`: tuned settings",
        check: studies::tuned,
    },
    Target {
        name: "evaluations",
        readers: "`.tune.jsonl`: evaluations of a tuning",
        check: studies::evaluations,
    },
    Target {
        name: "report",
        readers: "what `solve --format json` prints, with the trajectory",
        check: studies::report,
    },
    Target {
        name: "study",
        readers: "study files",
        check: studies::study,
    },
    Target {
        name: "results",
        readers: "outlines, best values, manifests, qualities and jobs in a folder of results",
        check: studies::results,
    },
    Target {
        name: "record",
        readers: "records of runs",
        check: studies::record,
    },
    Target {
        name: "judgement",
        readers: "`.judge.json`: what a guide is worth",
        check: studies::judgement,
    },
    Target {
        name: "series-record",
        readers: "records of a series; their summary and report",
        check: studies::series,
    },
    Target {
        name: "competition-log",
        readers: "`log.txt` of a competition",
        check: studies::competition,
    },
    Target {
        name: "perturbation",
        readers: "specifications of what varies; the instances made by them",
        check: families::perturbation,
    },
    Target {
        name: "course",
        readers: "the three tables of course data",
        check: families::course,
    },
    Target {
        name: "instances-manifest",
        readers: "`manifest.json` of generated instances",
        check: families::manifest,
    },
];

/// The target of this name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
