//! Stores many similar vectors compactly: the first by its non-zeros, the others by their differences from it.

/// Vectors, each a list of (column, value). List 0 has the non-zeros of the first vector, list k the columns in
/// which vector k differs from the first, with vector k's values. Integers and other numbers are kept apart, so
/// that integers can be stored in a byte where they fit; a column is in at most one of the two lists of a vector.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sparse {
    pub(super) integral: Lists<i64>,
    pub(super) fractional: Lists<f64>,
}

/// Several lists of (column, value), one after the other.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lists<T> {
    /// Start of each list, and the end of the last one.
    pub(super) start: Vec<i64>,
    pub(super) column: Vec<i32>,
    pub(super) value: Vec<T>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Lists {
            start: vec![0],
            column: Vec::new(),
            value: Vec::new(),
        }
    }
}

impl<T: Copy> Lists<T> {
    fn push(&mut self, column: usize, value: T) {
        // Solvers count columns in 32 bits, so a solved model has no more than that.
        self.column.push(column as i32);
        self.value.push(value);
    }

    fn end(&mut self) {
        self.start.push(self.column.len() as i64);
    }

    /// Writes list `k` into `x`; the error says what is wrong with the list.
    fn apply(&self, k: usize, x: &mut [f64], number: impl Fn(T) -> f64) -> Result<(), String> {
        let bounds = (self.start.get(k), self.start.get(k + 1));
        let (Some(&from), Some(&to)) = bounds else {
            return Err(format!("there is no list {k}"));
        };
        let range = usize::try_from(from).ok().zip(usize::try_from(to).ok());
        let entries =
            range.and_then(|(from, to)| self.column.get(from..to).zip(self.value.get(from..to)));
        let Some((columns, values)) = entries else {
            return Err(format!("list {k} runs from {from} to {to}"));
        };
        for (&column, &value) in columns.iter().zip(values) {
            let slot = usize::try_from(column).ok().and_then(|j| x.get_mut(j));
            *slot.ok_or_else(|| format!("list {k} has column {column}"))? = number(value);
        }
        Ok(())
    }
}

impl Sparse {
    pub(super) fn new<'a>(vectors: impl Iterator<Item = &'a [f64]>) -> Self {
        let mut sparse = Sparse {
            integral: Lists::default(),
            fractional: Lists::default(),
        };
        let mut first: Option<&[f64]> = None;
        for x in vectors {
            for (j, &value) in x.iter().enumerate() {
                if value == first.map_or(0.0, |first| first[j]) {
                    continue;
                }
                // An i64 holds numbers up to 2^63; larger ones are stored as doubles.
                if value == value.trunc() && value.abs() < 9.2e18 {
                    sparse.integral.push(j, value as i64);
                } else {
                    sparse.fractional.push(j, value);
                }
            }
            sparse.integral.end();
            sparse.fractional.end();
            first = first.or(Some(x));
        }
        sparse
    }

    /// The original vectors, each of length `columns`.
    pub(super) fn vectors(&self, columns: usize) -> Result<Vec<Vec<f64>>, String> {
        let count = self.integral.start.len().saturating_sub(1);
        if self.fractional.start.len() != self.integral.start.len() {
            return Err("integral and fractional values of different counts".into());
        }
        let mut vectors: Vec<Vec<f64>> = Vec::with_capacity(count);
        for k in 0..count {
            let mut x = match vectors.first() {
                Some(first) => first.clone(),
                None => vec![0.0; columns],
            };
            self.integral.apply(k, &mut x, |value| value as f64)?;
            self.fractional.apply(k, &mut x, |value| value)?;
            vectors.push(x);
        }
        Ok(vectors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value() -> impl Strategy<Value = f64> {
        prop_oneof![
            4 => Just(0.0),
            4 => (-300i32..300).prop_map(f64::from),
            1 => -1e30..1e30f64,
            1 => -1.0..1.0f64,
        ]
    }

    proptest! {
        #[test]
        fn vectors_come_back_exactly(vectors in (1usize..20).prop_flat_map(|n| {
            proptest::collection::vec(proptest::collection::vec(value(), n), 1..6)
        })) {
            let sparse = Sparse::new(vectors.iter().map(Vec::as_slice));
            prop_assert_eq!(sparse.vectors(vectors[0].len()).unwrap(), vectors);
        }
    }

    #[test]
    fn lists_that_point_nowhere_are_refused() {
        let vectors = [vec![1.0, 0.5], vec![2.0, 0.5]];
        let good = Sparse::new(vectors.iter().map(Vec::as_slice));
        let mut bad = good.clone();
        bad.integral.start[1] = 77;
        assert!(bad.vectors(2).is_err());
        let mut bad = good.clone();
        bad.fractional.column[0] = -1;
        assert!(bad.vectors(2).is_err());
        assert!(good.vectors(1).is_err(), "too few columns");
    }
}
