//! Where training data comes from: a folder of pools, or anything else that hands out instances by name.

use std::sync::Arc;

use idpas_pools::split::Part;

use crate::{Example, Examples, LearnError};

/// Training data by the names of instances.
pub trait Source {
    /// The names of one set, in order.
    fn names(&self, part: Part) -> Vec<&str>;

    /// An instance with its pool. Training asks for each several times.
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
