//! How much is thrown, drawn from which seed, and what was counted.

use std::time::{SystemTime, UNIX_EPOCH};

use idpas_base::random::Random;

/// The environment variable that asks for the long campaign.
const LENGTH: &str = "IDPAS_FAULTS";
/// The environment variable that repeats the draws of another time.
const SEED: &str = "IDPAS_FAULT_SEED";

/// The first number in `cargo test`, the second one in the long campaign.
pub(crate) fn so_many(short: usize, long: usize) -> usize {
    match is_long() {
        true => long,
        false => short,
    }
}

/// Whether this is the long campaign.
pub(crate) fn is_long() -> bool {
    std::env::var_os(LENGTH).is_some_and(|length| length == "long")
}

/// Random numbers for a purpose, from the seed that the environment names or from one that differs each time. It is
/// printed.
#[allow(clippy::print_stdout)] // cargo shows it when the test fails
pub(crate) fn random(purpose: &str) -> Random {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let seed = match std::env::var(SEED) {
        Ok(text) => text.parse().expect("a number in IDPAS_FAULT_SEED"),
        Err(_) => now.expect("a time").as_nanos() as u64,
    };
    println!("{purpose}: repeat with {SEED}={seed}");
    Random::new(seed, purpose, 0)
}

/// Prints a line of counts, which the long campaign shows.
#[allow(clippy::print_stdout)]
pub(crate) fn tell(line: &str) {
    println!("faults: {line}");
}
