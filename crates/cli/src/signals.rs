//! Ctrl-C and SIGTERM: the first signal asks the work to stop and keep its results, the second ends the program.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};

use crate::failure::{Failure, INTERRUPTED};

/// A flag that is set by the first signal.
pub(crate) fn flag_on_signals() -> Result<Arc<AtomicBool>, Failure> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        let code = i32::from(INTERRUPTED);
        signal_hook::flag::register_conditional_shutdown(signal, code, flag.clone())
            .and_then(|_| signal_hook::flag::register(signal, flag.clone()))
            .map_err(|e| Failure::Internal(format!("cannot listen to signals: {e}")))?;
    }
    Ok(flag)
}
