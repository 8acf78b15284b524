//! From a model to its graph, with features as they are: not standardised, without identities.

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
    /// Which features the tables hold.
    pub set: FeatureSet,
    /// Features of variables.
    pub variables: Table,
    /// Features of rows.
    pub rows: Table,
    /// Features of edges, in the order of `by_row`.
    pub edges: Table,
    /// The variables in each row, by column index.
    pub by_row: Adjacency,
}

/// The graph of a model.
///
/// Without `relaxed` the features of the relaxation are zeros; whoever needs them and has none should
/// say so. `history` is the zero rate of each column's identity, where one is known.
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
    /// Writes the zero rates, one entry per variable; does nothing if the set has no such feature.
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
    /// Writes deviations; does nothing for features that the set does not have.
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

/// Writes number `k` of each row of a table to the `k`-th place, where there is one.
fn fill(table: &mut Table, places: &[Option<usize>], number: impl Fn(usize, usize) -> f32) {
    for i in 0..table.rows() {
        for (k, place) in places.iter().enumerate() {
            if let Some(place) = place {
                table.row_mut(i)[*place] = number(i, k);
            }
        }
    }
}

/// 1 or −1, by which objective coefficients are multiplied so that smaller is better.
pub(crate) fn direction(sense: Sense) -> f64 {
    match sense {
        Sense::Minimize => 1.0,
        Sense::Maximize => -1.0,
    }
}

/// 1 or 0.
pub(crate) fn flag(is: bool) -> f64 {
    f64::from(u8::from(is))
}

/// The value of a bound or side, 0 if infinite.
pub(crate) fn bound(value: f64) -> f64 {
    if is_finite(value) { value } else { 0.0 }
}

/// Whether a bound or side is one.
pub(crate) fn is_finite(value: f64) -> bool {
    value.abs() < idpas_mip::INFINITE_BOUND
}

/// To single precision without ever becoming infinite, NaN or a negative zero.
pub(crate) fn narrow(value: f64) -> f32 {
    if value.is_nan() {
        return 0.0;
    }
    let limit = f64::from(f32::MAX);
    (value.clamp(-limit, limit) + 0.0) as f32
}
