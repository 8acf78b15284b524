//! The solver FICO Xpress, loaded while the program runs.
//!
//! Xpress goes on from the state that its last solve left behind. So each run here has a problem of its own, built from the
//! model as it is then: equal inputs give equal results, whatever ran before.
//!
//! The licence is the user's, where `XPAUTH_PATH` or `XPRESSDIR` name one, else the community licence of the Python package,
//! with which a model may have 5,000 rows and columns together.

mod arrays;
mod engine;
mod ffi;

use std::path::{Path, PathBuf};

use idpas_mip::Model;

use crate::backend::{Loaded, Recorded};
use crate::library::{OpenedOnce, Places};
use crate::{Abilities, LoadedModel, Solver, SolverError};

const NAME: &str = "xpress";

const PLACES: Places = Places {
    solver: NAME,
    variable: "IDPAS_XPRESS_LIB",
    homes: &["XPRESSDIR"],
    packages: &["xpresslibs/lib", "xpress/lib"],
    stem: "xprs",
    digits: false,
    install: "Install it with `pip install xpress`, or let IDPAS_XPRESS_LIB be the path of libxprs and XPAUTH_PATH that of \
              its licence",
};

/// The variable with the path of the user's licence. Xpress itself looks at it.
const LICENCE: &str = "XPAUTH_PATH";
/// Where a licence lies, seen from the folder of the library: that of an installation, and those of the Python packages from
/// the newest to the oldest.
const LICENCES: [&str; 4] = [
    "../bin/xpauth.xpr",
    "../bin/community-xpauth.xpr",
    "../../xpress/license/community-xpauth.xpr",
    "../license/community-xpauth.xpr",
];

/// The library, once it was found and has a licence.
static LIBRARY: OpenedOnce<ffi::Api> = OpenedOnce::new();

/// FICO Xpress.
#[derive(Clone, Copy)]
pub struct Xpress {
    api: &'static ffi::Api,
    path: &'static Path,
}

impl Xpress {
    /// Finds and loads Xpress's library, the first time that this is called.
    pub fn new() -> Result<Self, SolverError> {
        let (api, path) = LIBRARY.open(&PLACES, open)?;
        Ok(Xpress { api, path })
    }
}

/// Opens a library, makes sure that it is an Xpress whose functions are known, and takes a licence.
fn open(path: &Path) -> Result<ffi::Api, String> {
    let api = ffi::Api::open(path)?;
    take_licence(&api, path).map_err(|why| {
        let why = why.trim_end_matches('.');
        format!("it has no licence ({why})")
    })?;
    Ok(api)
}

/// Takes the licence that the user named, else the one that Xpress finds by itself, else the one that came with the library.
fn take_licence(api: &ffi::Api, library: &Path) -> Result<(), String> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    if variable(LICENCE).is_some() {
        return api.take_licence(None);
    }
    let home = variable("XPRESSDIR").map(|home| Path::new(&home).join("bin/xpauth.xpr"));
    if let Some(own) = home.filter(|path| path.exists()) {
        return api.take_licence(Some(&own));
    }
    let mut taken = api.take_licence(None);
    for path in licences_beside(library) {
        if taken.is_ok() {
            break;
        }
        taken = api.take_licence(Some(&path));
    }
    taken
}

/// The licences that came with a library.
fn licences_beside(library: &Path) -> Vec<PathBuf> {
    // A name without a folder was found by the system's loader, somewhere.
    let folder = library.parent().filter(|path| !path.as_os_str().is_empty());
    let paths = LICENCES.iter().filter_map(|name| Some(folder?.join(name)));
    paths.filter(|path| path.exists()).collect()
}

impl Solver for Xpress {
    fn name(&self) -> &'static str {
        NAME
    }

    fn version(&self) -> String {
        self.api.version()
    }

    fn library(&self) -> Option<&Path> {
        Some(self.path)
    }

    fn abilities(&self) -> Abilities {
        Abilities::of_engine::<engine::XpressEngine>(true)
    }

    fn load(&self, model: &Model) -> Result<Box<dyn LoadedModel>, SolverError> {
        let build = |model: &Model| Ok(engine::XpressEngine::new(self.api, Recorded::of(model)));
        Ok(Box::new(Loaded::new(model, build)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any library of the system that is not Xpress.
    #[cfg(target_os = "linux")]
    #[test]
    fn another_library_is_refused_by_what_it_lacks() {
        let message = open(Path::new("libm.so.6")).map(drop);
        assert_eq!(message, Err("it has no function XPRSgetversion".to_owned()));
    }

    #[test]
    fn a_file_that_is_no_library_is_refused() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), "not a library").expect("written");
        assert!(open(file.path()).is_err());
        assert!(open(Path::new("/no/such/library.so")).is_err());
    }

    #[test]
    fn the_licence_of_a_package_is_found_beside_its_library() {
        let packages = tempfile::tempdir().expect("a folder");
        let make = |path: &str| {
            let path = packages.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(&path, "").expect("a file");
            path
        };
        let library = make("xpresslibs/lib/libxprs.so.47");
        assert!(licences_beside(&library).is_empty());
        let older = make("xpress/license/community-xpauth.xpr");
        let newer = make("xpresslibs/bin/community-xpauth.xpr");
        let same = |path: &PathBuf| path.canonicalize().expect("a path");
        let found: Vec<PathBuf> = licences_beside(&library).iter().map(same).collect();
        assert_eq!(found, [same(&newer), same(&older)]);
        assert!(licences_beside(Path::new("libxprs.so")).is_empty());
    }
}
