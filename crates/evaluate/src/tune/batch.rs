//! The evaluations that a race wants next, and which of them this process makes.

use std::sync::{Mutex, MutexGuard, PoisonError};

use idpas_base::claim::Claim;

use super::record::{EvaluationFile, EvaluationKey, EvaluationRecord};
use super::{TuneEvent, TuneObserver};
use crate::EvaluateError;

/// Evaluations that can be made in any order, by this process and by others.
pub(super) struct EvaluationBatch<'a> {
    record: &'a EvaluationFile,
    keys: &'a [EvaluationKey],
    observer: &'a TuneObserver<'a>,
    open: Mutex<Vec<OpenEvaluation>>,
}

/// An evaluation that is not in the record yet.
struct OpenEvaluation {
    /// Its place in the batch.
    at: usize,
    /// Whether a thread of this process makes it.
    ours: bool,
}

/// What a thread is to do.
pub(super) enum NextEvaluation {
    /// Make the evaluation at this place of the batch; the claim is to be kept until it is in the record.
    Make(usize, Claim),
    /// Look again: other processes make what is left.
    Wait,
    /// End: there is nothing left, or other threads make it.
    Done,
}

impl<'a> EvaluationBatch<'a> {
    /// A batch of the evaluations with these keys, less those that the record has.
    pub(super) fn new(
        record: &'a EvaluationFile,
        keys: &'a [EvaluationKey],
        observer: &'a TuneObserver<'a>,
    ) -> Result<Self, EvaluateError> {
        let all = (0..keys.len()).map(|at| OpenEvaluation { at, ours: false });
        let batch = EvaluationBatch {
            record,
            keys,
            observer,
            open: Mutex::new(all.collect()),
        };
        batch.strike_known(&mut batch.lock())?;
        Ok(batch)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<OpenEvaluation>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many evaluations are still to be made, by this process or others.
    pub(super) fn open(&self) -> usize {
        self.lock().len()
    }

    /// Takes evaluations that are in the record off the list of open ones.
    fn strike_known(&self, open: &mut Vec<OpenEvaluation>) -> Result<(), EvaluateError> {
        self.record.refresh()?;
        open.retain(|one| {
            let key = &self.keys[one.at];
            let there = !one.ours && self.record.has(key);
            if there {
                self.evaluated(key, None);
            }
            !there
        });
        Ok(())
    }

    /// What the calling thread is to do next.
    pub(super) fn next(&self) -> Result<NextEvaluation, EvaluateError> {
        let mut open = self.lock();
        self.strike_known(&mut open)?;
        for one in open.iter_mut().filter(|one| !one.ours) {
            let Some(claim) = self.record.claim(&self.keys[one.at])? else {
                continue;
            };
            // Its owner before us may have written it since we looked.
            self.record.refresh()?;
            if !self.record.has(&self.keys[one.at]) {
                one.ours = true;
                return Ok(NextEvaluation::Make(one.at, claim));
            }
        }
        self.strike_known(&mut open)?;
        let others = open.iter().filter(|one| !one.ours).count();
        if others == 0 {
            return Ok(NextEvaluation::Done);
        }
        (self.observer)(&TuneEvent::Waiting {
            evaluations: others,
        });
        Ok(NextEvaluation::Wait)
    }

    /// Puts an evaluation into the record.
    pub(super) fn add(&self, at: usize, made: &EvaluationRecord) -> Result<(), EvaluateError> {
        self.record.add(made)?;
        self.lock().retain(|one| one.at != at);
        self.evaluated(&made.key, Some(made));
        Ok(())
    }

    fn evaluated(&self, key: &EvaluationKey, made: Option<&EvaluationRecord>) {
        (self.observer)(&TuneEvent::Evaluated {
            time_limit: key.time_limit,
            made,
        });
    }

    /// Lets all threads end without beginning anything new.
    pub(super) fn give_up(&self) {
        self.lock().clear();
    }
}
