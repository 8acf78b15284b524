//! Long work with Python beside it.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often the calling thread looks for Ctrl-C.
const LOOK: Duration = Duration::from_millis(50);

/// What attended work came to.
pub(crate) struct Attended<T> {
    /// What the work gave.
    pub(crate) result: T,
    /// The exception with which it was asked to stop, by Ctrl-C or by a callback.
    pub(crate) stopped: Option<PyErr>,
}

impl<T> Attended<T> {
    /// The result, unless a callback raised an exception. Ctrl-C is no failure: the work knows that it was stopped.
    pub(crate) fn or_raised(self, py: Python<'_>) -> PyResult<T> {
        use pyo3::exceptions::PyKeyboardInterrupt;
        match self.stopped {
            Some(error) if !error.is_instance_of::<PyKeyboardInterrupt>(py) => Err(error),
            _ => Ok(self.result),
        }
    }

    /// The result, unless anything asked it to stop.
    pub(crate) fn or_stopped(self) -> PyResult<T> {
        self.stopped.map_or(Ok(self.result), Err)
    }
}

/// Does `work` on a thread of its own and, on the calling one, `tell`s what it sends, lets other Python threads run, and
/// looks for Ctrl-C. When that comes, or `tell` fails, `stop` is called, and the work is expected to end soon.
pub(crate) fn attend<T: Send, E: Send>(
    py: Python<'_>,
    stop: impl Fn(),
    mut tell: impl FnMut(E) -> PyResult<()>,
    work: impl FnOnce(Sender<E>) -> T + Send,
) -> PyResult<Attended<T>> {
    let (sender, receiver) = channel();
    let receiver = Mutex::new(receiver);
    std::thread::scope(|scope| {
        let worker = scope.spawn(move || work(sender));
        let mut stopped = None;
        let mut raised = |error: PyErr| {
            stop();
            stopped.get_or_insert(error);
        };
        loop {
            match next(py, &receiver) {
                Ok(event) => {
                    if let Err(error) = tell(event) {
                        raised(error);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                // The work is done, or as good as.
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if let Err(error) = py.check_signals() {
                raised(error);
            }
        }
        let result = py.detach(|| worker.join());
        let result = result.map_err(|_| PyRuntimeError::new_err("idpas: a thread broke"))?;
        Ok(Attended { result, stopped })
    })
}

/// The next event, while other Python threads run.
fn next<E: Send>(py: Python<'_>, receiver: &Mutex<Receiver<E>>) -> Result<E, RecvTimeoutError> {
    py.detach(|| {
        let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
        receiver.recv_timeout(LOOK)
    })
}
