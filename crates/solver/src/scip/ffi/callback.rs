//! The functions that SCIP calls while it runs, which turn the calls into messages for a receiver.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_uint};
use std::ptr::null_mut;

use super::{Functions, OKAY, Ptr};
use crate::backend::{Message, Receiver, Status};

/// Events with a solution.
pub(super) const SOLUTIONS: u64 = 0x1800_0000;
/// Results of a heuristic.
const DID_NOT_FIND: c_int = 3;
const FOUND: c_int = 15;
/// Stages in which bound, nodes and iterations can be asked for.
const PRESOLVING: c_int = 5;
const SOLVING: c_int = 9;

/// The functions of the library that was loaded, for callbacks, which SCIP hands nothing but its own objects.
fn functions() -> Option<&'static Functions> {
    crate::scip::LIBRARY.get().map(|api| &api.f)
}

/// What callbacks need. It has a fixed place as long as its SCIP lives.
pub(super) struct Context {
    pub(super) f: &'static Functions,
    /// The receiver of the run, or null while there is none.
    pub(super) receiver: Ptr,
    pub(super) variables: Vec<Ptr>,
    pub(super) infinity: f64,
    /// Takes the values of a solution.
    pub(super) buffer: Vec<f64>,
}

impl Context {
    /// Passes a message on and says whether to stop.
    pub(super) fn tell(&mut self, message: Message<'_>) -> bool {
        if self.receiver.is_null() {
            return false;
        }
        // SAFETY: the receiver outlives the run, during which alone the pointer is set. All callbacks come on the thread of
        // the run, and none comes while the receiver works, so this is the only reference.
        let receiver = unsafe { &mut *self.receiver.cast::<Receiver<'_, '_>>() };
        receiver.tell(message)
    }

    /// The values of a solution in the order of the columns, if all are finite.
    pub(super) fn read(&mut self, scip: Ptr, solution: Ptr) -> bool {
        let n = self.variables.len();
        self.buffer.resize(n, 0.0);
        // SAFETY: as many variables as places for values; SCIP reads the first and writes the second.
        let code = unsafe {
            (self.f.SCIPgetSolVals)(
                scip,
                solution,
                n as c_int,
                self.variables.as_mut_ptr(),
                self.buffer.as_mut_ptr(),
            )
        };
        code == OKAY && self.buffer.iter().all(|value| value.abs() < self.infinity)
    }

    /// The best bound; infinite if SCIP has none.
    pub(super) fn bound(&self, scip: Ptr) -> f64 {
        // SAFETY: called after the transformation only, where SCIP has a bound.
        let bound = unsafe { (self.f.SCIPgetDualbound)(scip) };
        if bound.abs() < self.infinity {
            bound
        } else {
            f64::INFINITY.copysign(bound)
        }
    }

    /// Nodes and simplex iterations so far.
    pub(super) fn counts(&self, scip: Ptr) -> (u64, u64) {
        // SAFETY: SCIP counts both while and after it presolves or solves, which the stage says.
        let (nodes, iterations) = unsafe {
            match (self.f.SCIPgetStage)(scip) {
                PRESOLVING | SOLVING.. => (
                    (self.f.SCIPgetNTotalNodes)(scip),
                    (self.f.SCIPgetNLPIterations)(scip),
                ),
                _ => (0, 0),
            }
        };
        (
            u64::try_from(nodes).unwrap_or(0),
            u64::try_from(iterations).unwrap_or(0),
        )
    }
}

