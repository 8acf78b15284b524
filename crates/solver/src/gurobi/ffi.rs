//! The only module that calls Gurobi's C interface. Everything it offers is safe: lengths are checked here, pointers do not
//! leave it, and a panic in a callback does not unwind through C.
//!
//! Types of functions and numbers of constants are those of `gurobi_c.h` of the versions 11 to 13, in which they are the same.

#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_double, c_int, c_void};
use std::path::Path;
use std::ptr::{null, null_mut};
use std::sync::{Mutex, PoisonError};

use libloading::Library;

use super::callback::{GurobiCall, answer};
use super::engine::{GurobiError, GurobiModel, ParameterKind, ParameterValue};
use super::form::{GurobiForm, INFINITE};
use crate::backend::{Handler, Receiver};
use crate::library::functions;

/// Types of parameters, as `GRBgetparamtype` says them.
const INTEGER: c_int = 1;
const REAL: c_int = 2;
const TEXT: c_int = 3;
/// What can be asked during a call: the solution, and the text of a message.
const SOLUTION: c_int = 4001;
const MESSAGE_TEXT: c_int = 6001;
/// The value of a column without one.
const UNDEFINED: f64 = 1e101;
/// The error of text that C cannot express.
const WRONG_TEXT: c_int = 10003;

/// A pointer to something of Gurobi's.
type Ptr = *mut c_void;
type Callback = unsafe extern "C" fn(Ptr, Ptr, c_int, Ptr) -> c_int;

functions! {
    /// What is called before anything else.
    struct VersionFunction {
        GRBversion: fn(*mut c_int, *mut c_int, *mut c_int);
    }
}

functions! {
    /// Makes an environment since version 12: it is told the version of the declarations that the caller was compiled with.
    struct VersionedStart {
        GRBemptyenvinternal: fn(*mut Ptr, c_int, c_int, c_int) -> c_int;
    }
}

functions! {
    /// Makes an environment before version 12.
    struct PlainStart {
        GRBemptyenv: fn(*mut Ptr) -> c_int;
    }
}

functions! {
    /// The functions of Gurobi that are used.
    struct Functions {
        GRBstartenv: fn(Ptr) -> c_int;
        GRBfreeenv: fn(Ptr);
        GRBgetenv: fn(Ptr) -> Ptr;
        GRBgeterrormsg: fn(Ptr) -> *const c_char;
        GRBgetparamtype: fn(Ptr, *const c_char) -> c_int;
        GRBsetintparam: fn(Ptr, *const c_char, c_int) -> c_int;
        GRBsetdblparam: fn(Ptr, *const c_char, c_double) -> c_int;
        GRBsetstrparam: fn(Ptr, *const c_char, *const c_char) -> c_int;
        GRBXloadmodel: fn(Ptr, *mut Ptr, *const c_char, c_int, c_int, c_int, c_double, *const c_double, *const c_char, *const c_double, *const usize, *const c_int, *const c_int, *const c_double, *const c_double, *const c_double, *const c_char, *const *const c_char, *const *const c_char) -> c_int;
        GRBaddgenconstrIndicator: fn(Ptr, *const c_char, c_int, c_int, c_int, *const c_int, *const c_double, c_char, c_double) -> c_int;
        GRBupdatemodel: fn(Ptr) -> c_int;
        GRBfreemodel: fn(Ptr) -> c_int;
        GRBsetcallbackfunc: fn(Ptr, Option<Callback>, Ptr) -> c_int;
        GRBoptimize: fn(Ptr) -> c_int;
        GRBterminate: fn(Ptr);
        GRBcbget: fn(Ptr, c_int, c_int, *mut c_void) -> c_int;
        GRBcbsolution: fn(Ptr, *const c_double, *mut c_double) -> c_int;
        GRBgetintattr: fn(Ptr, *const c_char, *mut c_int) -> c_int;
        GRBgetdblattr: fn(Ptr, *const c_char, *mut c_double) -> c_int;
        GRBgetintattrarray: fn(Ptr, *const c_char, c_int, c_int, *mut c_int) -> c_int;
        GRBgetdblattrarray: fn(Ptr, *const c_char, c_int, c_int, *mut c_double) -> c_int;
        GRBsetdblattrarray: fn(Ptr, *const c_char, c_int, c_int, *const c_double) -> c_int;
    }
}

