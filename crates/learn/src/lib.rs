//! Predictors.
