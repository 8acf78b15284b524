//! The only modules that call SCIP's C interface. Everything it offers is safe: lengths are checked here, pointers do not
//! leave it, and a panic in a callback does not unwind through C.

#![allow(unsafe_code)]

mod callback;
mod lp;

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_double, c_int, c_longlong, c_uint, c_void};
use std::path::Path;
use std::ptr::{null, null_mut};

use libloading::Library;

use crate::backend::{Failed, Outcome, Receiver};
use crate::library::functions;
use callback::{Context, SOLUTIONS, on_event, on_log, on_wanted, on_warning};
pub(super) use lp::{Lp, LpArrays, LpEnd};

/// SCIP's word for "it worked".
const OKAY: c_int = 1;
/// Types of parameters.
const BOOL: c_int = 0;
const INT: c_int = 1;
const LONGINT: c_int = 2;
const REAL: c_int = 3;
const CHAR: c_int = 4;
/// Kinds of columns.
const BINARY: c_int = 0;
const INTEGER: c_int = 1;
const CONTINUOUS: c_int = 3;
/// Senses of the objective, for the search and for the relaxation.
const MINIMIZE: c_int = 1;
const MAXIMIZE: c_int = -1;
/// Events: rounds of presolving, nodes, linear relaxations, solutions, and cuts that enter the relaxation. Cuts are the only
/// ones that happen while the root is worked on.
const PRESOLVE_ROUND: u64 = 0x4_0000;
const NODES: u64 = 0x78_0000;
const RELAXATIONS: u64 = 0x600_0000;
const CUTS: u64 = 0x8000_0000;
/// When solutions from outside are asked for: before and while presolving, before and after nodes, between cuts.
const TIMING: c_uint = 0x100 | 0x200 | 0x1 | 0x2 | 0x8 | 0x10;

