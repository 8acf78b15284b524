//! Locked files by which ranks see that the others are alive.
//!
//! A launcher may leave the other ranks alone when one of them has died (`srun` does so unless told otherwise), and they would
//! wait for it until the job's time is over.

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use idpas_base::claim::{Claim, Claims};

use crate::LearnError;

/// The sign of life of this rank, and where those of the others are. Dropping it takes the sign back.
pub(super) struct SignsOfLife {
    claims: Claims,
    names: Vec<String>,
    rank: usize,
    own: Option<Claim>,
}

/// A thread that watches the other ranks. Dropping it ends the thread.
pub(super) struct Watch {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl SignsOfLife {
    /// Gives a sign. `run` is a name that no other run in this folder has, so that what a killed one has left cannot be
    /// mistaken for a sign of this one.
    pub(super) fn begin(
        folder: &Path,
        run: String,
        rank: usize,
        count: usize,
    ) -> Result<Self, LearnError> {
        let claims = Claims::new(folder);
        let names: Vec<String> = (0..count).map(|k| format!("{run}-rank-{k}")).collect();
        let taken = claims.take(&names[rank]);
        let own = taken.map_err(|source| LearnError::io(folder, source))?;
        Ok(SignsOfLife {
            claims,
            names,
            rank,
            own,
        })
    }

    /// Looks after the other ranks every so often. When one has died, `is_lost` is called on each of the others: with the error on the first
    /// one of them, with `None` on the rest, two looks later, so that they do not pass for dead themselves.
    pub(super) fn watch(
        &self,
        every: Duration,
        is_lost: impl Fn(Option<LearnError>) + Send + 'static,
    ) -> Result<Watch, LearnError> {
        let (claims, names, own) = (self.claims.clone(), self.names.clone(), self.rank);
        let (stop, stopped) = channel::<()>();
        let look = move || {
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(every) {
                let lost = lost(&claims, &names, own);
                let Some(&rank) = lost.first() else {
                    continue;
                };
                let speaker = (0..names.len()).find(|rank| !lost.contains(rank));
                if speaker == Some(own) {
                    is_lost(Some(LearnError::LostRank { rank }));
                } else {
                    std::thread::sleep(2 * every);
                    is_lost(None);
                }
                return;
            }
        };
        let thread = std::thread::Builder::new().name("ranks".into()).spawn(look);
        let thread = thread.map_err(|error| LearnError::Threads(error.to_string()))?;
        Ok(Watch {
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}

/// The ranks that have died. The file of one is free at once on its own machine, after some minutes on others.
fn lost(claims: &Claims, names: &[String], own: usize) -> Vec<usize> {
    let others = (0..names.len()).filter(|rank| *rank != own);
    let is_free = |rank: &usize| matches!(claims.take(&names[*rank]), Ok(Some(_)));
    others.filter(is_free).collect()
}

impl Drop for SignsOfLife {
    fn drop(&mut self) {
        self.own = None;
        // Removes what killed runs have left, and the folder once the last rank has gone.
        self.claims.tidy();
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_that_take_their_sign_back_are_missed() {
        let folder = tempfile::tempdir().expect("a folder");
        let begin =
            |rank| SignsOfLife::begin(folder.path(), "run".into(), rank, 3).expect("a sign");
        let [first, second, third] = [0, 1, 2].map(begin);
        assert!(first.own.is_some() && third.own.is_some());
        let missed = |signs: &SignsOfLife| lost(&signs.claims, &signs.names, signs.rank);
        assert!(missed(&first).is_empty());
        assert!(missed(&third).is_empty());
        drop(second);
        assert_eq!(missed(&first), [1]);
        assert_eq!(missed(&third), [1]);
        let (told, hear) = channel();
        let every = Duration::from_millis(20);
        let watch = |signs: &SignsOfLife| {
            let (told, rank) = (told.clone(), signs.rank);
            let is_lost = move |error: Option<LearnError>| {
                let _ = told.send((rank, error.map(|error| error.to_string())));
            };
            signs.watch(every, is_lost).expect("a thread")
        };
        let watches = [&first, &third].map(watch);
        let heard: Vec<_> = hear.iter().take(2).collect();
        assert_eq!(heard[0].0, 0);
        assert!(
            heard[0]
                .1
                .as_ref()
                .is_some_and(|text| text.starts_with("rank 1 has died"))
        );
        assert_eq!(heard[1], (2, None));
        drop(watches);
        drop((first, third));
        assert!(!folder.path().exists(), "the last one removes the folder");
    }
}
