//! Commands of this program in processes of their own.

use std::io::Read;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use idpas_base::process::{Commands, WorkerCommand};
use signal_hook::consts::SIGTERM;

use crate::failure::{Failure, INTERRUPTED};
use crate::signals::flag_on_signals;

/// How this program is started, where that is not by its own file.
static STARTED_BY: OnceLock<WorkerCommand> = OnceLock::new();

/// Says how this program is started: inside an interpreter, its file is the interpreter's. Only the first call counts.
pub(crate) fn is_started_by(command: WorkerCommand) {
    let _ = STARTED_BY.set(command);
}

/// This program, as a command to start.
pub(crate) fn this_program() -> Result<WorkerCommand, Failure> {
    if let Some(command) = STARTED_BY.get() {
        return Ok(command.clone());
    }
    let program = std::env::current_exe()
        .map_err(|e| Failure::Internal(format!("cannot find this program: {e}")))?;
    Ok(WorkerCommand::new(program))
}

/// The worker of a collection, as a command to start.
pub(crate) fn collect_worker() -> Result<WorkerCommand, Failure> {
    let mut worker = this_program()?;
    worker.args.push("collect-worker".into());
    Ok(worker)
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

/// Ends this process when its parent does. A parent keeps the input of its workers open; the end of the input means that
/// nobody waits for this process any more.
#[allow(clippy::exit)] // the solver may be deep in its work, and what it would find is of no use to anybody
pub(crate) fn end_with_parent() {
    let mut rest = [0; 64];
    while let Ok(1..) = std::io::stdin().lock().read(&mut rest) {}
    std::process::exit(INTERRUPTED.into());
}
