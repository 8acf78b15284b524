//! The solver Gurobi, loaded while the program runs, for users with a licence of their own.
//!
//! Gurobi goes on from the last solution of a model, so each run here has a model of its own, built from ours as it is then:
//! equal inputs give equal results, whatever ran before.
//!
//! The licence that comes with gurobipy serves gurobipy alone. So what an engine does is apart from how Gurobi is called
//! ([`GurobiModel`]): here by the C library, in the Python package by gurobipy.

mod callback;
mod engine;
mod ffi;
mod form;

use std::path::Path;

use idpas_mip::Model;

use crate::backend::{Loaded, Recorded};
use crate::library::{OpenedOnce, Places};
use crate::{Abilities, LoadedModel, Solver, SolverError};

pub use callback::{GurobiCall, answer, is_important, takes_solutions};
pub use engine::{GurobiEngine, GurobiError, GurobiModel, ParameterKind, ParameterValue};
pub use form::{GurobiForm, GurobiIndicator};

/// The name of this backend, however Gurobi is called.
pub const NAME: &str = "gurobi";

/// What to do where there is no Gurobi.
pub const INSTALL: &str = "Install it from gurobi.com, with a licence, and let IDPAS_GUROBI_LIB be the path of libgurobi; \
                           or use `idpas` for Python beside gurobipy, whose own licence is for small models";

/// The variable with the path of the library.
pub const VARIABLE: &str = "IDPAS_GUROBI_LIB";

const PLACES: Places = Places {
    solver: NAME,
    variable: VARIABLE,
    homes: &["GUROBI_HOME"],
    packages: &["gurobipy/.libs", "gurobipy"],
    stem: "gurobi",
    digits: true,
    install: INSTALL,
};

/// The oldest version: functions and constants were compared with the declarations of 11 and 13, where they are the same.
const OLDEST: i32 = 11;

/// The library, once it was found.
static LIBRARY: OpenedOnce<ffi::Api> = OpenedOnce::new();

/// Gurobi's C library with a licence.
#[derive(Clone, Copy)]
pub struct Gurobi {
    api: &'static ffi::Api,
    path: &'static Path,
}

impl Gurobi {
    /// Finds and loads Gurobi's library, the first time that this is called, and makes sure that there is a licence.
    pub fn new() -> Result<Self, SolverError> {
        let (api, path) = LIBRARY.open(&PLACES, open)?;
        let gurobi = Gurobi { api, path };
        gurobi.environment().map(|_| gurobi)
    }

    fn environment(&self) -> Result<ffi::Lease, SolverError> {
        ffi::Lease::new(self.api).map_err(|error| {
            let is_from_gurobipy = self.path.iter().any(|part| part == "gurobipy");
            let hint = match is_from_gurobipy {
                true => {
                    "The licence that comes with gurobipy serves gurobipy only: `idpas` for Python uses it. Here a licence of \
                     your own is needed, in the file that GRB_LICENSE_FILE names"
                }
                false => "A licence is needed, in the file that GRB_LICENSE_FILE names",
            };
            failed("start", format!("{error}. {hint}"))
        })
    }
}

fn open(path: &Path) -> Result<ffi::Api, String> {
    ffi::Api::open(path, known)
}

/// Whether the functions and constants of a version are known, or why not.
fn known(major: i32) -> Result<(), String> {
    match major >= OLDEST {
        true => Ok(()),
        false => Err(format!("and {OLDEST} is the oldest that is known")),
    }
}

fn failed(action: &'static str, message: impl Into<String>) -> SolverError {
    SolverError::Backend {
        solver: NAME,
        action,
        message: message.into(),
    }
}

impl Solver for Gurobi {
    fn name(&self) -> &'static str {
        NAME
    }

    fn version(&self) -> String {
        let (major, minor, technical) = self.api.version();
        format!("{major}.{minor}.{technical}")
    }

    fn library(&self) -> Option<&Path> {
        Some(self.path)
    }

    fn abilities(&self) -> Abilities {
        Abilities::of_engine::<GurobiEngine<ffi::LibraryModel>>(true)
    }

    fn load(&self, model: &Model) -> Result<Box<dyn LoadedModel>, SolverError> {
        let environment = self.environment()?;
        let build = |model: &Model| {
            let recorded = Recorded::of(model);
            Ok(GurobiEngine::<ffi::LibraryModel>::new(
                environment,
                recorded,
            ))
        };
        Ok(Box::new(Loaded::new(model, build)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any library of the system that is not Gurobi.
    #[cfg(target_os = "linux")]
    #[test]
    fn another_library_is_refused_by_what_it_lacks() {
        let message = open(Path::new("libm.so.6")).map(drop);
        assert_eq!(message, Err("it has no function GRBversion".into()));
    }

    #[test]
    fn old_versions_are_refused() {
        assert_eq!(known(OLDEST), Ok(()));
        assert_eq!(known(10), Err("and 11 is the oldest that is known".into()));
    }

    #[test]
    fn a_file_that_is_no_library_is_refused() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), "not a library").expect("written");
        assert!(open(file.path()).is_err());
        assert!(open(Path::new("/no/such/library.so")).is_err());
    }
}
