//! Xpress's library: its functions, its version, its licence.

#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_double, c_int, c_longlong, c_void};
use std::path::Path;
use std::ptr::{null, null_mut};

use libloading::Library;

use crate::library::functions;

/// The oldest library whose functions are known, and the release that it belongs to.
const OLDEST: (u32, &str) = (44, "9.5");
/// The release, as in 9.9.1: an attribute of every problem.
const RELEASE: c_int = 3010;
/// Longer than any text that Xpress writes into a buffer of ours.
const TEXT: usize = 1024;

/// A problem of Xpress's.
pub(super) type Prob = *mut c_void;
/// What a callback gets back: the context of the run.
pub(super) type Data = *mut c_void;
pub(super) type OnMessage = unsafe extern "C" fn(Prob, Data, *const c_char, c_int, c_int);
pub(super) type OnCheck = unsafe extern "C" fn(Prob, Data) -> c_int;
pub(super) type OnEvent = unsafe extern "C" fn(Prob, Data);
pub(super) type OnCutRound = unsafe extern "C" fn(Prob, Data, c_int, *mut c_int);

type AddCutRound = unsafe extern "C" fn(Prob, OnCutRound, Data, c_int) -> c_int;

functions! {
    /// The function that every version has, and that may be called before any other.
    struct Versioned {
        XPRSgetversion: fn(*mut c_char) -> c_int;
    }
}

functions! {
    /// The functions of Xpress that are used.
    pub(super) struct Functions {
        XPRSinit: fn(*const c_char) -> c_int;
        XPRSgetlicerrmsg: fn(*mut c_char, c_int) -> c_int;
        XPRScreateprob: fn(*mut Prob) -> c_int;
        XPRSdestroyprob: fn(Prob) -> c_int;
        XPRSgetlasterror: fn(Prob, *mut c_char) -> c_int;
        XPRSgetcontrolinfo: fn(Prob, *const c_char, *mut c_int, *mut c_int) -> c_int;
        XPRSsetintcontrol: fn(Prob, c_int, c_int) -> c_int;
        XPRSsetintcontrol64: fn(Prob, c_int, c_longlong) -> c_int;
        XPRSsetdblcontrol: fn(Prob, c_int, c_double) -> c_int;
        XPRSsetstrcontrol: fn(Prob, c_int, *const c_char) -> c_int;
        XPRSgetdblcontrol: fn(Prob, c_int, *mut c_double) -> c_int;
        XPRSgetintattrib: fn(Prob, c_int, *mut c_int) -> c_int;
        XPRSgetdblattrib: fn(Prob, c_int, *mut c_double) -> c_int;
        XPRSgetstringattrib: fn(Prob, c_int, *mut c_char, c_int, *mut c_int) -> c_int;
        XPRSloadlp: fn(Prob, *const c_char, c_int, c_int, *const c_char, *const c_double, *const c_double, *const c_double, *const c_int, *const c_int, *const c_int, *const c_double, *const c_double, *const c_double) -> c_int;
        XPRSloadmip: fn(Prob, *const c_char, c_int, c_int, *const c_char, *const c_double, *const c_double, *const c_double, *const c_int, *const c_int, *const c_int, *const c_double, *const c_double, *const c_double, c_int, c_int, *const c_char, *const c_int, *const c_double, *const c_char, *const c_int, *const c_int, *const c_double) -> c_int;
        XPRSchgobj: fn(Prob, c_int, *const c_int, *const c_double) -> c_int;
        XPRSchgobjsense: fn(Prob, c_int) -> c_int;
        XPRSsetindicators: fn(Prob, c_int, *const c_int, *const c_int, *const c_int) -> c_int;
        XPRSaddmipsol: fn(Prob, c_int, *const c_double, *const c_int, *const c_char) -> c_int;
        XPRSlpoptimize: fn(Prob, *const c_char) -> c_int;
        XPRSmipoptimize: fn(Prob, *const c_char) -> c_int;
        XPRSinterrupt: fn(Prob, c_int) -> c_int;
        XPRSgetsolution: fn(Prob, *mut c_int, *mut c_double, c_int, c_int) -> c_int;
        XPRSgetduals: fn(Prob, *mut c_int, *mut c_double, c_int, c_int) -> c_int;
        XPRSgetredcosts: fn(Prob, *mut c_int, *mut c_double, c_int, c_int) -> c_int;
        XPRSgetslacks: fn(Prob, *mut c_int, *mut c_double, c_int, c_int) -> c_int;
        XPRSgetbasis: fn(Prob, *mut c_int, *mut c_int) -> c_int;
        XPRSgetcallbacksolution: fn(Prob, *mut c_int, *mut c_double, c_int, c_int) -> c_int;
        XPRSaddcbmessage: fn(Prob, OnMessage, Data, c_int) -> c_int;
        XPRSaddcbchecktime: fn(Prob, OnCheck, Data, c_int) -> c_int;
        XPRSaddcbintsol: fn(Prob, OnEvent, Data, c_int) -> c_int;
        XPRSaddcbnodelpsolved: fn(Prob, OnEvent, Data, c_int) -> c_int;
    }
}

