//! The solution of a model's linear relaxation, as solvers give it and as everything else uses it.

use crate::Sense;

/// Where a row or column stands in a basis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BasisStatus {
    /// At its lower bound.
    Lower,
    /// In the basis.
    Basic,
    /// At its upper bound.
    Upper,
    /// Free, outside the basis, at zero.
    Zero,
    /// Outside the basis, at no bound (superbasic).
    Nonbasic,
}

/// Which sides of a row its activity reaches, within [`RowSides::TOLERANCE`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowSides {
    /// The activity is at the row's left-hand side.
    pub lower: bool,
    /// The activity is at the row's right-hand side.
    pub upper: bool,
}

impl RowSides {
    /// How close an activity must be to a side, per `max(1, |side|)`, to be at it.
    pub const TOLERANCE: f64 = 1e-6;

    /// The sides that an activity reaches in a row `lower ≤ activity ≤ upper`.
    pub fn of(activity: f64, lower: f64, upper: f64) -> Self {
        let at = |side: f64| {
            side.is_finite() && (activity - side).abs() <= Self::TOLERANCE * side.abs().max(1.0)
        };
        RowSides {
            lower: at(lower),
            upper: at(upper),
        }
    }

    /// Whether the activity is at one of the sides.
    pub fn any(self) -> bool {
        self.lower || self.upper
    }
}

/// An optimal solution of a model's linear relaxation, in the model's own sense: nothing is negated when maximising.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Relaxation {
    /// Objective value.
    pub objective: f64,
    /// Values by column.
    pub values: Vec<f64>,
    /// Reduced costs by column.
    pub reduced_costs: Vec<f64>,
    /// Basis status by column.
    pub column_basis: Vec<BasisStatus>,
    /// Activities by row.
    pub activities: Vec<f64>,
    /// Dual values by row: how the objective changes with the row's side.
    pub duals: Vec<f64>,
    /// Basis status by row.
    pub row_basis: Vec<BasisStatus>,
    /// Which of its sides each row reaches, decided from activities in double precision.
    pub row_sides: Vec<RowSides>,
}

impl Relaxation {
    /// How wrong the objective value may be, relatively: solvers work with tolerances.
    const SLACK: f64 = 1e-6;

    /// How wrong the objective value may be, in units of the objective.
    pub fn slack(&self) -> f64 {
        Self::SLACK * self.objective.abs().max(1.0)
    }

    /// A bound of the model: the objective value, with room for tolerances.
    pub fn bound(&self, sense: Sense) -> f64 {
        match sense {
            Sense::Minimize => self.objective - self.slack(),
            Sense::Maximize => self.objective + self.slack(),
        }
    }

    /// The same relaxation with reduced costs, duals and activities rounded to single precision, and without negative
    /// zeros. Pool files keep just that, so features made from it do not depend on whether a relaxation was read or
    /// has just been solved.
    pub fn to_single(mut self) -> Self {
        for numbers in [
            &mut self.reduced_costs,
            &mut self.duals,
            &mut self.activities,
        ] {
            for number in numbers {
                *number = f64::from(*number as f32 + 0.0);
            }
        }
        for value in &mut self.values {
            *value += 0.0;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_at_a_side_within_the_tolerance() {
        let sides = |activity| RowSides::of(activity, -1.0, 1e9);
        assert_eq!(
            sides(-1.0 + 1e-7),
            RowSides {
                lower: true,
                upper: false
            }
        );
        assert!(!sides(-1.0 + 1e-5).any());
        assert!(sides(1e9 - 100.0).upper);
        assert!(!RowSides::of(0.0, f64::NEG_INFINITY, f64::INFINITY).any());
    }

    #[test]
    fn single_precision_keeps_values_and_loses_the_sign_of_zero() {
        let lp = Relaxation {
            values: vec![-0.0, 0.1],
            duals: vec![0.1, -1e-300],
            ..Relaxation::default()
        }
        .to_single();
        assert!(lp.values[0].is_sign_positive());
        assert_eq!(lp.values[1], 0.1);
        assert_eq!(lp.duals[0], f64::from(0.1_f32));
        assert!(lp.duals[1].is_sign_positive());
    }

    #[test]
    fn the_bound_leaves_room_on_the_side_of_the_optimum() {
        let lp = Relaxation {
            objective: 100.0,
            ..Relaxation::default()
        };
        assert!(lp.bound(Sense::Minimize) < 100.0);
        assert!(lp.bound(Sense::Maximize) > 100.0);
    }
}
