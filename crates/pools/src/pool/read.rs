//! Reads a pool from bytes and checks everything in them.

use idpas_base::container::{self, Fault};
use idpas_mip::Relaxation;
use safetensors::SafeTensors;

use super::header::{Header, PoolInfo};
use super::sparse::Sparse;
use super::{Pool, PoolOutline, PoolSolution, Source, encode};

pub(super) fn verified_info(bytes: &[u8]) -> Result<PoolInfo, Fault> {
    Ok(container::header::<Header>(Header::KIND, bytes)?.info)
}

pub(super) fn outline(bytes: &[u8]) -> Result<PoolOutline, Fault> {
    let (header, file) = container::decode::<Header>(Header::KIND, bytes)?;
    Ok(PoolOutline {
        info: header.info,
        objectives: encode::take_f64s(&file, "solution.objective")?,
    })
}

pub(super) fn decode(bytes: &[u8]) -> Result<Pool, Fault> {
    let (header, file) = container::decode::<Header>(Header::KIND, bytes)?;
    let info = header.info;
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
        reduced_costs: encode::take_singles(file, "lp.reduced_cost")?,
        column_basis: encode::take_basis(file, "lp.column_basis")?,
        duals: encode::take_singles(file, "lp.dual")?,
        activities: encode::take_singles(file, "lp.activity")?,
        row_basis: encode::take_basis(file, "lp.row_basis")?,
        row_sides: encode::take_row_sides(file, "lp.row_side")?,
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
