//! The bipartite graph of a model as arrays.

use std::time::Instant;

use idpas_graph::{FeatureSet, Table, build};
use idpas_mip::Relaxation;
use idpas_solver::{Control, HardStop, Params};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::model_error;
use crate::model::Model;

/// Nodes, edges and features of a model's graph, not standardised. With `relaxation`, the linear relaxation is solved for
/// the features that need it, which are 0 otherwise.
#[pyfunction]
#[pyo3(signature = (model, *, set, relaxation, solver, time_limit))]
pub(crate) fn features<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    set: &str,
    relaxation: bool,
    solver: &str,
    time_limit: Option<f64>,
) -> PyResult<Bound<'py, PyDict>> {
    let set = FeatureSet::ALL
        .into_iter()
        .find(|known| known.as_str() == set)
        .ok_or_else(|| {
            let known = FeatureSet::ALL.map(FeatureSet::as_str).join(", ");
            model_error(format!("features: `{set}`; known: {known}"))
        })?;
    let model = model.get().model.clone();
    let graph = py.detach(|| {
        let relaxed = match relaxation && set.needs_relaxation() {
            true => relax(&model, solver, time_limit)?,
            false => None,
        };
        build(&model, relaxed.as_ref(), set, None).map_err(model_error)
    })?;
    let answer = PyDict::new(py);
    let table = |table: Table| -> PyResult<Bound<'py, PyArray2<f32>>> {
        let (rows, width) = (table.rows(), table.width);
        PyArray1::from_vec(py, table.data).reshape([rows, width])
    };
    let mut rows = Vec::with_capacity(graph.by_row.neighbours.len());
    for row in 0..graph.by_row.nodes() {
        rows.extend(graph.by_row.range(row).map(|_| row as i64));
    }
    let columns = graph
        .by_row
        .neighbours
        .iter()
        .map(|&column| i64::from(column));
    answer.set_item("variables", table(graph.variables)?)?;
    answer.set_item("rows", table(graph.rows)?)?;
    answer.set_item("edges", table(graph.edges)?)?;
    answer.set_item("edge_rows", PyArray1::from_vec(py, rows))?;
    answer.set_item("edge_columns", PyArray1::from_iter(py, columns))?;
    let names = set.variable_features().iter();
    answer.set_item(
        "variable_names",
        names.map(|f| f.as_str()).collect::<Vec<_>>(),
    )?;
    let names = set.row_features().iter();
    answer.set_item("row_names", names.map(|f| f.as_str()).collect::<Vec<_>>())?;
    let names = set.edge_features().iter();
    answer.set_item("edge_names", names.map(|f| f.as_str()).collect::<Vec<_>>())?;
    Ok(answer)
}

fn relax(
    model: &idpas_mip::Model,
    solver: &str,
    time_limit: Option<f64>,
) -> PyResult<Option<Relaxation>> {
    let solver = idpas_solver::by_name(solver).map_err(model_error)?;
    let mut loaded = solver.load(model).map_err(model_error)?;
    let params = Params {
        time_limit,
        ..Params::default()
    };
    let mut control = Control {
        stop: HardStop::after(Instant::now(), time_limit),
        ..Control::default()
    };
    let result = loaded.solve_relaxation(&params, &mut control);
    Ok(result.map_err(model_error)?.solution)
}
