//! From a model to its graph, with raw features: not standardised, without identities.

use idpas_mip::{Model, Relaxation, Sense};

use crate::error::expect_length;
use crate::{
    Adjacency, Deviations, EdgeFeature, FeatureSet, GraphError, RowFeature, Table, VariableFeature,
    edges, relaxed, rows, variables,
};

/// A graph whose features are raw, or standardised in place by
/// [`Standardisation::apply`](crate::Standardisation::apply).
#[derive(Clone, Debug, PartialEq)]
pub struct RawGraph {
    /// The set of features that the tables hold.
    pub set: FeatureSet,
    /// Features of variables.
    pub variables: Table,
    /// Features of rows.
    pub rows: Table,
    /// Features of edges, in the order of `by_row`.
    pub edges: Table,
    /// For each row, the indices of the variables in it.
    pub by_row: Adjacency,
}

/// The graph of a model.
///
/// Without `relaxed`, the features of the relaxation are zeros; a caller that needs them should report that. `history`
/// is the zero rate of each column's identity, `None` where it is unknown.
pub fn build(
    model: &Model,
    relaxed: Option<&Relaxation>,
    set: FeatureSet,
    history: Option<&[Option<f32>]>,
) -> Result<RawGraph, GraphError> {
    if let Some(relaxed) = relaxed {
        relaxed::check(relaxed, model)?;
    }
    let limit = u32::MAX as usize;
    if model.matrix.nonzeros() > limit {
        return Err(GraphError::Shape {
            what: format!("{} non-zeros, at most {limit}", model.matrix.nonzeros()),
        });
    }
    let matrix = model.matrix.transposed(model.num_rows());
    let (by_row, edges) = edges::table(&matrix, set);
    let mut graph = RawGraph {
        set,
        variables: variables::table(model, relaxed, set),
        rows: rows::table(model, &matrix, relaxed, set),
        edges,
        by_row,
    };
    if let Some(history) = history {
        graph.set_history(history)?;
    }
    Ok(graph)
}

impl RawGraph {
    /// Sets the zero rates, one entry per variable; does nothing if the set has no such feature.
    pub fn set_history(&mut self, history: &[Option<f32>]) -> Result<(), GraphError> {
        expect_length("zero rates", history.len(), self.variables.rows())?;
        let Some([rate, known]) = self.set.zero_rate_columns() else {
            return Ok(());
        };
        for (j, zero_rate) in history.iter().enumerate() {
            let row = self.variables.row_mut(j);
            row[rate] = zero_rate.unwrap_or(0.0);
            row[known] = flag(zero_rate.is_some()) as f32;
        }
        Ok(())
    }
}

impl RawGraph {
    /// Sets the deviations; does nothing for features that the set does not have.
    pub fn set_deviations(&mut self, deviations: &Deviations) -> Result<(), GraphError> {
        let Deviations {
            columns,
            rows,
            edges,
        } = deviations;
        expect_length(
            "deviations of columns",
            columns.len(),
            self.variables.rows(),
        )?;
        expect_length("deviations of rows", rows.len(), self.rows.rows())?;
        expect_length("deviations of edges", edges.len(), self.edges.rows())?;
        use VariableFeature as V;
        let numbers = [
            V::ObjectiveDeviation,
            V::ValueDeviation,
            V::ReducedCostDeviation,
        ];
        let places = numbers.map(|n| self.set.variable_features().iter().position(|f| *f == n));
        fill(&mut self.variables, &places, |j, k| columns[j][k]);
        let numbers = [RowFeature::SideDeviation, RowFeature::DualDeviation];
        let places = numbers.map(|n| self.set.row_features().iter().position(|f| *f == n));
        fill(&mut self.rows, &places, |i, k| rows[i][k]);
        let of_edge = EdgeFeature::CoefficientDeviation;
        let place = self.set.edge_features().iter().position(|f| *f == of_edge);
        fill(&mut self.edges, &[place], |e, _| edges[e]);
        Ok(())
    }
}

/// For each row `i` of a table, writes `number(i, k)` to the column `places[k]`, where there is one.
fn fill(table: &mut Table, places: &[Option<usize>], number: impl Fn(usize, usize) -> f32) {
    for i in 0..table.rows() {
        for (k, place) in places.iter().enumerate() {
            if let Some(place) = place {
                table.row_mut(i)[*place] = number(i, k);
            }
        }
    }
}

/// The factor that makes smaller objective coefficients better: 1 when minimising, −1 when maximising.
pub(crate) fn direction(sense: Sense) -> f64 {
    match sense {
        Sense::Minimize => 1.0,
        Sense::Maximize => -1.0,
    }
}

/// 1 for `true`, 0 for `false`.
pub(crate) fn flag(is: bool) -> f64 {
    f64::from(u8::from(is))
}

/// A bound or side as a feature: its value, 0 if infinite.
pub(crate) fn bound(value: f64) -> f64 {
    if is_finite(value) { value } else { 0.0 }
}

/// Whether a bound or side is finite.
pub(crate) fn is_finite(value: f64) -> bool {
    value.abs() < idpas_mip::INFINITE_BOUND
}

/// Converts to single precision; the result is never infinite, NaN or a negative zero.
pub(crate) fn narrow(value: f64) -> f32 {
    if value.is_nan() {
        return 0.0;
    }
    let limit = f64::from(f32::MAX);
    (value.clamp(-limit, limit) + 0.0) as f32
}
