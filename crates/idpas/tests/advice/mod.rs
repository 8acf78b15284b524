//! Wrong advice, thrown at every method on small models of which the truth is known exactly.
#![allow(dead_code, unreachable_pub)] // helpers of tests

pub mod alone;
pub mod campaign;
pub mod claims;
pub mod guides;
pub mod lies;
pub mod models;
pub mod number;
pub mod runs;
pub mod simplex;
pub mod tally;
pub mod truth;
