//! The solver HiGHS, built into the program.
//!
//! HiGHS keeps one scheduler per thread, with a fixed number of workers, and uses the solution and clock of an earlier
//! run unless it is told to forget them. So each run here has a thread of its own and begins with everything
//! forgotten: equal inputs give equal results, whatever ran before.

mod engine;
mod ffi;
mod peer;
mod rows;

use idpas_mip::Model;

use crate::backend::Loaded;
use crate::{Abilities, LoadedModel, Solver, SolverError};

pub use peer::{PeerModel, read_file, read_text};

const NAME: &str = "highs";

/// The embedded HiGHS.
#[derive(Clone, Copy, Debug, Default)]
pub struct Highs;

impl Solver for Highs {
    fn name(&self) -> &'static str {
        NAME
    }

    fn version(&self) -> String {
        ffi::Handle::version()
    }

    fn abilities(&self) -> Abilities {
        Abilities::of_engine::<engine::HighsEngine>(true)
    }

    fn load(&self, model: &Model) -> Result<Box<dyn LoadedModel>, SolverError> {
        Ok(Box::new(Loaded::new(model, engine::HighsEngine::new)?))
    }
}

fn failed(action: &'static str, message: impl Into<String>) -> SolverError {
    SolverError::Backend {
        solver: NAME,
        action,
        message: message.into(),
    }
}
