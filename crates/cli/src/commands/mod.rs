//! One file per subcommand, or one folder where a subcommand has several.

pub(crate) mod assess;
pub(crate) mod check;
pub(crate) mod child;
pub(crate) mod collect;
pub(crate) mod convert;
pub(crate) mod demo;
pub(crate) mod diff;
pub(crate) mod evaluate;
pub(crate) mod generate;
pub(crate) mod inspect;
pub(crate) mod learn;
pub(crate) mod man;
pub(crate) mod pool;
pub(crate) mod predict;
pub(crate) mod relax;
pub(crate) mod report;
pub(crate) mod series;
pub(crate) mod solve;
pub(crate) mod solvers;
pub(crate) mod status;
pub(crate) mod train;
pub(crate) mod tune;
