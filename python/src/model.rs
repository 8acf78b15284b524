//! Models: from arrays, from files, and back.

use std::path::PathBuf;
use std::sync::Arc;

use idpas_mip::check::{Tolerances, check};
use idpas_mip::files::Input;
use idpas_mip::{INFINITE_BOUND, Matrix, Names, Sense, VarKind, read_model, solution, write_model};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use crate::errors::model_error;

/// A mixed-integer linear model. It never changes.
#[pyclass(frozen, module = "idpas")]
#[derive(Clone)]
pub(crate) struct Model {
    pub(crate) model: Arc<idpas_mip::Model>,
}

impl Model {
    fn new(model: idpas_mip::Model) -> Self {
        Model {
            model: Arc::new(model),
        }
    }
}

/// An array of the caller's, of the length that it must have.
fn copied(name: &str, array: &PyReadonlyArray1<'_, f64>, length: usize) -> PyResult<Vec<f64>> {
    expect_length(name, array.len()?, length)?;
    // Arrays with strides are copied element by element.
    Ok(match array.as_slice() {
        Ok(slice) => slice.to_vec(),
        Err(_) => array.as_array().iter().copied().collect(),
    })
}

fn expect_length(name: &str, found: usize, expected: usize) -> PyResult<()> {
    match found == expected {
        true => Ok(()),
        false => Err(model_error(format!(
            "{name}: {found} entries; expected {expected}"
        ))),
    }
}

/// Names from a list, or numbered ones.
fn names(what: &str, given: Option<&Bound<'_, PyList>>, count: usize) -> PyResult<Names> {
    let mut names = Names::new();
    let Some(given) = given else {
        let first = &what[..1];
        for index in 0..count {
            // Numbered names differ from each other.
            let _ = names.push(&format!("{first}{index}"));
        }
        return Ok(names);
    };
    expect_length(&format!("{what} names"), given.len(), count)?;
    for name in given.iter() {
        let Ok(text) = name.cast::<PyString>() else {
            return Err(model_error(format!(
                "a {what} name is {}; expected a string",
                name.repr()?
            )));
        };
        let name = text.to_str()?;
        if name.is_empty() {
            return Err(model_error(format!("a {what} has an empty name")));
        }
        if names.push(name).is_err() {
            return Err(model_error(format!("two {what}s are called `{name}`")));
        }
    }
    Ok(names)
}

fn infinite(mut bounds: Vec<f64>) -> Vec<f64> {
    for bound in &mut bounds {
        if bound.abs() >= INFINITE_BOUND {
            *bound = f64::INFINITY.copysign(*bound);
        }
    }
    bounds
}

