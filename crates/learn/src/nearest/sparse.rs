//! Rows of numbers by identity, most of them zero.

use idpas_base::container::{Tensor, tensor};
use safetensors::SafeTensors;

/// Rows one after the other, each in ascending order of identities.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SparseRows {
    /// Start of each row, and the end of the last one.
    starts: Vec<u32>,
    identities: Vec<u32>,
    values: Vec<f64>,
}

impl Default for SparseRows {
    fn default() -> Self {
        SparseRows {
            starts: vec![0],
            identities: Vec::new(),
            values: Vec::new(),
        }
    }
}

impl SparseRows {
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Adds a row; zeros are left out.
    pub(super) fn push(&mut self, mut row: Vec<(u32, f64)>) {
        row.retain(|&(_, value)| value != 0.0);
        row.sort_by_key(|&(identity, _)| identity);
        row.dedup_by_key(|&mut (identity, _)| identity);
        self.identities.extend(row.iter().map(|&(id, _)| id));
        self.values.extend(row.iter().map(|&(_, value)| value));
        self.starts.push(self.identities.len() as u32);
    }

    /// The number of an identity in row `i`; 0 if it is not stored.
    pub(super) fn get(&self, i: usize, identity: u32) -> f64 {
        let range = self.starts[i] as usize..self.starts[i + 1] as usize;
        match self.identities[range.clone()].binary_search(&identity) {
            Ok(at) => self.values[range.start + at],
            Err(_) => 0.0,
        }
    }

    /// Whether all stored numbers satisfy a condition.
    pub(super) fn all(&self, condition: impl Fn(f64) -> bool) -> bool {
        self.values.iter().all(|&value| condition(value))
    }

    pub(super) fn to_tensors(&self, name: &str) -> Vec<Tensor> {
        vec![
            tensor::u32s(format!("{name}.starts"), &self.starts),
            tensor::u32s(format!("{name}.identities"), &self.identities),
            tensor::f64s(format!("{name}.values"), &self.values),
        ]
    }

    pub(super) fn from_tensors(name: &str, file: &SafeTensors) -> Result<Self, String> {
        let rows = SparseRows {
            starts: tensor::take_u32s(file, &format!("{name}.starts"))?,
            identities: tensor::take_u32s(file, &format!("{name}.identities"))?,
            values: tensor::take_f64s(file, &format!("{name}.values"))?,
        };
        let count = rows.identities.len();
        let ends = (rows.starts.first(), rows.starts.last().map(|&e| e as usize));
        if ends != (Some(&0), Some(count)) || !rows.starts.is_sorted() {
            return Err(format!(
                "the rows of `{name}` do not begin where they should"
            ));
        }
        if rows.values.len() != count {
            return Err(format!("`{name}` has not one value per identity"));
        }
        for i in 0..rows.len() {
            let row = &rows.identities[rows.starts[i] as usize..rows.starts[i + 1] as usize];
            if !row.is_sorted_by(|a, b| a < b) {
                return Err(format!("row {i} of `{name}` is not in order"));
            }
        }
        Ok(rows)
    }
}
