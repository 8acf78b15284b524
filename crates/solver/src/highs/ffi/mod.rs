//! The only module that calls HiGHS's C interface. Everything it offers is safe: lengths are checked here, pointers do
//! not leave it, and a panic in a callback does not unwind through C++.

#![allow(unsafe_code)]

mod callback;
mod read;

use std::ffi::{CStr, CString, c_int, c_void};
use std::sync::{Mutex, PoisonError};

use highs_sys as c;

use crate::backend::{Failed, Handler, Outcome, Receiver};
use callback::callback;
pub(super) use read::TextModel;

/// The arrays of a model in the form that HiGHS takes.
pub(super) struct Arrays<'a> {
    pub(super) sense: c_int,
    pub(super) constant: f64,
    pub(super) cost: &'a [f64],
    pub(super) lower: &'a [f64],
    pub(super) upper: &'a [f64],
    pub(super) row_lower: &'a [f64],
    pub(super) row_upper: &'a [f64],
    pub(super) starts: &'a [c_int],
    pub(super) indices: &'a [c_int],
    pub(super) values: &'a [f64],
    pub(super) integrality: &'a [c_int],
}

/// Rows to add, with their entries row by row.
#[derive(Default)]
pub(super) struct RowArrays {
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    pub(super) starts: Vec<c_int>,
    pub(super) indices: Vec<c_int>,
    pub(super) values: Vec<f64>,
}

/// A HiGHS object.
pub(super) struct Handle(*mut c_void);

// SAFETY: a HiGHS object has no ties to the thread that made it, so it may move to another one. `Handle` is not `Sync`,
// so two threads never use one object at the same time.
unsafe impl Send for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: the pointer came from `Highs_create` and is destroyed once.
        unsafe { c::Highs_destroy(self.0) }
    }
}

fn outcome(status: c_int) -> Outcome {
    if status == c::kHighsStatusError {
        Err(Failed)
    } else {
        Ok(())
    }
}

fn count(len: usize) -> c_int {
    // Larger counts were refused before: see `Highs::load`.
    c_int::try_from(len).unwrap_or(c_int::MAX)
}

impl Handle {
    pub(super) fn new() -> Self {
        // SAFETY: no arguments; the result is destroyed in `drop`.
        let mut handle = Handle(unsafe { c::Highs_create() });
        // Nothing may reach the terminal except through us. Setting a known option cannot fail.
        let _ = handle.set_option("log_to_console", "false");
        handle
    }

    pub(super) fn version() -> String {
        // SAFETY: plain functions without arguments.
        unsafe {
            format!(
                "{}.{}.{}",
                c::Highs_versionMajor(),
                c::Highs_versionMinor(),
                c::Highs_versionPatch()
            )
        }
    }

    /// Sets an option of any type from text; fails if there is no such option or the text does not fit its type.
    pub(super) fn set_option(&mut self, name: &str, value: &str) -> Outcome {
        let (Ok(name), Ok(text)) = (CString::new(name), CString::new(value)) else {
            return Err(Failed);
        };
        let mut kind = 0;
        // SAFETY: `name` and `text` end in NUL and live through the calls; `kind` is written once.
        unsafe {
            outcome(c::Highs_getOptionType(self.0, name.as_ptr(), &raw mut kind))?;
            outcome(match kind {
                c::kHighsOptionTypeBool => {
                    let value: bool = value.parse().map_err(|_| Failed)?;
                    c::Highs_setBoolOptionValue(self.0, name.as_ptr(), c_int::from(value))
                }
                c::kHighsOptionTypeInt => {
                    let value = value.parse().map_err(|_| Failed)?;
                    c::Highs_setIntOptionValue(self.0, name.as_ptr(), value)
                }
                c::kHighsOptionTypeDouble => {
                    let value = value.parse().map_err(|_| Failed)?;
                    c::Highs_setDoubleOptionValue(self.0, name.as_ptr(), value)
                }
                _ => c::Highs_setStringOptionValue(self.0, name.as_ptr(), text.as_ptr()),
            })
        }
    }

    pub(super) fn reset_options(&mut self) {
        // SAFETY: only the object is passed.
        unsafe { c::Highs_resetOptions(self.0) };
        let _ = self.set_option("log_to_console", "false");
    }

    pub(super) fn num_columns(&self) -> usize {
        // SAFETY: only the object is passed.
        usize::try_from(unsafe { c::Highs_getNumCol(self.0) }).unwrap_or(0)
    }

    pub(super) fn num_rows(&self) -> usize {
        // SAFETY: only the object is passed.
        usize::try_from(unsafe { c::Highs_getNumRow(self.0) }).unwrap_or(0)
    }

    pub(super) fn num_nonzeros(&self) -> usize {
        // SAFETY: only the object is passed.
        usize::try_from(unsafe { c::Highs_getNumNz(self.0) }).unwrap_or(0)
    }

