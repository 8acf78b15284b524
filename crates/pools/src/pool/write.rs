//! Writes a pool to bytes.

use idpas_base::container::{self, ContainerError, Tensor};
use idpas_base::file_name::{is_file_name, refusal};
use idpas_mip::Relaxation;

use super::Pool;
use super::encode;
use super::header::Header;
use super::sparse::Sparse;
use crate::PoolError;

pub(super) fn encode(pool: &Pool) -> Result<Vec<u8>, PoolError> {
    let name = &pool.info.instance.name;
    let wrong = |why: String| ContainerError::Damaged {
        path: name.clone(),
        what: Header::KIND.key,
        why: format!("it cannot be written: {why}"),
    };
    // Such a pool could not be read again.
    if !is_file_name(name) {
        return Err(wrong(refusal(name)).into());
    }
    let tensors = tensors(pool);
    let content = Header::content_hash(&pool.info, &tensors).map_err(|e| wrong(e.to_string()))?;
    let header = Header {
        content_sha256: content,
        info: pool.info.clone(),
    };
    Ok(container::encode(Header::KIND, &header, &tensors).map_err(wrong)?)
}

/// All tensors of a pool: everything but the metadata.
pub(super) fn tensors(pool: &Pool) -> Vec<Tensor> {
    let solutions = &pool.solutions;
    let objectives: Vec<f64> = solutions.iter().map(|s| s.objective).collect();
    let times: Vec<f64> = solutions
        .iter()
        .map(|s| s.time.unwrap_or(f64::NAN))
        .collect();
    let sources: Vec<u8> = solutions.iter().map(|s| s.source as u8).collect();
    let values = Sparse::new(solutions.iter().map(|s| s.values.as_slice()));
    let mut tensors = vec![
        encode::f64s("solution.objective", &objectives),
        encode::f64s(encode::TIME, &times),
        encode::u8s("solution.source", &sources),
    ];
    tensors.extend(encode::integral_lists("integral", &values.integral));
    tensors.extend(encode::fractional_lists("fractional", &values.fractional));
    tensors.extend(pool.relaxation.iter().flat_map(relaxation));
    tensors
}

fn relaxation(lp: &Relaxation) -> Vec<Tensor> {
    let (columns, values): (Vec<i32>, Vec<f64>) = lp
        .values
        .iter()
        .enumerate()
        .filter(|(_, value)| **value != 0.0)
        .map(|(j, &value)| (j as i32, value))
        .unzip();
    vec![
        encode::i32s("lp.column", &columns),
        encode::f64s("lp.value", &values),
        encode::singles("lp.reduced_cost", &lp.reduced_costs),
        encode::basis("lp.column_basis", &lp.column_basis),
        encode::singles("lp.dual", &lp.duals),
        encode::singles("lp.activity", &lp.activities),
        encode::basis("lp.row_basis", &lp.row_basis),
        encode::row_sides("lp.row_side", &lp.row_sides),
    ]
}