functions! {
    /// The functions of SCIP that are used.
    pub(super) struct Functions {
        SCIPmajorVersion: fn() -> c_int;
        SCIPminorVersion: fn() -> c_int;
        SCIPtechVersion: fn() -> c_int;
        SCIPmessageSetErrorPrinting: fn(Option<ErrorPrinter>, *mut c_void);
        SCIPcreate: fn(*mut Ptr) -> c_int;
        SCIPfree: fn(*mut Ptr) -> c_int;
        SCIPincludeDefaultPlugins: fn(Ptr) -> c_int;
        SCIPmessagehdlrCreate: fn(*mut Ptr, c_uint, *const c_char, c_uint, Option<Printer>, Option<Printer>, Option<Printer>, Ptr, Ptr) -> c_int;
        SCIPmessagehdlrRelease: fn(*mut Ptr) -> c_int;
        SCIPmessagehdlrGetData: fn(Ptr) -> Ptr;
        SCIPsetMessagehdlr: fn(Ptr, Ptr) -> c_int;
        SCIPcreateProbBasic: fn(Ptr, *const c_char) -> c_int;
        SCIPsetObjsense: fn(Ptr, c_int) -> c_int;
        SCIPaddOrigObjoffset: fn(Ptr, c_double) -> c_int;
        SCIPinfinity: fn(Ptr) -> c_double;
        SCIPcreateVarBasic: fn(Ptr, *mut Ptr, *const c_char, c_double, c_double, c_double, c_int) -> c_int;
        SCIPaddVar: fn(Ptr, Ptr) -> c_int;
        SCIPreleaseVar: fn(Ptr, *mut Ptr) -> c_int;
        SCIPgetNegatedVar: fn(Ptr, Ptr, *mut Ptr) -> c_int;
        SCIPcreateConsBasicLinear: fn(Ptr, *mut Ptr, *const c_char, c_int, *mut Ptr, *mut c_double, c_double, c_double) -> c_int;
        SCIPcreateConsBasicIndicator: fn(Ptr, *mut Ptr, *const c_char, Ptr, c_int, *mut Ptr, *mut c_double, c_double) -> c_int;
        SCIPaddCons: fn(Ptr, Ptr) -> c_int;
        SCIPreleaseCons: fn(Ptr, *mut Ptr) -> c_int;
        SCIPgetParam: fn(Ptr, *const c_char) -> Ptr;
        SCIPparamGetType: fn(Ptr) -> c_int;
        SCIPsetBoolParam: fn(Ptr, *const c_char, c_uint) -> c_int;
        SCIPsetIntParam: fn(Ptr, *const c_char, c_int) -> c_int;
        SCIPsetLongintParam: fn(Ptr, *const c_char, c_longlong) -> c_int;
        SCIPsetRealParam: fn(Ptr, *const c_char, c_double) -> c_int;
        SCIPsetCharParam: fn(Ptr, *const c_char, c_char) -> c_int;
        SCIPsetStringParam: fn(Ptr, *const c_char, *const c_char) -> c_int;
        SCIPincludeEventhdlrBasic: fn(Ptr, *mut Ptr, *const c_char, *const c_char, EventHandler, Ptr) -> c_int;
        SCIPeventhdlrGetData: fn(Ptr) -> Ptr;
        SCIPcatchEvent: fn(Ptr, u64, Ptr, Ptr, *mut c_int) -> c_int;
        SCIPeventGetType: fn(Ptr) -> u64;
        SCIPeventGetSol: fn(Ptr) -> Ptr;
        SCIPincludeHeurBasic: fn(Ptr, *mut Ptr, *const c_char, *const c_char, c_char, c_int, c_int, c_int, c_int, c_uint, c_uint, Heuristic, Ptr) -> c_int;
        SCIPheurGetData: fn(Ptr) -> Ptr;
        SCIPtransformProb: fn(Ptr) -> c_int;
        SCIPsolve: fn(Ptr) -> c_int;
        SCIPinterruptSolve: fn(Ptr) -> c_int;
        SCIPgetStage: fn(Ptr) -> c_int;
        SCIPgetStatus: fn(Ptr) -> c_int;
        SCIPgetDualbound: fn(Ptr) -> c_double;
        SCIPgetNTotalNodes: fn(Ptr) -> c_longlong;
        SCIPgetNLPIterations: fn(Ptr) -> c_longlong;
        SCIPgetNSols: fn(Ptr) -> c_int;
        SCIPgetSols: fn(Ptr) -> *mut Ptr;
        SCIPgetSolVals: fn(Ptr, Ptr, c_int, *mut Ptr, *mut c_double) -> c_int;
        SCIPcreateOrigSol: fn(Ptr, *mut Ptr, Ptr) -> c_int;
        SCIPsetSolVals: fn(Ptr, Ptr, c_int, *mut Ptr, *mut c_double) -> c_int;
        SCIPaddSolFree: fn(Ptr, *mut Ptr, *mut c_uint) -> c_int;
        SCIPtrySolFree: fn(Ptr, *mut Ptr, c_uint, c_uint, c_uint, c_uint, c_uint, *mut c_uint) -> c_int;
        SCIPlpiCreate: fn(*mut Ptr, Ptr, *const c_char, c_int) -> c_int;
        SCIPlpiFree: fn(*mut Ptr) -> c_int;
        SCIPlpiInfinity: fn(Ptr) -> c_double;
        SCIPlpiSetRealpar: fn(Ptr, c_int, c_double) -> c_int;
        SCIPlpiSetIntpar: fn(Ptr, c_int, c_int) -> c_int;
        SCIPlpiLoadColLP: fn(Ptr, c_int, c_int, *const c_double, *const c_double, *const c_double, *mut *mut c_char, c_int, *const c_double, *const c_double, *mut *mut c_char, c_int, *const c_int, *const c_int, *const c_double) -> c_int;
        SCIPlpiSolveDual: fn(Ptr) -> c_int;
        SCIPlpiSolvePrimal: fn(Ptr) -> c_int;
        SCIPlpiIsOptimal: fn(Ptr) -> c_uint;
        SCIPlpiIsPrimalInfeasible: fn(Ptr) -> c_uint;
        SCIPlpiIsPrimalUnbounded: fn(Ptr) -> c_uint;
        SCIPlpiIsTimelimExc: fn(Ptr) -> c_uint;
        SCIPlpiGetIterations: fn(Ptr, *mut c_int) -> c_int;
        SCIPlpiGetSol: fn(Ptr, *mut c_double, *mut c_double, *mut c_double, *mut c_double, *mut c_double) -> c_int;
        SCIPlpiGetBase: fn(Ptr, *mut c_int, *mut c_int) -> c_int;
    }
}

