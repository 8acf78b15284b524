//! Solvers that are loaded while the program runs: where their libraries are, and how to say that there is none.
//!
//! A library is looked for in this order: the file that an environment variable names; the solver's own folder, which
//! another variable names; the packages of the Pythons at hand, whose wheels carry the libraries; the system's loader. A file
//! that the user named is the only one tried. Libraries stay loaded until the program ends.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::SolverError;

/// Where a solver's library can be.
pub(crate) struct Places {
    /// The solver's name.
    pub(crate) solver: &'static str,
    /// The variable with the path of the library.
    pub(crate) variable: &'static str,
    /// The variables with the folder of an installation.
    pub(crate) homes: &'static [&'static str],
    /// Folders below a folder of Python packages.
    pub(crate) packages: &'static [&'static str],
    /// How the library's file name begins, after `lib`: `scip` is found as `libscip.so`, `libscip.so.10.0`,
    /// `libscip-d031042e.so.10.0` or `libscip.dylib`.
    pub(crate) stem: &'static str,
    /// Whether digits may follow the stem at once, as in `libgurobi130.so`.
    pub(crate) digits: bool,
    /// What to do where there is none.
    pub(crate) install: &'static str,
}

/// A library that is opened when it is first asked for, by one thread at a time, and then kept. A failure is tried again: the
/// user may have installed the solver meanwhile.
pub(crate) struct OpenedOnce<T> {
    opened: OnceLock<(T, PathBuf)>,
    opening: Mutex<()>,
}

impl<T> OpenedOnce<T> {
    /// Not opened yet.
    pub(crate) const fn new() -> Self {
        OpenedOnce {
            opened: OnceLock::new(),
            opening: Mutex::new(()),
        }
    }

    /// The library, if it was opened.
    pub(crate) fn get(&self) -> Option<&T> {
        self.opened.get().map(|(library, _)| library)
    }

    /// The library and where it is, opened now if it was not before.
    pub(crate) fn open(
        &self,
        places: &Places,
        open: impl Fn(&Path) -> Result<T, String>,
    ) -> Result<(&T, &Path), SolverError> {
        let _one_at_a_time = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        let (library, path) = match self.opened.get() {
            Some(opened) => opened,
            None => {
                let opened = places.open(open)?;
                self.opened.get_or_init(|| opened)
            }
        };
        Ok((library, path))
    }
}

/// Folders of Python packages that a caller told of; they come before those that are found.
static PACKAGES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Looks for solvers in these folders of Python packages first, for callers that know theirs.
pub fn look_in_packages(folders: impl IntoIterator<Item = PathBuf>) {
    let mut known = PACKAGES.lock().unwrap_or_else(PoisonError::into_inner);
    for folder in folders {
        if !known.contains(&folder) {
            known.push(folder);
        }
    }
}

impl Places {
    /// Opens the first library that `open` accepts and says which it was. The message of a failure tells where it was looked
    /// for, or what is wrong with the only one that was found.
    pub(crate) fn open<T>(
        &self,
        open: impl Fn(&Path) -> Result<T, String>,
    ) -> Result<(T, PathBuf), SolverError> {
        let wrong = |path: &Path, message: String| SolverError::Library {
            solver: self.solver,
            path: path.display().to_string(),
            message,
            install: self.install,
        };
        if let Some(path) = std::env::var_os(self.variable).filter(|value| !value.is_empty()) {
            let path = PathBuf::from(path);
            return match open(&path) {
                Ok(library) => Ok((library, path)),
                Err(message) => Err(wrong(&path, format!("{message} ({})", self.variable))),
            };
        }
        let mut first_failure = None;
        for path in self.candidates() {
            match open(&path) {
                Ok(library) => return Ok((library, path)),
                Err(message) => {
                    first_failure.get_or_insert_with(|| wrong(&path, message));
                }
            }
        }
        // The system's loader knows folders that we do not, and its failure only says that there is none.
        for name in [
            format!("lib{}.so", self.stem),
            format!("lib{}.dylib", self.stem),
        ] {
            if let Ok(library) = open(Path::new(&name)) {
                return Ok((library, PathBuf::from(name)));
            }
        }
        Err(first_failure.unwrap_or_else(|| SolverError::NotInstalled {
            solver: self.solver,
            looked: self.looked(),
            install: self.install,
        }))
    }

    /// Where it was looked for, as the user would say it.
    fn looked(&self) -> String {
        let homes = self.homes.iter().map(|home| format!("${home}"));
        let mut places: Vec<String> = std::iter::once(format!("${}", self.variable))
            .chain(homes)
            .collect();
        places.extend(package_folders().iter().map(|f| f.display().to_string()));
        places.push("the system's folders".into());
        places.join(", ")
    }

    /// Libraries that exist, the likeliest first.
    fn candidates(&self) -> Vec<PathBuf> {
        let mut folders = Vec::new();
        for home in self.homes {
            if let Some(home) = std::env::var_os(home).filter(|value| !value.is_empty()) {
                let home = PathBuf::from(home);
                folders.extend(["lib", "lib64", "bin", ""].map(|below| home.join(below)));
            }
        }
        for packages in package_folders() {
            folders.extend(self.packages.iter().map(|below| packages.join(below)));
        }
        let mut found: Vec<PathBuf> = Vec::new();
        for folder in folders {
            let mut here: Vec<PathBuf> = entries(&folder)
                .filter(|path| self.is_library(path))
                .collect();
            // The shortest name is the link to the version that is meant.
            here.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
            found.extend(here);
        }
        found
    }

