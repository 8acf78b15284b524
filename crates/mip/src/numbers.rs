//! Numbers as model files spell them.

use crate::INFINITE_BOUND;

/// Parses a number: decimal, with `e` or Fortran's `d` before the exponent, or `inf`/`infinity` with a sign; `None` if
/// the text is none of these. `nan` gives NaN, so that the caller can report it.
pub(crate) fn parse(text: &str) -> Option<f64> {
    if let Some(value) = small_integer(text.as_bytes()) {
        return Some(value);
    }
    if let Ok(value) = text.parse::<f64>() {
        return Some(value);
    }
    if text.bytes().any(|b| b == b'd' || b == b'D') {
        return text.replace(['d', 'D'], "e").parse().ok();
    }
    None
}

/// The common case: an optional sign and at most 15 digits, which a double holds exactly.
fn small_integer(bytes: &[u8]) -> Option<f64> {
    let (negative, digits) = match bytes {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if digits.is_empty() || digits.len() > 15 {
        return None;
    }
    let mut value = 0u64;
    for &b in digits {
        if !b.is_ascii_digit() {
            return None;
        }
        value = value * 10 + u64::from(b - b'0');
    }
    let value = value as f64;
    Some(if negative { -value } else { value })
}

/// A bound or row side, with everything at least as large as [`INFINITE_BOUND`] made infinite.
pub(crate) fn clamp_infinite(value: f64) -> f64 {
    if value >= INFINITE_BOUND {
        f64::INFINITY
    } else if value <= -INFINITE_BOUND {
        f64::NEG_INFINITY
    } else {
        value
    }
}

/// Appends the shortest decimal that reads back as the same double.
pub(crate) fn push(out: &mut Vec<u8>, value: f64) {
    use std::io::Write;
    let magnitude = value.abs();
    // Neither call can fail: the target is memory.
    let _ = if magnitude != 0.0 && !(1e-5..1e16).contains(&magnitude) {
        write!(out, "{value:e}")
    } else {
        write!(out, "{value}")
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_spelling() {
        for (text, value) in [
            ("1", 1.0),
            ("-12000", -12000.0),
            ("+.5", 0.5),
            ("5.", 5.0),
            ("1e3", 1000.0),
            ("1.5D+2", 150.0),
            ("-inf", f64::NEG_INFINITY),
            ("Infinity", f64::INFINITY),
            ("123456789012345678", 123456789012345678.0),
            ("-0", -0.0),
        ] {
            assert_eq!(parse(text), Some(value), "{text}");
        }
        assert!(parse("nan").unwrap().is_nan());
        for text in ["", "x", "1,5", "1e", "--1", "0x10", "d"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn writes_what_it_reads() {
        for value in [
            0.0,
            1.0,
            -0.1,
            1e-7,
            1.0 / 3.0,
            6.02e23,
            1e300,
            f64::MIN_POSITIVE,
            123456.789,
        ] {
            let mut out = Vec::new();
            push(&mut out, value);
            let text = String::from_utf8(out).unwrap();
            assert_eq!(parse(&text), Some(value), "{text}");
        }
    }
}
