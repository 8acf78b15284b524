//! All features by name. The names are stored in model files, so they never change their meaning.

/// Declares an enum of features with a table of their properties.
macro_rules! features {
    ($(#[$outer:meta])* $kind:ident {
        $($(#[$doc:meta])* $variant:ident = $text:literal, lp: $lp:literal, scaled: $scaled:literal;)*
    }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        #[non_exhaustive]
        pub enum $kind {
            $($(#[$doc])* #[serde(rename = $text)] $variant,)*
        }

        impl $kind {
            /// The name in model files.
            pub fn as_str(self) -> &'static str {
                match self { $($kind::$variant => $text,)* }
            }

            /// Whether it is computed from the linear relaxation.
            pub fn needs_relaxation(self) -> bool {
                match self { $($kind::$variant => $lp,)* }
            }

            /// Whether it is centred and scaled; flags and rates between 0 and 1 are not.
            pub fn is_standardised(self) -> bool {
                match self { $($kind::$variant => $scaled,)* }
            }
        }

        impl std::fmt::Display for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

features! {
    /// A feature of a variable.
    VariableFeature {
        /// 1 if continuous.
        IsContinuous = "is_continuous", lp: false, scaled: false;
        /// 1 if binary.
        IsBinary = "is_binary", lp: false, scaled: false;
        /// 1 if integer and not binary.
        IsInteger = "is_integer", lp: false, scaled: false;
        /// The objective coefficient, negated when maximising, so that smaller is better.
        Objective = "objective", lp: false, scaled: true;
        /// 1 if the lower bound is finite.
        HasLower = "has_lower", lp: false, scaled: false;
        /// 1 if the upper bound is finite.
        HasUpper = "has_upper", lp: false, scaled: false;
        /// 1 if the relaxed value is at the lower bound.
        AtLower = "lp_at_lower", lp: true, scaled: false;
        /// 1 if the relaxed value is at the upper bound.
        AtUpper = "lp_at_upper", lp: true, scaled: false;
        /// Distance of an integer column's relaxed value from the nearest integer.
        Fractionality = "lp_fractionality", lp: true, scaled: true;
        /// 1 if in the basis.
        BasisBasic = "basis_basic", lp: true, scaled: false;
        /// 1 if outside the basis at the lower bound.
        BasisLower = "basis_lower", lp: true, scaled: false;
        /// 1 if outside the basis at the upper bound.
        BasisUpper = "basis_upper", lp: true, scaled: false;
        /// 1 if outside the basis at no bound.
        BasisSuper = "basis_superbasic", lp: true, scaled: false;
        /// The reduced cost, negated when maximising.
        ReducedCost = "reduced_cost", lp: true, scaled: true;
        /// The relaxed value.
        Value = "lp_value", lp: true, scaled: true;
        /// The lower bound, 0 if infinite.
        Lower = "lower", lp: false, scaled: true;
        /// The upper bound, 0 if infinite.
        Upper = "upper", lp: false, scaled: true;
        /// Number of rows in which it appears.
        Degree = "degree", lp: false, scaled: true;
        /// Share of training instances, between 0 and 1, in which the variable was zero; 0 if not known.
        ZeroRate = "zero_rate", lp: false, scaled: false;
        /// 1 if the zero rate is known.
        ZeroRateKnown = "zero_rate_known", lp: false, scaled: false;
        /// How far the objective coefficient is from what is usual for this variable, in standard deviations.
        ObjectiveDeviation = "objective_deviation", lp: false, scaled: false;
        /// How far the relaxed value is from what is usual for this variable, in standard deviations.
        ValueDeviation = "lp_value_deviation", lp: true, scaled: false;
        /// How far the reduced cost is from what is usual for this variable, in standard deviations.
        ReducedCostDeviation = "reduced_cost_deviation", lp: true, scaled: false;
    }
}

features! {
    /// A feature of a row.
    RowFeature {
        /// Cosine of the angle between the row and the objective, which is negated when maximising; 0 if either is
        /// zero.
        Cosine = "cosine", lp: false, scaled: true;
        /// The finite side, the right one if both are finite; 0 if neither is.
        RightHandSide = "right_hand_side", lp: false, scaled: true;
        /// 1 if the relaxed solution touches a side.
        Tight = "lp_tight", lp: true, scaled: false;
        /// The dual value, negated when maximising.
        Dual = "dual", lp: true, scaled: true;
        /// 1 if only the right side is finite.
        IsLess = "is_less", lp: false, scaled: false;
        /// 1 if only the left side is finite.
        IsGreater = "is_greater", lp: false, scaled: false;
        /// 1 if both sides are equal.
        IsEqual = "is_equal", lp: false, scaled: false;
        /// 1 if both sides are finite and differ.
        IsRanged = "is_ranged", lp: false, scaled: false;
        /// The left side, 0 if infinite.
        Left = "left", lp: false, scaled: true;
        /// The right side, 0 if infinite.
        Right = "right", lp: false, scaled: true;
        /// Number of columns in it.
        Degree = "degree", lp: false, scaled: true;
        /// How far the finite side is from what is usual for this row, in standard deviations.
        SideDeviation = "side_deviation", lp: false, scaled: false;
        /// How far the dual value is from what is usual for this row, in standard deviations.
        DualDeviation = "dual_deviation", lp: true, scaled: false;
    }
}

features! {
    /// A feature of an edge.
    EdgeFeature {
        /// The coefficient.
        Coefficient = "coefficient", lp: false, scaled: true;
        /// The coefficient divided by the largest absolute coefficient of its row.
        RowScaled = "row_scaled", lp: false, scaled: true;
        /// How far the coefficient is from what is usual at this row and column, in standard deviations.
        CoefficientDeviation = "coefficient_deviation", lp: false, scaled: false;
    }
}