/// How an environment is made.
enum Start {
    Versioned(VersionedStart),
    Plain(PlainStart),
}

/// Gurobi's library.
pub(super) struct Api {
    f: Functions,
    start: Start,
    version: (i32, i32, i32),
    /// Keeps the functions where they are.
    _library: Library,
}

impl Api {
    /// Opens a library. `is_known` says whether functions and constants of a major version are those that are used here.
    pub(super) fn open(
        path: &Path,
        is_known: impl FnOnce(i32) -> Result<(), String>,
    ) -> Result<Self, String> {
        // SAFETY: loading runs the library's own initialisation; that of Gurobi does nothing. The user, or the package that he
        // installed, says that this file is Gurobi.
        let library = unsafe { Library::new(path) }.map_err(|error| error.to_string())?;
        // SAFETY: a library with a function of this name is Gurobi, where it has had this type ever since.
        let asked = unsafe { VersionFunction::load(&library) }?;
        let (mut major, mut minor, mut technical) = (0, 0, 0);
        // SAFETY: three numbers to write to.
        unsafe { (asked.GRBversion)(&raw mut major, &raw mut minor, &raw mut technical) };
        is_known(major)
            .map_err(|why| format!("it is Gurobi {major}.{minor}.{technical}, {why}"))?;
        // SAFETY: it is Gurobi, in a version whose functions have these types. The library is kept beside them.
        let (start, f) = unsafe {
            let start = match VersionedStart::load(&library) {
                Ok(start) => Start::Versioned(start),
                Err(_) => Start::Plain(PlainStart::load(&library)?),
            };
            (start, Functions::load(&library)?)
        };
        Ok(Api {
            f,
            start,
            version: (major, minor, technical),
            _library: library,
        })
    }

    /// Major, minor and technical version.
    pub(super) fn version(&self) -> (i32, i32, i32) {
        self.version
    }

    /// What Gurobi says about the last error in an environment.
    fn error(&self, environment: Ptr, code: c_int) -> GurobiError {
        // SAFETY: the environment is alive, or null; the text ends in NUL and is copied before any other call.
        let text = unsafe {
            let text = (self.f.GRBgeterrormsg)(environment);
            match text.is_null() {
                true => String::new(),
                false => CStr::from_ptr(text).to_string_lossy().trim().to_owned(),
            }
        };
        GurobiError {
            code,
            message: match text.is_empty() {
                true => "Gurobi gave no reason".into(),
                false => text,
            },
        }
    }

    fn check(&self, environment: Ptr, code: c_int) -> Result<(), GurobiError> {
        match code {
            0 => Ok(()),
            _ => Err(self.error(environment, code)),
        }
    }
}

/// Text as C takes it.
fn text(text: &str) -> Result<CString, GurobiError> {
    CString::new(text).map_err(|error| GurobiError {
        code: WRONG_TEXT,
        message: error.to_string(),
    })
}

fn length(len: usize) -> c_int {
    // Larger counts were refused before: see `Loaded::new`.
    c_int::try_from(len).unwrap_or(c_int::MAX)
}

/// An environment with a licence.
struct Environment {
    api: &'static Api,
    pointer: Ptr,
}

// SAFETY: an environment has no ties to the thread that made it. `Environment` is not `Sync`, so two threads never use one at
// the same time.
unsafe impl Send for Environment {}

impl Drop for Environment {
    fn drop(&mut self) {
        // SAFETY: the pointer came from Gurobi and is freed once, after all models that were made in it.
        unsafe { (self.api.f.GRBfreeenv)(self.pointer) }
    }
}

impl Environment {
    fn new(api: &'static Api) -> Result<Self, GurobiError> {
        let mut pointer = null_mut();
        let (major, minor, technical) = api.version;
        // SAFETY: a place for the pointer, and plain numbers.
        let code = unsafe {
            match &api.start {
                Start::Versioned(start) => {
                    (start.GRBemptyenvinternal)(&raw mut pointer, major, minor, technical)
                }
                Start::Plain(start) => (start.GRBemptyenv)(&raw mut pointer),
            }
        };
        if pointer.is_null() {
            return Err(api.error(null_mut(), code));
        }
        let environment = Environment { api, pointer };
        api.check(pointer, code)?;
        // SAFETY: the environment is alive and the name ends in NUL. It is silent before it starts, which prints the licence.
        unsafe {
            let code = (api.f.GRBsetintparam)(pointer, c"OutputFlag".as_ptr(), 0);
            api.check(pointer, code)?;
            api.check(pointer, (api.f.GRBstartenv)(pointer))?;
        }
        Ok(environment)
    }
}

