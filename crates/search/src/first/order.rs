//! In which order columns are decided, and at which value first.

use idpas_mip::propagate::{Bounds, Propagator};
use idpas_mip::{Matrix, Model, Sense};

/// What says which columns are decided first and which value each of them gets.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Order<'a> {
    /// Scores: how likely each column is not zero; NaN where unknown.
    Scores(&'a [f32]),
    /// Values of the linear relaxation.
    Relaxation(&'a [f64]),
    /// Costs and locks only.
    Plain,
}

/// Which value a column without advice gets first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taste {
    /// The cheapest one.
    Cheap,
    /// The one that loosens more rows than it tightens.
    Loose,
    /// Either of these, by lot.
    Mixed,
}

/// One thing to decide.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// The value that a start gives this column, if it can have it.
    Given(u32),
    /// Which column of this row is one.
    Row(u32),
    /// The value of this column.
    Column(u32),
}

/// What does not change from one try to the next.
pub(super) struct Plan {
    /// Rows of which exactly one column is one, the shortest first.
    choices: Vec<u32>,
    /// Cost of one unit, in a minimisation, with that of the counter or capacity that it needs in its rows.
    pub(super) cost: Vec<f64>,
    /// For each column, how many row sides forbid to increase it, less those that forbid to decrease it.
    locks: Vec<i32>,
    /// Columns that follow from all others: in one row only, and with a cost.
    follows: Vec<bool>,
    /// Whether most columns of equalities are arcs of a network.
    pub(super) is_network: bool,
}

impl Plan {
    pub(super) fn new(propagator: &Propagator<'_>, bounds: &Bounds) -> Self {
        let (model, by_row) = (propagator.model(), propagator.by_row());
        let mut choices: Vec<u32> = (0..model.num_rows())
            .filter(|&i| is_choice(model, by_row, bounds, i))
            .map(|i| i as u32)
            .collect();
        choices.sort_by_key(|&i| by_row.entries(i as usize).len());
        let (cost, follows) = costs(model, by_row);
        let locks = (0..model.num_columns()).map(|j| locks(model, j)).collect();
        Plan {
            choices,
            cost,
            locks,
            follows,
            is_network: is_network(model),
        }
    }

