//! A function that watches the reading of a model gets the whole content of its file, once and in order.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

use std::cell::RefCell;
use std::io::Write;
use std::rc::Rc;

use idpas_mip::{read_model, read_model_watched};

const FREE: &str = "\n \nNAME m\nROWS\n N c\n L r\nCOLUMNS\n x c 1 r 1\nRHS\n R r 4\nENDATA\n";
/// Names with blanks can only be read in fixed form, so this file is read twice.
const FIXED: &str = "NAME          m
ROWS
 N  c
 L  row one
COLUMNS
    col one   c                  1.0   row one            1.0
RHS
    RHS       row one            4.0
ENDATA
";
const LP: &str = "\n\nmin\n c: x\nst\n r: x <= 4\nend\n";

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// What is seen while `content` is read from a file called `name`.
fn seen(name: &str, content: &[u8]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    let seen = Rc::new(RefCell::new(Vec::new()));
    let handed = seen.clone();
    let watched = read_model_watched(&path, move |piece| handed.borrow_mut().extend(piece));
    let (watched, plain) = (watched.unwrap(), read_model(&path).unwrap());
    assert_eq!(watched.model, plain.model);
    assert_eq!(watched.warnings, plain.warnings);
    seen.take()
}

#[test]
fn all_content_is_seen_once() {
    let long = format!("*{}\n{}", "-".repeat(400_000), FREE.trim_start());
    let comments = format!("{FREE}{}", "* behind\n".repeat(100_000));
    // Far behind the end, where a reader of the model alone does not come, anything may stand.
    let beyond = [comments.as_bytes(), b"\0no text\xff"].concat();
    for (name, content) in [
        ("free.mps", FREE.as_bytes()),
        ("beyond.mps", &beyond),
        ("long.mps", long.as_bytes()),
        ("comments.mps", comments.as_bytes()),
        ("fixed.mps", FIXED.as_bytes()),
        ("m.lp", LP.as_bytes()),
    ] {
        assert!(seen(name, content) == content, "{name}");
        if name != "beyond.mps" {
            assert!(seen(name, &gzip(content)) == content, "{name}, compressed");
        }
    }
}
