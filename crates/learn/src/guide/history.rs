//! Past solutions of the same kind of instance, without a trained model.

use std::path::{Path, PathBuf};

use idpas_mip::check::{Tolerances, check};
use idpas_mip::files::Input;
use idpas_mip::{Model, solution};

use crate::{LearnError, history_scores};

/// Past solutions that are tried as starts.
const STARTS: usize = 3;

/// Where past solutions are.
#[derive(Clone, Debug, PartialEq)]
pub enum History {
    /// In a folder, as files `*.sol` or `*.sol.gz`.
    Folder(PathBuf),
    /// In memory: one value per column of the new instance, NaN where a solution does not say.
    Values(Vec<Vec<f64>>),
}

/// Past solutions as values of the columns of a new instance.
#[derive(Clone, Debug, Default)]
pub struct PastSolutions {
    /// Complete: what a solution does not say is 0.
    complete: Vec<Vec<f64>>,
    /// As the solutions say it: NaN for a variable that a solution does not know.
    known: Vec<Vec<f64>>,
    /// Solutions that were left out, and why.
    pub warnings: Vec<String>,
}

impl History {
    /// The past solutions by column of `model`. A solution that cannot be used is a warning.
    pub fn read(&self, model: &Model) -> Result<PastSolutions, LearnError> {
        match self {
            History::Folder(folder) => read_folder(folder, model),
            History::Values(solutions) => Ok(of_values(solutions, model)),
        }
    }
}

impl PastSolutions {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.complete.is_empty()
    }

    /// P(x ≠ 0) of the columns by [`history_scores`].
    pub fn scores(&self, model: &Model) -> Vec<f32> {
        history_scores(model, &self.known)
    }

    /// The solutions that violate the rows of the new instance least, the best first.
    pub fn starts(mut self, model: &Model) -> Vec<Vec<f64>> {
        self.complete
            .sort_by(|a, b| misfit(model, a).total_cmp(&misfit(model, b)));
        self.complete.truncate(STARTS);
        self.complete
    }
}

/// Solutions in memory, without those of another number of columns.
fn of_values(solutions: &[Vec<f64>], model: &Model) -> PastSolutions {
    let columns = model.num_columns();
    let fill = |x: &f64| if x.is_finite() { *x } else { 0.0 };
    let mut past = PastSolutions::default();
    for (number, values) in solutions.iter().enumerate() {
        if values.len() == columns {
            past.complete.push(values.iter().map(fill).collect());
            past.known.push(values.clone());
        } else {
            let (number, found) = (number + 1, values.len());
            past.warnings.push(format!(
                "past solution {number} has {found} values, expected {columns}; left out of the history"
            ));
        }
    }
    past
}

fn read_folder(folder: &Path, model: &Model) -> Result<PastSolutions, LearnError> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
        .map_err(|error| LearnError::io(folder, error))?;
    files.retain(|path| {
        path.to_string_lossy()
            .trim_end_matches(".gz")
            .ends_with(".sol")
    });
    files.sort();
    let mut past = PastSolutions::default();
    for path in &files {
        match solution::read_partial(&Input::path(path), model) {
            Ok(listed) => {
                let unlisted = match lists_zeros(&listed) {
                    true => f64::NAN,
                    false => 0.0,
                };
                past.known.push(by_column(model, &listed, unlisted));
                past.complete.push(by_column(model, &listed, 0.0));
            }
            Err(error) => past
                .warnings
                .push(format!("{error}; left out of the history")),
        }
    }
    if past.is_empty() {
        let folder = folder.display();
        past.warnings.push(format!(
            "--history {folder}: no solution (.sol) that can be used"
        ));
    }
    Ok(past)
}

/// Whether a file lists all columns of its instance: then what it does not list is not zero, but was not there. Files
/// that leave zeros out list none.
fn lists_zeros(listed: &[(usize, f64)]) -> bool {
    listed.iter().any(|(_, value)| *value == 0.0)
}

/// Values by column, with `unlisted` for those that a file does not list.
fn by_column(model: &Model, listed: &[(usize, f64)], unlisted: f64) -> Vec<f64> {
    let mut values = vec![unlisted; model.num_columns()];
    for &(j, value) in listed {
        values[j] = value;
    }
    values
}

/// The largest violation of a row of this instance by a past solution.
fn misfit(model: &Model, values: &[f64]) -> f64 {
    check(model, values, &Tolerances::default())
        .map_or(f64::INFINITY, |report| report.max_row_violation())
}

#[cfg(test)]
mod tests {
    use idpas_mip::{ModelBuilder, ModelError, Sense, VarKind};

    use super::*;

    #[test]
    fn values_of_another_model_are_left_out() -> Result<(), ModelError> {
        let mut b = ModelBuilder::new("two", Sense::Minimize);
        for name in ["x", "y"] {
            b.column(name, VarKind::Integer, 0.0, 1.0, 1.0)?;
        }
        let model = b.build()?;
        let solutions = vec![vec![1.0], vec![1.0, f64::NAN], vec![0.0, 1.0, 1.0], vec![]];
        let past = History::Values(solutions).read(&model).expect("no file");
        assert_eq!(past.warnings.len(), 3, "{:?}", past.warnings);
        assert!(past.warnings[0].starts_with("past solution 1 has 1 values, expected 2"));
        assert_eq!(past.scores(&model).len(), 2);
        assert_eq!(past.starts(&model), [[1.0, 0.0]]);
        Ok(())
    }
}
