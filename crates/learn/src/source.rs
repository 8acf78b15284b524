//! Where training data comes from: a folder of pools, or anything else that hands out instances by name.

use idpas_mip::{Model, read_model};
use idpas_study::split::Part;

use crate::{Example, Examples, LearnError};

/// Training data, one instance at a time.
pub trait Source {
    /// The names of one set, in order.
    fn names(&self, part: Part) -> Vec<&str>;

    /// An instance with its pool.
    fn load(&self, name: &str) -> Result<Example, LearnError>;

    /// An instance alone.
    fn model(&self, name: &str) -> Result<Model, LearnError> {
        Ok(self.load(name)?.model)
    }
}

impl Source for Examples {
    fn names(&self, part: Part) -> Vec<&str> {
        Examples::names(self, part)
    }

    fn load(&self, name: &str) -> Result<Example, LearnError> {
        Examples::load(self, name)
    }

    fn model(&self, name: &str) -> Result<Model, LearnError> {
        Ok(read_model(self.instance_path(name))?.model)
    }
}
