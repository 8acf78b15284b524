//! The files that once broke a reader, the seeds of the fuzzer, and thousands of changes to both, through the same checks.

use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use idpas_hostile::{TARGETS, Target};

/// Changed files for each target.
const CHANGES: usize = 2_000;

/// Longest file that is changed: changing a longer one takes more time than reading it is worth.
const LONGEST: usize = 12_000;

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

/// The files in a folder, by name; none if there is no such folder.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<(String, Vec<u8>)> = entries
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, std::fs::read(entry.path()).expect("a file"))
        })
        .collect();
    files.sort();
    files
}

fn seeds(target: &Target) -> Vec<(String, Vec<u8>)> {
    files(&fuzz().join("seeds").join(target.seeds()))
}

fn regressions(target: &Target) -> Vec<(String, Vec<u8>)> {
    files(&fuzz().join("regressions").join(target.name))
}

/// Fails with the bytes that broke a check.
fn check(target: &Target, what: &str, bytes: &[u8]) {
    let target = *target;
    let owned = bytes.to_vec();
    if catch_unwind(move || target.check(&owned)).is_err() {
        let shown = bytes.escape_ascii();
        panic!("{} breaks on {what}:\n\"{shown}\"", target.name);
    }
}

#[test]
fn every_target_has_seeds() {
    for target in TARGETS {
        assert!(!seeds(target).is_empty(), "{}", target.name);
    }
    let folders = std::fs::read_dir(fuzz().join("regressions"));
    for folder in folders.expect("regressions").flatten() {
        let name = folder.file_name().to_string_lossy().into_owned();
        assert!(idpas_hostile::target(&name).is_some(), "no target {name}");
    }
}

#[test]
fn known_files() {
    for target in TARGETS {
        for (name, bytes) in seeds(target) {
            check(target, &format!("the seed {name}"), &bytes);
        }
        for (name, bytes) in regressions(target) {
            check(target, &format!("the regression {name}"), &bytes);
        }
    }
}

/// A part of the targets, so that several threads share the work.
fn changed_files(part: usize) {
    for target in TARGETS.iter().skip(part).step_by(4) {
        let known: Vec<Vec<u8>> = seeds(target)
            .into_iter()
            .chain(regressions(target))
            .map(|(_, bytes)| bytes)
            .filter(|bytes| bytes.len() <= LONGEST)
            .collect();
        let mut draws = fastrand::Rng::with_seed(17);
        for number in 0..CHANGES {
            let mut bytes = known[draws.usize(..known.len())].clone();
            for _ in 0..draws.usize(1..=4) {
                change(&mut bytes, &known, &mut draws);
            }
            check(target, &format!("change {number}"), &bytes);
        }
    }
}

#[test]
fn changed_files_of_the_first_part() {
    changed_files(0);
}

#[test]
fn changed_files_of_the_second_part() {
    changed_files(1);
}

#[test]
fn changed_files_of_the_third_part() {
    changed_files(2);
}

#[test]
fn changed_files_of_the_fourth_part() {
    changed_files(3);
}

/// Pieces that readers take for something special.
const PIECES: [&str; 14] = [
    "\n",
    " ",
    "-",
    "1e308",
    "-1",
    "9223372036854775807",
    "null",
    "nan",
    "inf",
    "\u{0}",
    "\"",
    "[]",
    "{}",
    "é",
];

/// Changes bytes in one place.
fn change(bytes: &mut Vec<u8>, known: &[Vec<u8>], draws: &mut fastrand::Rng) {
    let at = draws.usize(..=bytes.len());
    let to = (at + draws.usize(..=12)).min(bytes.len());
    match draws.u8(..6) {
        0 if at < bytes.len() => bytes[at] ^= 1 << draws.u8(..8),
        1 => drop(bytes.drain(at..to)),
        2 => {
            let again = bytes[at..to].to_vec();
            bytes.splice(at..at, again);
        }
        3 => {
            let piece = PIECES[draws.usize(..PIECES.len())];
            bytes.splice(at..to, piece.bytes());
        }
        4 => {
            let other = &known[draws.usize(..known.len())];
            let from = draws.usize(..=other.len());
            let until = (from + draws.usize(..=200)).min(other.len());
            bytes.splice(at..to, other[from..until].iter().copied());
        }
        _ => bytes.truncate(at),
    }
}
