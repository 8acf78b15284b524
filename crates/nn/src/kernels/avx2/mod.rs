//! The vector path for x86-64 processors with AVX2 and FMA.
//!
//! Each kernel is compiled for every width that is a multiple of 8 up to 64, so that the numbers
//! of a row stay in registers; other widths take the portable path.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod attend;
#[cfg(target_arch = "x86_64")]
mod edges;
#[cfg(target_arch = "x86_64")]
mod product;
#[cfg(target_arch = "x86_64")]
mod vector;

use super::Kernels;

/// The kernels, if this processor can run them.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn kernels() -> Option<Kernels<f32>> {
    None
}

/// The kernels, if this processor can run them.
#[cfg(target_arch = "x86_64")]
pub(super) fn kernels() -> Option<Kernels<f32>> {
    let able = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    able.then_some(Kernels {
        product: table::product,
        attend: table::attend,
        pull: table::pull,
        masked: table::masked,
        gather: table::gather,
    })
}

/// What the table points at. These functions are reachable through [`kernels`] alone, which has
/// made sure of AVX2 and FMA: that is the one thing the calls below need.
#[cfg(target_arch = "x86_64")]
mod table {
    use super::super::{Attend, Gather, Masked, Product, Pull, dense, portable};
    use super::{attend, edges, product};

    /// Calls a kernel at its width, or the portable one.
    macro_rules! at_width {
        ($x:expr, $portable:path, $($kernel:ident)::+ $(, $more:expr)*) => {
            // SAFETY: the processor has AVX2 and FMA, see the module.
            unsafe {
                match $x.width {
                    8 => $($kernel)::+::<1 $(, $more)*>($x),
                    16 => $($kernel)::+::<2 $(, $more)*>($x),
                    24 => $($kernel)::+::<3 $(, $more)*>($x),
                    32 => $($kernel)::+::<4 $(, $more)*>($x),
                    40 => $($kernel)::+::<5 $(, $more)*>($x),
                    48 => $($kernel)::+::<6 $(, $more)*>($x),
                    56 => $($kernel)::+::<7 $(, $more)*>($x),
                    64 => $($kernel)::+::<8 $(, $more)*>($x),
                    _ => $portable($x),
                }
            }
        };
    }

    pub(super) fn product(x: Product<'_, f32>) {
        let (row, step) = x.a_strides;
        if !x.columns.is_multiple_of(8) || (row != 1 && step != 1) {
            return dense::product(x);
        }
        // SAFETY: the processor has AVX2 and FMA, see the module.
        unsafe { product::product(x) }
    }

    pub(super) fn attend(x: Attend<'_, f32>) {
        match (x.projection.len() / x.width, x.signs.is_empty()) {
            (1, false) => at_width!(x, portable::attend, attend::attend, 1, true),
            (1, true) => at_width!(x, portable::attend, attend::attend, 1, false),
            (2, false) => at_width!(x, portable::attend, attend::attend, 2, true),
            (2, true) => at_width!(x, portable::attend, attend::attend, 2, false),
            (_, false) => at_width!(x, portable::attend, attend::attend, 0, true),
            (_, true) => at_width!(x, portable::attend, attend::attend, 0, false),
        }
    }

    pub(super) fn pull(x: Pull<'_, f32>) {
        at_width!(x, portable::pull, edges::pull);
    }

    pub(super) fn masked(x: Masked<'_, f32>) {
        at_width!(x, portable::masked, edges::masked);
    }

    pub(super) fn gather(x: Gather<'_, f32>) {
        at_width!(x, portable::gather, edges::gather);
    }
}
