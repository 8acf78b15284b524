//! Past solutions of the same kind of instance.

use std::path::{Path, PathBuf};

use idpas_learn::history_scores;
use idpas_mip::check::{Tolerances, check};
use idpas_mip::files::Input;
use idpas_mip::{Model, solution};

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
        // For scores, where a variable that a file does not know is no zero.
        let mut counted = Vec::new();
        for path in &files {
            match solution::read_partial(&Input::path(path), model) {
                Ok(listed) => {
                    let unlisted = match lists_zeros(&listed) {
                        true => f64::NAN,
                        false => 0.0,
                    };
                    counted.push(by_column(model, &listed, unlisted));
                    past.push(by_column(model, &listed, 0.0));
                }
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
            self.scores = Some(history_scores(model, &counted));
        }
        past.sort_by(|a, b| misfit(model, a).total_cmp(&misfit(model, b)));
        past.truncate(STARTS);
        self.starts.extend(past);
        Ok(())
    }
}

/// Whether a file lists all columns of its instance: then what it does not list is not zero, but was not there. Files
/// that leave zeros out list none.
fn lists_zeros(listed: &[(usize, f64)]) -> bool {
    listed.iter().any(|(_, value)| *value == 0.0)
}

/// Values by column, with one for those that a file does not list.
fn by_column(model: &Model, listed: &[(usize, f64)], unlisted: f64) -> Vec<f64> {
    let mut values = vec![unlisted; model.num_columns()];
    for &(j, value) in listed {
        values[j] = value;
    }
    values
}

/// How much a past solution violates the rows of this instance.
fn misfit(model: &Model, values: &[f64]) -> f64 {
    check(model, values, &Tolerances::default())
        .map_or(f64::INFINITY, |report| report.max_row_violation())
}
