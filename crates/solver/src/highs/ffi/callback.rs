//! The function that HiGHS calls while it runs, which turns the calls into messages for a handler.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::{Mutex, PoisonError};

use highs_sys as c;

use crate::backend::{Message, Receiver, Status};

/// Called by HiGHS, possibly from one of its worker threads; therefore the mutex.
pub(super) unsafe extern "C" fn callback(
    kind: c_int,
    text: *const c_char,
    out: *const c::HighsCallbackDataOut,
    into: *mut c::HighsCallbackDataIn,
    data: *mut c_void,
) {
    // SAFETY: `data` is the receiver that `run` put there, alive until the run ends; `out` and `into` are null or
    // valid for this call, and `into` is ours to write.
    let (receiver, out, into) = unsafe {
        (
            &*data.cast::<Mutex<Receiver<'_, '_>>>(),
            out.as_ref(),
            into.as_mut(),
        )
    };
    let mut receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
    let mut answer = None;
    let is_asked = match (kind, out) {
        (c::kHighsCallbackLogging, _) if !text.is_null() => {
            // SAFETY: HiGHS's messages end in NUL.
            let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
            receiver.tell(Message::Log(&text))
        }
        (c::kHighsCallbackMipSolution | c::kHighsCallbackMipImprovingSolution, Some(out))
            if !out.mip_solution.is_null() && out.mip_solution_size > 0 =>
        {
            // SAFETY: HiGHS gives pointer and length of one array, alive for this call.
            let values = unsafe {
                std::slice::from_raw_parts(out.mip_solution, out.mip_solution_size as usize)
            };
            receiver.tell(Message::Solution {
                values,
                bound: out.mip_dual_bound,
            })
        }
        (c::kHighsCallbackCallbackMipUserSolution, _) => receiver.tell(Message::Wanted {
            answer: &mut answer,
        }),
        (c::kHighsCallbackMipInterrupt, Some(out)) => receiver.tell(Message::Check {
            mip: Some(Status {
                bound: out.mip_dual_bound,
                nodes: u64::try_from(out.mip_node_count).unwrap_or(0),
                lp_iterations: u64::try_from(out.mip_total_lp_iterations).unwrap_or(0),
            }),
        }),
        (c::kHighsCallbackSimplexInterrupt | c::kHighsCallbackIpmInterrupt, _) => {
            receiver.tell(Message::Check { mip: None })
        }
        _ => false,
    };
    match answer {
        Some(values) => hand_over(&values, into),
        None if is_asked => stop(kind, into),
        None => {}
    }
}

/// Passes a solution to HiGHS, which checks it and refuses one of the wrong length.
fn hand_over(values: &[f64], into: Option<&mut c::HighsCallbackDataIn>) {
    if let (Some(into), Ok(length)) = (into, c_int::try_from(values.len())) {
        // SAFETY: pointer and length of one array, which HiGHS copies; `into` is its own object for this call.
        unsafe { c::Highs_setCallbackSolution(into, length, values.as_ptr()) };
    }
}

/// Asks HiGHS to stop, in those callbacks that allow it.
fn stop(kind: c_int, into: Option<&mut c::HighsCallbackDataIn>) {
    let may = matches!(
        kind,
        c::kHighsCallbackMipInterrupt
            | c::kHighsCallbackSimplexInterrupt
            | c::kHighsCallbackIpmInterrupt
    );
    if let (true, Some(into)) = (may, into) {
        into.user_interrupt = 1;
    }
}
