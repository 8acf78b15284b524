//! An account of a selection: how sure the scores were, and which columns had another value in the end.

use idpas_mip::Model;
use serde::{Deserialize, Serialize};

use crate::Selection;

/// How many flipped columns are listed by name.
const LISTED: usize = 20;

/// An account of a search's prediction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Explain {
    /// Binaries taken for zero.
    pub zero_binaries: SelectedPart,
    /// General integers taken for zero.
    pub zero_integers: SelectedPart,
    /// Binaries taken for one.
    pub one_binaries: SelectedPart,
    /// Columns that the amounts covered and the model itself has fixed.
    pub already_fixed: usize,
    /// Columns taken out again, since some row could not have held without them.
    pub released: usize,
    /// How many wrong values the scores themselves expect among the selected: Σ p over zeros, Σ (1 − p) over ones.
    pub expected_wrong: f64,
    /// How many of the selected have another value in the final solution.
    pub flipped: usize,
    /// Those of them that the scores were surest of, at most 20.
    pub surprises: Vec<Flip>,
    /// How much smaller the model is with all selected columns fixed.
    pub reduction: Reduction,
}

/// One kind of selected columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SelectedPart {
    /// How many columns of this kind the model has.
    pub total: usize,
    /// How many of them are selected.
    pub selected: usize,
    /// Least, lower quartile, median, upper quartile and greatest score of the selected.
    pub scores: Option<[f32; 5]>,
}

/// A column whose value is not what was predicted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flip {
    /// Its name.
    pub name: String,
    /// Its score: the predicted probability of not being zero.
    pub score: f32,
    /// Its value in the final solution.
    pub value: f64,
}

/// A model's size, and that of what is left with columns fixed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reduction {
    /// Columns that the model itself does not fix.
    pub columns: usize,
    /// Columns that are still free when the selected ones are fixed.
    pub columns_left: usize,
    /// Rows with a column that the model itself does not fix.
    pub rows: usize,
    /// Rows that still have a free column.
    pub rows_left: usize,
}

impl Explain {
    /// Describes a selection of `model` by `scores`, and how the final solution differs from it.
    pub fn new(
        model: &Model,
        scores: &[f32],
        selection: &Selection,
        released: usize,
        solution: Option<&[f64]>,
    ) -> Self {
        let shape = model.shape();
        let part = |total, columns: &[usize]| SelectedPart {
            total,
            selected: columns.len(),
            scores: quantiles(columns.iter().map(|&j| scores[j]).collect()),
        };
        let flips = solution.map_or_else(Vec::new, |x| flips(model, scores, selection, x));
        Explain {
            zero_binaries: part(shape.binaries, &selection.zero_binaries),
            zero_integers: part(shape.integers, &selection.zero_integers),
            one_binaries: part(shape.binaries, &selection.one_binaries),
            already_fixed: selection.already_fixed,
            released,
            expected_wrong: selection
                .targets()
                .map(|(j, target)| surprise(scores[j], target))
                .map(|sure| 1.0 - sure)
                .sum(),
            flipped: flips.len(),
            surprises: flips.into_iter().take(LISTED).collect(),
            reduction: Reduction::new(model, selection),
        }
    }
}

/// How sure the score was of the target: a flip is as surprising as that.
fn surprise(score: f32, target: f64) -> f64 {
    let p = f64::from(score).clamp(0.0, 1.0);
    if target == 0.0 { 1.0 - p } else { p }
}

/// The columns that differ from what was predicted, the most surprising first.
fn flips(model: &Model, scores: &[f32], selection: &Selection, x: &[f64]) -> Vec<Flip> {
    let mut flipped: Vec<(usize, f64)> = selection
        .targets()
        .filter(|&(j, target)| x[j].round() != target)
        .map(|(j, target)| (j, surprise(scores[j], target)))
        .collect();
    flipped.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let flip = |(j, _)| Flip {
        name: model.columns.names.get(j).to_owned(),
        score: scores[j],
        value: x[j],
    };
    flipped.into_iter().map(flip).collect()
}

fn quantiles(mut scores: Vec<f32>) -> Option<[f32; 5]> {
    scores.sort_by(f32::total_cmp);
    let last = scores.len().checked_sub(1)?;
    Some([0, 1, 2, 3, 4].map(|quarter| scores[(quarter * last + 2) / 4]))
}

impl Reduction {
    /// Counts what is free before and after fixing the selected columns.
    pub fn new(model: &Model, selection: &Selection) -> Self {
        let free = |j: usize| model.columns.lower[j] < model.columns.upper[j];
        let mut selected = vec![false; model.num_columns()];
        for (j, _) in selection.targets() {
            selected[j] = true;
        }
        let mut row_free = vec![(false, false); model.num_rows()];
        let mut reduction = Reduction::default();
        for j in (0..model.num_columns()).filter(|&j| free(j)) {
            reduction.columns += 1;
            reduction.columns_left += usize::from(!selected[j]);
            for (i, _) in model.matrix.entries(j) {
                row_free[i].0 = true;
                row_free[i].1 |= !selected[j];
            }
        }
        reduction.rows = row_free.iter().filter(|row| row.0).count();
        reduction.rows_left = row_free.iter().filter(|row| row.1).count();
        reduction
    }
}