    pub(super) fn pass_model(&mut self, a: &Arrays<'_>) -> Outcome {
        let (n, m) = (a.cost.len(), a.row_lower.len());
        assert!(a.lower.len() == n && a.upper.len() == n && a.integrality.len() == n);
        assert!(
            a.row_upper.len() == m && a.starts.len() == n + 1 && a.indices.len() == a.values.len()
        );
        // SAFETY: every array has the length that the counts say, checked above; HiGHS copies them.
        outcome(unsafe {
            c::Highs_passModel(
                self.0,
                count(n),
                count(m),
                count(a.values.len()),
                0,
                c::kHighsMatrixFormatColwise,
                c::kHighsHessianFormatTriangular,
                a.sense,
                a.constant,
                a.cost.as_ptr(),
                a.lower.as_ptr(),
                a.upper.as_ptr(),
                a.row_lower.as_ptr(),
                a.row_upper.as_ptr(),
                a.starts.as_ptr(),
                a.indices.as_ptr(),
                a.values.as_ptr(),
                std::ptr::null(),
                std::ptr::null(),
                std::ptr::null(),
                a.integrality.as_ptr(),
            )
        })
    }

    /// Changes the bounds of the columns in `set`, which must be ascending and within the model.
    pub(super) fn change_column_bounds(
        &mut self,
        set: &[c_int],
        lower: &[f64],
        upper: &[f64],
    ) -> Outcome {
        assert!(set.len() == lower.len() && set.len() == upper.len());
        // SAFETY: three arrays of the stated length; HiGHS checks the indices.
        outcome(unsafe {
            c::Highs_changeColsBoundsBySet(
                self.0,
                count(set.len()),
                set.as_ptr(),
                lower.as_ptr(),
                upper.as_ptr(),
            )
        })
    }

    /// Changes the sides of the rows in `set`, which must be ascending and within the model.
    pub(super) fn change_row_bounds(
        &mut self,
        set: &[c_int],
        lower: &[f64],
        upper: &[f64],
    ) -> Outcome {
        assert!(set.len() == lower.len() && set.len() == upper.len());
        // SAFETY: three arrays of the stated length; HiGHS checks the indices.
        outcome(unsafe {
            c::Highs_changeRowsBoundsBySet(
                self.0,
                count(set.len()),
                set.as_ptr(),
                lower.as_ptr(),
                upper.as_ptr(),
            )
        })
    }

    /// Changes the objective coefficients of the columns in `set`, which must be ascending and within the model.
    pub(super) fn change_costs(&mut self, set: &[c_int], cost: &[f64]) -> Outcome {
        assert!(set.len() == cost.len());
        // SAFETY: two arrays of the stated length; HiGHS checks the indices.
        outcome(unsafe {
            c::Highs_changeColsCostBySet(self.0, count(set.len()), set.as_ptr(), cost.as_ptr())
        })
    }

    pub(super) fn change_objective(&mut self, sense: c_int, constant: f64) -> Outcome {
        // SAFETY: plain values.
        unsafe {
            outcome(c::Highs_changeObjectiveSense(self.0, sense))?;
            outcome(c::Highs_changeObjectiveOffset(self.0, constant))
        }
    }

    /// Adds columns without entries.
    pub(super) fn add_columns(
        &mut self,
        cost: &[f64],
        lower: &[f64],
        upper: &[f64],
        integrality: &[c_int],
    ) -> Outcome {
        let n = cost.len();
        assert!(lower.len() == n && upper.len() == n && integrality.len() == n);
        if n == 0 {
            return Ok(());
        }
        let first = self.num_columns();
        // SAFETY: arrays of length n; no entries, so the three entry arrays are not read. The range is the new columns.
        unsafe {
            outcome(c::Highs_addCols(
                self.0,
                count(n),
                cost.as_ptr(),
                lower.as_ptr(),
                upper.as_ptr(),
                0,
                std::ptr::null(),
                std::ptr::null(),
                std::ptr::null(),
            ))?;
            outcome(c::Highs_changeColsIntegralityByRange(
                self.0,
                count(first),
                count(first + n - 1),
                integrality.as_ptr(),
            ))
        }
    }

    pub(super) fn add_rows(&mut self, rows: &RowArrays) -> Outcome {
        let m = rows.lower.len();
        assert!(
            rows.upper.len() == m
                && rows.starts.len() == m
                && rows.indices.len() == rows.values.len()
        );
        // SAFETY: every array has the length that the counts say, checked above; HiGHS checks the indices.
        outcome(unsafe {
            c::Highs_addRows(
                self.0,
                count(m),
                rows.lower.as_ptr(),
                rows.upper.as_ptr(),
                count(rows.values.len()),
                rows.starts.as_ptr(),
                rows.indices.as_ptr(),
                rows.values.as_ptr(),
            )
        })
    }

