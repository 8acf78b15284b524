//! The only module that calls Xpress's C interface. Everything it offers is safe: lengths are checked here, pointers do not
//! leave it, and a panic in a callback does not unwind through C.

#![allow(unsafe_code)]

mod api;
mod callback;

use std::ffi::{CString, c_char, c_int};
use std::ptr::{null, null_mut};
use std::time::Duration;

use super::arrays::Arrays;
use crate::backend::{Failed, Outcome, Receiver};
pub(super) use api::Api;
use api::Prob;
use callback::{Context, count_attribute, double_attribute, int_attribute, plain};

/// What Xpress takes for infinite, and everything beyond it.
pub(super) const INFINITY: f64 = 1e20;

/// Attributes.
const SIMPLEX_ITERATIONS: c_int = 1009;
const NODES: c_int = 1013;
const SOLUTION_STATUS: c_int = 1053;
const STOP_STATUS: c_int = 1179;
const SOLVE_STATUS: c_int = 1394;
const BEST_BOUND: c_int = 2004;
/// The control with the time limit in seconds.
const TIME_LIMIT: c_int = 7158;

/// Types of controls.
const INT: c_int = 1;
const INT64: c_int = 2;
const DOUBLE: c_int = 3;
const STRING: c_int = 4;

/// Senses of the objective.
const MINIMIZE: c_int = 1;
const MAXIMIZE: c_int = -1;

/// Where something stands in a basis.
pub(super) const AT_LOWER: c_int = 0;
pub(super) const BASIC: c_int = 1;
pub(super) const AT_UPPER: c_int = 2;
/// What stands for a basis that there is none of.
const SUPERBASIC: c_int = 3;

/// Whether a run ended by itself.
pub(super) const STOPPED: c_int = 1;
pub(super) const COMPLETED: c_int = 3;

/// What is known of the solution.
pub(super) const OPTIMAL: c_int = 1;
pub(super) const FEASIBLE: c_int = 2;
pub(super) const INFEASIBLE: c_int = 3;
pub(super) const UNBOUNDED: c_int = 4;

/// Why a run was stopped.
pub(super) const STOP_TIME_LIMIT: c_int = 1;
pub(super) const STOP_CONTROL_C: c_int = 2;
pub(super) const STOP_NODE_LIMIT: c_int = 3;
pub(super) const STOP_ITERATION_LIMIT: c_int = 4;
pub(super) const STOP_GAP: c_int = 5;
pub(super) const STOP_SOLUTION_LIMIT: c_int = 6;
pub(super) const STOP_MEMORY: c_int = 8;
pub(super) const STOP_USER: c_int = 9;
pub(super) const STOP_LICENCE_LOST: c_int = 11;
pub(super) const STOP_NUMERICAL_ERROR: c_int = 13;
pub(super) const STOP_WORK_LIMIT: c_int = 14;
pub(super) const STOP_STAGE: c_int = 16;

fn okay(code: c_int) -> Outcome {
    match code {
        0 => Ok(()),
        _ => Err(Failed),
    }
}

fn count(len: usize) -> c_int {
    // Larger counts were refused before: see `Loaded::new`.
    c_int::try_from(len).unwrap_or(c_int::MAX)
}

/// A problem of Xpress's, for one run.
pub(super) struct Problem {
    api: &'static Api,
    prob: Prob,
    columns: usize,
    /// Rows of the model, and rows that stand for something else behind them.
    rows: usize,
    is_discrete: bool,
}

// SAFETY: a problem has no ties to the thread that made it. `Problem` is not `Sync`, so two threads never use one at once.
unsafe impl Send for Problem {}

impl Drop for Problem {
    fn drop(&mut self) {
        // SAFETY: the pointer came from `XPRScreateprob` and is destroyed once.
        unsafe { (self.api.f.XPRSdestroyprob)(self.prob) };
    }
}

