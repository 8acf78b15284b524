//! The evaluations that a race wants next, and which of them this process makes.

use std::sync::{Mutex, MutexGuard, PoisonError};

use idpas_base::claim::Claim;

use super::tune_display::TuneDisplay;
use super::tune_record::{Key, Made, Record};
use crate::failure::Failure;

/// Evaluations that can be made in any order, by this process and by others.
pub(super) struct Batch<'a> {
    record: &'a Record,
    keys: &'a [Key],
    display: &'a TuneDisplay,
    open: Mutex<Vec<Open>>,
}

/// An evaluation that is not in the record yet.
struct Open {
    /// Its place in the batch.
    at: usize,
    /// A thread of this process makes it.
    ours: bool,
}

/// What a thread is to do.
pub(super) enum Next {
    /// Make the evaluation at this place of the batch; the claim is to be kept until it is in the record.
    Make(usize, Claim),
    /// Look again: other processes make what is left.
    Wait,
    /// End: there is nothing left, or other threads make it.
    Done,
}

impl<'a> Batch<'a> {
    pub(super) fn new(
        record: &'a Record,
        keys: &'a [Key],
        display: &'a TuneDisplay,
    ) -> Result<Self, Failure> {
        let all = (0..keys.len()).map(|at| Open { at, ours: false });
        let batch = Batch {
            record,
            keys,
            display,
            open: Mutex::new(all.collect()),
        };
        batch.look(&mut batch.lock())?;
        Ok(batch)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many evaluations are still to be made, by whomever.
    pub(super) fn open(&self) -> usize {
        self.lock().len()
    }

    /// Takes off the list what is in the record.
    fn look(&self, open: &mut Vec<Open>) -> Result<(), Failure> {
        self.record.refresh()?;
        open.retain(|one| {
            let key = &self.keys[one.at];
            let there = !one.ours && self.record.has(key);
            if there {
                self.display.done(key.time_limit, None);
            }
            !there
        });
        Ok(())
    }

    pub(super) fn next(&self) -> Result<Next, Failure> {
        let mut open = self.lock();
        self.look(&mut open)?;
        for one in open.iter_mut().filter(|one| !one.ours) {
            let Some(claim) = self.record.claim(&self.keys[one.at])? else {
                continue;
            };
            // Its owner before us may have written it since we looked.
            self.record.refresh()?;
            if !self.record.has(&self.keys[one.at]) {
                one.ours = true;
                return Ok(Next::Make(one.at, claim));
            }
        }
        self.look(&mut open)?;
        let others = open.iter().filter(|one| !one.ours).count();
        if others == 0 {
            return Ok(Next::Done);
        }
        self.display.waiting(others);
        Ok(Next::Wait)
    }

    /// Puts an evaluation into the record.
    pub(super) fn add(&self, at: usize, made: &Made) -> Result<(), Failure> {
        self.record.add(made)?;
        self.lock().retain(|one| one.at != at);
        self.display.done(made.key.time_limit, Some(made));
        Ok(())
    }

    /// Lets all threads end without beginning anything new.
    pub(super) fn give_up(&self) {
        self.lock().clear();
    }
}
