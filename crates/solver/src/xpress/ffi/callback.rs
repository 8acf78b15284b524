//! The functions that Xpress calls while it runs, which turn the calls into messages for a handler.
//!
//! A call of Xpress that fails in a callback ends the run, and so does one that the callback does not allow. So solutions are
//! handed over only where that is allowed: where one was found, after the relaxation of a node, between rounds of cuts.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};
use std::ptr::null;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::api::{Data, Functions, Prob};
use super::{BEST_BOUND, INFINITY, NODES, SIMPLEX_ITERATIONS, STOP_USER};
use crate::backend::{Message, Receiver, Status};

/// Kinds of messages.
const INFORMATION: c_int = 1;
const WARNING: c_int = 3;
const ERROR: c_int = 4;
/// Least time between two questions whether to stop, in microseconds. Xpress looks at its clock thousands of times a second.
const CHECK_INTERVAL: u64 = 1000;

/// What callbacks need. They may come from any of Xpress's threads, several at once.
pub(super) struct Context<'c, 'r, 'h> {
    f: &'static Functions,
    columns: usize,
    is_discrete: bool,
    began: Instant,
    /// When the next question whether to stop is due, in microseconds since `began`.
    next_check: AtomicU64,
    is_asked: AtomicBool,
    /// Never locked while Xpress is called, which may call back at once.
    receiver: Mutex<&'c mut Receiver<'r, 'h>>,
}

impl<'c, 'r, 'h> Context<'c, 'r, 'h> {
    pub(super) fn new(
        f: &'static Functions,
        columns: usize,
        is_discrete: bool,
        receiver: &'c mut Receiver<'r, 'h>,
    ) -> Self {
        Context {
            f,
            columns,
            is_discrete,
            began: Instant::now(),
            next_check: AtomicU64::new(0),
            is_asked: AtomicBool::new(false),
            receiver: Mutex::new(receiver),
        }
    }

    /// Whether the handler asked to stop.
    pub(super) fn is_asked(&self) -> bool {
        self.is_asked.load(Ordering::Relaxed)
    }

    /// Passes a message on, and remembers whether to stop.
    fn tell(&self, message: Message<'_>) {
        let mut receiver = self.receiver.lock().unwrap_or_else(PoisonError::into_inner);
        if receiver.tell(message) {
            self.is_asked.store(true, Ordering::Relaxed);
        }
    }

    /// Whether it is time to ask again whether to stop.
    fn is_check_due(&self) -> bool {
        let now = u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX);
        let is_due = now >= self.next_check.load(Ordering::Relaxed);
        if is_due {
            self.next_check
                .store(now.saturating_add(CHECK_INTERVAL), Ordering::Relaxed);
        }
        is_due
    }

    fn bound(&self, prob: Prob) -> f64 {
        double_attribute(self.f, prob, BEST_BOUND)
    }

    fn status(&self, prob: Prob) -> Status {
        Status {
            bound: self.bound(prob),
            nodes: count_attribute(self.f, prob, NODES),
            lp_iterations: count_attribute(self.f, prob, SIMPLEX_ITERATIONS),
        }
    }

    /// The solution that the callback is about.
    fn solution(&self, prob: Prob) -> Option<Vec<f64>> {
        let mut values = vec![0.0; self.columns];
        let mut is_there = 0;
        // SAFETY: one place for each column of the model as it was loaded, from the first to the last.
        let code = unsafe {
            (self.f.XPRSgetcallbacksolution)(
                prob,
                &raw mut is_there,
                values.as_mut_ptr(),
                0,
                self.columns as c_int - 1,
            )
        };
        (code == 0 && is_there != 0).then_some(values)
    }

    /// Asks the handler for a solution, and hands it over.
    fn take_offer(&self, prob: Prob) {
        let mut answer = None;
        self.tell(Message::Wanted {
            answer: &mut answer,
        });
        // Xpress ends the run where a value is not finite. It checks and repairs what is not a solution.
        let is_whole = |values: &Vec<f64>| {
            values.len() == self.columns && values.iter().all(|value| value.is_finite())
        };
        if let Some(values) = answer.filter(is_whole) {
            // SAFETY: as many values as columns, which Xpress copies; without indices they are those of all columns.
            unsafe {
                (self.f.XPRSaddmipsol)(
                    prob,
                    self.columns as c_int,
                    values.as_ptr(),
                    null(),
                    null(),
                );
            }
        }
    }
}

