//! A sparse matrix stored by its major dimension (by columns in a [`Model`](crate::Model)).

/// Compressed sparse matrix by major vectors (the columns of a [`Model`](crate::Model)). Major vector `j` has the
/// entries `starts[j]..starts[j + 1]` of `indices`, its minor indices in ascending order, and of `values`.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl Default for Matrix {
    fn default() -> Self {
        Self::new()
    }
}

impl Matrix {
    /// A matrix with no major vectors yet.
    pub fn new() -> Self {
        Self {
            starts: vec![0],
            indices: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Adds an entry to the major vector under construction; [`close`](Self::close) ends it.
    pub fn push(&mut self, minor: usize, value: f64) {
        self.indices
            .push(u32::try_from(minor).expect("fewer than 2^32 rows"));
        self.values.push(value);
    }

    /// Ends the major vector under construction, putting its entries in ascending order.
    pub fn close(&mut self) {
        let start = *self.starts.last().expect("starts is never empty");
        if !self.indices[start..].is_sorted() {
            let mut entries: Vec<(u32, f64)> = self.indices[start..]
                .iter()
                .copied()
                .zip(self.values[start..].iter().copied())
                .collect();
            entries.sort_by_key(|&(minor, _)| minor);
            for (at, (minor, value)) in entries.into_iter().enumerate() {
                self.indices[start + at] = minor;
                self.values[start + at] = value;
            }
        }
        self.starts.push(self.indices.len());
    }

    /// The number of entries pushed since the last [`close`](Self::close).
    pub fn open_entries(&self) -> usize {
        self.indices.len() - self.starts.last().copied().unwrap_or(0)
    }

    /// The number of closed major vectors.
    pub fn majors(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of entries.
    pub fn nonzeros(&self) -> usize {
        self.indices.len()
    }

    /// The position of each major vector's first entry, and at the end the number of entries.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// Minor indices of all entries.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Values of all entries.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Values of all entries, to be changed in place; their positions stay.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// The entries of one major vector: (minor index, value).
    pub fn entries(&self, major: usize) -> impl ExactSizeIterator<Item = (usize, f64)> {
        let range = self.starts[major]..self.starts[major + 1];
        self.indices[range.clone()]
            .iter()
            .zip(&self.values[range])
            .map(|(&minor, &value)| (minor as usize, value))
    }

    /// The same matrix by its other dimension, in which it has `minors` vectors.
    pub fn transposed(&self, minors: usize) -> Matrix {
        let mut starts = vec![0usize; minors + 1];
        for &minor in &self.indices {
            starts[minor as usize + 1] += 1;
        }
        for i in 0..minors {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut indices = vec![0u32; self.nonzeros()];
        let mut values = vec![0.0; self.nonzeros()];
        for major in 0..self.majors() {
            for (minor, value) in self.entries(major) {
                let at = next[minor];
                next[minor] += 1;
                indices[at] = major as u32;
                values[at] = value;
            }
        }
        Matrix {
            starts,
            indices,
            values,
        }
    }

    /// Gives back memory reserved for growth.
    pub fn shrink_to_fit(&mut self) {
        self.starts.shrink_to_fit();
        self.indices.shrink_to_fit();
        self.values.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_twice_gives_the_same_matrix_sorted() {
        let mut m = Matrix::new();
        m.push(2, 3.0);
        m.push(0, 1.0);
        m.close();
        m.close();
        m.push(1, -1.0);
        m.close();
        assert_eq!(m.entries(0).collect::<Vec<_>>(), [(0, 1.0), (2, 3.0)]);
        let t = m.transposed(3);
        assert_eq!(t.entries(2).collect::<Vec<_>>(), [(0, 3.0)]);
        assert_eq!(t.transposed(3), m);
    }
}
