//! Freeing what a part of a solution leaves undecided.
//!
//! In many models most columns follow from a few: which exam is in which slot decides thousands of products. Freeing some of
//! these columns frees nothing, since the others still decide them. So here a part of what the solution uses is held,
//! propagation finds what follows from it, and everything else is free.

use std::collections::VecDeque;

use fastrand::Rng;
use idpas_mip::propagate::{Bounds, Propagator, Trail};

use super::FreeColumns;
use super::ranked::{Links, View, is_quantity};
use crate::repair::SWEEPS;

/// A piece of the solution after which fewer columns are free than this share of the target is too large, unless it is a
/// single column before which more were free than this multiple of it.
const FEW: f64 = 0.5;
const MANY: f64 = 8.0;
/// Pieces, at most, that what the solution uses is held in, or its zeros, when pieces are smallest: each costs a look at
/// all columns.
const PIECES: usize = 256;
/// Smallest pieces that are passed over because too little would be free after them, at most.
const SKIPS: usize = 16;

/// The columns of a solution in the order in which they are held.
struct HoldOrder {
    /// What the solution uses, and then its zeros.
    columns: Vec<usize>,
    first_zero: usize,
}

impl HoldOrder {
    /// The smallest piece that is held at a time, from this place on.
    fn smallest_piece(&self, at: usize) -> usize {
        let count = match at < self.first_zero {
            true => self.first_zero,
            false => self.columns.len() - self.first_zero,
        };
        (count / PIECES).max(1)
    }
}

impl Links<'_> {
    /// Holds a part of the solution, with all that follows, so that about `target` columns are left free: either what is far
    /// from a column that is drawn, or any part.
    pub(crate) fn implied(
        &self,
        propagator: &Propagator<'_>,
        target: usize,
        view: &View<'_>,
        random: &mut Rng,
    ) -> FreeColumns {
        let order = self.hold_order(view, random);
        let bounds = self.hold_until(target, &order, propagator, view);
        let mut free = FreeColumns::new(self.model.num_columns(), target);
        for j in self.open(&bounds, view) {
            free.add(j);
        }
        free
    }

    fn hold_order(&self, view: &View<'_>, random: &mut Rng) -> HoldOrder {
        let (mut used, mut zeros): (Vec<usize>, Vec<usize>) = (0..self.model.num_columns())
            .filter(|&j| self.can_move(view, j))
            .partition(|&j| view.current[j].round() != 0.0);
        random.shuffle(&mut used);
        random.shuffle(&mut zeros);
        if random.bool() && !used.is_empty() {
            let distance = self.distances(used[0]);
            // What is near is held last.
            used.sort_by_key(|&j| std::cmp::Reverse(distance[j]));
        }
        let first_zero = used.len();
        used.append(&mut zeros);
        HoldOrder {
            columns: used,
            first_zero,
        }
    }

    /// The bounds after as much of the solution is held, piece by piece, as leaves about `target` columns free.
    fn hold_until(
        &self,
        target: usize,
        order: &HoldOrder,
        propagator: &Propagator<'_>,
        view: &View<'_>,
    ) -> Bounds {
        let mut bounds = view.bounds.clone();
        let mut trail = Trail::default();
        let mut open = self.open(&bounds, view).count();
        // Pieces grow as long as much is free and shrink where the target is near.
        let (mut next, mut piece, mut skipped) = (0, 1, 0);
        while open > target && next < order.columns.len() {
            let smallest = order.smallest_piece(next);
            piece = piece.max(smallest);
            let held = &order.columns[next..order.columns.len().min(next + piece)];
            fix_to_solution(held, view, &mut bounds, &mut trail);
            let found = propagator.tighten_after(held, &mut bounds, SWEEPS, &mut trail);
            let left = self.open(&bounds, view).count();
            let is_too_few = (left as f64) < FEW * target as f64;
            let was_much = open as f64 > MANY * target as f64;
            if found.is_err() || is_too_few && piece > smallest {
                trail.undo(&mut bounds);
                // A solution is within tolerances of its rows, which propagation may take for a conflict.
                if found.is_err() && piece == smallest {
                    next += held.len();
                }
                piece /= 4;
                continue;
            }
            next += held.len();
            if left == 0 || is_too_few && !was_much {
                trail.undo(&mut bounds);
                // Another column may decide less.
                skipped += 1;
                if skipped == SKIPS {
                    break;
                }
                continue;
            }
            trail.commit();
            open = left;
            piece = match was_much {
                true => 2 * piece,
                false => piece / 2,
            };
        }
        bounds
    }

    /// The columns that these bounds leave free, of those that may be freed.
    fn open(&self, bounds: &Bounds, view: &View<'_>) -> impl Iterator<Item = usize> {
        let is_open = move |j: &usize| bounds.lower[*j] < bounds.upper[*j] && self.may(view, *j);
        (0..self.model.num_columns()).filter(is_open)
    }

    /// How many rows away each column is from this one; the most possible where no rows lead to it.
    fn distances(&self, from: usize) -> Vec<u32> {
        let mut distance = vec![u32::MAX; self.model.num_columns()];
        let mut seen = vec![false; self.model.num_rows()];
        let mut next = VecDeque::from([from]);
        distance[from] = 0;
        while let Some(j) = next.pop_front() {
            for (row, _) in self.model.matrix.entries(j) {
                if std::mem::replace(&mut seen[row], true) {
                    continue;
                }
                for (k, _) in self.by_row.entries(row) {
                    let is_decision = self.model.is_integer(k) && !is_quantity(self.model, k);
                    if distance[k] == u32::MAX && is_decision {
                        distance[k] = distance[j] + 1;
                        next.push_back(k);
                    }
                }
            }
        }
        distance
    }
}

