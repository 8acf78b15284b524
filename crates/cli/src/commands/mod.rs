//! One file per subcommand.

pub(crate) mod assess;
pub(crate) mod check;
pub(crate) mod collect;
pub(crate) mod collect_display;
pub(crate) mod collect_worker;
pub(crate) mod convert;
pub(crate) mod diff;
pub(crate) mod generate;
pub(crate) mod inspect;
pub(crate) mod man;
pub(crate) mod pool;
pub(crate) mod predict;
pub(crate) mod relax;
pub(crate) mod solve;
pub(crate) mod status;
pub(crate) mod train;
pub(crate) mod train_display;
pub(crate) mod tune;
mod tune_display;
mod tune_instances;
mod tune_race;
mod tune_record;
mod tune_report;
mod tune_run;
