//! Freeing columns by rows and chance.
//!
//! Columns are freed row by row, because a row's columns can only change together: `Σ_p x[k,p] = 1` is not
//! helped by one free column. The integers that share rows with them follow, since they depend on the rest.

use idpas_base::random::Random;
use idpas_mip::{Matrix, Model};

use super::FreeColumns;

/// How the first columns are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowRule {
    /// Rows that share columns.
    Cluster,
    /// Rows from anywhere.
    Scattered,
    /// What differs between two solutions, then rows from anywhere.
    Crossover,
    /// What differs from the relaxation, then rows from anywhere.
    Relaxation,
}

impl RowRule {
    /// All rules, in the order in which re-solves take turns.
    pub const ALL: [RowRule; 4] = [
        RowRule::Cluster,
        RowRule::Crossover,
        RowRule::Scattered,
        RowRule::Relaxation,
    ];
}

/// Chooses columns row by row.
pub struct RowChooser<'a> {
    model: &'a Model,
    by_row: Matrix,
    /// Rows with a discrete column.
    rows: Vec<usize>,
    discrete: usize,
}

impl<'a> RowChooser<'a> {
    /// Chooses among the columns of this model.
    pub fn new(model: &'a Model) -> Self {
        let by_row = model.matrix.transposed(model.num_rows());
        let has_discrete = |i: &usize| by_row.entries(*i).any(|(j, _)| model.is_integer(j));
        RowChooser {
            model,
            rows: (0..model.num_rows()).filter(has_discrete).collect(),
            discrete: (0..model.num_columns())
                .filter(|&j| model.is_integer(j))
                .count(),
            by_row,
        }
    }

    /// Chooses about `share` of the discrete columns. `apart` are the columns to begin with, for the rules that have
    /// such.
    pub fn choose(
        &self,
        rule: RowRule,
        share: f64,
        apart: Vec<usize>,
        random: &mut Random,
    ) -> FreeColumns {
        let target = (share * self.discrete as f64).ceil() as usize;
        let target = target.clamp(1, self.discrete);
        let mut free = FreeColumns::new(self.model.num_columns(), target);
        let mut apart = apart;
        random.shuffle(&mut apart);
        for j in apart {
            if free.enough() {
                break;
            }
            free.add(j);
        }
        match rule {
            RowRule::Cluster => self.cluster(&mut free, random),
            _ => self.scattered(&mut free, random),
        }
        self.dependants(&mut free);
        free
    }

    /// Frees the discrete columns of a row; of a long one, some.
    fn free_row(&self, row: usize, free: &mut FreeColumns, random: &mut Random) -> Vec<usize> {
        let entries = self.by_row.entries(row).map(|(j, _)| j);
        let mut columns: Vec<usize> = entries.filter(|&j| self.model.is_integer(j)).collect();
        let most = (free.target() / 4).max(8);
        if columns.len() > most {
            random.shuffle(&mut columns);
            columns.truncate(most);
        }
        for &j in &columns {
            free.add(j);
        }
        columns
    }

    fn scattered(&self, free: &mut FreeColumns, random: &mut Random) {
        // Rows may repeat; a bound on the draws guards against columns that are in no row.
        for _ in 0..4 * self.rows.len() {
            if free.enough() {
                break;
            }
            let row = self.rows[random.below(self.rows.len())];
            self.free_row(row, free, random);
        }
    }

    fn cluster(&self, free: &mut FreeColumns, random: &mut Random) {
        let mut seen = vec![false; self.model.num_rows()];
        while !free.enough() {
            let unseen: Vec<usize> = self.rows.iter().copied().filter(|&i| !seen[i]).collect();
            if unseen.is_empty() {
                break;
            }
            let mut queue = std::collections::VecDeque::from([unseen[random.below(unseen.len())]]);
            while let Some(row) = queue.pop_front().filter(|_| !free.enough()) {
                if std::mem::replace(&mut seen[row], true) {
                    continue;
                }
                for j in self.free_row(row, free, random) {
                    let mut rows: Vec<usize> =
                        self.model.matrix.entries(j).map(|(i, _)| i).collect();
                    random.shuffle(&mut rows);
                    queue.extend(rows.into_iter().filter(|&i| !seen[i]));
                }
            }
        }
    }

    /// Frees the general integers that share a row with a free column, up to twice the target.
    fn dependants(&self, free: &mut FreeColumns) {
        let most = 2 * free.target();
        let chosen: Vec<usize> = free.sorted().collect();
        for j in chosen {
            for (row, _) in self.model.matrix.entries(j) {
                for (other, _) in self.by_row.entries(row) {
                    if free.columns().len() >= most {
                        return;
                    }
                    if self.model.is_integer(other) && !self.model.is_binary(other) {
                        free.add(other);
                    }
                }
            }
        }
    }
}
