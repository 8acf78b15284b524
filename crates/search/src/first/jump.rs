//! Repair by jumps: columns of violated rows move to where their rows hold.
//!
//! As in feasibility jump and WalkSAT: a violated row is drawn, some of its columns are looked at, and the one moves
//! whose move lowers the weighted violation of all rows most. Where none does, the row gains weight.

use super::Clock;
use super::point::Point;

/// Columns of a row that are looked at.
const SAMPLE: usize = 40;
/// Share of moves that are made although they do not help.
const NOISE: f64 = 0.02;
/// Moves during which a column stays where it is.
const REST: u64 = 3;
/// Moves between two looks at the clock.
const PATIENCE: u64 = 256;

/// Moves columns until no row is violated, or until the clock or the number of moves says stop.
pub(super) fn jump(
    point: &mut Point<'_>,
    cost: &[f64],
    moves: u64,
    clock: &Clock<'_>,
    random: &mut fastrand::Rng,
) {
    let scale: Vec<f64> = (0..point.model.num_rows())
        .map(|i| {
            let largest = point.by_row.entries(i).map(|(_, a)| a.abs());
            1.0 / largest.fold(f64::MIN_POSITIVE, f64::max)
        })
        .collect();
    let mut weight = scale.clone();
    let mut rested = vec![0u64; point.values.len()];
    for now in 1..=moves {
        if point.violated.is_empty() || (now % PATIENCE == 0 && clock.is_over()) {
            return;
        }
        let row = point.violated[random.usize(..point.violated.len())] as usize;
        match best_move(point, cost, &weight, &rested, row, now, random) {
            Some((gain, j, by)) if gain > 0.0 || random.f64() < NOISE => {
                point.shift(j, by);
                rested[j] = now + REST + random.u64(..REST);
            }
            _ => weight[row] += scale[row],
        }
    }
}

fn best_move(
    point: &Point<'_>,
    cost: &[f64],
    weight: &[f64],
    rested: &[u64],
    row: usize,
    now: u64,
    random: &mut fastrand::Rng,
) -> Option<(f64, usize, f64)> {
    let need = point.need(row);
    let range = point.by_row.starts()[row]..point.by_row.starts()[row + 1];
    let length = range.len();
    if length == 0 {
        return None;
    }
    let first = random.usize(..length);
    let mut best: Option<(f64, f64, usize, f64)> = None;
    for k in 0..length.min(SAMPLE) {
        // Neighbours of a row are often alike, so a sample of a long row is spread over it.
        let step = (length / SAMPLE).max(1);
        let at = range.start + (first + k * step) % length;
        let (j, a) = (
            point.by_row.indices()[at] as usize,
            point.by_row.values()[at],
        );
        let Some(by) = full_step(point, j, need / a) else {
            continue;
        };
        if rested[j] > now {
            continue;
        }
        let change = |(i, a): (usize, f64)| {
            weight[i] * (point.need(i).abs() - point.need_after(i, a * by).abs())
        };
        let gain: f64 = point.model.matrix.entries(j).map(change).sum();
        let price = cost[j] * by;
        let better = best.is_none_or(|(g, p, ..)| gain > g || (gain == g && price < p));
        if better {
            best = Some((gain, price, j, by));
        }
    }
    best.map(|(gain, _, j, by)| (gain, j, by))
}

/// The move of column `j` by `wanted`, rounded away from zero if it is discrete, as far as its bounds allow.
fn full_step(point: &Point<'_>, j: usize, wanted: f64) -> Option<f64> {
    let mut by = wanted.abs();
    if point.model.is_integer(j) {
        by = (by - 1e-6).ceil();
    }
    by = by.min(point.room(j, wanted > 0.0));
    (by > 1e-9).then_some(by * wanted.signum())
}
