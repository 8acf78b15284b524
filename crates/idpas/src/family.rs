//! A family: instances of the same kind that were solved before, with their solutions.

use std::ops::Deref;
use std::path::{Path, PathBuf};

use idpas_learn::{Examples, LearnError};
use idpas_pools::PoolError;
use idpas_pools::collect::{CollectOptions, CollectProgress, CollectStop, CollectSummary, collect};

/// A folder of pools: good solutions of every instance, dealt out for training, validation and test.
///
/// It gives access to everything that [`Examples`] can do.
#[derive(Clone, Debug)]
pub struct Family {
    examples: Examples,
}

/// A family that could not be collected or opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FamilyFolderError {
    /// Collecting failed.
    #[error(transparent)]
    Collect(#[from] PoolError),
    /// No instance has a pool; the first failure, if there was one, says why.
    #[error("no instance has a pool{}", first_failure(.0))]
    NoPools(Box<CollectSummary>),
    /// The folder cannot be learned from.
    #[error(transparent)]
    Open(#[from] LearnError),
}

fn first_failure(summary: &CollectSummary) -> String {
    match summary.failed.first() {
        Some(failure) => format!(": {}: {}", failure.name, failure.reason),
        None => String::new(),
    }
}

impl Family {
    /// Opens a folder of pools that was collected before, by [`collect`](Self::collect) or by `idpas collect`.
    pub fn open(pools: impl AsRef<Path>) -> Result<Self, FamilyFolderError> {
        let examples = Examples::open(pools)?;
        Ok(Family { examples })
    }

    /// [`open`](Self::open) with the instances in a given folder: pools that were copied from elsewhere find them there.
    pub fn open_with(
        pools: impl AsRef<Path>,
        instances: impl Into<PathBuf>,
    ) -> Result<Self, FamilyFolderError> {
        let examples = Examples::open_with(pools, Some(instances.into()))?;
        Ok(Family { examples })
    }

    /// Solves every instance of a folder (or of a list of paths) for good solutions, and keeps them as pools in
    /// `options.out`. Instances learn from each other, and pools that are there are gone on with, so that an interrupted
    /// collection continues when it is called again. Instances that fail are left out; [`missing`](Examples::missing) counts them.
    pub fn collect(
        instances: impl AsRef<Path>,
        options: &CollectOptions,
        progress: &mut dyn FnMut(CollectProgress),
    ) -> Result<Self, FamilyFolderError> {
        Self::collect_until(instances, options, &CollectStop::default(), progress)
    }

    /// [`collect`](Self::collect) that can be stopped from another thread, with what was collected until then.
    pub fn collect_until(
        instances: impl AsRef<Path>,
        options: &CollectOptions,
        stop: &CollectStop,
        progress: &mut dyn FnMut(CollectProgress),
    ) -> Result<Self, FamilyFolderError> {
        let summary = collect(instances.as_ref(), options, stop, progress)?;
        if summary.already + summary.made + summary.elsewhere == 0 {
            return Err(FamilyFolderError::NoPools(Box::new(summary)));
        }
        Self::open(&options.out)
    }
}

impl Deref for Family {
    type Target = Examples;

    fn deref(&self) -> &Examples {
        &self.examples
    }
}
