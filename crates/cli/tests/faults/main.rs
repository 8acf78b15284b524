//! What becomes of work under way when something around it fails: processes are killed, the disk is full, a folder cannot
//! be written, the clock jumps, memory is short.
//!
//! `cargo test` throws a little of each. With `IDPAS_FAULTS=long` the same tests throw a thousand kills and more of the rest,
//! and print what they count (`make faults`). Moments and places are drawn from a seed that is printed; `IDPAS_FAULT_SEED`
//! repeats it.
#![cfg(target_os = "linux")]

#[path = "../common/mod.rs"]
mod common;

mod campaign;
mod clock;
mod disks;
mod files;
mod kills;
mod memory;
mod read_only;
mod work;
