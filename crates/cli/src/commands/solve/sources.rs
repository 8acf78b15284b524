//! The files that a solve reads: guide, settings, model, start.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use idpas::{Guide, Solve, SolvePlan};
use idpas_mip::files;
use idpas_mip::{Model, solution};
use idpas_search::Preparation;

use super::options::SearchArgs;
use crate::args::{SolveArgs, Verbosity};
use crate::failure::Failure;
use crate::output::read_with_warnings;

/// What is to be read. It owns its parts, so that reading can be left behind when the time is over.
pub(super) struct Sources {
    search: SearchArgs,
    file: PathBuf,
    start: Option<PathBuf>,
    /// What the command line says that needs no file.
    options: Solve,
    verbosity: Verbosity,
}

/// What was read.
pub(super) struct Input {
    pub(super) guide: Option<Guide>,
    pub(super) model: Arc<Model>,
    pub(super) options: Solve,
    pub(super) plan: SolvePlan,
}

impl Sources {
    pub(super) fn new(args: &SolveArgs, verbosity: Verbosity) -> Self {
        Sources {
            search: args.search.clone(),
            file: args.file.clone(),
            start: args.start.clone(),
            options: Solve {
                gap: args.gap,
                threads: usize::from(args.threads),
                seed: args.seed,
                node_limit: args.nodes,
                solver: args.solver.clone(),
                solver_options: args.options.clone(),
                ..Solve::default()
            },
            verbosity,
        }
    }

    /// Reads everything; what does not fit together is refused before the model is read. Times count from `clock`.
    pub(super) fn read(self, clock: Instant) -> Result<Input, Failure> {
        let now = || clock.elapsed().as_secs_f64();
        let guide = self.search.model.as_ref().map(Guide::read).transpose()?;
        let mut options = self.search.options(self.options)?;
        let plan = options.plan(guide.as_ref());
        let plan = plan.map_err(|error| self.search.plan_failure(error))?;
        let predictor_read = now();
        let model = Arc::new(read_with_warnings(&self.file, self.verbosity)?);
        if let Some(path) = &self.start {
            options.starts = vec![start(path, &model)?];
        }
        options.read = Preparation {
            predictor_read: match plan.is_plain {
                true => 0.0,
                false => predictor_read,
            },
            model_read: now(),
            ..Preparation::default()
        };
        Ok(Input {
            guide,
            model,
            options,
            plan,
        })
    }
}

/// The start in this file; columns that it does not list are not known.
fn start(path: &Path, model: &Model) -> Result<Vec<f64>, Failure> {
    let listed =
        solution::read_partial(&files::Input::path(path), model).map_err(Failure::Solution)?;
    let mut values = vec![f64::NAN; model.num_columns()];
    for (j, value) in listed {
        values[j] = value;
    }
    Ok(values)
}
