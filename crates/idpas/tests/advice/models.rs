//! Small random models of every kind, most of them around a hidden point, so that many have a solution.

use idpas::{Model, ModelBuilder, Sense, VarKind};
use idpas_base::random::Random;

use super::truth::{Truth, truth};

const INF: f64 = f64::INFINITY;

/// What a model is to be like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Binaries,
    Integers,
    Mixed,
    Equalities,
    /// Rows that contradict each other, or that no integers satisfy.
    Infeasible,
    /// A ray that improves the objective for ever, if there is a solution at all.
    Unbounded,
    /// Rows that say the same, columns without cost, empty rows, fixed columns, or hardly anything.
    Degenerate,
    /// Coefficients, costs, bounds and sides up to 1e9.
    Huge,
    /// Coefficients down to 1e-7, now and then to 1e-10 and less, and costs down to 1e-9.
    Tiny,
    /// Both, and numbers that are no sums of few powers of two.
    Wild,
}

impl Class {
    pub const ALL: [Class; 10] = [
        Class::Binaries,
        Class::Integers,
        Class::Mixed,
        Class::Equalities,
        Class::Infeasible,
        Class::Unbounded,
        Class::Degenerate,
        Class::Huge,
        Class::Tiny,
        Class::Wild,
    ];
}

/// A model with what is true of it.
#[derive(Clone, Debug)]
pub struct Case {
    pub class: Class,
    pub model: Model,
    pub truth: Truth,
}

/// Values of an optimum that are further out than this come from rows that are nearly parallel. Tolerances of rows then allow
/// points that are as far away, so that doubles cannot tell such a model from an unbounded one.
const FAR_OUT: f64 = 2e9;

/// Model number `number` of a seed. Models whose truth would take too long, or whose optimum is too far out, are drawn
/// again.
pub fn case(seed: u64, number: u64) -> Case {
    let class = Class::ALL[(number % Class::ALL.len() as u64) as usize];
    let mut random = Random::new(seed, "model", number);
    loop {
        let model = draw(class, &mut random);
        match truth(&model) {
            Some(Truth::Optimal(best)) if best.point.iter().any(|x| x.abs() > FAR_OUT) => {}
            Some(truth) => {
                return Case {
                    class,
                    model,
                    truth,
                };
            }
            None => {}
        }
    }
}

pub fn one_of<T: Copy>(random: &mut Random, choices: &[T]) -> T {
    choices[random.below(choices.len())]
}

/// Whether something happens that happens once in so many times.
pub fn once_in(random: &mut Random, times: usize) -> bool {
    random.below(times) == 0
}

/// Columns with their coefficients.
type Entries = Vec<(usize, f64)>;

struct Draft {
    sense: Sense,
    constant: f64,
    /// Kind, bounds and cost.
    columns: Vec<(VarKind, f64, f64, f64)>,
    /// Sides and entries.
    rows: Vec<(f64, f64, Entries)>,
    /// A value of each column within its bounds.
    point: Vec<f64>,
}

const INTEGER_BOUNDS: [(f64, f64); 14] = [
    (0.0, 1.0),
    (0.0, 1.0),
    (0.0, 2.0),
    (0.0, 3.0),
    (-3.0, 0.0),
    (-2.0, 1.0),
    (-1.0, 0.0),
    (1.0, 3.0),
    (-3.0, -1.0),
    (0.0, 0.0),
    (2.0, 2.0),
    (0.0, INF),
    (-INF, 2.0),
    (-0.5, 2.5),
];

const CONTINUOUS_BOUNDS: [(f64, f64); 7] = [
    (0.0, 4.0),
    (-2.0, 2.0),
    (0.0, INF),
    (-INF, INF),
    (0.25, 0.25),
    (-INF, 1.0),
    (0.0, 100.0),
];

fn draw(class: Class, random: &mut Random) -> Model {
    let mut draft = columns(class, random);
    rows(class, random, &mut draft);
    match class {
        Class::Infeasible => contradict(random, &mut draft),
        Class::Unbounded => add_ray(random, &mut draft),
        Class::Degenerate => degenerate(random, &mut draft),
        Class::Huge => stretch(random, &mut draft, &[1e3, 1e5, 1e6, 1e7, 16_777_216.0, 1e9]),
        Class::Tiny => stretch(random, &mut draft, &[1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-10]),
        Class::Wild => stretch(
            random,
            &mut draft,
            &[1e-6, 1e-4, 1e-2, 0.1, 1.0 / 3.0, 1e4, 1e6, 1e8],
        ),
        _ => {}
    }
    build(&draft)
}