/// Xpress's library.
pub(in super::super) struct Api {
    pub(super) f: Functions,
    /// Adds a callback between rounds of cuts; version 44 has none.
    pub(super) add_cut_round: Option<AddCutRound>,
    /// The library's own version, as in 47.01.02.
    library: String,
}

/// Calls `write` with a buffer, and returns what it wrote up to the NUL.
pub(super) fn text(write: impl FnOnce(*mut c_char, c_int)) -> String {
    let mut buffer = [0_u8; TEXT];
    write(buffer.as_mut_ptr().cast(), TEXT as c_int);
    let text = CStr::from_bytes_until_nul(&buffer).unwrap_or_default();
    text.to_string_lossy().into_owned()
}

/// The first part of a version such as 47.01.02.
fn major(version: &str) -> Option<u32> {
    version.split('.').next()?.parse().ok()
}

impl Api {
    /// Opens a library, which then stays in memory.
    pub(in super::super) fn open(path: &Path) -> Result<Self, String> {
        // SAFETY: loading runs the library's own initialisation; that of Xpress does nothing before `XPRSinit`. The user, or
        // the package that he installed, says that this file is Xpress.
        let library = unsafe { Library::new(path) }.map_err(|error| error.to_string())?;
        // SAFETY: a library with a function of this name is Xpress, where it has had this type in all versions.
        let versioned = unsafe { Versioned::load(&library) }?;
        // SAFETY: a version is a few digits, and the buffer is longer.
        let version = text(|buffer, _| unsafe {
            (versioned.XPRSgetversion)(buffer);
        });
        if major(&version).is_none_or(|major| major < OLDEST.0) {
            let (oldest, release) = OLDEST;
            return Err(format!(
                "it is version `{version}`, and version {oldest} (Xpress {release}) is the oldest that can be used"
            ));
        }
        // SAFETY: the version says that the functions have these types.
        let f = unsafe { Functions::load(&library) }?;
        // SAFETY: wherever there is a function of this name it has this type.
        let add_cut_round = unsafe { library.get::<AddCutRound>(b"XPRSaddcbcutround\0") };
        let add_cut_round = add_cut_round.ok().map(|found| *found);
        // Its threads and what it does at the end of the program need it.
        std::mem::forget(library);
        Ok(Api {
            f,
            add_cut_round,
            library: version,
        })
    }

    /// Takes a licence: that of a file, or the one that Xpress finds. The error is Xpress's word for what is wrong.
    pub(in super::super) fn take_licence(&self, path: Option<&Path>) -> Result<(), String> {
        let path = path.map(|path| CString::new(path.to_string_lossy().into_owned()));
        let path = path.transpose().map_err(|error| error.to_string())?;
        // SAFETY: the path is null or ends in NUL. Nobody else opens a library meanwhile: see `Xpress::new`.
        let code = unsafe { (self.f.XPRSinit)(path.as_ref().map_or(null(), |path| path.as_ptr())) };
        if code == 0 {
            return Ok(());
        }
        // SAFETY: buffer and length belong together.
        Err(text(|buffer, length| unsafe {
            (self.f.XPRSgetlicerrmsg)(buffer, length);
        }))
    }

    /// The release, as in 9.9.1.
    pub(in super::super) fn version(&self) -> String {
        let mut prob = null_mut();
        let mut length = 0;
        // SAFETY: the problem is made, asked and destroyed here; buffer and length belong together.
        let release = text(|buffer, size| unsafe {
            if (self.f.XPRScreateprob)(&raw mut prob) == 0 {
                (self.f.XPRSgetstringattrib)(prob, RELEASE, buffer, size, &raw mut length);
                (self.f.XPRSdestroyprob)(prob);
            }
        });
        match release.is_empty() {
            true => self.library.clone(),
            false => release,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        assert_eq!(major("47.01.02"), Some(47));
        assert_eq!(major(""), None);
        assert_eq!(major("Xpress"), None);
    }
}
