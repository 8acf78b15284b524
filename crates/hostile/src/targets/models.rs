//! Models: what is read and written again, in either format, reads as the same model.

use idpas_mip::files::{Input, Parsed, Unzipped, read_model_from};
use idpas_mip::{Model, ReadError, WriteError, lp, mps, solution};

use crate::limits::{frugal, frugal_beside};

/// Most bytes that a reader may take for compressed data, however small these are: the 64 MiB up to which it does not
/// matter how far they expand, and what a reader may take for so many bytes of text.
const EXPANDED: usize = 11 * (64 << 20);

pub(super) fn mps(bytes: &[u8]) {
    read(bytes, "a.mps", mps::read);
}

pub(super) fn lp(bytes: &[u8]) {
    read(bytes, "a.lp", lp::read);
}

/// Compressed files of every kind that may be compressed.
pub(super) fn gzip(bytes: &[u8]) {
    let mut unzipped = Unzipped::new(bytes);
    if let Ok(expanded) = std::io::copy(&mut unzipped, &mut std::io::sink()) {
        let allowed = (64 << 20) + 200 * bytes.len() as u64;
        assert!(expanded <= allowed, "{expanded} bytes");
    }
    let input = Input::bytes("a", bytes);
    let read = frugal_beside(bytes, EXPANDED, || read_model_from(&input));
    if let Ok(parsed) = read {
        comes_back(&parsed.model);
        let _ = solution::read(&input, &parsed.model);
    }
}

fn read(bytes: &[u8], name: &str, read: fn(&Input) -> Result<Parsed, ReadError>) {
    // Compression is the affair of another target, with other limits.
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return;
    }
    let input = Input::bytes(name, bytes);
    if let Ok(parsed) = frugal(bytes, || read(&input)) {
        comes_back(&parsed.model);
    }
    // The format by content may be another one.
    let _ = frugal(bytes, || read_model_from(&Input::bytes("a", bytes)));
}

type Writer = fn(&Model, &str, &mut dyn std::io::Write) -> Result<(), WriteError>;
type Reader = fn(&Input) -> Result<Parsed, ReadError>;

fn comes_back(model: &Model) {
    let formats: [(&str, Writer, Reader); 2] = [
        ("a.mps", mps::write, mps::read),
        ("a.lp", lp::write, lp::read),
    ];
    for (name, write, read) in formats {
        let mut text = Vec::new();
        // Not every name can stand in every format.
        if write(model, name, &mut text).is_err() {
            continue;
        }
        let written = || String::from_utf8_lossy(&text);
        let again = match read(&Input::bytes(name, text.clone())) {
            Ok(again) => again,
            Err(error) => panic!("{error}: what was written cannot be read:\n{}", written()),
        };
        // Both writers give the objective another name where the format has no room for its own: it belongs to the file.
        let mut again = again;
        again.model.objective_name.clone_from(&model.objective_name);
        assert!(again.model == *model, "{model:#?}\nas\n{}", written());
        assert!(
            again.warnings.is_empty(),
            "{:?}\n{}",
            again.warnings,
            written()
        );
    }
}
