//! A table of unique names: index to name, and name to index.
//!
//! All names share one string, and the index stores four bytes a slot, so that a model of a million
//! columns costs little more than its names do in the file.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

/// Unique names with consecutive indices from 0, in the order in which they were added.
#[derive(Clone, Default)]
pub struct Names {
    text: String,
    /// `ends[i]` is where name `i` ends in `text`.
    ends: Vec<usize>,
    index: HashTable<u32>,
}

fn hash(name: &str) -> u64 {
    FixedState::default().hash_one(name.as_bytes())
}

impl Names {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty table with room for as many names as `like` has, each as long.
    pub fn with_room_of(like: &Names) -> Self {
        Names {
            text: String::with_capacity(like.text.len()),
            ends: Vec::with_capacity(like.len()),
            index: HashTable::with_capacity(like.len()),
        }
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The name with this index.
    ///
    /// # Panics
    /// If `index` is not below [`len`](Self::len).
    pub fn get(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.text[start..self.ends[index]]
    }

    /// The bytes of a name: comparing bytes needs no check for where characters begin.
    fn bytes(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.text.as_bytes()[start..self.ends[index]]
    }

    /// The index of this name; `None` if it is not in the table.
    pub fn find(&self, name: &str) -> Option<usize> {
        let same = |&i: &u32| self.bytes(i as usize) == name.as_bytes();
        self.index.find(hash(name), same).map(|&i| i as usize)
    }

    /// Adds a name and returns its index; if the table has it already, that index as an error.
    pub fn push(&mut self, name: &str) -> Result<usize, usize> {
        let hashed = hash(name);
        let same = |&i: &u32| self.bytes(i as usize) == name.as_bytes();
        if let Some(&old) = self.index.find(hashed, same) {
            return Err(old as usize);
        }
        let new = self.ends.len();
        let stored = u32::try_from(new).expect("fewer than 2^32 names");
        self.text.push_str(name);
        self.ends.push(self.text.len());
        let Self { text, ends, index } = self;
        index.insert_unique(hashed, stored, |&i| {
            let i = i as usize;
            let start = if i == 0 { 0 } else { ends[i - 1] };
            hash(&text[start..ends[i]])
        });
        Ok(new)
    }

    /// All names, by index.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// Gives back memory reserved for growth.
    pub fn shrink_to_fit(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

impl PartialEq for Names {
    fn eq(&self, other: &Self) -> bool {
        self.ends == other.ends && self.text == other.text
    }
}

impl std::fmt::Debug for Names {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_names_in_order_and_finds_them() {
        let mut names = Names::new();
        for i in 0..1000 {
            assert_eq!(names.push(&format!("x[{i}]")), Ok(i));
        }
        assert_eq!(names.push("x[7]"), Err(7));
        assert_eq!(names.find("x[999]"), Some(999));
        assert_eq!(names.find("x[1000]"), None);
        assert_eq!(names.get(0), "x[0]");
        assert_eq!(names.len(), 1000);
    }
}
