//! One file per subcommand.

pub(crate) mod check;
pub(crate) mod convert;
pub(crate) mod inspect;
pub(crate) mod man;
pub(crate) mod relax;
pub(crate) mod solve;
