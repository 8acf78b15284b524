//! Which variables are predicted to be zero, or one, surely enough to search where they are.

use idpas_mip::Model;
use serde::{Deserialize, Serialize};

use crate::Amount;

/// How much is selected, and how much of it may be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SelectionSettings {
    /// Of all binaries, how many are taken for zero.
    pub k0_binaries: Amount,
    /// Of all general integers, how many are taken for zero.
    pub k0_integers: Amount,
    /// Of all binaries, how many are taken for one (PaS only).
    pub k1_binaries: Amount,
    /// Of the selected variables, how many may have another value: Δ.
    pub delta: Amount,
    /// Nothing scored above this is taken for zero, whatever the amounts say. The paper has no such limit.
    pub max_score: Option<f32>,
}

impl SelectionSettings {
    /// A score up to which a column is taken for zero if nobody has tuned anything. With calibrated scores it makes the
    /// selection as large as the prediction is good, which no fixed amount does.
    pub const SURE: f32 = 0.1;
}

impl Default for SelectionSettings {
    fn default() -> Self {
        SelectionSettings {
            k0_binaries: Amount::Percent(90.0),
            k0_integers: Amount::Percent(90.0),
            k1_binaries: Amount::NONE,
            delta: Amount::Percent(1.0),
            max_score: Some(SelectionSettings::SURE),
        }
    }
}

/// The selected columns, each list with the surest first. No column is in two lists; none is fixed in the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// Binaries taken for zero.
    pub zero_binaries: Vec<usize>,
    /// General integers taken for zero.
    pub zero_integers: Vec<usize>,
    /// Binaries taken for one.
    pub one_binaries: Vec<usize>,
    /// Columns that the amounts covered and the model itself has fixed at the predicted value: nothing to restrict.
    pub already_fixed: usize,
}

impl Selection {
    /// Selects by score, lowest first for zeros and highest first for ones, ties by column.
    ///
    /// Percentages are of all columns of a kind. Columns whose bounds exclude the value, and columns whose score is
    /// not a finite number, are passed over. Columns that the model has fixed at the value take part in the ranking and
    /// count, as in the paper, but there is nothing to restrict, so they are in no list.
    ///
    /// # Panics
    /// If there is not one score for each column.
    pub fn new(model: &Model, scores: &[f32], settings: &SelectionSettings) -> Self {
        assert_eq!(
            scores.len(),
            model.num_columns(),
            "one score for each column"
        );
        let (binaries, integers): (Vec<usize>, Vec<usize>) = (0..scores.len())
            .filter(|&j| model.is_integer(j))
            .partition(|&j| model.is_binary(j));
        let mut already_fixed = 0;
        let mut zeros = |of_kind: &[usize], amount: Amount| {
            let may = |j: &usize| {
                scores[*j].is_finite()
                    && settings.max_score.is_none_or(|most| scores[*j] <= most)
                    && admits(model, *j, 0.0)
            };
            let mut ranked: Vec<usize> = of_kind.iter().copied().filter(may).collect();
            ranked.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]).then(a.cmp(&b)));
            ranked.truncate(amount.of(of_kind.len()));
            take_free(model, ranked, &mut already_fixed)
        };
        let zero_binaries = zeros(&binaries, settings.k0_binaries);
        let zero_integers = zeros(&integers, settings.k0_integers);

        let mut taken = vec![false; scores.len()];
        for &j in &zero_binaries {
            taken[j] = true;
        }
        let may = |j: &usize| !taken[*j] && scores[*j].is_finite() && admits(model, *j, 1.0);
        let mut ones: Vec<usize> = binaries.iter().copied().filter(may).collect();
        ones.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
        ones.truncate(settings.k1_binaries.of(binaries.len()));
        let one_binaries = take_free(model, ones, &mut already_fixed);
        Selection {
            zero_binaries,
            zero_integers,
            one_binaries,
            already_fixed,
        }
    }

    /// How many columns are selected.
    pub fn len(&self) -> usize {
        self.zero_binaries.len() + self.zero_integers.len() + self.one_binaries.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The columns taken for zero.
    pub fn zeros(&self) -> impl Iterator<Item = usize> {
        self.zero_binaries
            .iter()
            .chain(&self.zero_integers)
            .copied()
    }

    /// Every selected column with the value it is taken for.
    pub fn targets(&self) -> impl Iterator<Item = (usize, f64)> {
        let ones = self.one_binaries.iter().map(|&j| (j, 1.0));
        self.zeros().map(|j| (j, 0.0)).chain(ones)
    }

    /// How many selected columns have another value in `x`: the left-hand side of the trust region.
    pub fn flips(&self, x: &[f64]) -> usize {
        self.targets()
            .filter(|&(j, target)| x[j].round() != target)
            .count()
    }

    /// The surest share of each list; `share` of 1 is the selection itself.
    pub fn surest(&self, share: f64) -> Selection {
        let first = |list: &[usize]| {
            let keep = Amount::Percent(share * 100.0).of(list.len());
            list[..keep].to_vec()
        };
        Selection {
            zero_binaries: first(&self.zero_binaries),
            zero_integers: first(&self.zero_integers),
            one_binaries: first(&self.one_binaries),
            already_fixed: self.already_fixed,
        }
    }

    /// Takes out the columns that do not pass.
    pub fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        for list in [
            &mut self.zero_binaries,
            &mut self.zero_integers,
            &mut self.one_binaries,
        ] {
            list.retain(|&j| keep(j));
        }
    }
}

/// Whether the bounds of column `j` admit `value`.
fn admits(model: &Model, j: usize, value: f64) -> bool {
    (model.columns.lower[j]..=model.columns.upper[j]).contains(&value)
}

/// Those of the columns that can have more than one integer value; the others are counted.
fn take_free(model: &Model, columns: Vec<usize>, fixed: &mut usize) -> Vec<usize> {
    let free = |j: &usize| model.columns.lower[*j].ceil() < model.columns.upper[*j].floor();
    let all = columns.len();
    let columns: Vec<usize> = columns.into_iter().filter(free).collect();
    *fixed += all - columns.len();
    columns
}
