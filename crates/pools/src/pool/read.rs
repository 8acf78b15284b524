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
    let columns = info.instance.columns;
    let vectors = encode::take_f64s(&file, "solution.objective")?.len();
    if !may_expand(bytes.len(), columns, vectors) {
        let why = format!("{vectors} solutions with {columns} columns do not fit into such a file");
        return Err(why.into());
    }
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

/// Bytes that the solutions of a pool may take in memory, however small its file is.
const FREE_BYTES: usize = 1 << 30;
/// Bytes that they may take for each byte of the file, where that is more.
const RATIO: usize = 200;

/// Whether a file of so many bytes may hold so many solutions. Solutions are stored by their few non-zeros and
/// differences, so that the columns that the header names are nowhere in the file; a stranger's file must not fill the
/// memory by naming many.
fn may_expand(file: usize, columns: usize, solutions: usize) -> bool {
    let dense = columns.checked_mul(solutions.saturating_add(1));
    let dense = dense.and_then(|numbers| numbers.checked_mul(size_of::<f64>()));
    dense.is_some_and(|bytes| bytes <= FREE_BYTES.max(file.saturating_mul(RATIO)))
}

fn solutions(file: &SafeTensors, info: &PoolInfo) -> Result<Vec<PoolSolution>, String> {
    let sparse = Sparse {
        integral: encode::take_integral_lists(file, "integral")?,
        fractional: encode::take_fractional_lists(file, "fractional")?,
    };
    let objectives = encode::take_f64s(file, "solution.objective")?;
    // Before any vector is made, since it is the solutions that were counted.
    length(
        "integral.start",
        sparse.integral.start.len(),
        objectives.len() + 1,
    )?;
    let values = sparse.vectors(info.instance.columns)?;
    let times = encode::take_f64s(file, encode::TIME)?;
    let sources = encode::take_u8s(file, "solution.source")?;
    for (name, found) in [
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
    let (rows, columns) = (info.instance.rows, info.instance.columns);
    let reduced_costs = encode::take_singles(file, "lp.reduced_cost")?;
    length("lp.reduced_cost", reduced_costs.len(), columns)?;
    let mut values = vec![0.0; columns];
    let listed = encode::take_i32s(file, "lp.column")?;
    let numbers = encode::take_f64s(file, "lp.value")?;
    length("lp.value", numbers.len(), listed.len())?;
    for (column, value) in listed.into_iter().zip(numbers) {
        let slot = usize::try_from(column).ok().and_then(|j| values.get_mut(j));
        *slot.ok_or_else(|| format!("tensor `lp.column` has column {column}"))? = value;
    }
    let lp = Relaxation {
        objective,
        values,
        reduced_costs,
        column_basis: encode::take_basis(file, "lp.column_basis")?,
        duals: encode::take_singles(file, "lp.dual")?,
        activities: encode::take_singles(file, "lp.activity")?,
        row_basis: encode::take_basis(file, "lp.row_basis")?,
        row_sides: encode::take_row_sides(file, "lp.row_side")?,
    };
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

#[cfg(test)]
mod tests {
    use super::may_expand;

    #[test]
    fn a_small_file_has_no_endless_columns() {
        assert!(may_expand(10_000, 1_000_000, 50));
        assert!(may_expand(5_000_000, 1_000_000, 120));
        assert!(!may_expand(10_000, 1_000_000, 200));
        assert!(!may_expand(3_000, 1 << 40, 0));
        assert!(!may_expand(usize::MAX, usize::MAX, usize::MAX));
    }
}