#[pymethods]
impl Model {
    /// A model from arrays, its matrix by columns.
    #[staticmethod]
    #[pyo3(signature = (*, name, maximize, constant, cost, lower, upper, integer, row_lower, row_upper, indptr, indices, data,
        column_names, row_names))]
    #[allow(clippy::too_many_arguments)] // they are what a model consists of, and Python names each
    fn from_arrays(
        name: &str,
        maximize: bool,
        constant: f64,
        cost: PyReadonlyArray1<'_, f64>,
        lower: PyReadonlyArray1<'_, f64>,
        upper: PyReadonlyArray1<'_, f64>,
        integer: PyReadonlyArray1<'_, bool>,
        row_lower: PyReadonlyArray1<'_, f64>,
        row_upper: PyReadonlyArray1<'_, f64>,
        indptr: PyReadonlyArray1<'_, i64>,
        indices: PyReadonlyArray1<'_, i32>,
        data: PyReadonlyArray1<'_, f64>,
        column_names: Option<&Bound<'_, PyList>>,
        row_names: Option<&Bound<'_, PyList>>,
    ) -> PyResult<Self> {
        let columns = cost.len()?;
        let rows = row_lower.len()?;
        let integer = integer.as_array();
        expect_length("integer", integer.len(), columns)?;
        let kind = integer.iter().map(|integer| match integer {
            true => VarKind::Integer,
            false => VarKind::Continuous,
        });
        let model = idpas_mip::Model {
            name: name.to_owned(),
            sense: match maximize {
                true => Sense::Maximize,
                false => Sense::Minimize,
            },
            objective_name: "obj".into(),
            objective_constant: constant,
            columns: idpas_mip::Columns {
                names: names("column", column_names, columns)?,
                cost: copied("cost", &cost, columns)?,
                lower: infinite(copied("lower", &lower, columns)?),
                upper: infinite(copied("upper", &upper, columns)?),
                kind: kind.collect(),
            },
            rows: idpas_mip::Rows {
                names: names("row", row_names, rows)?,
                lower: infinite(copied("row_lower", &row_lower, rows)?),
                upper: infinite(copied("row_upper", &row_upper, rows)?),
            },
            matrix: matrix(&indptr, &indices, &data, columns, rows)?,
        };
        model.validate().map_err(model_error)?;
        Ok(Model::new(model))
    }

    /// Reads a file (MPS or LP, plain or gzipped), and gives the model with the reader's warnings.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<(Self, Vec<String>)> {
        let parsed = py.detach(|| read_model(&path)).map_err(model_error)?;
        let warnings = parsed.warnings.iter();
        let warnings = warnings.map(|warning| warning.message.clone()).collect();
        Ok((Model::new(parsed.model), warnings))
    }

    /// Writes MPS or LP by the ending of the path, gzipped if it ends in `.gz`; whole or not at all.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| write_model(&self.model, &path))
            .map_err(model_error)
    }

    #[getter]
    fn name(&self) -> &str {
        &self.model.name
    }

    #[getter]
    fn maximize(&self) -> bool {
        self.model.sense == Sense::Maximize
    }

    #[getter]
    fn constant(&self) -> f64 {
        self.model.objective_constant
    }

    #[getter]
    fn num_columns(&self) -> usize {
        self.model.num_columns()
    }

    #[getter]
    fn num_rows(&self) -> usize {
        self.model.num_rows()
    }

    #[getter]
    fn num_nonzeros(&self) -> usize {
        self.model.matrix.nonzeros()
    }

    #[getter]
    fn cost<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.model.columns.cost)
    }

    #[getter]
    fn lower<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.model.columns.lower)
    }

    #[getter]
    fn upper<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.model.columns.upper)
    }

    #[getter]
    fn integer<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let kinds = self.model.columns.kind.iter();
        PyArray1::from_iter(py, kinds.map(|kind| *kind == VarKind::Integer))
    }

    #[getter]
    fn row_lower<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.model.rows.lower)
    }

    #[getter]
    fn row_upper<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.model.rows.upper)
    }

    #[getter]
    fn indptr<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_iter(py, self.model.matrix.starts().iter().map(|&at| at as i64))
    }

    #[getter]
    fn indices<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        PyArray1::from_iter(
            py,
            self.model.matrix.indices().iter().map(|&row| row as i32),
        )
    }

    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.model.matrix.values())
    }

    #[getter]
    fn column_names(&self) -> Vec<&str> {
        self.model.columns.names.iter().collect()
    }

    #[getter]
    fn row_names(&self) -> Vec<&str> {
        self.model.rows.names.iter().collect()
    }

    /// Checks values with exact arithmetic: feasible, objective, and the worst violation in words.
    fn check<'py>(
        &self,
        py: Python<'py>,
        values: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let values = copied("values", &values, self.model.num_columns())?;
        let report = py
            .detach(|| check(&self.model, &values, &Tolerances::default()))
            .map_err(model_error)?;
        let worst = [
            &report.worst_row,
            &report.worst_bound,
            &report.worst_integrality,
        ];
        let worst = worst.into_iter().flatten().max_by(|a, b| {
            let excess = |v: &idpas_mip::check::Violation| v.violation / v.allowed.max(1e-300);
            excess(a).total_cmp(&excess(b))
        });
        let answer = PyDict::new(py);
        answer.set_item("feasible", report.feasible)?;
        answer.set_item("objective", report.objective)?;
        answer.set_item("violation", worst.map(ToString::to_string))?;
        Ok(answer)
    }

    /// Reads a solution file of any of the solvers, and gives its values by column with the reader's warnings.
    fn read_solution<'py>(
        &self,
        py: Python<'py>,
        path: PathBuf,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Vec<String>)> {
        let file = py.detach(|| solution::read(&Input::path(&path), &self.model));
        let file = file.map_err(model_error)?;
        let warnings = file.warnings.into_iter();
        let warnings = warnings.map(|warning| warning.message).collect();
        Ok((PyArray1::from_vec(py, file.solution.values), warnings))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other
            .cast::<Model>()
            .is_ok_and(|other| *other.get().model == *self.model)
    }

    // Equal models have equal names and sizes; that is enough to tell most others apart.
    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        let shape = [self.num_columns(), self.num_rows(), self.num_nonzeros()];
        (&self.model.name, shape).hash(&mut hasher);
        hasher.finish()
    }

    /// A pickled model is its arrays.
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyDict>,))> {
        let parts = PyDict::new(py);
        parts.set_item("name", self.name())?;
        parts.set_item("maximize", self.maximize())?;
        parts.set_item("constant", self.constant())?;
        parts.set_item("cost", self.cost(py))?;
        parts.set_item("lower", self.lower(py))?;
        parts.set_item("upper", self.upper(py))?;
        parts.set_item("integer", self.integer(py))?;
        parts.set_item("row_lower", self.row_lower(py))?;
        parts.set_item("row_upper", self.row_upper(py))?;
        parts.set_item("indptr", self.indptr(py))?;
        parts.set_item("indices", self.indices(py))?;
        parts.set_item("data", self.data(py))?;
        parts.set_item("column_names", self.column_names())?;
        parts.set_item("row_names", self.row_names())?;
        let restore = py.import("idpas._extract")?.getattr("restore")?;
        Ok((restore, (parts,)))
    }

    fn __repr__(&self) -> String {
        let shape = self.model.shape();
        format!(
            "<idpas.Model {:?}: {} rows, {} columns ({} binary, {} integer), {} non-zeros>",
            self.model.name,
            shape.rows,
            shape.columns,
            shape.binaries,
            shape.integers,
            shape.nonzeros
        )
    }
}

