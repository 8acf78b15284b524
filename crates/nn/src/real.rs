//! The two precisions: `f32` for use, `f64` for checking gradients.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

use crate::kernels::Kernels;

/// A floating-point number the network can run in: `f32` or `f64`.
pub trait Real:
    sealed::Sealed
    + Copy
    + Debug
    + Default
    + PartialOrd
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + AddAssign
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// The nearest number to `value`.
    fn from_f64(value: f64) -> Self;
    /// The same number.
    fn from_f32(value: f32) -> Self;
    /// The same number.
    fn to_f64(self) -> f64;
    /// The square root.
    fn sqrt(self) -> Self;
    /// The exponential of a number that is not positive.
    #[doc(hidden)]
    fn exp(self) -> Self;
    /// The kernels for this precision.
    #[doc(hidden)]
    fn kernels(portable: bool) -> Kernels<Self>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

impl Real for f32 {
    const ZERO: f32 = 0.0;
    const ONE: f32 = 1.0;

    fn from_f64(value: f64) -> f32 {
        value as f32
    }

    fn from_f32(value: f32) -> f32 {
        value
    }

    fn to_f64(self) -> f64 {
        f64::from(self)
    }

    fn sqrt(self) -> f32 {
        f32::sqrt(self)
    }

    fn exp(self) -> f32 {
        exp(self)
    }

    fn kernels(portable: bool) -> Kernels<f32> {
        match Kernels::vector() {
            Some(kernels) if !portable => kernels,
            _ => Kernels::portable(),
        }
    }
}

impl Real for f64 {
    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;

    fn from_f64(value: f64) -> f64 {
        value
    }

    fn from_f32(value: f32) -> f64 {
        f64::from(value)
    }

    fn to_f64(self) -> f64 {
        self
    }

    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }

    fn exp(self) -> f64 {
        f64::exp(self)
    }

    fn kernels(_portable: bool) -> Kernels<f64> {
        Kernels::portable()
    }
}

/// Arguments below this are treated as this, whose exponential is about 1e-38.
pub(crate) const EXP_LOWEST: f32 = -87.0;
/// ln 2 in two parts, the first with few bits so that multiples of it are exact.
pub(crate) const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
/// A polynomial for (eʳ − 1 − r) / r² on |r| ≤ ½ ln 2, highest power first (Cephes).
pub(crate) const EXP: [f32; 6] = [
    1.987_569_1e-4,
    1.398_2e-3,
    8.333_452e-3,
    4.166_579_6e-2,
    1.666_666_5e-1,
    0.5,
];

/// The exponential of a number that is not positive. Our own, because mathematics libraries differ between systems.
fn exp(x: f32) -> f32 {
    let x = x.max(EXP_LOWEST);
    let n = (x * std::f32::consts::LOG2_E).round_ties_even();
    let r = (x - n * LN_2[0]) - n * LN_2[1];
    let series = EXP.iter().fold(0.0, |sum, &c| sum * r + c);
    let y = series * r * r + r + 1.0;
    y * f32::from_bits(((n as i32 + 127) as u32) << 23)
}

#[cfg(test)]
mod tests {
    #[test]
    fn exponential_is_close() {
        for k in 0..870_000 {
            let x = -(k as f32) * 1e-4;
            let truth = f64::from(x).exp();
            let error = (f64::from(super::exp(x)) - truth).abs() / truth;
            assert!(error < 2e-7, "{x}: {error}");
        }
        assert_eq!(super::exp(0.0), 1.0);
        assert!(super::exp(f32::NEG_INFINITY) < 1e-37);
    }
}
