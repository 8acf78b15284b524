//! What a stage is to do: a region of the model, or all of it, handed to the solver.

use idpas_mip::Model;
use idpas_solver::Start;

use crate::{Region, StageKind, StageReport};

/// What a stage is to do.
pub(crate) struct Stage<'a> {
    pub(super) kind: StageKind,
    /// The whole model if there is none.
    pub(super) region: Option<&'a Region>,
    /// Seconds.
    pub(super) limit: Option<f64>,
    /// Seconds without improvement after which it is left.
    pub(super) stall: Option<f64>,
    /// Begin without the best solution, and end with the first one found.
    pub(super) probe: bool,
    /// Its bounds were narrowed, so that its bound is not the model's.
    pub(super) part: bool,
    /// It is all there is to the search: the solver gets this start and is taken at its word.
    pub(super) plain: Option<PlainSolve>,
}

/// A stage that is a whole search.
pub(super) struct PlainSolve {
    /// The user's start.
    pub(super) start: Option<Start>,
}

impl<'a> Stage<'a> {
    /// Looking at start solutions.
    pub(crate) fn start() -> Self {
        Stage {
            kind: StageKind::Start,
            region: None,
            limit: None,
            stall: None,
            probe: false,
            part: false,
            plain: None,
        }
    }

    /// The whole model.
    pub(crate) fn full(limit: Option<f64>) -> Self {
        Stage {
            kind: StageKind::Full,
            region: None,
            limit,
            stall: None,
            probe: false,
            part: false,
            plain: None,
        }
    }

    /// The whole model, from the user's start, with nothing before or after it.
    pub(crate) fn plain(limit: Option<f64>, start: Option<Start>) -> Self {
        Stage {
            plain: Some(PlainSolve { start }),
            ..Stage::full(limit)
        }
    }

    /// The whole model, until the solver finds its first own solution.
    pub(crate) fn probe(limit: f64) -> Self {
        Stage {
            kind: StageKind::Probe,
            region: None,
            limit: Some(limit),
            // Never, but it can be stopped.
            stall: Some(f64::INFINITY),
            probe: true,
            part: false,
            plain: None,
        }
    }

    /// A region that keeps this share of the selection.
    pub(crate) fn region(
        region: &'a Region,
        keep: f64,
        limit: Option<f64>,
        stall: Option<f64>,
    ) -> Self {
        let kind = match region.delta {
            0 => StageKind::Fix { keep },
            _ => StageKind::Region { keep },
        };
        Stage {
            kind,
            region: Some(region),
            limit,
            stall,
            probe: false,
            part: false,
            plain: None,
        }
    }

    /// The whole model, until there is a first solution.
    pub(crate) fn first(limit: Option<f64>) -> Self {
        Stage {
            limit,
            ..Stage::probe(f64::INFINITY)
        }
    }

    /// The model with narrower bounds.
    pub(crate) fn part(kind: StageKind, limit: f64) -> Self {
        Stage {
            kind,
            region: None,
            limit: Some(limit),
            // Never, but it can be stopped.
            stall: Some(f64::INFINITY),
            probe: false,
            part: true,
            plain: None,
        }
    }

    /// Whether it is about the whole model, so that its bound is the model's.
    pub(crate) fn is_full(&self) -> bool {
        self.region.is_none() && !self.part
    }

    /// Whether nothing is left to do after it.
    pub(crate) fn is_last(&self) -> bool {
        self.is_full() && !self.probe
    }

    /// A report of what it is going to do.
    pub(crate) fn report(&self, model: &Model, began: f64) -> StageReport {
        let selection = self.region.map(|region| &region.selection);
        StageReport {
            delta: self.region.map_or(0, |region| region.delta),
            fixed_binaries: selection.map_or(0, |s| s.zero_binaries.len()),
            fixed_integers: selection.map_or(0, |s| s.zero_integers.len()),
            fixed_ones: selection.map_or(0, |s| s.one_binaries.len()),
            left_out: self.region.map_or(0, |region| region.left_out),
            ..StageReport::new(self.kind, model, began)
        }
    }
}
