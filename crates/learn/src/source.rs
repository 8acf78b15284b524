//! The trait of training data: a folder of pools, or anything else that provides instances by name.

use std::sync::Arc;

use idpas_pools::split::Part;

use crate::{Example, Examples, LearnError};

/// Training data by the names of instances.
pub trait Source {
    /// The names of the instances in one set, always in the same order.
    fn names(&self, part: Part) -> Vec<&str>;

    /// An instance with its pool. Training loads each of them several times.
    fn load(&self, name: &str) -> Result<Arc<Example>, LearnError>;
}

impl Source for Examples {
    fn names(&self, part: Part) -> Vec<&str> {
        Examples::names(self, part)
    }

    fn load(&self, name: &str) -> Result<Arc<Example>, LearnError> {
        Examples::load(self, name)
    }
}
