//! A short summary of a model's numbers, by which similar instances of a family are found without reading them again.
//!
//! Every number of the model (cost, bound, side of a row, entry of the matrix) is added with a random sign to one of a
//! few dozen sums, both chosen by its name. The Euclidean distance of two such sketches is, up to a small random error,
//! the distance of the models' numbers, each on a logarithmic scale, so that neither large numbers nor the many that are
//! equal in both models count.

use idpas_base::random::{fnv, mixed};
use idpas_mip::Model;
use serde::{Deserialize, Serialize};

/// How many sums a sketch has: the error of a distance is about one over the square root of it.
const SUMS: usize = 64;

/// What an infinite number counts as: more than any number of a model has as its logarithm.
const INFINITE: f64 = 50.0;

/// A model's numbers in short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Sketch {
    sums: Vec<f32>,
}

/// What a number of a model says.
#[derive(Clone, Copy)]
enum Role {
    Cost = 1,
    Lower,
    Upper,
    LeftSide,
    RightSide,
    Entry,
}

impl Sketch {
    /// The sketch of a model.
    pub fn of(model: &Model) -> Self {
        let hashed = |name: &str| fnv(name.as_bytes());
        let columns: Vec<u64> = model.columns.names.iter().map(hashed).collect();
        let rows: Vec<u64> = model.rows.names.iter().map(hashed).collect();
        let mut sums = vec![0.0f64; SUMS];
        let mut add = |place: u64, role: Role, number: f64| {
            let bits = mixed(place ^ (role as u64).wrapping_mul(0xd6e8_feb8_6659_fd93));
            let sign = if bits >> 63 == 0 { 1.0 } else { -1.0 };
            sums[bits as usize % SUMS] += sign * logarithmic(number);
        };
        for (j, &column) in columns.iter().enumerate() {
            add(column, Role::Cost, model.columns.cost[j]);
            add(column, Role::Lower, model.columns.lower[j]);
            add(column, Role::Upper, model.columns.upper[j]);
            for (i, entry) in model.matrix.entries(j) {
                add(mixed(column) ^ rows[i], Role::Entry, entry);
            }
        }
        for (i, &row) in rows.iter().enumerate() {
            add(row, Role::LeftSide, model.rows.lower[i]);
            add(row, Role::RightSide, model.rows.upper[i]);
        }
        Sketch {
            sums: sums.into_iter().map(|sum| sum as f32).collect(),
        }
    }

    /// How far two models are apart: 0 for equal ones.
    pub fn distance(&self, other: &Sketch) -> f64 {
        let squares = self.sums.iter().zip(&other.sums);
        let squares = squares.map(|(a, b)| f64::from(a - b).powi(2));
        squares.sum::<f64>().sqrt()
    }
}

/// The sign and the logarithm of a number, continuous at 0.
fn logarithmic(number: f64) -> f64 {
    if number.is_infinite() {
        return INFINITE.copysign(number);
    }
    number.abs().ln_1p().copysign(number)
}

impl From<Sketch> for String {
    /// The bits of the sums, in hexadecimal.
    fn from(sketch: Sketch) -> String {
        let digits = |sum: &f32| format!("{:08x}", sum.to_bits());
        sketch.sums.iter().map(digits).collect()
    }
}

impl TryFrom<String> for Sketch {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong = || format!("expected {} hexadecimal digits in a sketch", 8 * SUMS);
        if text.len() != 8 * SUMS || !text.is_ascii() {
            return Err(wrong());
        }
        let number = |at: usize| u32::from_str_radix(&text[8 * at..8 * at + 8], 16);
        let sums: Result<Vec<f32>, _> =
            (0..SUMS).map(|at| number(at).map(f32::from_bits)).collect();
        match sums {
            Ok(sums) if sums.iter().all(|sum| sum.is_finite()) => Ok(Sketch { sums }),
            _ => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use idpas_mip::{ModelBuilder, Sense, VarKind};

    use super::*;

    /// A model of a hundred columns, some of whose costs are `factor` times as large.
    fn model(changed: usize, factor: f64, reversed: bool) -> Model {
        let mut b = ModelBuilder::new("m", Sense::Minimize);
        let mut order: Vec<usize> = (0..100).collect();
        if reversed {
            order.reverse();
        }
        let mut entries = Vec::new();
        for j in order {
            let cost = (j + 1) as f64 * if j < changed { factor } else { 1.0 };
            let name = format!("x{j}");
            let column = b
                .column(&name, VarKind::Integer, 0.0, f64::INFINITY, cost)
                .unwrap();
            entries.push((column, 1.0 + j as f64));
        }
        b.row("r", 10.0, f64::INFINITY, entries).unwrap();
        b.build().unwrap()
    }

    #[test]
    fn similar_models_are_near() {
        let base = Sketch::of(&model(0, 1.0, false));
        let distance = |changed, factor| base.distance(&Sketch::of(&model(changed, factor, false)));
        assert_eq!(distance(0, 1.0), 0.0);
        let (little, more, much) = (distance(5, 1.1), distance(60, 1.1), distance(60, 10.0));
        assert!(
            0.0 < little && little < more && more < much,
            "{little} {more} {much}"
        );
        // Sixty logarithms that differ by ln 10 or a little less are √60 · 2.3 = 17.8 apart.
        assert!((9.0..27.0).contains(&much), "{much}");
    }

    #[test]
    fn the_order_of_columns_does_not_matter_and_text_comes_back() {
        let sketch = Sketch::of(&model(3, 2.0, false));
        let other = Sketch::of(&model(3, 2.0, true));
        assert!(sketch.distance(&other) < 1e-4);
        let text = String::from(sketch.clone());
        assert_eq!(text.len(), 512);
        assert_eq!(Sketch::try_from(text.clone()), Ok(sketch));
        for bad in ["", &text[1..], &text.replace(&text[..8], "7fc00000")] {
            assert!(Sketch::try_from(bad.to_owned()).is_err(), "{bad}");
        }
    }
}
