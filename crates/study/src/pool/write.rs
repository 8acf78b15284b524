//! A pool as bytes.

use std::collections::HashMap;

use super::encode::{self, Tensor};
use super::header::Header;
use super::sparse::Sparse;
use super::{FORMAT_VERSION, Pool, Relaxation};
use crate::{StudyError, hash};

pub(super) fn encode(pool: &Pool) -> Result<Vec<u8>, StudyError> {
    let name = &pool.info.instance.name;
    let wrong = |why: String| StudyError::Damaged {
        path: name.clone(),
        why: format!("it cannot be written: {why}"),
    };
    let tensors = tensors(pool);
    let content = Header::content_hash(&pool.info, &tensors).map_err(|e| wrong(e.to_string()))?;
    let header = Header {
        format: Header::FORMAT.into(),
        version: FORMAT_VERSION,
        sha256: Header::BLANK.into(),
        content_sha256: content,
        info: pool.info.clone(),
    };
    let header = serde_json::to_string(&header).map_err(|e| wrong(e.to_string()))?;
    // One entry only: the order of several would be random.
    let metadata = HashMap::from([(Header::KEY.to_owned(), header)]);
    let named = tensors.iter().map(|tensor| (tensor.name.as_str(), tensor));
    let mut bytes =
        safetensors::serialize(named, Some(metadata)).map_err(|e| wrong(e.to_string()))?;
    let sum = hash::of_bytes(&bytes);
    let at = find(&bytes, Header::BLANK.as_bytes())
        .ok_or_else(|| wrong("no room for the checksum".into()))?;
    bytes[at..at + sum.len()].copy_from_slice(sum.as_bytes());
    Ok(bytes)
}

/// Where `needle` first is in `bytes`.
pub(super) fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|w| w == needle)
}

/// Everything but the metadata.
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
        encode::f32s("lp.reduced_cost", &lp.reduced_costs),
        encode::basis("lp.column_basis", &lp.column_basis),
        encode::f32s("lp.dual", &lp.duals),
        encode::f32s("lp.activity", &lp.activities),
        encode::basis("lp.row_basis", &lp.row_basis),
        encode::u8s("lp.row_side", &lp.row_sides),
    ]
}
