//! A result as a table, in Arrow's form, which pandas, polars and pyarrow take without a copy.

use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, Float32Array, Float64Array, RecordBatch, RecordBatchIterator,
    StringArray,
};
use arrow_schema::ArrowError;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::model_error;
use crate::model::Model;

/// Columns of equal length.
#[pyclass(frozen, module = "idpas")]
pub(crate) struct Table {
    batch: RecordBatch,
}

#[pymethods]
impl Table {
    /// Names, values, scores and what was held at zero, one row for each column of a model.
    #[new]
    #[pyo3(signature = (model, values, scores, fixed))]
    fn new(
        model: &Bound<'_, Model>,
        values: Option<PyReadonlyArray1<'_, f64>>,
        scores: Option<PyReadonlyArray1<'_, f32>>,
        fixed: Option<PyReadonlyArray1<'_, bool>>,
    ) -> PyResult<Self> {
        let model = &model.get().model;
        let count = model.num_columns();
        let names = StringArray::from_iter_values(model.columns.names.iter());
        let nothing = || vec![None; count];
        let values: Float64Array = match values {
            Some(values) => values.as_array().iter().copied().collect::<Vec<_>>().into(),
            None => vec![None::<f64>; count].into(),
        };
        // What is not predicted is NaN there, and missing here.
        let scores: Float32Array = match scores {
            Some(scores) => {
                let known = |score: &f32| (!score.is_nan()).then_some(*score);
                scores.as_array().iter().map(known).collect()
            }
            None => vec![None::<f32>; count].into(),
        };
        let fixed: BooleanArray = match fixed {
            Some(fixed) => fixed.as_array().iter().copied().collect::<Vec<_>>().into(),
            None => BooleanArray::from(nothing()),
        };
        let columns: [(&str, ArrayRef); 4] = [
            ("name", Arc::new(names)),
            ("value", Arc::new(values)),
            ("score", Arc::new(scores)),
            ("fixed", Arc::new(fixed)),
        ];
        // Columns of other lengths are refused here.
        let batch = RecordBatch::try_from_iter(columns).map_err(model_error)?;
        Ok(Table { batch })
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        let schema = self.batch.schema();
        schema
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect()
    }

    /// Arrow's stream of the table, for whoever takes it.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A consumer that wants another schema converts for itself, as the protocol allows.
        drop(requested_schema);
        let batches = [Ok::<_, ArrowError>(self.batch.clone())];
        let reader = RecordBatchIterator::new(batches, self.batch.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}
