//! Freeing columns by a ranking.
//!
//! A column can seldom change alone: if one of `Σ_p x[k,p] = 1` is to become one, the one that is one must be free as
//! well. So every freed column takes along what its rows need to stay satisfied when it moves.

use fastrand::Rng;
use idpas_mip::propagate::Bounds;
use idpas_mip::{Matrix, Model, Relaxation};

use super::FreeColumns;
use crate::Ranking;

/// Columns that one row may add to make a move possible.
const COMPANIONS: usize = 4;
/// Activities nearer to a row's side than this are at it.
const AT_SIDE: f64 = 1e-6;
/// Of a long row, the share of a neighbourhood that it may fill, and at least so many columns.
const ROW_SHARE: f64 = 0.25;
const ROW_LEAST: usize = 8;
/// The weight of columns that a ranking says nothing for.
const FAINT: f64 = 1e-3;
/// An integer with more values than this is a quantity.
const VALUES: f64 = 1000.0;

/// Whether an integer is one in name only, a quantity or a time: it moves by hundreds when a decision changes, so
/// neighbourhoods leave it as free as what is continuous.
pub(crate) fn is_quantity(model: &Model, j: usize) -> bool {
    model.is_integer(j) && model.columns.upper[j] - model.columns.lower[j] > VALUES
}

/// The model with its matrix by rows.
pub(crate) struct Links<'a> {
    pub(super) model: &'a Model,
    pub(super) by_row: &'a Matrix,
}

/// What a neighbourhood is chosen by.
pub(crate) struct View<'a> {
    /// The solution it is around.
    pub(crate) current: &'a [f64],
    /// Bounds that every better solution is within.
    pub(crate) bounds: &'a Bounds,
    pub(crate) scores: Option<&'a [f32]>,
    pub(crate) relaxation: Option<&'a Relaxation>,
    /// How recently each column changed in an improvement.
    pub(crate) recent: &'a [f32],
    /// Columns at zero with a score up to this stay there.
    pub(crate) sure: f32,
}

impl View<'_> {
    fn score(&self, j: usize) -> Option<f64> {
        let score = f64::from(self.scores?[j]);
        score.is_finite().then_some(score)
    }

    fn is_zero(&self, j: usize) -> bool {
        self.current[j].round() == 0.0
    }

    /// Whether the scores are sure that the column is where it is.
    fn is_sure(&self, j: usize) -> bool {
        self.sure > 0.0
            && self.is_zero(j)
            && self
                .score(j)
                .is_some_and(|score| score <= f64::from(self.sure))
    }

    /// How far off the solution is from what the scores say.
    fn disagreement(&self, j: usize) -> f64 {
        let is = if self.is_zero(j) { 0.0 } else { 1.0 };
        self.score(j).map_or(0.0, |score| (score - is).abs())
    }
}

impl<'a> Links<'a> {
    pub(crate) fn new(model: &'a Model, by_row: &'a Matrix) -> Self {
        Links { model, by_row }
    }

    /// Columns that can be freed at all.
    pub(super) fn can_move(&self, view: &View<'_>, j: usize) -> bool {
        let fits = view.bounds.lower[j] < view.bounds.upper[j];
        fits && self.model.is_integer(j) && !is_quantity(self.model, j)
    }

    pub(super) fn may(&self, view: &View<'_>, j: usize) -> bool {
        self.can_move(view, j) && !view.is_sure(j)
    }

    /// How many columns there are to choose from.
    pub(crate) fn eligible(&self, view: &View<'_>) -> usize {
        (0..self.model.num_columns())
            .filter(|&j| self.may(view, j))
            .count()
    }

    /// Chooses about `target` columns.
    pub(crate) fn choose(
        &self,
        ranking: Ranking,
        target: usize,
        view: &View<'_>,
        random: &mut Rng,
    ) -> FreeColumns {
        let mut free = FreeColumns::new(self.model.num_columns(), target);
        let activity = self.activities(view.current);
        let order = self.order(ranking, view, random);
        match ranking {
            Ranking::Linked => self.spread(&order, &activity, view, &mut free, random),
            _ => {
                for j in order {
                    if free.enough() {
                        break;
                    }
                    self.free(j, &activity, view, &mut free, random);
                }
            }
        }
        free
    }