/// The matrix; entries that are zero are left out.
fn matrix(
    indptr: &PyReadonlyArray1<'_, i64>,
    indices: &PyReadonlyArray1<'_, i32>,
    data: &PyReadonlyArray1<'_, f64>,
    columns: usize,
    rows: usize,
) -> PyResult<Matrix> {
    let not_contiguous = |_| PyValueError::new_err("the matrix: expected contiguous arrays");
    let starts = indptr.as_slice().map_err(not_contiguous)?;
    let indices = indices.as_slice().map_err(not_contiguous)?;
    let values = data.as_slice().map_err(not_contiguous)?;
    expect_length("indptr", starts.len(), columns + 1)?;
    expect_length("data", values.len(), indices.len())?;
    let is_ascending = starts.windows(2).all(|pair| pair[0] <= pair[1]);
    if !is_ascending || starts[0] != 0 || starts[columns] != values.len() as i64 {
        return Err(model_error(
            "indptr: expected ascending from 0 to the number of entries",
        ));
    }
    let mut matrix = Matrix::new();
    for pair in starts.windows(2) {
        for at in pair[0] as usize..pair[1] as usize {
            let row = usize::try_from(indices[at]).ok().filter(|row| *row < rows);
            let Some(row) = row else {
                let found = indices[at];
                return Err(model_error(format!("indices: row {found} of {rows}")));
            };
            if values[at] != 0.0 {
                matrix.push(row, values[at]);
            }
        }
        matrix.close();
    }
    Ok(matrix)
}