fn columns(class: Class, random: &mut Random) -> Draft {
    let is_large = matches!(class, Class::Huge | Class::Wild);
    let (count, continuous) = match class {
        Class::Binaries => (random.between(2, 10), 0),
        Class::Integers | Class::Equalities => (random.between(2, 6), 0),
        Class::Degenerate => (random.between(1, 6), random.between(0, 1)),
        _ => (random.between(3, 6), random.between(0, 3)),
    };
    let mut draft = Draft {
        sense: one_of(random, &[Sense::Minimize, Sense::Maximize]),
        constant: one_of(random, &[0.0, 0.0, -3.0, 2.5, 1e6]),
        columns: Vec::new(),
        rows: Vec::new(),
        point: Vec::new(),
    };
    for j in 0..count {
        let cost = random.between(-20, 20) as f64 / one_of(random, &[1.0, 1.0, 4.0]);
        let (kind, (lower, upper)) = if j < continuous {
            let bounds = one_of(random, &CONTINUOUS_BOUNDS);
            (VarKind::Continuous, bounds)
        } else if class == Class::Binaries || random.below(5) < 2 {
            (VarKind::Integer, (0.0, 1.0))
        } else {
            (VarKind::Integer, one_of(random, &INTEGER_BOUNDS))
        };
        let (lower, upper) = match (kind, is_large && once_in(random, 4)) {
            (VarKind::Continuous, true) => (0.0, one_of(random, &[1e5, 1e6, 1e9])),
            _ => (lower, upper),
        };
        draft.columns.push((kind, lower, upper, cost));
        let low = lower.max(-3.0).min(upper).ceil();
        let high = upper.min(lower.max(-3.0) + 4.0).floor();
        draft.point.push(match low <= high {
            true => random.between(low as i64, high as i64) as f64,
            false => lower,
        });
    }
    // Continuous columns are not always the first.
    let by = random.below(draft.columns.len());
    draft.columns.rotate_left(by);
    draft.point.rotate_left(by);
    draft
}

fn rows(class: Class, random: &mut Random, draft: &mut Draft) {
    let most = if class == Class::Binaries { 6 } else { 5 };
    for _ in 0..random.between(1, most) {
        let mut entries: Vec<(usize, f64)> = Vec::new();
        for j in 0..draft.columns.len() {
            if random.below(3) > 0 {
                entries.push((j, coefficient(class, random)));
            }
        }
        entries.retain(|(_, value)| *value != 0.0);
        let at: f64 = entries.iter().map(|&(j, a)| a * draft.point[j]).sum();
        let equal = match class {
            Class::Equalities => 3,
            _ => 1,
        };
        let slack = random.between(0, 8) as f64 / 2.0;
        let (lower, upper) = match random.below(5) as i64 {
            kind if kind < equal => (at, at),
            3 => (at - slack, INF),
            4 => (at - slack, at + 1.0),
            _ => (-INF, at + slack),
        };
        draft.rows.push((lower, upper, entries));
    }
}

fn coefficient(class: Class, random: &mut Random) -> f64 {
    match class {
        Class::Binaries if random.below(2) == 0 => 1.0,
        Class::Wild if once_in(random, 2) => random.between(-30, 30) as f64 / 10.0,
        _ => random.between(-5, 5) as f64,
    }
}

/// Adds what makes most models infeasible, some of them only by integrality.
fn contradict(random: &mut Random, draft: &mut Draft) {
    let n = draft.columns.len();
    match random.below(3) {
        0 => {
            // An even sum that is odd.
            let is_discrete = |j: &usize| draft.columns[*j].0 == VarKind::Integer;
            let entries = (0..n).filter(is_discrete).map(|j| (j, 2.0)).collect();
            draft.rows.push((1.0, 1.0, entries));
        }
        1 => {
            let entries: Vec<(usize, f64)> = (0..n)
                .map(|j| (j, random.between(-3, 3) as f64))
                .filter(|(_, value)| *value != 0.0)
                .collect();
            let at: f64 = entries.iter().map(|&(j, a)| a * draft.point[j]).sum();
            draft.rows.push((-INF, at - 0.5, entries.clone()));
            draft.rows.push((at, INF, entries));
        }
        _ => {
            let i = random.below(draft.rows.len());
            let (lower, upper, entries) = draft.rows[i].clone();
            let by = random.between(3, 30) as f64;
            let moved = match upper.is_finite() {
                true => (upper + by, INF),
                false => (-INF, lower - by),
            };
            draft.rows.push((moved.0, moved.1, entries));
        }
    }
}