/// Environments that nobody uses. To start one can take a second, where the licence is on a server.
static FREE: Mutex<Vec<Environment>> = Mutex::new(Vec::new());

/// An environment for one user, given back in the end.
pub(super) struct Lease(Option<Environment>);

impl Lease {
    /// Takes an environment that is free, or makes one.
    pub(super) fn new(api: &'static Api) -> Result<Self, GurobiError> {
        let free = FREE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let environment = match free {
            Some(environment) => environment,
            None => Environment::new(api)?,
        };
        Ok(Lease(Some(environment)))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
        free.extend(self.0.take());
    }
}

/// A model, through the C library.
pub(super) struct LibraryModel {
    api: &'static Api,
    pointer: Ptr,
    /// The model's own environment, which is freed with it.
    environment: Ptr,
    /// How many columns are those of the model, and how many Gurobi sees.
    columns: usize,
    all_columns: usize,
}

// SAFETY: a model has no ties to the thread that made it. `LibraryModel` is not `Sync`, so two threads never use one at the
// same time.
unsafe impl Send for LibraryModel {}

impl Drop for LibraryModel {
    fn drop(&mut self) {
        // SAFETY: the pointer came from Gurobi and is freed once.
        unsafe { (self.api.f.GRBfreemodel)(self.pointer) };
    }
}

impl LibraryModel {
    fn check(&self, code: c_int) -> Result<(), GurobiError> {
        self.api.check(self.environment, code)
    }

    fn add_indicators(&mut self, form: &GurobiForm) -> Result<(), GurobiError> {
        for indicator in &form.indicators {
            assert!(indicator.columns.len() == indicator.values.len());
            // SAFETY: two arrays of the stated length, which Gurobi copies, and no name; Gurobi checks the indices.
            let code = unsafe {
                (self.api.f.GRBaddgenconstrIndicator)(
                    self.pointer,
                    null(),
                    indicator.column,
                    c_int::from(indicator.at_one),
                    length(indicator.columns.len()),
                    indicator.columns.as_ptr(),
                    indicator.values.as_ptr(),
                    indicator.relation as c_char,
                    indicator.side,
                )
            };
            self.check(code)?;
        }
        // SAFETY: only the model is passed.
        self.check(unsafe { (self.api.f.GRBupdatemodel)(self.pointer) })
    }

    /// Sets an attribute of the first columns.
    fn set_columns(&mut self, attribute: &CStr, values: &[f64]) -> Result<(), GurobiError> {
        assert!(values.len() <= self.all_columns);
        // SAFETY: the name ends in NUL, and there are at least as many columns as values, which Gurobi copies.
        self.check(unsafe {
            (self.api.f.GRBsetdblattrarray)(
                self.pointer,
                attribute.as_ptr(),
                0,
                length(values.len()),
                values.as_ptr(),
            )
        })
    }
}

impl GurobiModel for LibraryModel {
    type Environment = Lease;