/// Called by SCIP at every event that was asked for.
pub(super) unsafe extern "C" fn on_event(scip: Ptr, handler: Ptr, event: Ptr, _data: Ptr) -> c_int {
    let Some(f) = functions() else {
        return OKAY;
    };
    // SAFETY: the handler's data is the context that `Instance` put there and keeps until SCIP is freed, and no other
    // reference to it is alive while SCIP runs.
    let (context, kind) = unsafe {
        let context = &mut *(f.SCIPeventhdlrGetData)(handler).cast::<Context>();
        (context, (f.SCIPeventGetType)(event))
    };
    let mut is_asked = false;
    if kind & SOLUTIONS != 0 {
        // SAFETY: events of this kind have a solution.
        let solution = unsafe { (context.f.SCIPeventGetSol)(event) };
        if context.read(scip, solution) {
            let bound = context.bound(scip);
            let values = std::mem::take(&mut context.buffer);
            is_asked |= context.tell(Message::Solution {
                values: &values,
                bound,
            });
            context.buffer = values;
        }
    }
    let (nodes, lp_iterations) = context.counts(scip);
    let status = Status {
        bound: context.bound(scip),
        nodes,
        lp_iterations,
    };
    is_asked |= context.tell(Message::Check { mip: Some(status) });
    if is_asked {
        // SAFETY: SCIP is solving, where it may be interrupted.
        unsafe { (context.f.SCIPinterruptSolve)(scip) };
    }
    OKAY
}

/// Called by SCIP when it can take a solution.
pub(super) unsafe extern "C" fn on_wanted(
    scip: Ptr,
    heuristic: Ptr,
    _timing: c_uint,
    _infeasible: c_uint,
    result: *mut c_int,
) -> c_int {
    let Some(f) = functions() else {
        return OKAY;
    };
    let mut answer = None;
    // SAFETY: the heuristic's data is the context, as in `on_event`; `result` is ours to write. The reference ends before
    // SCIP is called again, since a solution that it takes is an event.
    let variables = unsafe {
        *result = DID_NOT_FIND;
        let context = &mut *(f.SCIPheurGetData)(heuristic).cast::<Context>();
        context.tell(Message::Wanted {
            answer: &mut answer,
        });
        (context.variables.as_mut_ptr(), context.variables.len())
    };
    let Some(mut values) = answer.filter(|values| values.len() == variables.1) else {
        return OKAY;
    };
    let mut solution = null_mut();
    let mut stored = 0;
    // SAFETY: as many variables as values, which SCIP copies. A solution of the original model is checked against that; it is
    // freed by the last call.
    unsafe {
        if (f.SCIPcreateOrigSol)(scip, &raw mut solution, heuristic) != OKAY {
            return OKAY;
        }
        let n = values.len() as c_int;
        (f.SCIPsetSolVals)(scip, solution, n, variables.0, values.as_mut_ptr());
        (f.SCIPtrySolFree)(scip, &raw mut solution, 0, 0, 1, 1, 1, &raw mut stored);
        if stored != 0 {
            *result = FOUND;
        }
    }
    OKAY
}

/// Called by SCIP with a line of its log.
pub(super) unsafe extern "C" fn on_log(handler: Ptr, _file: Ptr, text: *const c_char) {
    // SAFETY: as `print`.
    unsafe { print(handler, text, "") }
}

/// Called by SCIP with a warning.
pub(super) unsafe extern "C" fn on_warning(handler: Ptr, _file: Ptr, text: *const c_char) {
    // SAFETY: as `print`.
    unsafe { print(handler, text, "WARNING: ") }
}

/// Passes a line of text on.
///
/// # Safety
/// The handler must be the one that `Instance` made, and the text null or ended by NUL.
unsafe fn print(handler: Ptr, text: *const c_char, before: &str) {
    let Some(f) = functions() else {
        return;
    };
    if text.is_null() {
        return;
    }
    // SAFETY: the handler's data is the context, as in `on_event`; the text ends in NUL.
    let (context, text) = unsafe {
        (
            &mut *(f.SCIPmessagehdlrGetData)(handler).cast::<Context>(),
            CStr::from_ptr(text).to_string_lossy(),
        )
    };
    let text = text.trim_end_matches('\n');
    if !text.is_empty() {
        context.tell(Message::Log(&format!("{before}{text}")));
    }
}
