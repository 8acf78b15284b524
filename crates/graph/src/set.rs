//! Sets of features: which ones a graph carries.

use crate::{EdgeFeature, GraphError, RowFeature, VariableFeature};

/// Which features a graph carries.
///
/// `Full` has the paper's, bound and side values, degrees, the sense of rows, the historical zero rate, and how far numbers
/// are from what is usual at their place.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum FeatureSet {
    /// The paper's 15 of variables, 4 of rows, 1 of edges.
    Paper,
    /// The paper's, bounds, sides, senses, degrees, and how often the variable was zero.
    #[default]
    Full,
    /// What of these needs no linear relaxation.
    Light,
}

const VARIABLE_FULL: &[VariableFeature] = {
    use VariableFeature::*;
    &[
        IsContinuous,
        IsBinary,
        IsInteger,
        Objective,
        HasLower,
        HasUpper,
        AtLower,
        AtUpper,
        Fractionality,
        BasisBasic,
        BasisLower,
        BasisUpper,
        BasisSuper,
        ReducedCost,
        Value,
        // The features of the paper end here.
        Lower,
        Upper,
        Degree,
        ZeroRate,
        ZeroRateKnown,
        ObjectiveDeviation,
        ValueDeviation,
        ReducedCostDeviation,
    ]
};

const VARIABLE_LIGHT: &[VariableFeature] = {
    use VariableFeature::*;
    &[
        IsContinuous,
        IsBinary,
        IsInteger,
        Objective,
        HasLower,
        HasUpper,
        Lower,
        Upper,
        Degree,
        ZeroRate,
        ZeroRateKnown,
        ObjectiveDeviation,
    ]
};

const ROW_FULL: &[RowFeature] = {
    use RowFeature::*;
    &[
        Cosine,
        RightHandSide,
        Tight,
        Dual,
        // The features of the paper end here.
        IsLess,
        IsGreater,
        IsEqual,
        IsRanged,
        Left,
        Right,
        Degree,
        SideDeviation,
        DualDeviation,
    ]
};

const ROW_LIGHT: &[RowFeature] = {
    use RowFeature::*;
    &[
        Cosine,
        RightHandSide,
        IsLess,
        IsGreater,
        IsEqual,
        IsRanged,
        Left,
        Right,
        Degree,
        SideDeviation,
    ]
};

const EDGE_FULL: &[EdgeFeature] = &[
    EdgeFeature::Coefficient,
    EdgeFeature::RowScaled,
    EdgeFeature::CoefficientDeviation,
];
const EDGE_LIGHT: &[EdgeFeature] = &[EdgeFeature::Coefficient, EdgeFeature::CoefficientDeviation];

impl FeatureSet {
    /// All sets.
    pub const ALL: [FeatureSet; 3] = [FeatureSet::Paper, FeatureSet::Full, FeatureSet::Light];

    /// `paper`, `full` or `light`.
    pub fn as_str(self) -> &'static str {
        match self {
            FeatureSet::Paper => "paper",
            FeatureSet::Full => "full",
            FeatureSet::Light => "light",
        }
    }

    /// The features of variables, in their order in the table.
    pub fn variable_features(self) -> &'static [VariableFeature] {
        match self {
            FeatureSet::Paper => &VARIABLE_FULL[..15],
            FeatureSet::Full => VARIABLE_FULL,
            FeatureSet::Light => VARIABLE_LIGHT,
        }
    }

    /// The features of rows, in their order in the table.
    pub fn row_features(self) -> &'static [RowFeature] {
        match self {
            FeatureSet::Paper => &ROW_FULL[..4],
            FeatureSet::Full => ROW_FULL,
            FeatureSet::Light => ROW_LIGHT,
        }
    }

    /// The features of edges, in their order in the table.
    pub fn edge_features(self) -> &'static [EdgeFeature] {
        match self {
            FeatureSet::Full => EDGE_FULL,
            FeatureSet::Light => EDGE_LIGHT,
            FeatureSet::Paper => &EDGE_FULL[..1],
        }
    }

    /// Whether any feature is computed from the linear relaxation.
    pub fn needs_relaxation(self) -> bool {
        self.variable_features()
            .iter()
            .any(|feature| feature.needs_relaxation())
    }

    /// Positions, in the table, of those features of a variable that reveal its identity.
    pub(crate) fn revealing_variable_features(self) -> Vec<usize> {
        use VariableFeature as F;
        self.places(self.variable_features(), |feature| {
            matches!(
                feature,
                F::ZeroRate
                    | F::ZeroRateKnown
                    | F::ObjectiveDeviation
                    | F::ValueDeviation
                    | F::ReducedCostDeviation
            )
        })
    }

    /// Positions, in the table, of those features of a row that reveal its identity.
    pub(crate) fn revealing_row_features(self) -> Vec<usize> {
        use RowFeature as F;
        self.places(self.row_features(), |feature| {
            matches!(feature, F::SideDeviation | F::DualDeviation)
        })
    }

    /// Positions, in the table, of those features of an edge that reveal the identities of its ends.
    pub(crate) fn revealing_edge_features(self) -> Vec<usize> {
        self.places(self.edge_features(), |feature| {
            *feature == EdgeFeature::CoefficientDeviation
        })
    }

    fn places<F>(self, features: &[F], wanted: impl Fn(&F) -> bool) -> Vec<usize> {
        let all = features.iter().enumerate();
        all.filter(|(_, feature)| wanted(feature))
            .map(|(place, _)| place)
            .collect()
    }

    /// Positions, in the table, of the zero rate and of the flag that it is known; `None` if the set does not have
    /// them.
    pub(crate) fn zero_rate_columns(self) -> Option<[usize; 2]> {
        let find = |wanted| self.variable_features().iter().position(|&f| f == wanted);
        Some([
            find(VariableFeature::ZeroRate)?,
            find(VariableFeature::ZeroRateKnown)?,
        ])
    }
}

impl std::fmt::Display for FeatureSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for FeatureSet {
    type Err = GraphError;

    fn from_str(text: &str) -> Result<Self, GraphError> {
        FeatureSet::ALL
            .into_iter()
            .find(|set| set.as_str() == text)
            .ok_or_else(|| GraphError::UnknownSet { found: text.into() })
    }
}