    fn build(environment: &Lease, form: &GurobiForm) -> Result<Self, GurobiError> {
        let Some(&Environment { api, pointer: home }) = environment.0.as_ref() else {
            return Err(GurobiError {
                code: 0,
                message: "the environment was given back".into(),
            });
        };
        let (n, m) = (form.all_columns(), form.num_rows());
        let lengths = form.lengths();
        let of_columns = [form.lower.len(), form.upper.len(), form.kind.len()];
        assert!(of_columns == [n; 3] && lengths.len() == n && form.starts.len() == n + 1);
        assert!(form.relation.len() == m && form.rows.len() == form.values.len());
        assert!(form.starts.last() == Some(&form.values.len()));
        let mut pointer = null_mut();
        // SAFETY: every array has the length that the counts say, checked above; Gurobi copies them and checks the indices.
        // There are no names.
        let code = unsafe {
            (api.f.GRBXloadmodel)(
                home,
                &raw mut pointer,
                c"idpas".as_ptr(),
                length(n),
                length(m),
                form.sense,
                form.constant,
                form.cost.as_ptr(),
                form.relation.as_ptr().cast(),
                form.side.as_ptr(),
                form.starts.as_ptr(),
                lengths.as_ptr(),
                form.rows.as_ptr(),
                form.values.as_ptr(),
                form.lower.as_ptr(),
                form.upper.as_ptr(),
                form.kind.as_ptr().cast(),
                null(),
                null(),
            )
        };
        api.check(home, code)?;
        let mut model = LibraryModel {
            api,
            pointer,
            // SAFETY: the model is alive; its environment lives as long.
            environment: unsafe { (api.f.GRBgetenv)(pointer) },
            columns: form.columns,
            all_columns: n,
        };
        model.add_indicators(form)?;
        Ok(model)
    }

    fn parameter_kind(&self, name: &str) -> Option<ParameterKind> {
        let name = text(name).ok()?;
        // SAFETY: the name ends in NUL.
        match unsafe { (self.api.f.GRBgetparamtype)(self.environment, name.as_ptr()) } {
            INTEGER => Some(ParameterKind::Integer),
            REAL => Some(ParameterKind::Real),
            TEXT => Some(ParameterKind::Text),
            _ => None,
        }
    }

    fn set_parameter(&mut self, name: &str, value: ParameterValue<'_>) -> Result<(), GurobiError> {
        let (f, environment, name) = (&self.api.f, self.environment, text(name)?);
        // SAFETY: name and text end in NUL and live through the calls; the value is of the kind that the function takes, which
        // Gurobi checks.
        let code = unsafe {
            match value {
                ParameterValue::Integer(value) => {
                    (f.GRBsetintparam)(environment, name.as_ptr(), value)
                }
                ParameterValue::Real(value) => {
                    let value = value.clamp(-INFINITE, INFINITE);
                    (f.GRBsetdblparam)(environment, name.as_ptr(), value)
                }
                ParameterValue::Text(value) => {
                    let value = text(value)?;
                    (f.GRBsetstrparam)(environment, name.as_ptr(), value.as_ptr())
                }
            }
        };
        self.check(code)
    }

    fn set_start(&mut self, values: &[f64]) -> Result<(), GurobiError> {
        self.set_columns(c"Start", values)
    }

    fn clear_objective(&mut self) -> Result<(), GurobiError> {
        self.set_columns(c"Obj", &vec![0.0; self.all_columns])
    }

    fn optimize(&mut self, handler: &mut Handler<'_>) -> Result<(), GurobiError> {
        let run = Run {
            api: self.api,
            receiver: Mutex::new(Receiver::new(handler)),
            columns: self.columns,
            all_columns: self.all_columns,
        };
        let f = &self.api.f;
        // SAFETY: `run` outlives the run, and the callback is unset before it dies.
        let result = unsafe {
            let data = (&raw const run).cast_mut().cast();
            let set = (f.GRBsetcallbackfunc)(self.pointer, Some(callback), data);
            let ran = match set {
                0 => (f.GRBoptimize)(self.pointer),
                _ => set,
            };
            let result = self.check(ran);
            (f.GRBsetcallbackfunc)(self.pointer, None, null_mut());
            result
        };
        let receiver = run.receiver.into_inner();
        receiver.unwrap_or_else(PoisonError::into_inner).finish();
        result
    }

    fn integer(&self, attribute: &str) -> Option<i32> {
        let (name, mut value) = (text(attribute).ok()?, 0);
        // SAFETY: the name ends in NUL and `value` is written once.
        let code =
            unsafe { (self.api.f.GRBgetintattr)(self.pointer, name.as_ptr(), &raw mut value) };
        (code == 0).then_some(value)
    }

    fn real(&self, attribute: &str) -> Option<f64> {
        let (name, mut value) = (text(attribute).ok()?, 0.0);
        // SAFETY: as above.
        let code =
            unsafe { (self.api.f.GRBgetdblattr)(self.pointer, name.as_ptr(), &raw mut value) };
        (code == 0).then_some(value)
    }