    fn activities(&self, x: &[f64]) -> Vec<f64> {
        let mut activity = vec![0.0; self.model.num_rows()];
        for (j, &value) in x.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            for (i, a) in self.model.matrix.entries(j) {
                activity[i] += a * value;
            }
        }
        activity
    }

    /// The eligible columns in a random order in which a column comes before another as often as their weights say.
    fn order(&self, ranking: Ranking, view: &View<'_>, random: &mut Rng) -> Vec<usize> {
        let scale = cost_scale(view);
        let weight = |j: usize| match ranking {
            Ranking::Random | Ranking::Implied => 1.0,
            Ranking::Unsure => view.score(j).map_or(0.25, |score| score * (1.0 - score)),
            Ranking::Disagreement => view.disagreement(j).powi(2),
            Ranking::Recent => f64::from(view.recent[j]),
            Ranking::Relaxation => relaxation_weight(view, j, scale),
            // Where to begin: where something is, or should be.
            Ranking::Linked => match view.is_zero(j) {
                true => view.score(j).unwrap_or(0.1),
                false => 1.0,
            },
        };
        let mut keyed: Vec<(f64, usize)> = (0..self.model.num_columns())
            .filter(|&j| self.may(view, j))
            .map(|j| (-random.f64().ln() / (weight(j) + FAINT), j))
            .collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
        keyed.into_iter().map(|(_, j)| j).collect()
    }

    /// Frees a column and what has to move with it.
    fn free(
        &self,
        j: usize,
        activity: &[f64],
        view: &View<'_>,
        free: &mut FreeColumns,
        random: &mut Rng,
    ) {
        free.add(j);
        let (up, down) = (
            view.current[j] < view.bounds.upper[j],
            view.current[j] > view.bounds.lower[j],
        );
        for (i, a) in self.model.matrix.entries(j) {
            let step = a.abs();
            let may_rise = (a > 0.0 && up) || (a < 0.0 && down);
            let may_fall = (a > 0.0 && down) || (a < 0.0 && up);
            let over = may_rise && activity[i] + step > self.model.rows.upper[i] + AT_SIDE;
            let under = may_fall && activity[i] - step < self.model.rows.lower[i] - AT_SIDE;
            if over || under {
                self.companions(i, over, under, view, free, random);
            }
        }
    }

    /// Frees columns that can lower or raise a row's activity again, those that are not zero and general integers
    /// first: these are where the solution is.
    fn companions(
        &self,
        row: usize,
        lower: bool,
        raise: bool,
        view: &View<'_>,
        free: &mut FreeColumns,
        random: &mut Rng,
    ) {
        let mut helpful: Vec<(f64, usize)> = Vec::new();
        for (k, b) in self.by_row.entries(row) {
            if !self.can_move(view, k) {
                continue;
            }
            let (up, down) = (
                view.current[k] < view.bounds.upper[k],
                view.current[k] > view.bounds.lower[k],
            );
            let lowers = (b > 0.0 && down) || (b < 0.0 && up);
            let raises = (b > 0.0 && up) || (b < 0.0 && down);
            if !(lower && lowers || raise && raises) {
                continue;
            }
            let stands = !view.is_zero(k) || !self.model.is_binary(k);
            if stands || self.may(view, k) {
                let rank = if stands { 0.0 } else { 1.0 };
                helpful.push((rank + random.f64() * 0.9, k));
            }
        }
        helpful.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, k) in helpful.into_iter().take(COMPANIONS) {
            free.add(k);
        }
    }

    /// Frees columns from row to row, around the first of `order` and, where it ends, around the next.
    fn spread(
        &self,
        order: &[usize],
        activity: &[f64],
        view: &View<'_>,
        free: &mut FreeColumns,
        random: &mut Rng,
    ) {
        let most = ((free.target() as f64 * ROW_SHARE) as usize).max(ROW_LEAST);
        let mut seen = vec![false; self.model.num_rows()];
        for &seed in order {
            if free.enough() {
                return;
            }
            if free.contains(seed) {
                continue;
            }
            let mut next = free.columns().len();
            self.free(seed, activity, view, free, random);
            while next < free.columns().len() && !free.enough() {
                let j = free.columns()[next];
                next += 1;
                let mut rows: Vec<usize> = self.model.matrix.entries(j).map(|(i, _)| i).collect();
                random.shuffle(&mut rows);
                for row in rows {
                    if std::mem::replace(&mut seen[row], true) || free.enough() {
                        continue;
                    }
                    let columns = self.by_row.entries(row).map(|(k, _)| k);
                    let mut columns: Vec<usize> = columns.filter(|&k| self.may(view, k)).collect();
                    random.shuffle(&mut columns);
                    for k in columns.into_iter().take(most) {
                        self.free(k, activity, view, free, random);
                    }
                }
            }
        }
    }
}

/// The mean reduced cost of columns that have one.
fn cost_scale(view: &View<'_>) -> f64 {
    let costs = view.relaxation.map_or(&[][..], |lp| &lp.reduced_costs[..]);
    let (sum, count) = costs
        .iter()
        .map(|cost| cost.abs())
        .filter(|cost| *cost > 1e-9)
        .fold((0.0, 0), |(sum, count), cost| (sum + cost, count + 1));
    sum / f64::from(count.max(1))
}

fn relaxation_weight(view: &View<'_>, j: usize, scale: f64) -> f64 {
    let Some(lp) = view.relaxation else {
        return 1.0;
    };
    let apart = (view.current[j] - lp.values[j]).abs();
    if apart > 1e-6 {
        return apart.min(1.0);
    }
    // A third of the mean is little.
    0.3 * (-3.0 * lp.reduced_costs[j].abs() / scale.max(1e-12)).exp()
}
