//! JSON objects with a checksum in their first field: a flipped bit in a number would otherwise be another number.
//!
//! The checksum is that of the text without the field. A text that has none is taken as it is: it was written by an earlier
//! version, or by hand.
//!
//! ```
//! use idpas_base::sealed;
//!
//! let text = sealed::to_text(&std::collections::BTreeMap::from([("seconds", 15)]))?;
//! assert!(text.starts_with("{\n  \"checksum\": \""));
//! let read: serde_json::Value = sealed::from_slice(text.as_bytes())?;
//! assert_eq!(read["seconds"], 15);
//! let flipped = text.replace("15", "14");
//! assert!(sealed::from_slice::<serde_json::Value>(flipped.as_bytes()).is_err());
//! # Ok::<(), serde_json::Error>(())
//! ```

use serde::Serialize;
use serde::de::{DeserializeOwned, Error};

use crate::hash::parts_hash;

/// Hexadecimal digits of the checksum.
const DIGITS: usize = 16;

/// A value, which must be an object, as an indented text with a checksum and a newline at its end.
pub fn to_text(value: &impl Serialize) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    Ok(seal(&text))
}

/// As [`to_text`], in one line.
pub fn to_line(value: &impl Serialize) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string(value)?;
    text.push('\n');
    Ok(seal(&text))
}

/// Reads a value, after its checksum was found to be right if it has one.
pub fn from_slice<T: DeserializeOwned>(text: &[u8]) -> Result<T, serde_json::Error> {
    if let Some((sum, rest)) = split(text)
        && sum != checksum(rest).as_bytes()
    {
        return Err(serde_json::Error::custom(
            "its checksum is another one: it is damaged, or was edited; without its field `checksum` it is taken as it is",
        ));
    }
    serde_json::from_slice(text)
}

/// The text of an object with a checksum as its first field. What is no object, or an empty one, stays as it is.
fn seal(text: &str) -> String {
    let Some(rest) = text.strip_prefix('{').filter(|rest| !rest.starts_with('}')) else {
        return text.to_owned();
    };
    let sum = checksum(rest.as_bytes());
    match rest.starts_with('\n') {
        true => format!("{{\n  \"checksum\": \"{sum}\",{rest}"),
        false => format!("{{\"checksum\":\"{sum}\",{rest}"),
    }
}

/// The checksum of an object whose text is this behind its opening brace.
fn checksum(rest: &[u8]) -> String {
    let mut sum = parts_hash([b"{", rest]);
    sum.truncate(DIGITS);
    sum
}

/// The checksum of a text, and what comes behind that field; `None` if it has no such field.
fn split(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let after = |text: &'_ [u8], part: &[u8]| -> Option<usize> {
        let skipped = text.len() - text.trim_ascii_start().len();
        text[skipped..]
            .starts_with(part)
            .then(|| skipped + part.len())
    };
    let mut rest = text;
    for part in [&b"{"[..], b"\"checksum\"", b":", b"\""] {
        rest = &rest[after(rest, part)?..];
    }
    let (sum, rest) = rest.split_at_checked(DIGITS)?;
    let rest = &rest[after(rest, b"\"")?..];
    Some((sum, &rest[after(rest, b",")?..]))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::Value;

    use super::*;

    fn value() -> Value {
        serde_json::json!({ "a": [1.5, 2.25], "sha256": "00ff", "nothing": null })
    }

    /// A text with a checksum reads as the value with the checksum beside its fields.
    fn without_checksum(text: &str) -> Result<Value, serde_json::Error> {
        let mut read: Value = from_slice(text.as_bytes())?;
        if let Some(fields) = read.as_object_mut() {
            fields.remove("checksum");
        }
        Ok(read)
    }

    #[test]
    fn no_flipped_bit_changes_what_is_read() {
        for text in [to_text(&value()).unwrap(), to_line(&value()).unwrap()] {
            assert_eq!(without_checksum(&text).unwrap(), value());
            let mut noticed = 0;
            for bit in 0..8 * text.len() {
                let mut bytes = text.clone().into_bytes();
                bytes[bit / 8] ^= 1 << (bit % 8);
                let Ok(mut read) = from_slice::<Value>(&bytes) else {
                    noticed += 1;
                    continue;
                };
                // The name of the field is another one, or it stands twice: the rest is as it was.
                let fields = read.as_object_mut().unwrap();
                fields.retain(|name, _| value().get(name).is_some());
                assert_eq!(read, value(), "bit {bit} of {text}");
            }
            assert!(noticed > 8 * text.len() * 2 / 3, "{noticed} of {text}");
        }
    }

    #[test]
    fn what_has_no_checksum_is_taken_as_it_is() {
        for text in [
            "{}",
            "[1, 2]",
            "3",
            "{ \"a\": 1 }",
            "{\"checksum\": \"of something else\"}",
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(from_slice::<Value>(text.as_bytes()).unwrap(), value);
        }
        let empty: BTreeMap<String, String> = BTreeMap::new();
        assert_eq!(to_line(&empty).unwrap(), "{}\n");
        assert_eq!(to_line(&[1, 2]).unwrap(), "[1,2]\n");
        assert!(from_slice::<Value>(b"{\"checksum\": \"").is_err());
    }
}