    /// Deletes the rows from `first` to `last`, both included.
    pub(super) fn delete_rows(&mut self, first: usize, last: usize) -> Outcome {
        // SAFETY: plain values; HiGHS checks the range.
        outcome(unsafe { c::Highs_deleteRowsByRange(self.0, count(first), count(last)) })
    }

    /// Forgets the solution, basis and times of earlier runs.
    pub(super) fn clear_solver(&mut self) {
        // SAFETY: only the object is passed.
        unsafe {
            c::Highs_clearSolver(self.0);
            c::Highs_zeroAllClocks(self.0);
        }
    }

    pub(super) fn set_solution(&mut self, values: &[f64]) -> Outcome {
        assert!(values.len() == self.num_columns());
        // SAFETY: one value per column; the other arrays may be null.
        outcome(unsafe {
            c::Highs_setSolution(
                self.0,
                values.as_ptr(),
                std::ptr::null(),
                std::ptr::null(),
                std::ptr::null(),
            )
        })
    }

    /// Runs HiGHS and passes its messages to `handler`. A panic in the handler is raised again after HiGHS has
    /// stopped.
    pub(super) fn run(&mut self, handler: &mut Handler<'_>) -> Outcome {
        let receiver = Mutex::new(Receiver::new(handler));
        let types = [
            c::kHighsCallbackLogging,
            c::kHighsCallbackSimplexInterrupt,
            c::kHighsCallbackIpmInterrupt,
            c::kHighsCallbackMipSolution,
            c::kHighsCallbackMipImprovingSolution,
            c::kHighsCallbackMipInterrupt,
            c::kHighsCallbackCallbackMipUserSolution,
        ];
        // SAFETY: `receiver` outlives the run, and the callback is unset before it dies.
        let status = unsafe {
            c::Highs_setCallback(
                self.0,
                Some(callback),
                (&raw const receiver).cast_mut().cast(),
            );
            for kind in types {
                c::Highs_startCallback(self.0, kind);
            }
            let status = c::Highs_run(self.0);
            for kind in types {
                c::Highs_stopCallback(self.0, kind);
            }
            c::Highs_setCallback(self.0, None, std::ptr::null_mut());
            status
        };
        receiver
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .finish();
        outcome(status)
    }

    pub(super) fn model_status(&self) -> c_int {
        // SAFETY: only the object is passed.
        unsafe { c::Highs_getModelStatus(self.0) }
    }

    pub(super) fn double_info(&self, name: &CStr) -> Option<f64> {
        let mut value = 0.0;
        // SAFETY: `name` ends in NUL and `value` is written once.
        let status = unsafe { c::Highs_getDoubleInfoValue(self.0, name.as_ptr(), &raw mut value) };
        (status == c::kHighsStatusOk).then_some(value)
    }

    pub(super) fn int_info(&self, name: &CStr) -> Option<c_int> {
        let mut value = 0;
        // SAFETY: as above.
        let status = unsafe { c::Highs_getIntInfoValue(self.0, name.as_ptr(), &raw mut value) };
        (status == c::kHighsStatusOk).then_some(value)
    }

    pub(super) fn int64_info(&self, name: &CStr) -> Option<i64> {
        let mut value = 0;
        // SAFETY: as above.
        let status = unsafe { c::Highs_getInt64InfoValue(self.0, name.as_ptr(), &raw mut value) };
        (status == c::kHighsStatusOk).then_some(value)
    }

    /// The solution: column values, column duals, row values, row duals.
    pub(super) fn solution(&self) -> [Vec<f64>; 4] {
        let (n, m) = (self.num_columns(), self.num_rows());
        let [mut a, mut b, mut d, mut e] = [vec![0.0; n], vec![0.0; n], vec![0.0; m], vec![0.0; m]];
        // SAFETY: four arrays with one place per column or row; HiGHS writes those it has.
        unsafe {
            c::Highs_getSolution(
                self.0,
                a.as_mut_ptr(),
                b.as_mut_ptr(),
                d.as_mut_ptr(),
                e.as_mut_ptr(),
            );
        }
        [a, b, d, e]
    }

    /// The basis status of each column, and of each row.
    pub(super) fn basis(&self) -> (Vec<c_int>, Vec<c_int>) {
        let mut columns = vec![c::kHighsBasisStatusNonbasic; self.num_columns()];
        let mut rows = vec![c::kHighsBasisStatusNonbasic; self.num_rows()];
        // SAFETY: one place per column and row.
        unsafe { c::Highs_getBasis(self.0, columns.as_mut_ptr(), rows.as_mut_ptr()) };
        (columns, rows)
    }
}