/// Adds a column that gets better for ever; rows hold another one back, or do not.
fn add_ray(random: &mut Random, draft: &mut Draft) {
    let kind = one_of(random, &[VarKind::Continuous, VarKind::Integer]);
    let better = match draft.sense {
        Sense::Minimize => -1.0,
        Sense::Maximize => 1.0,
    };
    let j = draft.columns.len();
    draft.columns.push((kind, 0.0, INF, 3.0 * better));
    draft.point.push(0.0);
    if random.below(2) == 0 {
        // It needs a second one, at a cost that is worth it or not.
        let cost = -better * one_of(random, &[1.0, 2.0, 4.0]);
        draft.columns.push((VarKind::Integer, 0.0, INF, cost));
        draft.point.push(0.0);
        draft.rows.push((-INF, 0.0, vec![(j, 1.0), (j + 1, -1.0)]));
    }
    if once_in(random, 4) {
        contradict(random, draft);
    }
}

fn degenerate(random: &mut Random, draft: &mut Draft) {
    let n = draft.columns.len();
    for _ in 0..random.between(1, 3) {
        match random.below(6) {
            0 => {
                let i = random.below(draft.rows.len());
                let (lower, upper, entries) = draft.rows[i].clone();
                let double = entries.into_iter().map(|(j, a)| (j, 2.0 * a)).collect();
                draft.rows.push((2.0 * lower, 2.0 * upper, double));
            }
            1 => draft.columns.iter_mut().for_each(|column| column.3 = 0.0),
            2 => draft.rows.push((-1.0, 1.0, Vec::new())),
            3 => {
                let j = random.below(n);
                let value = draft.point[j];
                (draft.columns[j].1, draft.columns[j].2) = (value, value);
            }
            4 => draft.rows.truncate(1),
            _ => draft.rows.push((-INF, INF, vec![(0, 1.0)])),
        }
    }
    if once_in(random, 8) {
        draft.rows.clear();
    }
}

/// The least cost that is not zero.
const FAINTEST: f64 = 1e-9;

/// Multiplies entries, rows, columns and costs by factors; sides follow the hidden point with the slack that they had.
fn stretch(random: &mut Random, draft: &mut Draft, factors: &[f64]) {
    for _ in 0..random.between(1, 3) {
        let factor = one_of(random, factors);
        match random.below(4) {
            // A whole row, sides and all.
            0 => {
                let i = random.below(draft.rows.len());
                let (lower, upper, entries) = &mut draft.rows[i];
                (*lower, *upper) = (*lower * factor, *upper * factor);
                entries.iter_mut().for_each(|(_, a)| *a *= factor);
            }
            // One entry: a large or a small number among others.
            1 => {
                let i = random.below(draft.rows.len());
                let (lower, upper, entries) = &mut draft.rows[i];
                if let Some(k) = entries.len().checked_sub(1) {
                    let (j, old) = entries[random.below(k + 1)];
                    let by = old * factor - old;
                    entries
                        .iter_mut()
                        .filter(|e| e.0 == j)
                        .for_each(|e| e.1 += by);
                    *lower += by * draft.point[j];
                    *upper += by * draft.point[j];
                }
            }
            2 => {
                let j = random.below(draft.columns.len());
                let cost = draft.columns[j].3 * factor;
                // HiGHS takes costs below 1e-10 for zero, whatever it is told.
                let is_lost = cost != 0.0 && cost.abs() < FAINTEST;
                draft.columns[j].3 = if is_lost {
                    cost.signum() * FAINTEST
                } else {
                    cost
                };
            }
            // A switch: a column is zero unless a binary is one.
            _ => {
                let (j, k) = (random.below(draft.columns.len()), draft.columns.len());
                let cost = random.between(-9, 9) as f64;
                draft.columns.push((VarKind::Integer, 0.0, 1.0, cost));
                draft.point.push(1.0);
                let large = if factor < 1.0 { 1.0 / factor } else { factor };
                let upper = if draft.point[j] > large { INF } else { 0.0 };
                draft.rows.push((-INF, upper, vec![(j, 1.0), (k, -large)]));
            }
        }
    }
}

fn build(draft: &Draft) -> Model {
    let mut b = ModelBuilder::new("random", draft.sense);
    b.objective("cost", draft.constant);
    for (j, &(kind, lower, upper, cost)) in draft.columns.iter().enumerate() {
        b.column(&format!("x{j}"), kind, lower, upper, cost)
            .expect("a column");
    }
    for (i, (lower, upper, entries)) in draft.rows.iter().enumerate() {
        b.row(&format!("r{i}"), *lower, *upper, entries.iter().copied())
            .expect("a row");
    }
    b.build().expect("a model")
}
