//! The usual values of each variable, row and matrix entry of a family, and how far an instance is from them.
//!
//! Instances of a family differ in a few parameters, and by little: whether a demand is 2,000 or 2,400 at the same
//! place is hard to see in the spread of all demands, but easy to see in comparison with the usual demand at that
//! place.

use std::collections::HashMap;

use idpas_mip::{Model, Relaxation};

use crate::error::expect_length;
use crate::raw::{bound, is_finite, narrow};
use crate::{GraphError, Identities, IdentityKey, Registry, relaxed};

/// Deviations are clamped to this many standard deviations.
const MOST_DEVIATION: f64 = 5.0;

/// Number of values kept for a column: objective coefficient, relaxed value, reduced cost.
pub(crate) const COLUMN_NUMBERS: usize = 3;
/// Number of values kept for a row: finite side, dual value.
pub(crate) const ROW_NUMBERS: usize = 2;

/// Mean of a value over training instances, the sum of squared distances from it, and the number of instances.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Usual {
    count: f32,
    mean: f64,
    squares: f64,
}

impl Usual {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        let before = value - self.mean;
        self.mean += before / f64::from(self.count);
        self.squares += before * (value - self.mean);
    }

    /// Distance of `value` from the mean, in standard deviations; 0 if the value never varied.
    fn deviation(&self, value: f64) -> f64 {
        if self.count < 2.0 {
            return 0.0;
        }
        let spread = (self.squares / f64::from(self.count)).sqrt();
        if spread <= 1e-9 + 1e-7 * self.mean.abs() {
            return 0.0;
        }
        ((value - self.mean) / spread).clamp(-MOST_DEVIATION, MOST_DEVIATION)
    }
}

/// The usual values in a family, by identity. Training instances are added one by one, after the registry knows all of
/// them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    columns: Vec<[Usual; COLUMN_NUMBERS]>,
    rows: Vec<[Usual; ROW_NUMBERS]>,
    /// The usual coefficients, by (row, column).
    entries: HashMap<(u32, u32), Usual>,
}

/// Distances of the values of an instance from the usual ones, in standard deviations; 0 where nothing is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Deviations {
    /// For each column: objective coefficient, relaxed value, reduced cost.
    pub columns: Vec<[f32; COLUMN_NUMBERS]>,
    /// For each row: finite side, dual value.
    pub rows: Vec<[f32; ROW_NUMBERS]>,
    /// For each edge, its coefficient; in the order of the graph's rows.
    pub edges: Vec<f32>,
}

/// A profile as arrays, to be stored in files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProfileParts {
    /// Count, mean and sum of squared distances: of each value of each column, then of each row, then of each entry.
    pub usual: Vec<f64>,
    /// Row and column of each entry, one after the other, sorted.
    pub places: Vec<u32>,
    /// Number of columns.
    pub columns: usize,
    /// Number of rows.
    pub rows: usize,
}

impl Profile {
    /// Adds a training instance.
    pub fn observe(
        &mut self,
        registry: &Registry,
        identities: &Identities,
        model: &Model,
        relaxed: Option<&Relaxation>,
    ) -> Result<(), GraphError> {
        if let Some(relaxed) = relaxed {
            relaxed::check(relaxed, model)?;
        }
        expect_length("identities", identities.index.len(), model.num_columns())?;
        let rows = row_identities(registry, model);
        self.columns.resize(registry.len(), Default::default());
        let row_count = rows
            .iter()
            .flatten()
            .max()
            .map_or(0, |most| *most as usize + 1);
        let row_count = row_count.max(self.rows.len());
        self.rows.resize(row_count, Default::default());
        for (j, index) in identities.index.iter().enumerate() {
            let Some(usual) = index.and_then(|k| self.columns.get_mut(k as usize)) else {
                continue;
            };
            for (usual, value) in usual.iter_mut().zip(column_numbers(model, relaxed, j)) {
                if let Some(value) = value {
                    usual.add(value);
                }
            }
            for (i, a) in model.matrix.entries(j).filter(|&(_, a)| a != 0.0) {
                if let (Some(row), Some(column)) = (rows[i], *index) {
                    self.entries.entry((row, column)).or_default().add(a);
                }
            }
        }
        for (i, index) in rows.iter().enumerate() {
            let Some(index) = index else { continue };
            let usual = &mut self.rows[*index as usize];
            for (usual, value) in usual.iter_mut().zip(row_numbers(model, relaxed, i)) {
                if let Some(value) = value {
                    usual.add(value);
                }
            }
        }
        Ok(())
    }

    /// Removes entries whose coefficient never varied, because they cannot deviate.
    pub fn settle(&mut self) {
        self.entries
            .retain(|_, usual| usual.deviation(f64::MAX) != 0.0 && usual.count >= 2.0);
    }

