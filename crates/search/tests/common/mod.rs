//! Small random models and what is true of them by enumeration, a direct solve to compare with, and a made-up solver.
#![allow(clippy::unwrap_used, dead_code, unreachable_pub)]

pub mod direct;
pub mod faulty;
pub mod scripted;

use idpas_mip::check::{Checker, Tolerances};
use idpas_mip::{Model, ModelBuilder, Sense, VarKind};

/// A small generator of random numbers (SplitMix64).
#[derive(Debug)]
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// An integer between both, inclusive.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % (high - low + 1) as u64) as i64
    }

    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[(self.next() % choices.len() as u64) as usize]
    }
}

const INF: f64 = f64::INFINITY;

/// Bounds of integer columns: binaries, positive, negative, mixed, excluding zero, fixed, infinite.
pub const INTEGER_BOUNDS: [(f64, f64); 14] = [
    (0.0, 1.0),
    (0.0, 1.0),
    (0.0, 1.0),
    (0.0, 3.0),
    (-3.0, 0.0),
    (-2.0, 3.0),
    (-1.0, 0.0),
    (1.0, 3.0),
    (-3.0, -1.0),
    (0.0, 0.0),
    (1.0, 1.0),
    (0.0, INF),
    (-INF, 2.0),
    (-0.5, 2.5),
];

/// A model with integer data. Most have a solution; some have none; a few are unbounded.
pub fn model(random: &mut Random, continuous: bool, integer_bounds: &[(f64, f64)]) -> Model {
    let sense = random.one_of(&[Sense::Minimize, Sense::Maximize]);
    let mut b = ModelBuilder::new("random", sense);
    let columns = random.between(3, 7) as usize;
    let mut point = Vec::new();
    for j in 0..columns {
        let is_continuous = continuous && random.between(0, 3) == 0;
        let (kind, (lower, upper)) = if is_continuous {
            let bounds = random.one_of(&[(0.0, 4.0), (-2.0, 2.0), (0.0, INF), (0.5, 0.5)]);
            (VarKind::Continuous, bounds)
        } else {
            (VarKind::Integer, random.one_of(integer_bounds))
        };
        let cost = random.between(-5, 5) as f64;
        b.column(&format!("x{j}"), kind, lower, upper, cost)
            .unwrap();
        let (low, high) = (lower.max(-4.0).ceil(), upper.min(4.0).floor());
        point.push(if low <= high {
            random.between(low as i64, high as i64) as f64
        } else {
            lower
        });
    }
    b.objective("obj", random.between(-3, 3) as f64);
    for i in 0..random.between(1, 5) {
        let mut entries: Vec<(usize, f64)> = Vec::new();
        for j in 0..columns {
            if random.between(0, 2) > 0 {
                entries.push((j, random.between(-4, 5) as f64));
            }
        }
        let at: f64 = entries.iter().map(|&(j, a)| a * point[j]).sum();
        // One row in eight asks for something the point does not have.
        let side =
            at + random.one_of(&[0, 0, 0, 0, 0, 0, 0, 1]) as f64 * random.between(-9, 9) as f64;
        let slack = random.between(0, 3) as f64;
        let (lower, upper) = match random.between(0, 4) {
            0 => (side, side),
            1 | 2 => (-INF, side + slack),
            3 => (side - slack, INF),
            _ => (side - slack, side + 1.0),
        };
        b.row(&format!("r{i}"), lower, upper, entries).unwrap();
    }
    b.build().unwrap()
}

/// All integer points between the bounds, infinite ones cut at `reach`.
pub fn points(model: &Model, reach: f64) -> Vec<Vec<f64>> {
    let mut points = vec![Vec::new()];
    for j in 0..model.num_columns() {
        let low = model.columns.lower[j].max(-reach).ceil() as i64;
        let high = model.columns.upper[j].min(reach).floor() as i64;
        points = points
            .into_iter()
            .flat_map(|point: Vec<f64>| {
                (low..=high).map(move |value| {
                    let mut point = point.clone();
                    point.push(value as f64);
                    point
                })
            })
            .collect();
    }
    points
}

/// The points that are solutions of the model.
pub fn solutions(model: &Model, reach: f64) -> Vec<Vec<f64>> {
    let checker = Checker::new(model);
    let feasible = |x: &Vec<f64>| {
        checker
            .check(x, &Tolerances::default())
            .is_ok_and(|report| report.feasible)
    };
    points(model, reach).into_iter().filter(feasible).collect()
}
