//! The ways to search, side by side. Each takes a [`Search`](crate::driver::Search) from its beginning to its
//! [`SearchOutcome`](crate::SearchOutcome).
//!
//! | method | strategy |
//! | --- | --- |
//! | `idpas` | [`staged`]: sub-models by scores, neighbourhoods of the best solution, the whole model |
//! | `solver` | [`plain`]: the whole model in one stage |
//! | the others | [`region`]: the paper's region, and what completes it |

mod plain;
mod region;
mod staged;
