//! Ranks that talk by MPI.
//!
//! Ranks often wait for each other for long: for the one that makes the graphs, for the one with the largest graph. MPI's
//! own waiting keeps a processor busy and never ends if a rank has died. So every exchange begins with a barrier that is
//! looked at now and then, between naps; what follows it is short, since all ranks are there.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use idpas_base::claim::{Claim, Claims};
use mpi::Threading;
use mpi::datatype::PartitionMut;
use mpi::environment::Universe;
use mpi::traits::{Communicator, CommunicatorCollectives};

use super::{Ranks, settle};
use crate::LearnError;

/// Waiting begins without sleeping for this long, as long as it takes other ranks on the same machine to arrive.
const AWAKE: Duration = Duration::from_micros(200);
/// Longest nap while waiting.
const NAP: Duration = Duration::from_millis(1);
/// How often a waiting rank looks whether the others are alive.
const LOOK: Duration = Duration::from_secs(5);

/// The processes that `srun` or `mpirun` has started, over MPI. There can be one value in a process; dropping it ends MPI.
pub struct MpiRanks {
    rank: usize,
    count: usize,
    // Fields are dropped in this order: MPI ends last.
    signs: SignsOfLife,
    universe: Universe,
}

impl std::fmt::Debug for MpiRanks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let MpiRanks { rank, count, .. } = self;
        write!(f, "MpiRanks({rank} of {count})")
    }
}

impl MpiRanks {
    /// Starts MPI. `expected` is the number of ranks that the launcher has started; `folder`, which all ranks share, is
    /// where they leave signs of life while they work.
    pub fn start(expected: usize, folder: &Path) -> Result<Self, LearnError> {
        let wrong = |message: String| LearnError::Ranks(message);
        // Training runs on threads of its own, one of which calls MPI.
        let (universe, threading) = mpi::initialize_with_threading(Threading::Serialized)
            .ok_or_else(|| wrong("MPI was started before".into()))?;
        if threading < Threading::Serialized {
            let message = "this MPI can only be called from a program's first thread";
            return Err(wrong(message.into()));
        }
        let world = universe.world();
        let [rank, count] = [world.rank(), world.size()].map(|number| number as usize);
        if count != expected {
            return Err(wrong(format!(
                "{expected} processes were started, but MPI knows of {count}: its library does not belong to this \
                 launcher (srun --mpi=list shows what Slurm has: pmix for Open MPI, pmi2 for MPICH)"
            )));
        }
        let mut ranks = MpiRanks {
            rank,
            count,
            signs: SignsOfLife::none(folder),
            universe,
        };
        // Every run has names of its own, so that what a killed one has left cannot be mistaken.
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |time| time.as_nanos()).to_string();
        let run = ranks.gather(now.as_bytes())?.swap_remove(0);
        let run = String::from_utf8_lossy(&run).into_owned();
        let begun = ranks.signs.begin(run, rank);
        // Nobody looks before everybody has given a sign.
        settle(&ranks, begun)?;
        ranks.signs.is_watching = true;
        Ok(ranks)
    }

    /// Ends all processes at once, with an exit code.
    pub fn abort(&self, code: u8) -> ! {
        self.universe.world().abort(i32::from(code))
    }

    /// Waits until all ranks have come here; fails if one has died.
    fn wait(&self) -> Result<(), LearnError> {
        let mut barrier = self.universe.world().immediate_barrier();
        let since = Instant::now();
        let mut looked = since;
        loop {
            match barrier.test() {
                Ok(_) => return Ok(()),
                Err(pending) => barrier = pending,
            }
            let waited = since.elapsed();
            if waited < AWAKE {
                std::thread::yield_now();
                continue;
            }
            std::thread::sleep((waited / 8).min(NAP));
            if self.signs.is_watching && looked.elapsed() > LOOK {
                looked = Instant::now();
                if let Some(rank) = self.signs.lost(self.rank, self.count) {
                    // The barrier will never be done, and a request must not be dropped before.
                    std::mem::forget(barrier);
                    return Err(LearnError::LostRank { rank });
                }
            }
        }
    }
}

impl Ranks for MpiRanks {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.count
    }

    fn gather(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, LearnError> {
        self.wait()?;
        let world = self.universe.world();
        let too_long = |_| LearnError::Ranks("a message between ranks is too long for MPI".into());
        let length = i32::try_from(own.len()).map_err(too_long)?;
        let mut lengths = vec![0i32; self.count];
        world.all_gather_into(&length, &mut lengths[..]);
        let starts = lengths.iter().scan(0i64, |end, &length| {
            let start = *end;
            *end += i64::from(length);
            Some(i32::try_from(start))
        });
        let starts: Vec<i32> = starts.collect::<Result<_, _>>().map_err(too_long)?;
        let total = lengths.iter().map(|&length| length as usize).sum();
        let mut bytes = vec![0u8; total];
        let mut parts = PartitionMut::new(&mut bytes[..], &lengths[..], &starts[..]);
        world.all_gather_varcount_into(own, &mut parts);
        let part = |(&start, &length): (&i32, &i32)| {
            let start = start as usize;
            bytes[start..start + length as usize].to_vec()
        };
        Ok(starts.iter().zip(&lengths).map(part).collect())
    }

    /// Each rank gets one piece of the vector from all others, adds them up, and hands the sum to all.
    fn sum(&self, values: &mut [f32]) -> Result<(), LearnError> {
        self.wait()?;
        let world = self.universe.world();
        let piece = values.len().div_ceil(self.count);
        // Pieces have one length, so the last one is filled up with zeros.
        let mut padded = values.to_vec();
        padded.resize(piece * self.count, 0.0);
        let mut received = vec![0.0f32; piece * self.count];
        world.all_to_all_into(&padded[..], &mut received[..]);
        let (sum, others) = received.split_at_mut(piece);
        for other in others.chunks_exact(piece.max(1)) {
            for (sum, value) in sum.iter_mut().zip(other) {
                *sum += value;
            }
        }
        world.all_gather_into(&*sum, &mut padded[..]);
        values.copy_from_slice(&padded[..values.len()]);
        Ok(())
    }
}

/// Locked files by which ranks see that the others are alive. The launcher may not end the other ranks when one of them
/// has died (`srun` does so only if told), and then they would wait until the job's time is over.
struct SignsOfLife {
    claims: Claims,
    /// What the names of this run's files begin with.
    run: String,
    own: Option<Claim>,
    is_watching: bool,
}

impl SignsOfLife {
    fn none(folder: &Path) -> Self {
        SignsOfLife {
            claims: Claims::new(folder),
            run: String::new(),
            own: None,
            is_watching: false,
        }
    }

    fn name(&self, rank: usize) -> String {
        format!("{}-rank-{rank}", self.run)
    }

    fn begin(&mut self, run: String, rank: usize) -> Result<(), LearnError> {
        self.run = run;
        let name = self.name(rank);
        let taken = self.claims.take(&name);
        self.own = taken.map_err(|source| LearnError::Io { path: name, source })?;
        Ok(())
    }

    /// A rank that has died. Its file is free on the same machine at once, on others after some minutes.
    fn lost(&self, own: usize, count: usize) -> Option<usize> {
        let is_free = |rank: &usize| matches!(self.claims.take(&self.name(*rank)), Ok(Some(_)));
        (0..count).filter(|rank| *rank != own).find(is_free)
    }
}

impl Drop for SignsOfLife {
    fn drop(&mut self) {
        self.own = None;
        // Removes what killed runs have left, and the folder once the last rank has gone.
        self.claims.tidy();
    }
}
