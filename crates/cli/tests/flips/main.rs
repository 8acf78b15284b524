//! Damage to every kind of file that the program writes: bits that flip, ends that are missing, blocks of zeros, bytes too
//! many. Each time the command that reads the file either gives the same result, makes the file again, or says what is wrong
//! and names the file. It never panics, and never gives another result without a word.
//!
//! `cargo test` damages each kind a few times. With `IDPAS_FAULTS=long` it is hundreds of times each, and counts are printed
//! (`make flips`). What is damaged is drawn from a seed; `IDPAS_FAULT_SEED` chooses another one.
#![cfg(unix)]
#![allow(clippy::print_stdout)] // cargo shows the counts with --nocapture

#[path = "../common/mod.rs"]
mod common;

mod damage;
mod inputs;
mod learning;
mod pools;
mod results;
mod series;
mod subject;

use idpas_base::random::Random;

/// The first number as a rule, the second one in the long campaign.
fn so_many(short: usize, long: usize) -> usize {
    match std::env::var_os("IDPAS_FAULTS").is_some_and(|length| length == "long") {
        true => long,
        false => short,
    }
}

/// Random numbers for a purpose.
fn random(purpose: &str) -> Random {
    let seed = std::env::var("IDPAS_FAULT_SEED").ok();
    let seed = seed.map_or(1, |seed| seed.parse().expect("a number"));
    println!("{purpose}: IDPAS_FAULT_SEED={seed}");
    Random::new(seed, purpose, 0)
}

/// Ends a test: with everything that went wrong in it, if anything did.
fn expect_none(faults: &[String]) {
    assert!(
        faults.is_empty(),
        "{} wrong:\n{}",
        faults.len(),
        faults.join("\n\n")
    );
}
