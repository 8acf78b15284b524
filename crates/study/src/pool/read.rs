//! A pool from bytes, nothing in them taken on trust.

use std::path::Path;

use safetensors::SafeTensors;

use super::header::{Header, PoolInfo};
use super::sparse::Sparse;
use super::{FORMAT_VERSION, Pool, PoolSolution, Relaxation, Source, encode, write};
use crate::{StudyError, hash};

/// What is wrong with bytes that should be a pool.
pub(super) enum Fault {
    Damaged(String),
    Version(u32),
}

impl From<String> for Fault {
    fn from(why: String) -> Self {
        Fault::Damaged(why)
    }
}

impl Fault {
    /// Says which file it is.
    pub(super) fn at(self, path: &Path) -> StudyError {
        let path = path.display().to_string();
        match self {
            Fault::Damaged(why) => StudyError::Damaged { path, why },
            Fault::Version(found) => StudyError::Version {
                path,
                found,
                known: FORMAT_VERSION,
            },
        }
    }
}

/// The metadata, once every bit of the file has been checked.
fn verified_header(bytes: &[u8]) -> Result<Header, Fault> {
    let (length, metadata) =
        SafeTensors::read_metadata(bytes).map_err(|e| format!("it is cut or changed: {e}"))?;
    let text = metadata
        .metadata()
        .as_ref()
        .and_then(|map| map.get(Header::KEY))
        .ok_or_else(|| format!("its metadata has no `{}`", Header::KEY))?;
    let value: serde_json::Value =
        serde_json::from_str(text).map_err(|e| format!("its metadata is no JSON: {e}"))?;
    if value["format"] != Header::FORMAT {
        return Err(format!("its metadata does not say `{}`", Header::FORMAT).into());
    }
    checksum(bytes, length, value["sha256"].as_str().unwrap_or_default())?;
    let version = value["version"].as_u64().unwrap_or(0);
    if version != u64::from(FORMAT_VERSION) {
        return Err(Fault::Version(u32::try_from(version).unwrap_or(u32::MAX)));
    }
    let header = serde_json::from_str(text).map_err(|e| format!("its metadata: {e}"))?;
    Ok(header)
}

/// The file's hash, with the checksum itself as zeros, must be the checksum.
fn checksum(bytes: &[u8], header_length: usize, sum: &str) -> Result<(), Fault> {
    let header = &bytes[..bytes.len().min(8 + header_length)];
    let at = (sum.len() == Header::BLANK.len())
        .then(|| write::find(header, sum.as_bytes()))
        .flatten()
        .ok_or_else(|| "its metadata has no checksum".to_owned())?;
    let mut blank = bytes.to_vec();
    blank[at..at + sum.len()].copy_from_slice(Header::BLANK.as_bytes());
    let found = hash::of_bytes(&blank);
    if found != sum {
        let why = format!("its checksum is {}…, not {}…", &found[..8], &sum[..8]);
        return Err(why.into());
    }
    Ok(())
}

pub(super) fn verified_info(bytes: &[u8]) -> Result<PoolInfo, Fault> {
    Ok(verified_header(bytes)?.info)
}

pub(super) fn decode(bytes: &[u8]) -> Result<Pool, Fault> {
    let info = verified_header(bytes)?.info;
    let file = SafeTensors::deserialize(bytes).map_err(|e| e.to_string())?;
    let solutions = solutions(&file, &info)?;
    let relaxation = match info.lp.as_ref().and_then(|lp| lp.objective) {
        Some(objective) => Some(relaxation(&file, &info, objective)?),
        None => None,
    };
    Ok(Pool {
        info,
        solutions,
        relaxation,
    })
}

fn solutions(file: &SafeTensors, info: &PoolInfo) -> Result<Vec<PoolSolution>, String> {
    let values = Sparse {
        integral: encode::take_integral_lists(file, "integral")?,
        fractional: encode::take_fractional_lists(file, "fractional")?,
    }
    .vectors(info.instance.columns)?;
    let objectives = encode::take_f64s(file, "solution.objective")?;
    let times = encode::take_f64s(file, encode::TIME)?;
    let sources = encode::take_u8s(file, "solution.source")?;
    for (name, found) in [
        ("solution.objective", objectives.len()),
        (encode::TIME, times.len()),
        ("solution.source", sources.len()),
    ] {
        length(name, found, values.len())?;
    }
    let sense = info.sense();
    if objectives.windows(2).any(|w| sense.is_better(w[1], w[0])) {
        return Err("its solutions are not in order".into());
    }
    let solution = |(k, values): (usize, Vec<f64>)| {
        let source = Source::from_code(sources[k])
            .ok_or_else(|| format!("solution {k} has the source {}", sources[k]))?;
        Ok(PoolSolution {
            values,
            objective: objectives[k],
            time: (!times[k].is_nan()).then_some(times[k]),
            source,
        })
    };
    values.into_iter().enumerate().map(solution).collect()
}

fn relaxation(file: &SafeTensors, info: &PoolInfo, objective: f64) -> Result<Relaxation, String> {
    let mut values = vec![0.0; info.instance.columns];
    let columns = encode::take_i32s(file, "lp.column")?;
    let numbers = encode::take_f64s(file, "lp.value")?;
    length("lp.value", numbers.len(), columns.len())?;
    for (column, value) in columns.into_iter().zip(numbers) {
        let slot = usize::try_from(column).ok().and_then(|j| values.get_mut(j));
        *slot.ok_or_else(|| format!("tensor `lp.column` has column {column}"))? = value;
    }
    let lp = Relaxation {
        objective,
        values,
        reduced_costs: encode::take_f32s(file, "lp.reduced_cost")?,
        column_basis: encode::take_basis(file, "lp.column_basis")?,
        duals: encode::take_f32s(file, "lp.dual")?,
        activities: encode::take_f32s(file, "lp.activity")?,
        row_basis: encode::take_basis(file, "lp.row_basis")?,
        row_sides: encode::take_u8s(file, "lp.row_side")?,
    };
    let (rows, columns) = (info.instance.rows, info.instance.columns);
    length("lp.reduced_cost", lp.reduced_costs.len(), columns)?;
    length("lp.column_basis", lp.column_basis.len(), columns)?;
    length("lp.dual", lp.duals.len(), rows)?;
    length("lp.activity", lp.activities.len(), rows)?;
    length("lp.row_basis", lp.row_basis.len(), rows)?;
    length("lp.row_side", lp.row_sides.len(), rows)?;
    Ok(lp)
}

fn length(name: &str, found: usize, expected: usize) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!(
            "tensor `{name}` has {found} entries; expected {expected}"
        ))
    }
}
