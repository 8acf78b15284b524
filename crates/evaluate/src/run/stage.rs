//! Which stages are done, and what they were done from: a stage whose inputs changed is done again.
//!
//! Several processes may work on the stages of a benchmark. A stage that cannot be divided is done by one of them
//! ([`BenchmarkStage::alone`]), while the others wait or do something else. A stage whose command divides its work itself
//! is done by all that come ([`BenchmarkStage::together`]). Claims keep them apart, so that a process that dies leaves its
//! stage to others.

use std::path::{Path, PathBuf};
use std::time::Instant;

use idpas_base::claim::{Claim, Claims, look_anew};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{StudyEvent, StudyWork};
use crate::EvaluateError;
use crate::results::{read, write};

/// A stage that was begun or done.
#[derive(Serialize, Deserialize)]
struct StageStamp {
    /// What it was done from.
    from: Value,
    done: bool,
    /// Seconds that it took, of all processes together.
    seconds: f64,
}

/// How the work on a stage begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StageStart {
    /// From the beginning: it was not begun, or from other inputs.
    Anew,
    /// It was begun from the same inputs before, so that it can go on.
    Again,
}

/// What waiting for a stage came to.
enum StageTurn {
    /// It is done, and took so many seconds.
    Done(f64),
    /// It is this process's turn.
    Claimed(Claim),
}

/// A stage of a benchmark.
pub(super) struct BenchmarkStage<'a> {
    work: &'a StudyWork<'a>,
    /// The folder of stamps.
    folder: PathBuf,
    /// The name of the benchmark's folder, for messages.
    benchmark: String,
    name: String,
    from: Value,
    /// What it makes.
    made: &'a Path,
}

impl<'a> BenchmarkStage<'a> {
    /// The stage `name` of the benchmark in `folder`, which makes `made` from `from`.
    pub(super) fn new(
        work: &'a StudyWork<'a>,
        folder: &Path,
        name: impl Into<String>,
        from: Value,
        made: &'a Path,
    ) -> Self {
        let name = name.into();
        let benchmark = folder.file_name().unwrap_or_default();
        BenchmarkStage {
            work,
            folder: folder.join("stages"),
            benchmark: benchmark.display().to_string(),
            name,
            from,
            made,
        }
    }

    /// Does the stage unless it was done from the same before and what it made is still there. Gives the seconds that
    /// it took, whenever that was; `None` if another process is at it.
    pub(super) fn alone(
        &self,
        work: impl FnOnce(StageStart) -> Result<(), EvaluateError>,
    ) -> Result<Option<f64>, EvaluateError> {
        if let Some(seconds) = self.done() {
            return Ok(Some(seconds));
        }
        self.may_be_made()?;
        let claim = self.claims().take(&self.name).map_err(|e| self.fault(e))?;
        match claim {
            Some(claim) => self.claimed(claim, work).map(Some),
            None => Ok(None),
        }
    }

    /// As [`alone`](BenchmarkStage::alone), but waits for another process that is at it, and takes over if that dies.
    pub(super) fn alone_or_wait(
        &self,
        work: impl FnOnce(StageStart) -> Result<(), EvaluateError>,
    ) -> Result<f64, EvaluateError> {
        match self.wait()? {
            StageTurn::Done(seconds) => Ok(seconds),
            StageTurn::Claimed(claim) => self.claimed(claim, work),
        }
    }

    fn claimed(
        &self,
        _claim: Claim,
        work: impl FnOnce(StageStart) -> Result<(), EvaluateError>,
    ) -> Result<f64, EvaluateError> {
        // Another may have done it before we got the claim.
        look_anew(&self.folder);
        if let Some(seconds) = self.done() {
            return Ok(seconds);
        }
        let begun = self.begin()?;
        let clock = Instant::now();
        let ended = work(begun);
        let seconds = self.end(clock, ended.is_ok())?;
        ended.map(|()| seconds)
    }