    fn integers(&self, attribute: &str, count: usize) -> Option<Vec<i32>> {
        let (name, mut values) = (text(attribute).ok()?, vec![0; count]);
        // SAFETY: the name ends in NUL, and there are `count` places; Gurobi refuses to write beyond its columns or rows.
        let code = unsafe {
            (self.api.f.GRBgetintattrarray)(
                self.pointer,
                name.as_ptr(),
                0,
                length(count),
                values.as_mut_ptr(),
            )
        };
        (code == 0).then_some(values)
    }

    fn reals(&self, attribute: &str, count: usize) -> Option<Vec<f64>> {
        let (name, mut values) = (text(attribute).ok()?, vec![0.0; count]);
        // SAFETY: as above.
        let code = unsafe {
            (self.api.f.GRBgetdblattrarray)(
                self.pointer,
                name.as_ptr(),
                0,
                length(count),
                values.as_mut_ptr(),
            )
        };
        (code == 0).then_some(values)
    }
}

/// What the callback of a run needs.
struct Run<'r, 'h> {
    api: &'static Api,
    /// Behind a mutex, since Gurobi does not say from which of its threads it calls.
    receiver: Mutex<Receiver<'r, 'h>>,
    columns: usize,
    all_columns: usize,
}

/// One call of the callback.
struct Call {
    api: &'static Api,
    data: Ptr,
    place: c_int,
    columns: usize,
    all_columns: usize,
}

/// Called by Gurobi while it runs. It always says that all is well; a run is stopped by `GRBterminate`.
unsafe extern "C" fn callback(model: Ptr, data: Ptr, place: c_int, run: Ptr) -> c_int {
    // SAFETY: `run` is what `optimize` put there, alive until the run ends.
    let run = unsafe { &*run.cast::<Run<'_, '_>>() };
    let mut call = Call {
        api: run.api,
        data,
        place,
        columns: run.columns,
        all_columns: run.all_columns,
    };
    let mut receiver = run.receiver.lock().unwrap_or_else(PoisonError::into_inner);
    if answer(place, &mut call, &mut |message| receiver.tell(message)) {
        // SAFETY: the model is the one that runs, which may be stopped in any callback.
        unsafe { (run.api.f.GRBterminate)(model) };
    }
    0
}

impl Call {
    /// Asks for something that goes to `place`.
    ///
    /// # Safety
    /// There must be room for what is asked.
    unsafe fn get(&self, what: c_int, place: *mut c_void) -> bool {
        // SAFETY: `data` is valid during the call; the caller has made room.
        let code = unsafe { (self.api.f.GRBcbget)(self.data, self.place, what, place) };
        code == 0
    }
}

impl GurobiCall for Call {
    fn text(&mut self) -> Option<String> {
        let mut text: *const c_char = null();
        // SAFETY: of a message Gurobi gives a pointer to text that ends in NUL and lives through the call.
        unsafe {
            let is_there = self.get(MESSAGE_TEXT, (&raw mut text).cast()) && !text.is_null();
            is_there.then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
        }
    }

    fn number(&mut self, what: i32) -> Option<f64> {
        let mut value = 0.0_f64;
        // SAFETY: all numbers that are asked for are of this type.
        let is_there = unsafe { self.get(what, (&raw mut value).cast()) };
        is_there.then_some(value)
    }

    fn solution(&mut self) -> Option<Vec<f64>> {
        let mut values = vec![0.0; self.all_columns];
        // SAFETY: one place for each of Gurobi's columns.
        let is_there = unsafe { self.get(SOLUTION, values.as_mut_ptr().cast()) };
        values.truncate(self.columns);
        is_there.then_some(values)
    }

    fn offer(&mut self, values: &[f64]) {
        if values.len() != self.columns {
            return;
        }
        let mut values = values.to_vec();
        // Those of rows with two sides follow from the others.
        values.resize(self.all_columns, UNDEFINED);
        let mut objective = 0.0;
        // SAFETY: one value for each of Gurobi's columns, which it copies, and a place for the objective. What it makes of the
        // solution does not matter: the caller has it.
        unsafe {
            (self.api.f.GRBcbsolution)(self.data, values.as_ptr(), &raw mut objective);
        }
    }
}
