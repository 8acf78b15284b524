//! Neighbourhood search: hold what a solution has, free some columns, solve what is left.
//!
//! 1. **Choose** the discrete columns that are free: by rows and chance ([`RowChooser`], as collecting pools does), or by
//!    a ranking from scores, relaxation and success (as the staged search does). Both fill [`FreeColumns`].
//! 2. **Hold** all other discrete columns at the values of the solution ([`hold`]).
//! 3. **Solve** what is left: in place, in a loaded model that is changed and changed back ([`ChangedModel`]), where many
//!    re-solves follow each other and rows or costs differ as well; or as a smaller model
//!    ([`Reduced`](idpas_mip::reduce::Reduced)), where one solution is to be improved in a moment.
//!
//! Checking what comes out is the [judge's](idpas_solver::judge) task.

mod changed;
mod free;
mod hold;
mod implied;
pub(crate) mod ranked;
mod rows;

pub use changed::{Change, ChangedModel};
pub use free::FreeColumns;
pub use hold::hold;
pub use rows::{RowChooser, RowRule};
