//! The names of rows, with names made up for rows that have none in the file.

use crate::Names;

/// The names in the file, and the rows that have none.
#[derive(Default)]
pub(super) struct RowNames {
    given: Names,
    /// Positions, among all rows, of those without a name.
    unnamed: Vec<usize>,
    /// Indices in `given` of names that do not belong to a row of their own: the second rows of ranges.
    dropped: Vec<usize>,
}

impl RowNames {
    /// Names the next row and returns the index of the name; the index of the same name as an error if it was used
    /// before.
    pub(super) fn push(&mut self, name: &str) -> Result<usize, usize> {
        self.given.push(name)
    }

    /// The name with this index.
    pub(super) fn get(&self, index: usize) -> &str {
        self.given.get(index)
    }

    /// Leaves the next row without a name.
    pub(super) fn leave_out(&mut self) {
        self.unnamed.push(self.len());
    }

    /// Marks a name, the last one given, as not belonging to a row of its own.
    pub(super) fn drop(&mut self, index: usize) {
        self.dropped.push(index);
    }

    fn len(&self) -> usize {
        self.given.len() - self.dropped.len() + self.unnamed.len()
    }

    /// The names of all rows. A row without a name gets `c` and its position from 1, followed by `_1`, `_2`, … if that
    /// name is used.
    pub(super) fn finish(mut self) -> Names {
        if self.unnamed.is_empty() && self.dropped.is_empty() {
            self.given.shrink_to_fit();
            return self.given;
        }
        let mut names = Names::new();
        let mut dropped = self.dropped.iter().peekable();
        let mut given = (0..self.given.len()).filter(|index| dropped.next_if_eq(&index).is_none());
        let mut unnamed = self.unnamed.iter().peekable();
        for row in 0..self.len() {
            if unnamed.next_if(|&&position| position == row).is_some() {
                let mut name = format!("c{}", row + 1);
                let mut more = 0u64;
                while self.given.find(&name).is_some() || names.push(&name).is_err() {
                    more += 1;
                    name = format!("c{}_{more}", row + 1);
                }
            } else if let Some(index) = given.next() {
                // Cannot fail: given names are unique, and names made up avoid them.
                let _ = names.push(self.given.get(index));
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unnamed_rows_get_names_that_no_other_row_has() {
        let mut names = RowNames::default();
        for name in [
            None,
            Some("c3"),
            Some("gone"),
            None,
            Some("c1"),
            Some("c1_1"),
        ] {
            match name.map(|name| (name, names.push(name).unwrap())) {
                Some(("gone", index)) => names.drop(index),
                Some(_) => {}
                None => names.leave_out(),
            }
        }
        let names = names.finish();
        assert_eq!(
            names.iter().collect::<Vec<_>>(),
            ["c1_2", "c3", "c3_1", "c1", "c1_1"]
        );
    }
}
