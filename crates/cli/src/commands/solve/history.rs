//! Past solutions of the same kind of instance.

use std::path::{Path, PathBuf};

use idpas_mip::check::{Tolerances, check};
use idpas_mip::files::Input;
use idpas_mip::{Model, solution};
use idpas_search::history_scores;

use super::scores::Guess;
use crate::failure::Failure;

/// Past solutions that are tried as starts.
const STARTS: usize = 3;

impl Guess {
    /// Takes the solutions of a folder: as starts, and for scores where no model gives any. A file that cannot be read
    /// is a warning.
    pub(super) fn look_back(
        &mut self,
        folder: &Path,
        model: &Model,
        scored: bool,
    ) -> Result<(), Failure> {
        let wrong = |error: std::io::Error| {
            Failure::Usage(format!("--history {}: {error}", folder.display()))
        };
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
            .map_err(wrong)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()
            .map_err(wrong)?;
        files.retain(|path| {
            path.to_string_lossy()
                .trim_end_matches(".gz")
                .ends_with(".sol")
        });
        files.sort();
        let mut past = Vec::new();
        for path in &files {
            match solution::read_partial(&Input::path(path), model) {
                Ok(listed) => past.push(by_column(model, listed)),
                Err(error) => self
                    .warnings
                    .push(format!("{error}; left out of the history")),
            }
        }
        if past.is_empty() {
            let folder = folder.display();
            self.warnings.push(format!(
                "--history {folder}: no solution (.sol) that can be used"
            ));
            return Ok(());
        }
        if self.scores.is_none() && !scored {
            self.scores = Some(history_scores(model, &past));
        }
        past.sort_by(|a, b| misfit(model, a).total_cmp(&misfit(model, b)));
        past.truncate(STARTS);
        self.starts.extend(past);
        Ok(())
    }
}

/// Values by column; those that a file does not list are zero, as solution files go.
fn by_column(model: &Model, listed: Vec<(usize, f64)>) -> Vec<f64> {
    let mut values = vec![0.0; model.num_columns()];
    for (j, value) in listed {
        values[j] = value;
    }
    values
}

/// How much a past solution violates the rows of this instance.
fn misfit(model: &Model, values: &[f64]) -> f64 {
    check(model, values, &Tolerances::default())
        .map_or(f64::INFINITY, |report| report.max_row_violation())
}
