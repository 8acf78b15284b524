//! Puts columns and rows of a model in another order.
//!
//! An LP solver may end at another vertex when the columns of a file are shuffled. Bringing every
//! instance into the registry's order first makes a prediction depend on the model alone.

use idpas_mip::{Columns, Matrix, Model, Names, Relaxation, Rows};

use crate::{IdentityKey, Registry};

/// An order of a model's columns and rows that differs from its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reordering {
    columns: Vec<u32>,
    rows: Vec<u32>,
}

impl Reordering {
    /// For each column of the reordered model, its index in the original one.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// For each row of the reordered model, its index in the original one.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The reordered model.
    ///
    /// # Panics
    /// If `model` has another size than the one for which the order was made.
    pub fn apply(&self, model: &Model) -> Model {
        permuted(model, &self.columns, &self.rows)
    }

    /// Rearranges values, one for each column of the original model, for the reordered one.
    pub fn arrange<T: Copy>(&self, original: &[T]) -> Vec<T> {
        self.columns.iter().map(|&j| original[j as usize]).collect()
    }

    /// Rearranges values, one for each column of the reordered model, for the original one.
    ///
    /// # Panics
    /// If there is not one value for each column.
    pub fn restore<T: Copy>(&self, reordered: &[T]) -> Vec<T> {
        assert_eq!(reordered.len(), self.columns.len(), "a value per column");
        put_back(&self.columns, reordered)
    }

    /// The relaxation of the reordered model, for the original one.
    pub fn restore_relaxation(&self, reordered: &Relaxation) -> Relaxation {
        Relaxation {
            objective: reordered.objective,
            values: put_back(&self.columns, &reordered.values),
            reduced_costs: put_back(&self.columns, &reordered.reduced_costs),
            column_basis: put_back(&self.columns, &reordered.column_basis),
            activities: put_back(&self.rows, &reordered.activities),
            duals: put_back(&self.rows, &reordered.duals),
            row_basis: put_back(&self.rows, &reordered.row_basis),
            row_sides: put_back(&self.rows, &reordered.row_sides),
        }
    }
}

impl Registry {
    /// The registry's order for this model: known columns and rows by their number, unknown ones after them by name.
    /// `None` if they are in that order already, or if identities go by position.
    pub fn order(&self, model: &Model) -> Option<Reordering> {
        if self.key() == IdentityKey::Position {
            return None;
        }
        let columns = sorted(&model.columns.names, self.names());
        let rows = sorted(&model.rows.names, self.row_names());
        let moves = !(columns.is_sorted() && rows.is_sorted());
        moves.then_some(Reordering { columns, rows })
    }
}

/// Puts entry `k` at place `order[k]`.
fn put_back<T: Copy>(order: &[u32], reordered: &[T]) -> Vec<T> {
    let mut original = reordered.to_vec();
    for (&place, &value) in order.iter().zip(reordered) {
        original[place as usize] = value;
    }
    original
}

/// The indices of `names`, sorted by the index of each name in `known`, then by name.
fn sorted(names: &Names, known: &Names) -> Vec<u32> {
    let rank: Vec<usize> = names
        .iter()
        .map(|name| known.find(name).unwrap_or(usize::MAX))
        .collect();
    let mut order: Vec<u32> = (0..names.len() as u32).collect();
    order.sort_unstable_by(|&a, &b| {
        let (a, b) = (a as usize, b as usize);
        rank[a].cmp(&rank[b]).then_with(|| {
            // Only unknown names have the same rank.
            names.get(a).cmp(names.get(b))
        })
    });
    order
}

/// The same model in another order: column `k` of the result is column `columns[k]` of `model`, and likewise for rows.
///
/// # Panics
/// If `columns` or `rows` is not a permutation of the indices of the model's columns or rows.
pub fn permuted(model: &Model, columns: &[u32], rows: &[u32]) -> Model {
    let row_place = inverse(rows, model.num_rows());
    // Called only for its check.
    inverse(columns, model.num_columns());
    let mut matrix = Matrix::new();
    for &j in columns {
        for (i, value) in model.matrix.entries(j as usize) {
            matrix.push(row_place[i] as usize, value);
        }
        matrix.close();
    }
    Model {
        name: model.name.clone(),
        sense: model.sense,
        objective_name: model.objective_name.clone(),
        objective_constant: model.objective_constant,
        columns: Columns {
            names: pick_names(&model.columns.names, columns),
            cost: pick(&model.columns.cost, columns),
            lower: pick(&model.columns.lower, columns),
            upper: pick(&model.columns.upper, columns),
            kind: pick(&model.columns.kind, columns),
        },
        rows: Rows {
            names: pick_names(&model.rows.names, rows),
            lower: pick(&model.rows.lower, rows),
            upper: pick(&model.rows.upper, rows),
        },
        matrix,
    }
}

fn inverse(permutation: &[u32], count: usize) -> Vec<u32> {
    assert_eq!(permutation.len(), count, "a permutation of all");
    let mut place = vec![u32::MAX; count];
    for (new, &old) in permutation.iter().enumerate() {
        assert_eq!(place[old as usize], u32::MAX, "{old} is there twice");
        place[old as usize] = new as u32;
    }
    place
}

fn pick<T: Copy>(values: &[T], order: &[u32]) -> Vec<T> {
    order.iter().map(|&k| values[k as usize]).collect()
}

fn pick_names(names: &Names, order: &[u32]) -> Names {
    let mut picked = Names::with_room_of(names);
    for &k in order {
        // A permutation of unique names has no duplicates.
        let _ = picked.push(names.get(k as usize));
    }
    picked
}
