//! Choosing settings on validation instances.
//!
//! The paper evaluates every point of a grid on every instance for the full time. A [`race`] evaluates many candidates
//! on few instances for a short time, and the better ones on more instances for longer ([`Plan`]), always comparing
//! candidates on the same instances. What an evaluation is, and whether its result is remembered for the next time, is
//! the caller's business: a race asks for the same evaluations in the same order as long as it gets the same answers,
//! so that a caller that remembers can resume it.

mod candidates;
mod plan;
mod race;
mod worth;

pub use candidates::{default_candidates, distinct_for, grid_paper, grid_paper_best};
pub use plan::{Plan, Rung};
pub use race::{
    Choice, Cost, Evaluation, RungReport, Standing, Trial, paired_lead, race, race_in_batches,
};
pub use worth::measured_worth;
