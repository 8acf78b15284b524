//! Commands of this program in processes of their own.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use idpas_base::process::{Commands, WorkerCommand};
use signal_hook::consts::SIGTERM;

use crate::failure::Failure;
use crate::signals::flag_on_signals;

/// This program, as a command to start.
pub(crate) fn this_program() -> Result<WorkerCommand, Failure> {
    let program = std::env::current_exe()
        .map_err(|e| Failure::Internal(format!("cannot find this program: {e}")))?;
    Ok(WorkerCommand::new(program))
}

/// Starts commands of this program, and ends them when Ctrl-C or SIGTERM tells it to end.
pub(crate) fn commands() -> Result<Commands, Failure> {
    let terminated = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(SIGTERM, terminated.clone())
        .map_err(|e| Failure::Internal(format!("cannot listen to signals: {e}")))?;
    Ok(Commands {
        program: this_program()?,
        interrupted: flag_on_signals()?,
        terminated,
    })
}
