//! The columns that a neighbourhood frees.

/// The columns freed so far, and how many are wanted.
#[derive(Clone, Debug)]
pub struct FreeColumns {
    is_free: Vec<bool>,
    columns: Vec<usize>,
    target: usize,
}

impl FreeColumns {
    /// None of a model's `columns` yet; `target` of them are wanted, at least one.
    pub fn new(columns: usize, target: usize) -> Self {
        FreeColumns {
            is_free: vec![false; columns],
            columns: Vec::new(),
            target: target.max(1),
        }
    }

    /// Frees a column; `false` if it was free already.
    pub fn add(&mut self, j: usize) -> bool {
        let new = !std::mem::replace(&mut self.is_free[j], true);
        if new {
            self.columns.push(j);
        }
        new
    }

    /// Whether as many are free as are wanted.
    pub fn enough(&self) -> bool {
        self.columns.len() >= self.target
    }

    /// Whether a column is free.
    pub fn contains(&self, j: usize) -> bool {
        self.is_free[j]
    }

    /// The free columns in the order in which they were freed.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// The free columns by number.
    pub fn sorted(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.is_free.len()).filter(|&j| self.is_free[j])
    }

    /// How many columns are wanted.
    pub fn target(&self) -> usize {
        self.target
    }
}
