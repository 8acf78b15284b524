//! Results that all ranks learn of, so that a failure of one ends the training of all.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Ranks;
use crate::LearnError;

/// What a rank tells the others of its work.
#[derive(Serialize, Deserialize)]
enum Message<T> {
    Done(T),
    Interrupted,
    Failed(String),
}

/// Hands a result to all ranks, and returns the results of all in the order of ranks. If one has failed, this fails on
/// all of them: with the rank's own error where it happened, with [`LearnError::OtherRank`] elsewhere.
///
/// Values travel as JSON, which keeps all bits of numbers but has no NaN: what may be one is passed by its bits.
pub(in crate::train) fn share<T: Serialize + DeserializeOwned>(
    ranks: &dyn Ranks,
    own: Result<T, LearnError>,
) -> Result<Vec<T>, LearnError> {
    if ranks.count() == 1 {
        return Ok(vec![own?]);
    }
    let (message, error) = match own {
        Ok(value) => (Message::Done(value), None),
        Err(LearnError::Interrupted) => (Message::Interrupted, Some(LearnError::Interrupted)),
        Err(error) => (Message::Failed(error.to_string()), Some(error)),
    };
    let bytes = serde_json::to_vec(&message).map_err(unreadable)?;
    let all = ranks.gather(&bytes)?;
    if let Some(error) = error {
        return Err(error);
    }
    let mut values = Vec::new();
    for (rank, bytes) in all.iter().enumerate() {
        match serde_json::from_slice(bytes).map_err(unreadable)? {
            Message::Done(value) => values.push(value),
            Message::Interrupted => return Err(LearnError::Interrupted),
            Message::Failed(message) => return Err(LearnError::OtherRank { rank, message }),
        }
    }
    Ok(values)
}

/// Tells all ranks whether this one's work went well, and gives its result back if theirs did, too.
pub(in crate::train) fn settle<T>(
    ranks: &dyn Ranks,
    own: Result<T, LearnError>,
) -> Result<T, LearnError> {
    Ok(share_of(ranks, own, |_| ())?.0)
}

/// As [`share`], of what `tell` says of the result; the result itself is given back beside what all ranks said.
pub(in crate::train) fn share_of<T, M: Serialize + DeserializeOwned>(
    ranks: &dyn Ranks,
    own: Result<T, LearnError>,
    tell: impl FnOnce(&T) -> M,
) -> Result<(T, Vec<M>), LearnError> {
    match own {
        Ok(value) => {
            let told = share(ranks, Ok(tell(&value)))?;
            Ok((value, told))
        }
        Err(error) => {
            // Fails with this very error, which is why there is nothing to give back.
            share::<M>(ranks, Err(error))?;
            Err(LearnError::Interrupted)
        }
    }
}

fn unreadable(error: serde_json::Error) -> LearnError {
    LearnError::Ranks(format!("a message between ranks cannot be read: {error}"))
}
