//! Exit codes of the program `idpas`, for those who set them and those who start it.

/// The command ran, but found no solution or found it infeasible, or some of its tasks failed.
pub const NOTHING: u8 = 1;
/// Bad usage or input.
pub const USAGE: u8 = 2;
/// The solver or the program itself failed.
pub const INTERNAL: u8 = 3;
/// Stopped by Ctrl-C, with what there was kept.
pub const INTERRUPTED: u8 = 130;