/// A pointer to something of SCIP's.
type Ptr = *mut c_void;
type Printer = unsafe extern "C" fn(Ptr, Ptr, *const c_char);
type ErrorPrinter = unsafe extern "C" fn(Ptr, Ptr, *const c_char);
type EventHandler = unsafe extern "C" fn(Ptr, Ptr, Ptr, Ptr) -> c_int;
type Heuristic = unsafe extern "C" fn(Ptr, Ptr, c_uint, c_uint, *mut c_int) -> c_int;

/// SCIP's library.
pub(super) struct Api {
    f: Functions,
    /// Keeps the functions where they are.
    _library: Library,
}

thread_local! {
    /// What SCIP said of its last failure on this thread.
    static ERRORS: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Takes a piece of an error message, which SCIP would print.
unsafe extern "C" fn keep_error(_data: Ptr, _file: Ptr, text: *const c_char) {
    if text.is_null() {
        return;
    }
    // SAFETY: SCIP's messages end in NUL.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
    ERRORS.with(|errors| errors.borrow_mut().push_str(&text));
}

impl Api {
    /// Opens a library.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        // SAFETY: loading runs the library's own initialisation; that of SCIP does nothing. The user, or the package that he
        // installed, says that this file is SCIP.
        let library = unsafe { Library::new(path) }.map_err(|error| error.to_string())?;
        // SAFETY: a library with all these names is SCIP, whose functions have had these types since version 10; the version
        // is checked before any other function is called. The library is kept beside them.
        let f = unsafe { Functions::load(&library) }?;
        Ok(Api {
            f,
            _library: library,
        })
    }

    /// Major, minor and technical version.
    pub(super) fn version(&self) -> (i32, i32, i32) {
        // SAFETY: functions without arguments.
        unsafe {
            (
                (self.f.SCIPmajorVersion)(),
                (self.f.SCIPminorVersion)(),
                (self.f.SCIPtechVersion)(),
            )
        }
    }

    /// From now on error messages are kept for the thread on which they happen instead of being printed.
    pub(super) fn keep_errors(&self) {
        // SAFETY: the function lives as long as the program.
        unsafe { (self.f.SCIPmessageSetErrorPrinting)(Some(keep_error), null_mut()) }
    }
}

/// What SCIP said of failures on this thread since the last call.
pub(super) fn last_errors() -> String {
    ERRORS.with(|errors| std::mem::take(&mut *errors.borrow_mut()))
}

fn okay(code: c_int) -> Outcome {
    match code {
        OKAY => Ok(()),
        _ => Err(Failed),
    }
}

/// A column for SCIP.
pub(super) struct Column {
    pub(super) lower: f64,
    pub(super) upper: f64,
    pub(super) cost: f64,
    pub(super) is_integer: bool,
}

/// A SCIP with a model inside, for one run.
pub(super) struct Instance {
    scip: Ptr,
    messages: Ptr,
    events: Ptr,
    /// Made by `Box::into_raw`, so that callbacks and we may use it in turn.
    context: *mut Context,
}

// SAFETY: a SCIP has no ties to the thread that made it. `Instance` is not `Sync`, so two threads never use one at once.
unsafe impl Send for Instance {}

