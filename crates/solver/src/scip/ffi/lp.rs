//! SCIP's LP solver.

#![allow(unsafe_code)]

use std::ffi::c_int;
use std::ptr::null_mut;

use super::{Api, Functions, MINIMIZE, Ptr, okay};
use crate::backend::Failed;

/// Parameters of the relaxation.
const LP_TIME_LIMIT: c_int = 11;
const LP_LOG: c_int = 5;

/// The arrays of a linear program that is minimised, by columns.
pub(in crate::scip) struct LpArrays<'a> {
    pub(in crate::scip) cost: &'a [f64],
    pub(in crate::scip) lower: &'a [f64],
    pub(in crate::scip) upper: &'a [f64],
    pub(in crate::scip) row_lower: &'a [f64],
    pub(in crate::scip) row_upper: &'a [f64],
    pub(in crate::scip) starts: &'a [c_int],
    pub(in crate::scip) rows: &'a [c_int],
    pub(in crate::scip) values: &'a [f64],
}

/// How a linear program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scip) enum LpEnd {
    Optimal,
    Infeasible,
    Unbounded,
    TimeLimit,
    Trouble,
}

/// A linear program in SCIP's LP solver.
pub(in crate::scip) struct Lp {
    f: &'static Functions,
    lpi: Ptr,
    size: (usize, usize),
}

impl Drop for Lp {
    fn drop(&mut self) {
        // SAFETY: it came from `SCIPlpiCreate` and is freed once.
        unsafe { (self.f.SCIPlpiFree)(&raw mut self.lpi) };
    }
}

impl Lp {
    pub(in crate::scip) fn new(api: &'static Api, a: &LpArrays<'_>) -> Result<Self, Failed> {
        let f = &api.f;
        let (n, m) = (a.cost.len(), a.row_lower.len());
        assert!(a.lower.len() == n && a.upper.len() == n && a.starts.len() == n + 1);
        assert!(a.row_upper.len() == m && a.rows.len() == a.values.len());
        let mut lpi = null_mut();
        // SAFETY: `lpi` is written once; without a message handler it is silent.
        okay(unsafe {
            (f.SCIPlpiCreate)(&raw mut lpi, null_mut(), c"relaxation".as_ptr(), MINIMIZE)
        })?;
        let lp = Lp {
            f,
            lpi,
            size: (n, m),
        };
        // SAFETY: only the object is passed.
        let infinity = unsafe { (f.SCIPlpiInfinity)(lpi) };
        let finite = |values: &[f64]| -> Vec<f64> {
            let clamp = |value: &f64| value.clamp(-infinity, infinity);
            values.iter().map(clamp).collect()
        };
        let [lower, upper, row_lower, row_upper] =
            [a.lower, a.upper, a.row_lower, a.row_upper].map(finite);
        // SAFETY: arrays of the lengths that the counts say, which are copied; without names.
        unsafe {
            (f.SCIPlpiSetIntpar)(lpi, LP_LOG, 0);
            okay((f.SCIPlpiLoadColLP)(
                lpi,
                MINIMIZE,
                n as c_int,
                a.cost.as_ptr(),
                lower.as_ptr(),
                upper.as_ptr(),
                null_mut(),
                m as c_int,
                row_lower.as_ptr(),
                row_upper.as_ptr(),
                null_mut(),
                a.values.len() as c_int,
                a.starts.as_ptr(),
                a.rows.as_ptr(),
                a.values.as_ptr(),
            ))?;
        }
        Ok(lp)
    }

    /// Solves it, in at most so many seconds.
    pub(in crate::scip) fn solve(&mut self, seconds: Option<f64>) -> Result<LpEnd, Failed> {
        let f = self.f;
        // SAFETY: only the object and plain values are passed.
        unsafe {
            if let Some(seconds) = seconds {
                (f.SCIPlpiSetRealpar)(self.lpi, LP_TIME_LIMIT, seconds);
            }
            okay((f.SCIPlpiSolveDual)(self.lpi))?;
            if self.end() == LpEnd::Trouble {
                okay((f.SCIPlpiSolvePrimal)(self.lpi))?;
            }
        }
        Ok(self.end())
    }

    fn end(&self) -> LpEnd {
        let f = self.f;
        // SAFETY: only the object is passed, after a solve.
        unsafe {
            if (f.SCIPlpiIsOptimal)(self.lpi) != 0 {
                LpEnd::Optimal
            } else if (f.SCIPlpiIsTimelimExc)(self.lpi) != 0 {
                LpEnd::TimeLimit
            } else if (f.SCIPlpiIsPrimalInfeasible)(self.lpi) != 0 {
                LpEnd::Infeasible
            } else if (f.SCIPlpiIsPrimalUnbounded)(self.lpi) != 0 {
                LpEnd::Unbounded
            } else {
                LpEnd::Trouble
            }
        }
    }

    pub(in crate::scip) fn iterations(&self) -> u64 {
        let mut count = 0;
        // SAFETY: `count` is written once.
        unsafe { (self.f.SCIPlpiGetIterations)(self.lpi, &raw mut count) };
        u64::try_from(count).unwrap_or(0)
    }

    /// Values, reduced costs, activities, duals.
    pub(in crate::scip) fn solution(&self) -> Result<[Vec<f64>; 4], Failed> {
        let (n, m) = self.size;
        let [mut values, mut reduced] = [vec![0.0; n], vec![0.0; n]];
        let [mut activities, mut duals] = [vec![0.0; m], vec![0.0; m]];
        // SAFETY: one place per column or row; the objective value is not asked for.
        okay(unsafe {
            (self.f.SCIPlpiGetSol)(
                self.lpi,
                null_mut(),
                values.as_mut_ptr(),
                duals.as_mut_ptr(),
                activities.as_mut_ptr(),
                reduced.as_mut_ptr(),
            )
        })?;
        Ok([values, reduced, activities, duals])
    }

    /// The basis status of each column, and of each row: 0 lower, 1 basic, 2 upper, 3 zero.
    pub(in crate::scip) fn basis(&self) -> Result<(Vec<c_int>, Vec<c_int>), Failed> {
        let (mut columns, mut rows) = (vec![0; self.size.0], vec![0; self.size.1]);
        // SAFETY: one place per column and row.
        okay(unsafe {
            (self.f.SCIPlpiGetBase)(self.lpi, columns.as_mut_ptr(), rows.as_mut_ptr())
        })?;
        Ok((columns, rows))
    }
}
