//! Exit codes of the commands that this crate starts.

/// The command ran, but found no solution.
pub(crate) const FOUND_NOTHING: i32 = 1;
/// The solver or the program itself failed.
pub(crate) const INTERNAL: i32 = 3;