    /// The steps of one try. The first try takes columns as they come in the model, others by lot.
    pub(super) fn steps(
        &self,
        model: &Model,
        bounds: &Bounds,
        order: &Order<'_>,
        start: Option<&[f64]>,
        shuffle: Option<&mut fastrand::Rng>,
    ) -> Vec<Step> {
        let open = |j: &u32| {
            let j = *j as usize;
            model.is_integer(j) && bounds.lower[j] < bounds.upper[j]
        };
        let mut columns: Vec<u32> = (0..model.num_columns() as u32).filter(open).collect();
        let mut choices = self.choices.clone();
        if let Some(random) = shuffle {
            random.shuffle(&mut columns);
            random.shuffle(&mut choices);
        }
        let mut steps = Vec::with_capacity(columns.len() + choices.len());
        if let Some(start) = start {
            let given = columns.iter().filter(|&&j| start[j as usize].is_finite());
            let (zeros, others): (Vec<u32>, Vec<u32>) =
                given.partition(|&&j| start[j as usize] == 0.0);
            steps.extend(others.into_iter().chain(zeros).map(Step::Given));
        }
        steps.extend(choices.into_iter().map(Step::Row));
        let class = |j: usize| match (self.follows[j], model.is_binary(j)) {
            (true, _) => 2,
            (false, true) => 0,
            (false, false) => 1,
        };
        let doubt = |j: usize| match order {
            Order::Scores(scores) => 0.5 - (f64::from(scores[j]) - 0.5).abs(),
            Order::Relaxation(values) => (values[j] - values[j].round()).abs(),
            Order::Plain => 0.0,
        };
        let key = |j: u32| {
            let doubt = doubt(j as usize);
            (class(j as usize), if doubt.is_nan() { 1.0 } else { doubt })
        };
        columns.sort_by(|&a, &b| {
            let (a, b) = (key(a), key(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        steps.extend(columns.into_iter().map(Step::Column));
        steps
    }

    /// The value that column `j` should get, within its bounds.
    pub(super) fn wanted(
        &self,
        model: &Model,
        (j, lower, upper): (usize, f64, f64),
        (order, start): (&Order<'_>, Option<&[f64]>),
        taste: Taste,
        random: &mut fastrand::Rng,
    ) -> f64 {
        let given = start.map_or(f64::NAN, |start| start[j]);
        if given.is_finite() {
            return given.round().clamp(lower, upper);
        }
        let advice = match order {
            Order::Scores(scores) if scores[j] < 0.5 => 0.0,
            Order::Scores(scores) if scores[j] >= 0.5 && model.is_binary(j) => 1.0,
            Order::Relaxation(values) if taste == Taste::Mixed => {
                (values[j] + random.f64() - 0.5).round()
            }
            Order::Relaxation(values) => values[j].round(),
            _ => f64::NAN,
        };
        if advice.is_finite() {
            return advice.clamp(lower, upper);
        }
        let cheap = match taste {
            Taste::Cheap => true,
            Taste::Loose => self.locks[j] == 0,
            Taste::Mixed => random.bool(),
        };
        let up = if cheap && self.cost[j] != 0.0 {
            -self.cost[j]
        } else {
            -f64::from(self.locks[j])
        };
        let side = if up > 0.0 {
            upper
        } else if up < 0.0 {
            lower
        } else {
            0.0f64.clamp(lower, upper)
        };
        match side.is_finite() {
            true => side,
            false => 0.0f64.clamp(lower, upper),
        }
    }
}

/// Whether exactly one of a row's columns is one: a sum of binaries with equal coefficients.
fn is_choice(model: &Model, by_row: &Matrix, bounds: &Bounds, i: usize) -> bool {
    let side = model.rows.upper[i];
    let unit = |(j, value): (usize, f64)| {
        value == side && model.is_integer(j) && bounds.lower[j] >= 0.0 && bounds.upper[j] <= 1.0
    };
    side != 0.0
        && model.rows.lower[i] == side
        && by_row.entries(i).len() > 1
        && by_row.entries(i).all(unit)
}

/// Whether at least half of the columns that are in equalities are in two of them, with coefficients ±1.
fn is_network(model: &Model) -> bool {
    let equal = |i: usize| model.rows.lower[i] == model.rows.upper[i];
    let (mut arcs, mut others) = (0usize, 0usize);
    for j in 0..model.num_columns() {
        let entries = model.matrix.entries(j).filter(|&(i, _)| equal(i));
        let (count, units) = entries.fold((0, true), |(count, units), (_, a)| {
            (count + 1, units && a.abs() == 1.0)
        });
        match (count, units) {
            (0, _) => {}
            (2, true) => arcs += 1,
            _ => others += 1,
        }
    }
    arcs > others
}

fn locks(model: &Model, j: usize) -> i32 {
    let entries = model.matrix.entries(j);
    let lock = |(i, value): (usize, f64)| {
        let up = i32::from(model.rows.upper[i].is_finite());
        let down = i32::from(model.rows.lower[i].is_finite());
        if value > 0.0 { up - down } else { down - up }
    };
    entries.map(lock).sum()
}

/// The cost of each column with that of what it needs, and which columns are what others need.
///
/// A column with a cost in one row only is a counter or a capacity: others in the row drive it up, so that its cost
/// is theirs, in proportion to their coefficients.
fn costs(model: &Model, by_row: &Matrix) -> (Vec<f64>, Vec<bool>) {
    let sign = match model.sense {
        Sense::Minimize => 1.0,
        Sense::Maximize => -1.0,
    };
    let mut cost: Vec<f64> = model.columns.cost.iter().map(|c| sign * c).collect();
    let mut follows = vec![false; cost.len()];
    let mut taken = vec![false; model.num_rows()];
    for (j, follows) in follows.iter_mut().enumerate() {
        let mut entries = model.matrix.entries(j);
        let (Some((i, value)), None) = (entries.next(), entries.next()) else {
            continue;
        };
        let (lower, upper) = (model.rows.lower[i], model.rows.upper[i]);
        let own = sign * model.columns.cost[j];
        let driven = match value > 0.0 {
            true => lower.is_finite(),
            false => upper.is_finite(),
        };
        // An alternative among equals is no capacity.
        if own <= 0.0 || !driven || taken[i] || model.is_binary(j) {
            continue;
        }
        (taken[i], *follows) = (true, true);
        for (k, other) in by_row.entries(i).filter(|&(k, _)| k != j) {
            cost[k] -= own * other / value;
        }
    }
    (cost, follows)
}