impl Problem {
    /// A problem without a model.
    pub(super) fn new(api: &'static Api) -> Result<Self, Failed> {
        let mut prob = null_mut();
        // SAFETY: `prob` is written once; the library has a licence, without which nobody gets an `Api`.
        okay(unsafe { (api.f.XPRScreateprob)(&raw mut prob) })?;
        Ok(Problem {
            api,
            prob,
            columns: 0,
            rows: 0,
            is_discrete: false,
        })
    }

    /// What Xpress said of its last failure.
    pub(super) fn last_error(&self) -> String {
        // SAFETY: Xpress writes at most 512 bytes, and the buffer is longer.
        let error = api::text(|buffer, _| unsafe {
            (self.api.f.XPRSgetlasterror)(self.prob, buffer);
        });
        plain(&error).to_owned()
    }

    /// Sets a control of any type from text. The error says what is wrong with name or value.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let unknown = || "Xpress has no such control".to_owned();
        let name = CString::new(name).map_err(|_| unknown())?;
        let (mut id, mut kind) = (0, 0);
        // SAFETY: the name ends in NUL; both places are written once.
        let code = unsafe {
            (self.api.f.XPRSgetcontrolinfo)(self.prob, name.as_ptr(), &raw mut id, &raw mut kind)
        };
        if code != 0 {
            return Err(unknown());
        }
        let wrong = |expected: &str| format!("`{value}`; expected {expected}");
        // SAFETY: the type of the control decides which function is called; text ends in NUL and is copied.
        let code = unsafe {
            match kind {
                INT => {
                    let value = value.parse().map_err(|_| wrong("a whole number"))?;
                    (self.api.f.XPRSsetintcontrol)(self.prob, id, value)
                }
                INT64 => {
                    let value = value.parse().map_err(|_| wrong("a whole number"))?;
                    (self.api.f.XPRSsetintcontrol64)(self.prob, id, value)
                }
                DOUBLE => {
                    let value = value.parse().map_err(|_| wrong("a number"))?;
                    (self.api.f.XPRSsetdblcontrol)(self.prob, id, value)
                }
                STRING => {
                    let value = CString::new(value).map_err(|_| wrong("text without NUL"))?;
                    (self.api.f.XPRSsetstrcontrol)(self.prob, id, value.as_ptr())
                }
                _ => return Err(unknown()),
            }
        };
        okay(code).map_err(|Failed| format!("`{value}`: {}", self.last_error()))
    }

    /// Takes time that has passed off the time limit, if there is one.
    pub(super) fn spend(&mut self, time: Duration) -> Outcome {
        let mut limit = INFINITY;
        // SAFETY: `limit` is written once; it is a control of this type.
        unsafe {
            okay((self.api.f.XPRSgetdblcontrol)(
                self.prob,
                TIME_LIMIT,
                &raw mut limit,
            ))?;
            if limit >= INFINITY {
                return Ok(());
            }
            let left = (limit - time.as_secs_f64()).max(0.0);
            okay((self.api.f.XPRSsetdblcontrol)(self.prob, TIME_LIMIT, left))
        }
    }

    /// Hands a model over.
    pub(super) fn load(&mut self, a: &Arrays) -> Outcome {
        let (n, m) = (a.cost.len(), a.kinds.len());
        assert!(a.lower.len() == n && a.upper.len() == n && a.starts.len() == n + 1);
        assert!(a.rhs.len() == m && a.range.len() == m && a.rows.len() == a.values.len());
        let kinds = a.kinds.as_ptr().cast::<c_char>();
        self.columns = n;
        self.rows = m;
        self.is_discrete = !a.integers.is_empty();
        // SAFETY: every array has the length that the counts say, checked above, and is copied. Null for the lengths of the
        // columns means that each ends where the next begins.
        let code = unsafe {
            if self.is_discrete {
                let integer = vec![b'I'; a.integers.len()];
                (self.api.f.XPRSloadmip)(
                    self.prob,
                    c"".as_ptr(),
                    count(n),
                    count(m),
                    kinds,
                    a.rhs.as_ptr(),
                    a.range.as_ptr(),
                    a.cost.as_ptr(),
                    a.starts.as_ptr(),
                    null(),
                    a.rows.as_ptr(),
                    a.values.as_ptr(),
                    a.lower.as_ptr(),
                    a.upper.as_ptr(),
                    count(a.integers.len()),
                    0,
                    integer.as_ptr().cast(),
                    a.integers.as_ptr(),
                    null(),
                    null(),
                    null(),
                    null(),
                    null(),
                )
            } else {
                (self.api.f.XPRSloadlp)(
                    self.prob,
                    c"".as_ptr(),
                    count(n),
                    count(m),
                    kinds,
                    a.rhs.as_ptr(),
                    a.range.as_ptr(),
                    a.cost.as_ptr(),
                    a.starts.as_ptr(),
                    null(),
                    a.rows.as_ptr(),
                    a.values.as_ptr(),
                    a.lower.as_ptr(),
                    a.upper.as_ptr(),
                )
            }
        };
        okay(code)?;
        self.set_objective(a.maximise, a.constant)?;
        self.set_indicators(a)
    }

    fn set_objective(&mut self, maximise: bool, constant: f64) -> Outcome {
        let sense = if maximise { MAXIMIZE } else { MINIMIZE };
        // The column −1 is the right-hand side of the objective, that is its constant with the other sign.
        let (column, side) = ([-1], [-constant]);
        // SAFETY: two arrays of one element.
        unsafe {
            okay((self.api.f.XPRSchgobj)(
                self.prob,
                1,
                column.as_ptr(),
                side.as_ptr(),
            ))?;
            okay((self.api.f.XPRSchgobjsense)(self.prob, sense))
        }
    }

    fn set_indicators(&mut self, a: &Arrays) -> Outcome {
        if a.indicators.is_empty() {
            return Ok(());
        }
        let rows: Vec<c_int> = a.indicators.iter().map(|i| i.row).collect();
        let columns: Vec<c_int> = a.indicators.iter().map(|i| i.column).collect();
        let when = |at_one: bool| if at_one { 1 } else { -1 };
        let values: Vec<c_int> = a.indicators.iter().map(|i| when(i.at_one)).collect();
        // SAFETY: three arrays of the same length, which are copied; Xpress checks the indices.
        okay(unsafe {
            (self.api.f.XPRSsetindicators)(
                self.prob,
                count(rows.len()),
                rows.as_ptr(),
                columns.as_ptr(),
                values.as_ptr(),
            )
        })
    }

    /// Adds a solution to start from; Xpress checks it when it begins.
    pub(super) fn add_start(&mut self, values: &[f64]) -> Outcome {
        assert!(values.len() == self.columns);
        // SAFETY: as many values as columns, which are copied; without indices they are those of all columns.
        okay(unsafe {
            (self.api.f.XPRSaddmipsol)(
                self.prob,
                count(values.len()),
                values.as_ptr(),
                null(),
                null(),
            )
        })
    }

    /// Runs, passes messages to the receiver, and reads what was found. The problem ends with it.
    pub(super) fn run(self, receiver: &mut Receiver<'_, '_>) -> Ran {
        let context = Context::new(&self.api.f, self.columns, self.is_discrete, receiver);
        // Declared after the context, so that it is destroyed before it even where something panics.
        let problem = self;
        let outcome = problem.optimise(&context);
        let mut ran = problem.read(outcome);
        drop(problem);
        ran.is_asked = context.is_asked();
        ran
    }

    fn optimise(&self, context: &Context<'_, '_, '_>) -> Outcome {
        let data = (&raw const *context).cast_mut().cast();
        let (f, prob) = (&self.api.f, self.prob);
        // SAFETY: the callbacks get a context that outlives the problem, see `run`, and use it by shared reference; the
        // flags end in NUL.
        unsafe {
            okay((f.XPRSaddcbmessage)(prob, callback::on_message, data, 0))?;
            okay((f.XPRSaddcbchecktime)(prob, callback::on_check, data, 0))?;
            if !self.is_discrete {
                return okay((f.XPRSlpoptimize)(prob, c"".as_ptr()));
            }
            okay((f.XPRSaddcbintsol)(prob, callback::on_solution, data, 0))?;
            okay((f.XPRSaddcbnodelpsolved)(prob, callback::on_node, data, 0))?;
            if let Some(add_cut_round) = self.api.add_cut_round {
                okay(add_cut_round(prob, callback::on_cut_round, data, 0))?;
            }
            okay((f.XPRSmipoptimize)(prob, c"".as_ptr()))
        }
    }

    fn read(&self, outcome: Outcome) -> Ran {
        let int = |attribute| int_attribute(&self.api.f, self.prob, attribute);
        Ran {
            outcome,
            is_asked: false,
            solve_status: int(SOLVE_STATUS),
            solution_status: int(SOLUTION_STATUS),
            stop_status: int(STOP_STATUS),
            values: self.by_column(self.api.f.XPRSgetsolution),
            bound: double_attribute(&self.api.f, self.prob, BEST_BOUND),
            nodes: count_attribute(&self.api.f, self.prob, NODES),
            iterations: count_attribute(&self.api.f, self.prob, SIMPLEX_ITERATIONS),
            lp: match self.is_discrete {
                true => None,
                false => self.lp(),
            },
        }
    }

    /// What a linear program has beside values, if it has an optimal basis.
    fn lp(&self) -> Option<Lp> {
        let mut lp = Lp {
            reduced_costs: self.by_column(self.api.f.XPRSgetredcosts)?,
            slacks: self.by_row(self.api.f.XPRSgetslacks)?,
            duals: self.by_row(self.api.f.XPRSgetduals)?,
            column_basis: vec![SUPERBASIC; self.columns],
            row_basis: vec![SUPERBASIC; self.rows],
        };
        // SAFETY: one place per row and per column. Without a basis nothing is written.
        unsafe {
            (self.api.f.XPRSgetbasis)(
                self.prob,
                lp.row_basis.as_mut_ptr(),
                lp.column_basis.as_mut_ptr(),
            );
        }
        Some(lp)
    }

    fn by_column(&self, get: Get) -> Option<Vec<f64>> {
        self.get(get, self.columns)
    }

    fn by_row(&self, get: Get) -> Option<Vec<f64>> {
        self.get(get, self.rows)
    }

    /// All numbers of a kind, if there are any: `length` must be how many there are.
    fn get(&self, get: Get, length: usize) -> Option<Vec<f64>> {
        let mut values = vec![0.0; length];
        let mut status = 0;
        // SAFETY: one place for each number, from the first to the last; `status` is written once.
        let code = unsafe {
            get(
                self.prob,
                &raw mut status,
                values.as_mut_ptr(),
                0,
                count(length) - 1,
            )
        };
        (code == 0 && matches!(status, OPTIMAL | FEASIBLE)).then_some(values)
    }
}

/// A function that gives numbers by column or by row, from the first to the last that are asked for.
type Get = unsafe extern "C" fn(Prob, *mut c_int, *mut f64, c_int, c_int) -> c_int;

/// How a run ended, in Xpress's words, and what it found.
pub(super) struct Ran {
    pub(super) outcome: Outcome,
    /// The handler asked to stop.
    pub(super) is_asked: bool,
    pub(super) solve_status: c_int,
    pub(super) solution_status: c_int,
    pub(super) stop_status: c_int,
    /// The best solution.
    pub(super) values: Option<Vec<f64>>,
    pub(super) bound: f64,
    pub(super) nodes: u64,
    pub(super) iterations: u64,
    /// The rest of the solution of a linear program.
    pub(super) lp: Option<Lp>,
}

/// What a linear program has beside values.
pub(super) struct Lp {
    pub(super) reduced_costs: Vec<f64>,
    pub(super) slacks: Vec<f64>,
    pub(super) duals: Vec<f64>,
    pub(super) column_basis: Vec<c_int>,
    pub(super) row_basis: Vec<c_int>,
}