impl Drop for Instance {
    fn drop(&mut self) {
        let f = self.context().f;
        // SAFETY: everything came from SCIP's own functions and is released once, variables before their SCIP; the context
        // came from a box, and nobody uses it after SCIP is gone.
        unsafe {
            for variable in &mut self.context().variables {
                (f.SCIPreleaseVar)(self.scip, variable);
            }
            (f.SCIPfree)(&raw mut self.scip);
            (f.SCIPmessagehdlrRelease)(&raw mut self.messages);
            drop(Box::from_raw(self.context));
        }
    }
}

impl Instance {
    /// A SCIP with all its plug-ins and our callbacks, without a model.
    pub(super) fn new(api: &'static Api) -> Result<Self, Failed> {
        let f = &api.f;
        let context = Box::into_raw(Box::new(Context {
            f,
            receiver: null_mut(),
            variables: Vec::new(),
            infinity: 1e20,
            buffer: Vec::new(),
        }));
        let (mut scip, mut messages, mut events, mut heuristic) =
            (null_mut(), null_mut(), null_mut(), null_mut());
        // SAFETY: every pointer is to a place of ours that is written once; strings end in NUL and are copied; the context
        // lives until SCIP is freed.
        unsafe {
            if (f.SCIPcreate)(&raw mut scip) != OKAY {
                drop(Box::from_raw(context));
                return Err(Failed);
            }
            // Lines are told whole.
            let whole_lines = 1;
            let code = (f.SCIPmessagehdlrCreate)(
                &raw mut messages,
                whole_lines,
                null(),
                0,
                Some(on_warning),
                Some(on_log),
                Some(on_log),
                null_mut(),
                context.cast(),
            );
            if code != OKAY {
                (f.SCIPfree)(&raw mut scip);
                drop(Box::from_raw(context));
                return Err(Failed);
            }
        }
        // From here on, dropping it frees all.
        let mut instance = Instance {
            scip,
            messages,
            events,
            context,
        };
        // SAFETY: as above.
        unsafe {
            okay((f.SCIPsetMessagehdlr)(scip, messages))?;
            okay((f.SCIPincludeDefaultPlugins)(scip))?;
            okay((f.SCIPincludeEventhdlrBasic)(
                scip,
                &raw mut events,
                c"idpas".as_ptr(),
                c"tells what happens".as_ptr(),
                on_event,
                context.cast(),
            ))?;
            okay((f.SCIPincludeHeurBasic)(
                scip,
                &raw mut heuristic,
                c"idpas".as_ptr(),
                c"takes solutions from outside".as_ptr(),
                b'i' as c_char,
                1_000_000,
                1,
                0,
                -1,
                TIMING,
                0,
                on_wanted,
                context.cast(),
            ))?;
        }
        instance.events = events;
        // SAFETY: SCIP exists.
        instance.context().infinity = unsafe { (f.SCIPinfinity)(scip) };
        Ok(instance)
    }

    /// The context. Only between calls of SCIP that call back.
    #[allow(clippy::mut_from_ref)]
    fn context(&self) -> &mut Context {
        // SAFETY: the context lives as long as `self`; callbacks, which use it as well, come only inside `transform_and_solve`, and
        // no reference of ours is held across that.
        unsafe { &mut *self.context }
    }