/// An attribute that is a number; infinite where Xpress means that.
pub(super) fn double_attribute(f: &Functions, prob: Prob, attribute: c_int) -> f64 {
    let mut value = 0.0;
    // SAFETY: `value` is written once.
    let code = unsafe { (f.XPRSgetdblattrib)(prob, attribute, &raw mut value) };
    match code {
        0 if value.abs() < INFINITY => value,
        0 => f64::INFINITY.copysign(value),
        _ => f64::NAN,
    }
}

/// An attribute that is a small number.
pub(super) fn int_attribute(f: &Functions, prob: Prob, attribute: c_int) -> c_int {
    let mut value = 0;
    // SAFETY: `value` is written once.
    unsafe { (f.XPRSgetintattrib)(prob, attribute, &raw mut value) };
    value
}

/// An attribute that is a count.
pub(super) fn count_attribute(f: &Functions, prob: Prob, attribute: c_int) -> u64 {
    u64::try_from(int_attribute(f, prob, attribute)).unwrap_or(0)
}

/// The context that a callback got back.
///
/// # Safety
/// `data` must be the context of a run that has not ended.
unsafe fn context<'a>(data: Data) -> &'a Context<'a, 'a, 'a> {
    // SAFETY: the caller says so; contexts are used by shared reference only.
    unsafe { &*data.cast::<Context<'a, 'a, 'a>>() }
}

/// Called by Xpress with a line of its log, or with nothing when it is about to end.
pub(super) unsafe extern "C" fn on_message(
    _prob: Prob,
    data: Data,
    text: *const c_char,
    _length: c_int,
    kind: c_int,
) {
    if text.is_null() || kind < INFORMATION {
        return;
    }
    // SAFETY: `data` is the context that `Problem::run` put there and that outlives the problem; messages end in NUL.
    let (context, text) = unsafe { (context(data), CStr::from_ptr(text).to_string_lossy()) };
    for line in text.split('\n') {
        match kind {
            ERROR => context.tell(Message::Log(&format!("ERROR: {}", plain(line)))),
            WARNING => context.tell(Message::Log(&format!("WARNING: {}", plain(line)))),
            _ => context.tell(Message::Log(line)),
        }
    }
}

/// The words of a message such as `?120 Error: Problem has too many rows`.
pub(super) fn plain(line: &str) -> &str {
    let words = line
        .split_once("Error: ")
        .or_else(|| line.split_once("Warning: "));
    words.map_or(line, |(_, words)| words)
}

/// Called by Xpress when it looks at its clock, in all that it does.
pub(super) unsafe extern "C" fn on_check(prob: Prob, data: Data) -> c_int {
    // SAFETY: as in `on_message`.
    let context = unsafe { context(data) };
    if context.is_check_due() {
        let mip = context.is_discrete.then(|| context.status(prob));
        context.tell(Message::Check { mip });
    }
    if context.is_asked() {
        // SAFETY: every callback may interrupt the problem that it is called for.
        unsafe { (context.f.XPRSinterrupt)(prob, STOP_USER) };
    }
    0
}

/// Called by Xpress with every solution that is better than those before.
pub(super) unsafe extern "C" fn on_solution(prob: Prob, data: Data) {
    // SAFETY: as in `on_message`.
    let context = unsafe { context(data) };
    if let Some(values) = context.solution(prob) {
        context.tell(Message::Solution {
            values: &values,
            bound: context.bound(prob),
        });
    }
    context.take_offer(prob);
}

/// Called by Xpress after the relaxation of each node.
pub(super) unsafe extern "C" fn on_node(prob: Prob, data: Data) {
    // SAFETY: as in `on_message`.
    unsafe { context(data) }.take_offer(prob);
}

/// Called by Xpress before each round of cuts; what is to be done next is left as it is.
pub(super) unsafe extern "C" fn on_cut_round(
    prob: Prob,
    data: Data,
    _own_cuts: c_int,
    _action: *mut c_int,
) {
    // SAFETY: as in `on_message`.
    unsafe { context(data) }.take_offer(prob);
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn messages_without_their_numbers() {
        let error = "?120 Error: Problem has too many rows and columns. The maximum is 5000";
        let words = "Problem has too many rows and columns. The maximum is 5000";
        assert_eq!(plain(error), words);
        assert_eq!(plain("?899 Warning: something"), "something");
        assert_eq!(plain("something else"), "something else");
    }
}
