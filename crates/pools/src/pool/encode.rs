//! Converts the arrays of a pool to tensors and back.

use idpas_base::container::Tensor;
use idpas_base::container::tensor::array;
use idpas_mip::{BasisStatus, RowSides};
use safetensors::{Dtype, SafeTensors};

use super::sparse::Lists;
pub(super) use idpas_base::container::tensor::{
    f32s, f64s, i32s, i64s, take_f32s, take_f64s, take_i32s, take_i64s, take_u8s, u8s,
};

/// Name of the tensor with the times of solutions in seconds: the only one that depends on a clock.
pub(super) const TIME: &str = "solution.time";

/// Integers as a tensor of the smallest type that holds all of them.
fn integers(name: String, values: &[i64]) -> Tensor {
    let low = values.iter().copied().min().unwrap_or(0);
    let high = values.iter().copied().max().unwrap_or(0);
    let fits = |least: i64, most: i64| least <= low && high <= most;
    let (dtype, width) = if fits(i8::MIN.into(), i8::MAX.into()) {
        (Dtype::I8, 1)
    } else if fits(i16::MIN.into(), i16::MAX.into()) {
        (Dtype::I16, 2)
    } else if fits(i32::MIN.into(), i32::MAX.into()) {
        (Dtype::I32, 4)
    } else {
        (Dtype::I64, 8)
    };
    // The low bytes of a little-endian two's complement are the number in the smaller type.
    let bytes = values
        .iter()
        .flat_map(|v| v.to_le_bytes().into_iter().take(width))
        .collect();
    Tensor {
        name,
        dtype,
        shape: vec![values.len()],
        bytes,
    }
}

fn take_integers(file: &SafeTensors, name: &str) -> Result<Vec<i64>, String> {
    let types = [Dtype::I8, Dtype::I16, Dtype::I32, Dtype::I64];
    let (dtype, data) = array(file, name, &types)?;
    let width = match dtype {
        Dtype::I8 => 1,
        Dtype::I16 => 2,
        Dtype::I32 => 4,
        _ => 8,
    };
    let widen = |bytes: &[u8]| {
        let sign = if bytes[width - 1] & 0x80 == 0 {
            0
        } else {
            0xff
        };
        let mut whole = [sign; 8];
        whole[..width].copy_from_slice(bytes);
        i64::from_le_bytes(whole)
    };
    Ok(data.chunks_exact(width).map(widen).collect())
}

pub(super) fn integral_lists(name: &str, lists: &Lists<i64>) -> [Tensor; 3] {
    [
        i64s(format!("{name}.start"), &lists.start),
        i32s(format!("{name}.column"), &lists.column),
        integers(format!("{name}.value"), &lists.value),
    ]
}

pub(super) fn fractional_lists(name: &str, lists: &Lists<f64>) -> [Tensor; 3] {
    [
        i64s(format!("{name}.start"), &lists.start),
        i32s(format!("{name}.column"), &lists.column),
        f64s(format!("{name}.value"), &lists.value),
    ]
}

pub(super) fn take_integral_lists(file: &SafeTensors, name: &str) -> Result<Lists<i64>, String> {
    Ok(Lists {
        start: take_i64s(file, &format!("{name}.start"))?,
        column: take_i32s(file, &format!("{name}.column"))?,
        value: take_integers(file, &format!("{name}.value"))?,
    })
}

pub(super) fn take_fractional_lists(file: &SafeTensors, name: &str) -> Result<Lists<f64>, String> {
    Ok(Lists {
        start: take_i64s(file, &format!("{name}.start"))?,
        column: take_i32s(file, &format!("{name}.column"))?,
        value: take_f64s(file, &format!("{name}.value"))?,
    })
}

/// Basis statuses; the index of each is the number that stands for it in files.
const BASIS: [BasisStatus; 5] = [
    BasisStatus::Lower,
    BasisStatus::Basic,
    BasisStatus::Upper,
    BasisStatus::Zero,
    BasisStatus::Nonbasic,
];

pub(super) fn basis(name: &str, statuses: &[BasisStatus]) -> Tensor {
    let code = |status: &BasisStatus| BASIS.iter().position(|s| s == status).unwrap_or(0) as u8;
    u8s(name, &statuses.iter().map(code).collect::<Vec<_>>())
}

pub(super) fn take_basis(file: &SafeTensors, name: &str) -> Result<Vec<BasisStatus>, String> {
    let status = |code: u8| {
        let known = BASIS.get(usize::from(code)).copied();
        known.ok_or_else(|| format!("tensor `{name}` has the basis status {code}"))
    };
    take_u8s(file, name)?.into_iter().map(status).collect()
}

/// Numbers in single precision.
pub(super) fn singles(name: &str, numbers: &[f64]) -> Tensor {
    let single = |number: &f64| *number as f32 + 0.0;
    f32s(name, &numbers.iter().map(single).collect::<Vec<_>>())
}

pub(super) fn take_singles(file: &SafeTensors, name: &str) -> Result<Vec<f64>, String> {
    Ok(take_f32s(file, name)?.into_iter().map(f64::from).collect())
}

/// The bit in a file of a row that is at its left-hand side.
const AT_LOWER: u8 = 1;
/// The bit in a file of a row that is at its right-hand side.
const AT_UPPER: u8 = 2;

pub(super) fn row_sides(name: &str, sides: &[RowSides]) -> Tensor {
    let code =
        |sides: &RowSides| u8::from(sides.lower) * AT_LOWER + u8::from(sides.upper) * AT_UPPER;
    u8s(name, &sides.iter().map(code).collect::<Vec<_>>())
}

pub(super) fn take_row_sides(file: &SafeTensors, name: &str) -> Result<Vec<RowSides>, String> {
    let sides = |code: u8| RowSides {
        lower: code & AT_LOWER != 0,
        upper: code & AT_UPPER != 0,
    };
    Ok(take_u8s(file, name)?.into_iter().map(sides).collect())
}