    /// Sets a parameter of any type from text; fails if there is none of this name or the text does not fit.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Outcome {
        let f = self.context().f;
        let name = CString::new(name).map_err(|_| Failed)?;
        let parse = |_| Failed;
        // SAFETY: strings end in NUL and are copied; the type of the parameter decides which function is called.
        unsafe {
            let parameter = (f.SCIPgetParam)(self.scip, name.as_ptr());
            if parameter.is_null() {
                return Err(Failed);
            }
            okay(match (f.SCIPparamGetType)(parameter) {
                BOOL => {
                    let value = match value.to_ascii_lowercase().as_str() {
                        "true" | "1" => 1,
                        "false" | "0" => 0,
                        _ => return Err(Failed),
                    };
                    (f.SCIPsetBoolParam)(self.scip, name.as_ptr(), value)
                }
                INT => {
                    let value = value.parse().map_err(parse)?;
                    (f.SCIPsetIntParam)(self.scip, name.as_ptr(), value)
                }
                LONGINT => {
                    let value = value.parse().map_err(parse)?;
                    (f.SCIPsetLongintParam)(self.scip, name.as_ptr(), value)
                }
                REAL => {
                    let value = value.parse().map_err(|_| Failed)?;
                    (f.SCIPsetRealParam)(self.scip, name.as_ptr(), value)
                }
                CHAR => {
                    let &[value] = value.as_bytes() else {
                        return Err(Failed);
                    };
                    (f.SCIPsetCharParam)(self.scip, name.as_ptr(), value as c_char)
                }
                _ => {
                    let value = CString::new(value).map_err(|_| Failed)?;
                    (f.SCIPsetStringParam)(self.scip, name.as_ptr(), value.as_ptr())
                }
            })
        }
    }

    /// Infinite values as SCIP writes them.
    fn finite(&self, value: f64) -> f64 {
        let infinity = self.context().infinity;
        value.clamp(-infinity, infinity)
    }

    /// Begins a model.
    pub(super) fn begin(&mut self, maximise: bool, constant: f64) -> Outcome {
        let f = self.context().f;
        let sense = if maximise { MAXIMIZE } else { MINIMIZE };
        // SAFETY: the name ends in NUL and is copied; the rest are plain values.
        unsafe {
            okay((f.SCIPcreateProbBasic)(self.scip, c"model".as_ptr()))?;
            okay((f.SCIPsetObjsense)(self.scip, sense))?;
            okay((f.SCIPaddOrigObjoffset)(self.scip, constant))
        }
    }

    /// Adds a column. Names are not handed over: SCIP does without.
    pub(super) fn add_column(&mut self, column: &Column) -> Outcome {
        let f = self.context().f;
        let kind = match (
            column.is_integer,
            column.lower >= 0.0 && column.upper <= 1.0,
        ) {
            (false, _) => CONTINUOUS,
            (true, true) => BINARY,
            (true, false) => INTEGER,
        };
        let mut variable = null_mut();
        // SAFETY: `variable` is written once and kept until it is released; an empty name makes SCIP number it.
        unsafe {
            okay((f.SCIPcreateVarBasic)(
                self.scip,
                &raw mut variable,
                null(),
                self.finite(column.lower),
                self.finite(column.upper),
                column.cost,
                kind,
            ))?;
            self.context().variables.push(variable);
            okay((f.SCIPaddVar)(self.scip, variable))
        }
    }

    /// The variables of these columns.
    fn variables(&self, columns: &[i32]) -> Vec<Ptr> {
        let all = &self.context().variables;
        columns.iter().map(|&column| all[column as usize]).collect()
    }

    /// Adds a row.
    pub(super) fn add_row(
        &mut self,
        lower: f64,
        upper: f64,
        columns: &[i32],
        values: &[f64],
    ) -> Outcome {
        assert!(columns.len() == values.len());
        let f = self.context().f;
        let mut variables = self.variables(columns);
        let mut values = values.to_vec();
        let mut row = null_mut();
        // SAFETY: as many variables as values, both copied; the row is released, and SCIP keeps it as long as it needs it.
        unsafe {
            okay((f.SCIPcreateConsBasicLinear)(
                self.scip,
                &raw mut row,
                c"".as_ptr(),
                variables.len() as c_int,
                variables.as_mut_ptr(),
                values.as_mut_ptr(),
                self.finite(lower),
                self.finite(upper),
            ))?;
            okay((f.SCIPaddCons)(self.scip, row))?;
            okay((f.SCIPreleaseCons)(self.scip, &raw mut row))
        }
    }

    /// Adds a row with an upper side only, which holds where a binary column is one, or zero.
    pub(super) fn add_indicator(
        &mut self,
        binary: usize,
        at_one: bool,
        upper: f64,
        columns: &[i32],
        values: &[f64],
    ) -> Outcome {
        assert!(columns.len() == values.len());
        let f = self.context().f;
        let mut variables = self.variables(columns);
        let mut values = values.to_vec();
        let mut switch = self.context().variables[binary];
        let mut row = null_mut();
        // SAFETY: as in `add_row`; the negation belongs to its variable and is not released.
        unsafe {
            if !at_one {
                okay((f.SCIPgetNegatedVar)(self.scip, switch, &raw mut switch))?;
            }
            okay((f.SCIPcreateConsBasicIndicator)(
                self.scip,
                &raw mut row,
                c"".as_ptr(),
                switch,
                variables.len() as c_int,
                variables.as_mut_ptr(),
                values.as_mut_ptr(),
                upper,
            ))?;
            okay((f.SCIPaddCons)(self.scip, row))?;
            okay((f.SCIPreleaseCons)(self.scip, &raw mut row))
        }
    }

    /// Adds a solution to start from; SCIP checks it when it begins.
    pub(super) fn add_start(&mut self, values: &[f64]) -> Outcome {
        let f = self.context().f;
        assert!(values.len() == self.context().variables.len());
        let mut values = values.to_vec();
        let variables = self.context().variables.as_mut_ptr();
        let (mut solution, mut stored) = (null_mut(), 0);
        // SAFETY: as many variables as values, which are copied; the last call frees the solution.
        unsafe {
            okay((f.SCIPcreateOrigSol)(
                self.scip,
                &raw mut solution,
                null_mut(),
            ))?;
            let n = values.len() as c_int;
            okay((f.SCIPsetSolVals)(
                self.scip,
                solution,
                n,
                variables,
                values.as_mut_ptr(),
            ))?;
            okay((f.SCIPaddSolFree)(
                self.scip,
                &raw mut solution,
                &raw mut stored,
            ))
        }
    }

    /// Solves, and passes messages to the receiver.
    pub(super) fn solve(&mut self, receiver: &mut Receiver<'_, '_>) -> Outcome {
        let f = self.context().f;
        self.context().receiver = (&raw mut *receiver).cast();
        let mask = PRESOLVE_ROUND | NODES | RELAXATIONS | SOLUTIONS | CUTS;
        // SAFETY: the receiver outlives this call, and its pointer is taken out before it ends. Events can be asked for once
        // the model is transformed; SCIP forgets the request when it is freed.
        let outcome = unsafe {
            okay((f.SCIPtransformProb)(self.scip))
                .and_then(|()| {
                    okay((f.SCIPcatchEvent)(
                        self.scip,
                        mask,
                        self.events,
                        null_mut(),
                        null_mut(),
                    ))
                })
                .and_then(|()| okay((f.SCIPsolve)(self.scip)))
        };
        self.context().receiver = null_mut();
        outcome
    }

    /// SCIP's status, bound, nodes and simplex iterations after a solve.
    pub(super) fn result(&self) -> (i32, f64, u64, u64) {
        let context = self.context();
        let (nodes, iterations) = context.counts(self.scip);
        // SAFETY: only the object is passed.
        let status = unsafe { (context.f.SCIPgetStatus)(self.scip) };
        (status, context.bound(self.scip), nodes, iterations)
    }

    /// The solutions that SCIP kept, best first.
    pub(super) fn solutions(&self) -> Vec<Vec<f64>> {
        let context = self.context();
        // SAFETY: SCIP gives an array and its length, both valid until the next solve.
        let solutions = unsafe {
            let count = usize::try_from((context.f.SCIPgetNSols)(self.scip)).unwrap_or(0);
            match count {
                0 => &[][..],
                _ => std::slice::from_raw_parts((context.f.SCIPgetSols)(self.scip), count),
            }
        };
        let mut values = Vec::new();
        for &solution in solutions {
            if context.read(self.scip, solution) {
                values.push(context.buffer.clone());
            }
        }
        values
    }
}