    /// The deviations of an instance from the usual values. Edges are sorted by row, then by column.
    pub fn deviations(
        &self,
        registry: &Registry,
        identities: &Identities,
        model: &Model,
        relaxed: Option<&Relaxation>,
    ) -> Result<Deviations, GraphError> {
        if let Some(relaxed) = relaxed {
            relaxed::check(relaxed, model)?;
        }
        expect_length("identities", identities.index.len(), model.num_columns())?;
        let rows = row_identities(registry, model);
        let column = |(j, index): (usize, &Option<u32>)| {
            let usual = index.and_then(|k| self.columns.get(k as usize));
            deviation(usual, column_numbers(model, relaxed, j))
        };
        let row = |(i, index): (usize, &Option<u32>)| {
            let usual = index.and_then(|k| self.rows.get(k as usize));
            deviation(usual, row_numbers(model, relaxed, i))
        };
        let matrix = model.matrix.transposed(model.num_rows());
        let mut edges = Vec::with_capacity(matrix.nonzeros());
        for (i, row) in rows.iter().enumerate() {
            for (j, a) in matrix.entries(i).filter(|&(_, a)| a != 0.0) {
                let place = row.zip(identities.index[j]);
                let usual = place.and_then(|place| self.entries.get(&place));
                edges.push(narrow(usual.map_or(0.0, |usual| usual.deviation(a))));
            }
        }
        Ok(Deviations {
            columns: identities.index.iter().enumerate().map(column).collect(),
            rows: rows.iter().enumerate().map(row).collect(),
            edges,
        })
    }

    /// The arrays of this profile.
    pub fn to_parts(&self) -> ProfileParts {
        let mut places: Vec<(u32, u32)> = self.entries.keys().copied().collect();
        places.sort_unstable();
        let columns = self.columns.iter().flatten();
        let all = columns
            .chain(self.rows.iter().flatten())
            .chain(places.iter().map(|place| &self.entries[place]));
        ProfileParts {
            usual: all
                .flat_map(|usual| [f64::from(usual.count), usual.mean, usual.squares])
                .collect(),
            places: places
                .iter()
                .flat_map(|&(row, column)| [row, column])
                .collect(),
            columns: self.columns.len(),
            rows: self.rows.len(),
        }
    }

    /// A profile from its arrays, which are checked.
    pub fn from_parts(parts: &ProfileParts) -> Result<Self, GraphError> {
        let ProfileParts {
            usual,
            places,
            columns,
            rows,
        } = parts;
        let expected = columns
            .checked_mul(COLUMN_NUMBERS)
            .and_then(|c| rows.checked_mul(ROW_NUMBERS)?.checked_add(c))
            .and_then(|sum| sum.checked_add(places.len() / 2)?.checked_mul(3));
        if expected != Some(usual.len()) || places.len() % 2 != 0 {
            return Err(GraphError::damaged(
                "the profile's arrays do not fit together",
            ));
        }
        let mut all = usual.chunks_exact(3).map(|three| Usual {
            count: three[0] as f32,
            mean: three[1],
            squares: three[2],
        });
        let sound = |usual: &Usual| {
            usual.count >= 0.0
                && usual.mean.is_finite()
                && usual.squares >= 0.0
                && usual.squares.is_finite()
        };
        if !all.clone().all(|usual| sound(&usual)) {
            return Err(GraphError::damaged(
                "the profile has numbers that cannot be",
            ));
        }
        let mut next = || all.next().unwrap_or_default();
        Ok(Profile {
            columns: (0..*columns)
                .map(|_| std::array::from_fn(|_| next()))
                .collect(),
            rows: (0..*rows)
                .map(|_| std::array::from_fn(|_| next()))
                .collect(),
            entries: places
                .chunks_exact(2)
                .map(|place| ((place[0], place[1]), next()))
                .collect(),
        })
    }
}

fn deviation<const N: usize>(usual: Option<&[Usual; N]>, values: [Option<f64>; N]) -> [f32; N] {
    std::array::from_fn(|k| match (usual, values[k]) {
        (Some(usual), Some(value)) => narrow(usual[k].deviation(value)),
        _ => 0.0,
    })
}

fn column_numbers(
    model: &Model,
    relaxed: Option<&Relaxation>,
    j: usize,
) -> [Option<f64>; COLUMN_NUMBERS] {
    [
        Some(model.columns.cost[j]),
        relaxed.map(|relaxed| relaxed.values[j]),
        relaxed.map(|relaxed| relaxed.reduced_costs[j]),
    ]
}

fn row_numbers(
    model: &Model,
    relaxed: Option<&Relaxation>,
    i: usize,
) -> [Option<f64>; ROW_NUMBERS] {
    let (left, right) = (model.rows.lower[i], model.rows.upper[i]);
    let side = if is_finite(right) { right } else { bound(left) };
    [Some(side), relaxed.map(|relaxed| relaxed.duals[i])]
}

/// For each row of the model, its number among those that the registry knows.
fn row_identities(registry: &Registry, model: &Model) -> Vec<Option<u32>> {
    match registry.key() {
        IdentityKey::Name => {
            let find = |name: &str| registry.row_names().find(name).map(|index| index as u32);
            model.rows.names.iter().map(find).collect()
        }
        IdentityKey::Position => (0..model.num_rows() as u32).map(Some).collect(),
    }
}
