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
        let columns = 0..self.model.num_columns();
        let (mut used, mut zeros): (Vec<usize>, Vec<usize>) = columns
            .clone()
            .filter(|&j| self.can_move(view, j))
            .partition(|&j| view.current[j].round() != 0.0);
        random.shuffle(&mut used);
        random.shuffle(&mut zeros);
        if random.bool() && !used.is_empty() {
            let distance = self.distances(used[0]);
            // What is near is held last.
            used.sort_by_key(|&j| std::cmp::Reverse(distance[j]));
        }
        let mut bounds = view.bounds.clone();
        let mut trail = Trail::default();
        let is_open =
            |bounds: &Bounds, j: usize| bounds.lower[j] < bounds.upper[j] && self.may(view, j);
        let count = |bounds: &Bounds| columns.clone().filter(|&j| is_open(bounds, j)).count();
        let mut open = count(&bounds);
        let smallest = [used.len(), zeros.len()].map(|count| (count / PIECES).max(1));
        let first_zero = used.len();
        used.append(&mut zeros);
        // Pieces grow as long as much is free and shrink where the target is near.
        let (mut next, mut piece, mut skipped) = (0, 1, 0);
        while open > target && next < used.len() {
            let smallest = smallest[usize::from(next >= first_zero)];
            piece = piece.max(smallest);
            let held = &used[next..used.len().min(next + piece)];
            for &j in held {
                let value = view.current[j].round();
                let is_possible = (bounds.lower[j]..=bounds.upper[j]).contains(&value);
                if is_possible && bounds.lower[j] < bounds.upper[j] {
                    trail.fix(j, value, &mut bounds);
                }
            }
            let found = propagator.tighten_after(held, &mut bounds, SWEEPS, &mut trail);
            let left = count(&bounds);
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
            if left == 0 || is_too_few && !was_much {
                trail.undo(&mut bounds);
                // Another column may decide less.
                next += held.len();
                skipped += 1;
                if skipped == SKIPS {
                    break;
                }
                continue;
            }
            trail.commit();
            next += held.len();
            open = left;
            piece = match was_much {
                true => 2 * piece,
                false => piece / 2,
            };
        }
        let mut free = FreeColumns::new(self.model.num_columns(), target);
        for j in columns.filter(|&j| is_open(&bounds, j)) {
            free.add(j);
        }
        free
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
