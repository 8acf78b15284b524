//! The solver SCIP, loaded while the program runs.
//!
//! SCIP keeps solutions, histories and random states from one solve to the next. So each run here has a SCIP of its own, built
//! from the model as it is then: equal inputs give equal results, whatever ran before. The linear relaxation is solved by
//! SCIP's own LP solver.

mod engine;
mod ffi;

use std::path::Path;

use idpas_mip::Model;

use crate::backend::{Loaded, Recorded};
use crate::library::{OpenedOnce, Places};
use crate::{Abilities, LoadedModel, Solver, SolverError};

const NAME: &str = "scip";

const PLACES: Places = Places {
    solver: NAME,
    variable: "IDPAS_SCIP_LIB",
    homes: &["SCIPOPTDIR"],
    packages: &["pyscipopt.libs", "PySCIPOpt.libs"],
    stem: "scip",
    digits: false,
    install: "Install it with `pip install pyscipopt`, or let IDPAS_SCIP_LIB be the path of libscip",
};

/// Versions whose constants are known: they changed from 9 to 10, and are in 11 as in 10.
const KNOWN: std::ops::RangeInclusive<i32> = 10..=11;

/// The library, once it was found.
static LIBRARY: OpenedOnce<ffi::Api> = OpenedOnce::new();

/// SCIP.
#[derive(Clone, Copy)]
pub struct Scip {
    api: &'static ffi::Api,
    path: &'static Path,
}

impl Scip {
    /// Finds and loads SCIP's library, the first time that this is called.
    pub fn new() -> Result<Self, SolverError> {
        let (api, path) = LIBRARY.open(&PLACES, open)?;
        Ok(Scip { api, path })
    }
}

/// Opens a library and makes sure that it is a SCIP whose functions and constants are known.
fn open(path: &Path) -> Result<ffi::Api, String> {
    let api = ffi::Api::open(path)?;
    let (major, minor, _) = api.version();
    if !KNOWN.contains(&major) {
        let (least, most) = (KNOWN.start(), KNOWN.end());
        return Err(format!(
            "it is SCIP {major}.{minor}, and only SCIP {least} to {most} is known"
        ));
    }
    api.keep_errors();
    Ok(api)
}

impl Solver for Scip {
    fn name(&self) -> &'static str {
        NAME
    }

    fn version(&self) -> String {
        let (major, minor, patch) = self.api.version();
        format!("{major}.{minor}.{patch}")
    }

    fn library(&self) -> Option<&Path> {
        Some(self.path)
    }

    fn abilities(&self) -> Abilities {
        Abilities::of_engine::<engine::ScipEngine>(false)
    }

    fn load(&self, model: &Model) -> Result<Box<dyn LoadedModel>, SolverError> {
        let build = |model: &Model| Ok(engine::ScipEngine::new(self.api, Recorded::of(model)));
        Ok(Box::new(Loaded::new(model, build)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any library of the system that is not SCIP.
    #[cfg(target_os = "linux")]
    #[test]
    fn another_library_is_refused_by_what_it_lacks() {
        let message = open(Path::new("libm.so.6"))
            .map(drop)
            .expect_err("not SCIP");
        assert_eq!(message, "it has no function SCIPmajorVersion");
    }

    #[test]
    fn a_file_that_is_no_library_is_refused() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), "not a library").expect("written");
        assert!(open(file.path()).is_err());
        assert!(open(Path::new("/no/such/library.so")).is_err());
    }
}
