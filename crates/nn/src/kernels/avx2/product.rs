//! Dense products for the network's shapes: a block of rows times a matrix that fits the cache.
//!
//! Nothing is packed: `b` is small or a block in cache, and its rows are read as they are. A tile
//! of 6 × 16 numbers stays in registers, which is what keeps both multipliers busy.

use std::arch::x86_64::*;

use super::super::{Onto, Product};

/// Depth after which a tile is written back to memory, so that what it reads stays in the first-level cache.
const DEEP: usize = 96;

/// See [`Product`]; the number of columns must be a multiple of 8, and one of the strides of `a` must be 1.
#[target_feature(enable = "avx2,fma")]
pub(super) fn product(x: Product<'_, f32>) {
    x.check();
    let (a_row, a_step) = x.a_strides;
    let mut begin = 0;
    // Done once even at depth 0, so that `onto` is written.
    while begin == 0 || begin < x.depth {
        let depth = DEEP.min(x.depth - begin);
        let job = Job {
            depth,
            a: x.a.as_ptr().wrapping_add(begin * a_step),
            a_row,
            a_step,
            b: x.b.as_ptr().wrapping_add(begin * x.columns),
            columns: x.columns,
            c: x.c.as_mut_ptr(),
            onto: if begin == 0 { x.onto } else { Onto::Itself },
        };
        // SAFETY: all rows of the result are within `a` and `c`, by `check`.
        unsafe {
            // A stride that is known at compile time saves most computations of addresses.
            if a_step == 1 {
                job.all::<true>(x.rows);
            } else {
                job.all::<false>(x.rows);
            }
        }
        begin += DEEP;
    }
}

/// A product as pointers whose ranges were checked.
struct Job<'a> {
    depth: usize,
    a: *const f32,
    a_row: usize,
    a_step: usize,
    b: *const f32,
    columns: usize,
    c: *mut f32,
    onto: Onto<'a, f32>,
}

impl Job<'_> {
    /// Computes the first `rows` rows of the result, which must be within `a` and `c`. `ROWS` means that the entries
    /// of a row of `a` are next to each other.
    #[target_feature(enable = "avx2,fma")]
    unsafe fn all<const ROWS: bool>(&self, rows: usize) {
        let mut row = 0;
        while row < rows {
            // SAFETY: each step takes no more rows than are left.
            unsafe {
                match rows - row {
                    1 => self.rows::<1, ROWS>(row),
                    2 => self.rows::<2, ROWS>(row),
                    3 => self.rows::<3, ROWS>(row),
                    4 => self.rows::<4, ROWS>(row),
                    5 => self.rows::<5, ROWS>(row),
                    _ => self.rows::<6, ROWS>(row),
                }
            }
            row += 6;
        }
    }

    /// Computes `R` rows of the result, which must be within `a` and `c`.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn rows<const R: usize, const ROWS: bool>(&self, row: usize) {
        let mut column = 0;
        while column < self.columns {
            // SAFETY: the columns are a multiple of 8, so these tiles are within the result.
            unsafe {
                if self.columns - column >= 16 {
                    self.tile::<R, 2, ROWS>(row, column);
                    column += 16;
                } else {
                    self.tile::<R, 1, ROWS>(row, column);
                    column += 8;
                }
            }
        }
    }

    /// Computes a tile of `R` rows and `V` vectors, which must be within the result.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn tile<const R: usize, const V: usize, const ROWS: bool>(
        &self,
        row: usize,
        column: usize,
    ) {
        // SAFETY: the tile is within the result, so its rows of `a` and columns of `b` are there.
        unsafe {
            let c = self.c.add(row * self.columns + column);
            let mut tile = match self.onto {
                Onto::Zero => [[_mm256_setzero_ps(); V]; R],
                Onto::Row(onto) => {
                    let from = onto.as_ptr().add(column);
                    [std::array::from_fn(|v| _mm256_loadu_ps(from.add(v * 8))); R]
                }
                Onto::Itself => std::array::from_fn(|r| {
                    std::array::from_fn(|v| _mm256_loadu_ps(c.add(r * self.columns + v * 8)))
                }),
            };
            let mut a = self.a.wrapping_add(row * self.a_row);
            let mut b = self.b.wrapping_add(column);
            let (across, down) = if ROWS {
                (self.a_row, 1)
            } else {
                (1, self.a_step)
            };
            // Four at a time: fewer counters and jumps beside the arithmetic.
            for _ in 0..self.depth / 4 {
                for k in 0..4 {
                    add(&mut tile, a.add(k * down), across, b.add(k * self.columns));
                }
                a = a.wrapping_add(4 * down);
                b = b.wrapping_add(4 * self.columns);
            }
            for k in 0..self.depth % 4 {
                add(&mut tile, a.add(k * down), across, b.add(k * self.columns));
            }
            for (r, tile) in tile.into_iter().enumerate() {
                for (v, value) in tile.into_iter().enumerate() {
                    _mm256_storeu_ps(c.add(r * self.columns + v * 8), value);
                }
            }
        }
    }
}

/// Adds `R` numbers of `a`, a stride apart, times `V` vectors at `b`. All of them must be valid to read.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn add<const R: usize, const V: usize>(
    tile: &mut [[__m256; V]; R],
    a: *const f32,
    apart: usize,
    b: *const f32,
) {
    // SAFETY: as the caller promises.
    unsafe {
        let values: [__m256; V] = std::array::from_fn(|v| _mm256_loadu_ps(b.add(v * 8)));
        for (r, tile) in tile.iter_mut().enumerate() {
            let factor = _mm256_broadcast_ss(&*a.add(r * apart));
            for v in 0..V {
                tile[v] = _mm256_fmadd_ps(factor, values[v], tile[v]);
            }
        }
    }
}