/// Fixes columns to their values in the solution, as far as the bounds allow these.
fn fix_to_solution(columns: &[usize], view: &View<'_>, bounds: &mut Bounds, trail: &mut Trail) {
    for &j in columns {
        let value = view.current[j].round();
        let is_possible = (bounds.lower[j]..=bounds.upper[j]).contains(&value);
        if is_possible && bounds.lower[j] < bounds.upper[j] {
            trail.fix(j, value, bounds);
        }
    }
}

#[cfg(test)]
mod tests {
    use idpas_mip::{Model, ModelBuilder, Sense, VarKind};

    use super::*;

    /// Four exams in four slots, and for each two of them whether the second comes right after the first.
    fn exams() -> Result<(Model, Vec<f64>), idpas_mip::ModelError> {
        let mut b = ModelBuilder::new("exams", Sense::Minimize);
        let mut values = Vec::new();
        let mut slot = vec![vec![0; 4]; 4];
        for (exam, slots) in slot.iter_mut().enumerate() {
            for (at, column) in slots.iter_mut().enumerate() {
                let name = format!("in[{exam},{at}]");
                *column = b.column(&name, VarKind::Integer, 0.0, 1.0, 0.0)?;
                values.push(f64::from(u8::from(exam == at)));
            }
        }
        let mut follows = Vec::new();
        for (first, second) in (0..4).flat_map(|i| (0..4).map(move |k| (i, k))) {
            for at in (0..3).filter(|_| first != second) {
                let name = format!("after[{first},{second},{at}]");
                let column = b.column(&name, VarKind::Integer, 0.0, 1.0, 1.0)?;
                let is_so = first == at && second == at + 1;
                values.push(f64::from(u8::from(is_so)));
                follows.push((column, slot[first][at], slot[second][at + 1]));
            }
        }
        for (k, slots) in slot.iter().enumerate() {
            let of_exam = slots.iter().map(|&column| (column, 1.0));
            b.row(&format!("exam {k}"), 1.0, 1.0, of_exam)?;
            let of_slot = slot.iter().map(|slots| (slots[k], 1.0));
            b.row(&format!("slot {k}"), 1.0, 1.0, of_slot)?;
        }
        for (n, (both, first, second)) in follows.into_iter().enumerate() {
            let low = f64::NEG_INFINITY;
            b.row(&format!("a{n}"), low, 0.0, [(both, 1.0), (first, -1.0)])?;
            b.row(&format!("b{n}"), low, 0.0, [(both, 1.0), (second, -1.0)])?;
            let all = [(first, 1.0), (second, 1.0), (both, -1.0)];
            b.row(&format!("c{n}"), low, 1.0, all)?;
        }
        Ok((b.build()?, values))
    }

    #[test]
    fn what_is_left_free_can_move() -> Result<(), idpas_mip::ModelError> {
        let (model, current) = exams()?;
        let propagator = Propagator::new(&model);
        let links = Links::new(&model, propagator.by_row());
        let bounds = Bounds::of(&model);
        let view = View {
            current: &current,
            bounds: &bounds,
            scores: None,
            relaxation: None,
            recent: &[],
            sure: 0.0,
        };
        let mut random = Rng::with_seed(1);
        for _ in 0..20 {
            let free = links.implied(&propagator, 20, &view, &mut random);
            let columns = free.columns();
            assert!(!columns.is_empty() && columns.len() < model.num_columns());
            // Two exams at least can change places: their own slots and each other's are free.
            let is_free = |exam: usize, at: usize| free.contains(4 * exam + at);
            let swaps = (0..4).flat_map(|i| (0..i).map(move |k| (i, k)));
            let can_swap = |(i, k): &(usize, usize)| {
                is_free(*i, *i) && is_free(*k, *k) && is_free(*i, *k) && is_free(*k, *i)
            };
            assert!(swaps.filter(can_swap).count() > 0, "{columns:?}");
        }
        Ok(())
    }
}
