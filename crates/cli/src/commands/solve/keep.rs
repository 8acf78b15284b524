//! The solution file: kept up to date while the solve goes on, and written for good at its end.

use std::io;
use std::path::Path;
use std::time::Instant;

use idpas_mip::solution::{self, Solution, SolutionFormat};
use idpas_mip::{Model, WriteError};

use crate::args::SolveArgs;

/// Seconds between two writes while the solve goes on.
const INTERVAL: f64 = 10.0;
/// Solves shorter than this write only once.
const FIRST: f64 = 1.0;
/// Seconds before the time limit in which nothing is written: the end is near, and nothing may be in its way.
const QUIET: f64 = 1.0;

/// Where the best solution is kept. If the machine goes down, it should not go with it.
pub(super) struct Keeper<'a> {
    model: &'a Model,
    format: SolutionFormat,
    path: &'a Path,
    /// The best solution, if it is not in the file yet.
    unsaved: Option<Vec<f64>>,
    due: f64,
    /// Seconds from which on nothing is written before the end.
    quiet: f64,
    /// Seconds that it takes to make the text of a solution.
    pub(super) writing: f64,
}

impl<'a> Keeper<'a> {
    /// None if no file is asked for. Refuses names that the format cannot hold, before the solve.
    pub(super) fn new(args: &'a SolveArgs, model: &'a Model) -> Result<Option<Self>, WriteError> {
        let Some(path) = &args.solution else {
            return Ok(None);
        };
        let mut keeper = Keeper {
            model,
            format: args.solution_format.into(),
            path,
            unsaved: None,
            due: FIRST,
            writing: 0.0,
            quiet: args.time_limit.map_or(f64::INFINITY, |limit| limit - QUIET),
        };
        let zeros = Solution::new(vec![0.0; model.num_columns()]);
        let name = path.display().to_string();
        let clock = Instant::now();
        solution::write(model, &zeros, keeper.format, &name, &mut io::sink())?;
        keeper.writing = clock.elapsed().as_secs_f64();
        Ok(Some(keeper))
    }

    /// Takes note of the time, in seconds from opening the file on, and of a better solution, if there is one, and saves
    /// when it is time to.
    pub(super) fn see(&mut self, now: f64, better: Option<&[f64]>) -> Result<(), WriteError> {
        if let Some(values) = better {
            self.unsaved = Some(values.to_vec());
        }
        if now < self.due || now > self.quiet {
            return Ok(());
        }
        match self.unsaved.take() {
            None => Ok(()),
            Some(values) => {
                self.due = now + INTERVAL;
                self.write(values, "Incumbent")
            }
        }
    }

    /// Writes a solution with the words HiGHS would use for how the solve ended.
    pub(super) fn write(&self, values: Vec<f64>, status: &str) -> Result<(), WriteError> {
        let solution = Solution {
            values,
            objective: None,
            status: Some(status.to_owned()),
        };
        solution::write_file(self.model, &solution, self.format, self.path)
    }
}