    /// Whether a file's name is that of the library.
    fn is_library(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let Some(rest) = name
            .strip_prefix("lib")
            .and_then(|n| n.strip_prefix(self.stem))
        else {
            return false;
        };
        let rest = match self.digits {
            true => rest.trim_start_matches(|c: char| c.is_ascii_digit()),
            false => rest,
        };
        // What a wheel's builder puts between: a dash and the file's hash.
        let rest = match rest.strip_prefix('-') {
            Some(hashed) => hashed.trim_start_matches(|c: char| c.is_ascii_hexdigit()),
            None => rest,
        };
        rest.starts_with(".so") || (rest.starts_with('.') && rest.ends_with(".dylib"))
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let read = std::fs::read_dir(folder).into_iter().flatten();
    read.filter_map(|entry| entry.ok().map(|entry| entry.path()))
}

/// Folders with Python packages: told ones, of the active environment, of each Python in the search path, of the user.
fn package_folders() -> Vec<PathBuf> {
    let mut folders = PACKAGES
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    let mut roots: Vec<PathBuf> = ["VIRTUAL_ENV", "CONDA_PREFIX"]
        .iter()
        .filter_map(std::env::var_os)
        .map(PathBuf::from)
        .collect();
    let path = std::env::var_os("PATH").unwrap_or_default();
    for folder in std::env::split_paths(&path) {
        let python = folder.join("python3");
        if let (true, Some(root)) = (python.exists(), folder.parent()) {
            roots.push(root.to_owned());
        }
    }
    if let Some(home) = std::env::var_os("HOME") {
        roots.push(PathBuf::from(home).join(".local"));
    }
    for root in roots {
        for lib in ["lib", "lib64"].map(|lib| root.join(lib)) {
            let mut pythons: Vec<PathBuf> = entries(&lib)
                .filter(|path| {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    name.starts_with("python3")
                })
                .collect();
            pythons.sort();
            for python in pythons.into_iter().rev() {
                folders.extend(["site-packages", "dist-packages"].map(|name| python.join(name)));
            }
        }
    }
    let mut known = Vec::new();
    folders.retain(|folder| {
        let is_new = !known.contains(folder) && folder.is_dir();
        if is_new {
            known.push(folder.clone());
        }
        is_new
    });
    folders
}

/// Declares functions of a C library: a struct with a pointer to each, and `load`, which finds them by their names.
///
/// ```text
/// functions! {
///     /// What is used of the library.
///     pub(super) struct Api {
///         XPRSinit: fn(*const c_char) -> c_int;
///         XPRSfree: fn() -> c_int;
///     }
/// }
/// ```
macro_rules! functions {
    ($(#[$doc:meta])* $vis:vis struct $name:ident { $($symbol:ident: fn($($argument:ty),* $(,)?) $(-> $result:ty)?;)* }) => {
        $(#[$doc])*
        #[allow(non_snake_case)]
        $vis struct $name {
            $($vis $symbol: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl $name {
            /// Finds the functions.
            ///
            /// # Safety
            /// The library must be the one whose functions have these types, and must stay loaded.
            $vis unsafe fn load(library: &libloading::Library) -> Result<Self, String> {
                Ok(Self {
                    $($symbol: {
                        let name = concat!(stringify!($symbol), "\0");
                        // SAFETY: the caller says that the function of this name has this type.
                        let found = unsafe {
                            library.get::<unsafe extern "C" fn($($argument),*) $(-> $result)?>(name.as_bytes())
                        };
                        *found.map_err(|_| format!("it has no function {}", stringify!($symbol)))?
                    },)*
                })
            }
        }
    };
}
pub(crate) use functions;

#[cfg(test)]
mod tests {
    use super::*;

    const SCIP: Places = Places {
        solver: "scip",
        variable: "IDPAS_TEST_NO_SUCH_VARIABLE",
        homes: &[],
        packages: &["pyscipopt.libs"],
        stem: "scip",
        digits: false,
        install: "pip install pyscipopt",
    };

    #[test]
    fn names_of_libraries() {
        for name in [
            "libscip.so",
            "libscip.so.10.0",
            "libscip-d031042e.so.10.0",
            "libscip.10.0.dylib",
        ] {
            assert!(SCIP.is_library(Path::new(name)), "{name}");
        }
        for name in [
            "libscipy_openblas64_-32a4b2a6.so",
            "libscip.a",
            "scip.so",
            "libscip10.so",
            "libsci",
        ] {
            assert!(!SCIP.is_library(Path::new(name)), "{name}");
        }
        let gurobi = Places {
            stem: "gurobi",
            digits: true,
            ..SCIP
        };
        assert!(gurobi.is_library(Path::new("libgurobi130.so")));
        assert!(!gurobi.is_library(Path::new("libgurobi_c++.so")));
    }

    #[test]
    fn a_library_of_a_python_package_is_found_and_a_broken_one_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let libs = folder.path().join("pyscipopt.libs");
        std::fs::create_dir_all(&libs).expect("a folder");
        let file = libs.join("libscip-0123abcd.so.10.0");
        std::fs::write(&file, "not a library").expect("a file");
        look_in_packages([folder.path().to_owned()]);
        let opened = SCIP.open(|path| match path == file {
            true => Ok(()),
            false => Err("another one".into()),
        });
        assert_eq!(opened.ok().map(|found| found.1), Some(file.clone()));
        let refused = SCIP.open(|_| Err::<(), _>("it is too short".into()));
        let message = refused.map(drop).expect_err("refused").to_string();
        assert!(
            message.contains("it is too short") && message.contains("libscip"),
            "{message}"
        );
    }
}
