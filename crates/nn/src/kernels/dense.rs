//! Dense products for precisions and processors without a kernel of our own, by the `gemm` crate.
#![allow(unsafe_code)]

use gemm::Parallelism;

use super::{Onto, Product};
use crate::Real;

/// See [`Product`].
pub(super) fn product<T: Real>(x: Product<'_, T>) {
    x.check();
    let (rows, columns) = (x.rows, x.columns);
    if let Onto::Row(row) = x.onto {
        for c in x.c[..rows * columns].chunks_exact_mut(columns) {
            c.copy_from_slice(&row[..columns]);
        }
    }
    let keep = !matches!(x.onto, Onto::Zero);
    let (a_row, a_step) = x.a_strides;
    // SAFETY: `check` has made sure that every index these sizes and strides reach is within its
    // slice, and `c` is borrowed for this call alone.
    unsafe {
        gemm::gemm(
            rows,
            columns,
            x.depth,
            x.c.as_mut_ptr(),
            1,
            columns as isize,
            keep,
            x.a.as_ptr(),
            a_step as isize,
            a_row as isize,
            x.b.as_ptr(),
            1,
            columns as isize,
            T::ONE,
            T::ONE,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}
