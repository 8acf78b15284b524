//! Files that are not text, or gzip that is damaged or expands without end.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

mod common;

use std::io::Write;

use common::error;
use flate2::Compression;
use flate2::write::GzEncoder;
use idpas_mip::Problem;
use idpas_mip::files::{Input, read_model_from};

const SMALL: &str = "NAME small\nROWS\n N cost\n L cap\nCOLUMNS\n x cost 1 cap 2\n y cost 3\nRHS\n R cap 8\n\
                     BOUNDS\n UP B x 4\nENDATA\n";

#[test]
fn files_that_are_not_text() {
    assert_eq!(error(""), "test.mps: the file is empty");
    assert_eq!(
        error("\n\n"),
        "test.mps:2: the file ends before ENDATA: it was cut short"
    );
    assert_eq!(
        error(b"\x7fELF\x02\x01\x01\0\0\0"),
        "test.mps:1: this is not UTF-8 text: found byte 0x00 (a binary file?)"
    );
    assert_eq!(
        error(SMALL.replace("cap 8", "cap\0 8")),
        "test.mps:9: this is not UTF-8 text: found byte 0x00 (a binary file?)"
    );
    let latin: Vec<u8> = SMALL
        .replace("y cost", "\u{e9} cost")
        .chars()
        .map(|c| c as u8)
        .collect();
    assert_eq!(
        error(latin),
        "test.mps:7: this is not UTF-8 text: found byte 0xe9 (a binary file?)"
    );
    let long = format!(" {} cost 3", "y".repeat(1_000_000));
    assert_eq!(
        error(SMALL.replace(" y cost 3", &long)),
        "test.mps:7: the line is longer than 500000 characters"
    );
    assert_eq!(
        error(vec![b'*'; 1_000_000]),
        "test.mps:1: the line is longer than 500000 characters"
    );
}

fn gzip(text: impl AsRef<[u8]>) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(text.as_ref()).unwrap();
    gzip.finish().unwrap()
}

#[test]
fn gzip_that_is_damaged() {
    let whole = gzip(SMALL);
    for end in 2..whole.len() {
        let message = error(&whole[..end]);
        assert!(
            message.contains(": the gzip data is damaged or cut short: "),
            "{end}: {message}"
        );
    }
    // Even where the text itself is whole: the checksum follows it.
    let mut flipped = whole.clone();
    flipped[whole.len() - 6] ^= 1;
    assert!(error(&flipped).contains("the gzip data is damaged"));
    assert_eq!(error(gzip("")), "test.mps: the file is empty");
}

#[test]
fn gzip_that_expands_without_end() {
    // Each 300 times a megabyte.
    let comment = format!("{}\n", "*".repeat(500)).repeat(1 << 11);
    let bomb = gzip(comment).repeat(300);
    assert!(bomb.len() < 1 << 20, "{}", bomb.len());
    let refused = read_model_from(&Input::bytes("test.mps", bomb)).unwrap_err();
    let message = refused.to_string();
    assert!(
        message.ends_with("bytes so far): refused as a gzip bomb"),
        "{message}"
    );
    let Problem::GzipBomb { bytes, .. } = refused.problem else {
        panic!("{message}");
    };
    assert!(bytes < 250 << 20, "{bytes}");

    let zeros = vec![0u8; 1 << 20];
    assert_eq!(
        error(gzip(zeros).repeat(300)),
        "test.mps:1: this is not UTF-8 text: found byte 0x00 (a binary file?)"
    );
    let stars = vec![b'*'; 1 << 20];
    assert_eq!(
        error(gzip(stars).repeat(300)),
        "test.mps:1: the line is longer than 500000 characters"
    );
}
