//! Exit codes of the commands that this crate starts, as the system gives them.

use idpas_base::exit;

/// The command ran, but found no solution.
pub(crate) const FOUND_NOTHING: i32 = exit::NOTHING as i32;
/// The solver or the program itself failed.
pub(crate) const INTERNAL: i32 = exit::INTERNAL as i32;
