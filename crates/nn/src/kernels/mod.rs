//! The inner loops. A table of functions, chosen once per call, is either the vector path, where the processor has it,
//! or a portable path that also runs in `f64`.
//!
//! Every kernel works on a block of nodes. `starts` holds the first edge of each node; the first entry may be any
//! number, and arrays per edge begin at the block's first edge.

mod avx2;
mod dense;
mod portable;

use crate::Real;

/// The slope of the LeakyReLU below zero.
pub(crate) const SLOPE: f64 = 0.2;
/// Added to the softmax's denominator, as PyTorch Geometric does.
pub(crate) const SOFTMAX_EPSILON: f64 = 1e-16;

/// The kernels of one path.
#[derive(Clone, Copy)]
pub struct Kernels<T> {
    pub(crate) product: fn(Product<'_, T>),
    pub(crate) attend: fn(Attend<'_, T>),
    pub(crate) pull: fn(Pull<'_, T>),
    pub(crate) masked: fn(Masked<'_, T>),
    pub(crate) gather: fn(Gather<'_, T>),
}

/// What a product is added to in the result.
#[derive(Clone, Copy)]
pub(crate) enum Onto<'a, T> {
    /// The old content of the result.
    Itself,
    /// Zeros.
    Zero,
    /// This row, repeated in every row.
    Row(&'a [T]),
}

/// The product `c = onto + a · b`. `a` is rows × depth with any strides; `b` is depth × columns and `c` rows ×
/// columns, both row after row without gaps.
pub(crate) struct Product<'a, T> {
    pub(crate) rows: usize,
    pub(crate) depth: usize,
    pub(crate) columns: usize,
    pub(crate) a: &'a [T],
    /// Distance in `a` from a row to the next, and from an entry of a row to the next.
    pub(crate) a_strides: (usize, usize),
    pub(crate) b: &'a [T],
    pub(crate) c: &'a mut [T],
    pub(crate) onto: Onto<'a, T>,
}

impl<T: Real> Product<'_, T> {
    /// Panics unless every entry that the product touches exists; the vector path relies on it.
    fn check(&self) {
        if self.rows > 0 && self.depth > 0 {
            let (row, step) = self.a_strides;
            assert!((self.rows - 1) * row + (self.depth - 1) * step < self.a.len());
        }
        assert!(self.b.len() >= self.depth * self.columns);
        assert!(self.c.len() >= self.rows * self.columns);
        if let Onto::Row(row) = self.onto {
            assert!(row.len() >= self.columns);
        }
    }
}

/// The attention of one head for a block of targets: scores, softmax, weighted sums.
pub(crate) struct Attend<'a, T> {
    pub(crate) width: usize,
    pub(crate) starts: &'a [u32],
    pub(crate) neighbours: &'a [u32],
    /// Features of the edges.
    pub(crate) features: &'a [T],
    /// Projection of the edge features: one row of `width` numbers per feature.
    pub(crate) projection: &'a [T],
    pub(crate) sources: &'a [T],
    pub(crate) targets: &'a [T],
    pub(crate) att: &'a [T],
    /// Output: the attention weight of each edge.
    pub(crate) alpha: &'a mut [T],
    /// Output: a bit per number, set where the input of the LeakyReLU was negative; empty if not wanted.
    pub(crate) signs: &'a mut [u8],
    /// Output: the weighted sums of the sources.
    pub(crate) out: &'a mut [T],
}

/// The backward pass of the softmax for a block of targets, which also computes the weighted sums of the sources
/// again.
pub(crate) struct Pull<'a, T> {
    pub(crate) width: usize,
    pub(crate) starts: &'a [u32],
    pub(crate) neighbours: &'a [u32],
    pub(crate) sources: &'a [T],
    /// The gradient of each target's weighted sum.
    pub(crate) gradient: &'a [T],
    pub(crate) alpha: &'a [T],
    /// Output: the gradient of the scores.
    pub(crate) scores: &'a mut [T],
    /// Output: the weighted sums of the sources.
    pub(crate) sums: &'a mut [T],
}

/// Adds to `out`, for each node, the sum over its edges of a coefficient times the slopes of the LeakyReLU.
pub(crate) struct Masked<'a, T> {
    pub(crate) width: usize,
    pub(crate) starts: &'a [u32],
    /// For each edge, the index of its coefficient and signs; `None` if they are in order.
    pub(crate) positions: Option<&'a [u32]>,
    pub(crate) coefficients: &'a [T],
    pub(crate) signs: &'a [u8],
    pub(crate) out: &'a mut [T],
}

/// `out += Σ alpha · row` over the edges of each node. `positions` are the indices of the edges in `alpha`.
pub(crate) struct Gather<'a, T> {
    pub(crate) width: usize,
    pub(crate) starts: &'a [u32],
    pub(crate) neighbours: &'a [u32],
    pub(crate) positions: &'a [u32],
    pub(crate) alpha: &'a [T],
    pub(crate) rows: &'a [T],
    pub(crate) out: &'a mut [T],
}

/// Number of bytes that hold the signs of one edge.
pub(crate) fn sign_bytes(width: usize) -> usize {
    width.div_ceil(8)
}

impl<T: Real> Kernels<T> {
    pub(crate) fn portable() -> Self {
        Kernels {
            product: dense::product,
            attend: portable::attend,
            pull: portable::pull,
            masked: portable::masked,
            gather: portable::gather,
        }
    }

    /// `c = onto + a · b`, for `a` row after row without gaps.
    pub(crate) fn times(&self, a: &[T], b: &[T], onto: Onto<'_, T>, c: &mut [T], columns: usize) {
        let rows = c.len() / columns;
        let depth = b.len() / columns;
        (self.product)(Product {
            rows,
            depth,
            columns,
            a,
            a_strides: (depth, 1),
            b,
            c,
            onto,
        });
    }

    /// `c += aᵀ · b`, all row after row without gaps; `a` and `b` have `rows` rows.
    pub(crate) fn transposed_times(&self, rows: usize, a: &[T], b: &[T], c: &mut [T]) {
        if rows == 0 {
            return;
        }
        let columns = b.len() / rows;
        let wide = a.len() / rows;
        (self.product)(Product {
            rows: wide,
            depth: rows,
            columns,
            a,
            a_strides: (1, wide),
            b,
            c,
            onto: Onto::Itself,
        });
    }
}

impl Kernels<f32> {
    /// The kernels of the vector path; `None` if this processor does not have the instructions.
    pub(crate) fn vector() -> Option<Self> {
        avx2::kernels()
    }
}
