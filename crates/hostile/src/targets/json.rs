//! What holds for every file of JSON.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::limits::frugal;

/// What a file of JSON holds, or `None` if it does not hold that. What is read and written again reads as the same.
pub(super) fn value<T>(bytes: &[u8]) -> Option<T>
where
    T: DeserializeOwned + Serialize + PartialEq + Debug,
{
    let value: T = frugal(bytes, || serde_json::from_slice(bytes)).ok()?;
    stays(&value);
    Some(value)
}

/// Refuses a value that is another one after it was written and read.
pub(super) fn stays<T>(value: &T)
where
    T: DeserializeOwned + Serialize + PartialEq + Debug,
{
    let text = serde_json::to_vec(value).expect("what was read can be written");
    let again: T = serde_json::from_slice(&text).unwrap_or_else(|error| {
        let text = String::from_utf8_lossy(&text);
        panic!("{error}: what was written cannot be read: {text}")
    });
    assert_eq!(again, *value, "another value after writing and reading");
}
