//! The page: one file without scripts or links to anywhere, with figures as vectors and their data beside them.

mod text;

pub use text::text;

use crate::analysis::Analysis;

/// The page.
pub fn html(analysis: &Analysis) -> String {
    text(analysis)
}