    /// Does the stage beside other processes that do it, unless it was done from the same before and what it made is
    /// still there. `prepare` is called by one of them only, where it is not begun yet. `work` ends when all is done, by
    /// this process or others. Gives the seconds that it took so far.
    pub(super) fn together(
        &self,
        prepare: impl FnOnce() -> Result<(), EvaluateError>,
        work: impl FnOnce() -> Result<(), EvaluateError>,
    ) -> Result<f64, EvaluateError> {
        let claim = match self.wait()? {
            StageTurn::Done(seconds) => return Ok(seconds),
            StageTurn::Claimed(claim) => claim,
        };
        look_anew(&self.folder);
        if let Some(seconds) = self.done() {
            return Ok(seconds);
        }
        if !self.is_begun() {
            prepare()?;
        }
        self.begin()?;
        drop(claim);
        let clock = Instant::now();
        let ended = work();
        let claim = self.claims().wait(&self.name, || true);
        let _claim = claim.map_err(|e| self.fault(e))?;
        let seconds = self.end(clock, ended.is_ok())?;
        ended.map(|()| seconds)
    }

    /// Fails where nothing is to be made, but only looked for.
    fn may_be_made(&self) -> Result<(), EvaluateError> {
        match self.work.only_looks {
            true => Err(EvaluateError::NotMade),
            false => Ok(()),
        }
    }

    fn claims(&self) -> Claims {
        Claims::new(self.folder.join("claims"))
    }

    fn fault(&self, error: std::io::Error) -> EvaluateError {
        EvaluateError::io(&self.folder, error)
    }

    /// Waits until the stage is done or nobody else has its claim.
    fn wait(&self) -> Result<StageTurn, EvaluateError> {
        if self.work.only_looks {
            return self
                .done()
                .map(StageTurn::Done)
                .ok_or(EvaluateError::NotMade);
        }
        let claims = self.claims();
        let (mut looks, mut done) = (0, None);
        let go_on = || {
            // First, so that hundreds that wait need not have the claim one after the other to see that.
            done = self.done();
            if done.is_some() {
                return false;
            }
            looks += 1;
            if looks == 5 {
                self.work.tell(StudyEvent::WaitingForStage {
                    benchmark: &self.benchmark,
                    stage: &self.name,
                });
            }
            !self.work.commands.is_interrupted()
        };
        let claim = claims.wait(&self.name, go_on).map_err(|e| self.fault(e))?;
        match (claim, done) {
            (Some(claim), _) => Ok(StageTurn::Claimed(claim)),
            (None, Some(seconds)) => Ok(StageTurn::Done(seconds)),
            (None, None) => Err(EvaluateError::Interrupted),
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.join(format!("{}.json", self.name))
    }

    /// The stamp of this stage, if it was begun from the same.
    fn stamp(&self) -> Option<StageStamp> {
        // A stamp that cannot be read is as good as none.
        let old: Option<StageStamp> = read(&self.path(), "stamp of a stage").unwrap_or_default();
        old.filter(|old| old.from == self.from)
    }

    fn is_begun(&self) -> bool {
        self.stamp().is_some()
    }

    /// The seconds that the stage took, if it is done.
    fn done(&self) -> Option<f64> {
        let there = self.made.exists();
        let stamp = self.stamp().filter(|stamp| stamp.done && there)?;
        Some(stamp.seconds)
    }

    fn begin(&self) -> Result<StageStart, EvaluateError> {
        let old = self.stamp();
        let stamp = StageStamp {
            from: self.from.clone(),
            done: false,
            seconds: old.as_ref().map_or(0.0, |old| old.seconds),
        };
        write(&self.path(), &stamp)?;
        Ok(match old {
            Some(_) => StageStart::Again,
            None => StageStart::Anew,
        })
    }

    /// Notes the time since `clock`, and whether all is done.
    fn end(&self, clock: Instant, done: bool) -> Result<f64, EvaluateError> {
        let seconds = clock.elapsed().as_secs_f64();
        let Some(mut stamp) = self.stamp() else {
            // Somebody does the stage from something else now.
            return Ok(seconds);
        };
        stamp.seconds += seconds;
        stamp.done |= done;
        write(&self.path(), &stamp)?;
        Ok(stamp.seconds)
    }
}
