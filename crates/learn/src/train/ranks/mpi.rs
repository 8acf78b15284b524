//! Ranks that talk by MPI.
//!
//! Ranks often wait for each other for long: for the one that makes the graphs, for the one with the largest graph. MPI's
//! own waiting keeps a processor busy. So every exchange begins with a barrier that is looked at now and then, between naps;
//! what follows it is short, since all ranks are there. A rank that died is noticed by [`SignsOfLife`].

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use mpi::Threading;
use mpi::datatype::PartitionMut;
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives};

use super::signs::{SignsOfLife, Watch};
use super::{Ranks, settle};
use crate::LearnError;

/// Waiting begins without sleeping for this long, as long as it takes other ranks on the same machine to arrive.
const AWAKE: Duration = Duration::from_micros(200);
/// Longest nap while waiting.
const NAP: Duration = Duration::from_millis(1);
/// How often a rank looks whether the others are alive.
const LOOK: Duration = Duration::from_secs(5);

/// The processes that `srun` or `mpirun` has started, over MPI. There can be one value in a process; dropping it ends MPI.
pub struct MpiRanks {
    rank: usize,
    count: usize,
    signs: Option<SignsOfLife>,
    watch: Option<Watch>,
    /// Nanoseconds in which this rank waited for others, and in which data travelled.
    waited: AtomicU64,
    exchanged: AtomicU64,
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
    /// where they leave signs of life while they work. When a rank has died, the others wait for it forever, so every one
    /// of them calls `is_lost` from a thread of its own: with the error if it is this rank's turn to say so, and with
    /// `None` some seconds later otherwise. It shall end the process.
    pub fn start(
        expected: usize,
        folder: &Path,
        is_lost: impl Fn(Option<LearnError>) + Send + 'static,
    ) -> Result<Self, LearnError> {
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
            signs: None,
            watch: None,
            waited: AtomicU64::new(0),
            exchanged: AtomicU64::new(0),
            universe,
        };
        // Every run has names of its own, so that what a killed one has left cannot be mistaken.
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |time| time.as_nanos()).to_string();
        let run = ranks.gather(now.as_bytes())?.swap_remove(0);
        let run = String::from_utf8_lossy(&run).into_owned();
        let signs = SignsOfLife::begin(folder, run, rank, count);
        // Nobody looks before everybody has given a sign.
        let signs = settle(&ranks, signs)?;
        ranks.watch = Some(signs.watch(LOOK, is_lost)?);
        ranks.signs = Some(signs);
        Ok(ranks)
    }

    /// Ends all processes at once, with an exit code.
    pub fn abort(&self, code: u8) -> ! {
        self.universe.world().abort(i32::from(code))
    }

    /// Seconds in which this rank has waited for others, and in which data travelled.
    pub fn seconds(&self) -> [f64; 2] {
        [&self.waited, &self.exchanged].map(|nanos| nanos.load(Relaxed) as f64 * 1e-9)
    }

    /// Does an exchange once all ranks have come to it.
    fn exchange<T>(&self, work: impl FnOnce(SimpleCommunicator) -> T) -> T {
        let came = Instant::now();
        self.wait();
        let met = Instant::now();
        let result = work(self.universe.world());
        let nanos = |time: Duration| time.as_nanos() as u64;
        self.waited.fetch_add(nanos(met - came), Relaxed);
        self.exchanged.fetch_add(nanos(met.elapsed()), Relaxed);
        result
    }

    /// Waits until all ranks have come here.
    fn wait(&self) {
        let mut barrier = self.universe.world().immediate_barrier();
        let since = Instant::now();
        while let Err(pending) = barrier.test() {
            barrier = pending;
            let waited = since.elapsed();
            if waited < AWAKE {
                std::thread::yield_now();
                continue;
            }
            std::thread::sleep((waited / 8).min(NAP));
        }
    }
}

impl Drop for MpiRanks {
    /// Ranks end together: nobody takes back its sign of life while another one may look for it.
    fn drop(&mut self) {
        if self.watch.is_some() {
            self.wait();
            self.watch = None;
            self.wait();
            self.signs = None;
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
        let too_long = |_| LearnError::Ranks("a message between ranks is too long for MPI".into());
        let length = i32::try_from(own.len()).map_err(too_long)?;
        self.exchange(|world| {
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
        })
    }

    /// Each rank gets one piece of the vector from all others, adds them up, and hands the sum to all.
    fn sum(&self, values: &mut [f32]) -> Result<(), LearnError> {
        let piece = values.len().div_ceil(self.count);
        // Pieces have one length, so the last one is filled up with zeros.
        let mut padded = values.to_vec();
        padded.resize(piece * self.count, 0.0);
        let mut received = vec![0.0f32; piece * self.count];
        self.exchange(|world| {
            world.all_to_all_into(&padded[..], &mut received[..]);
            let (sum, others) = received.split_at_mut(piece);
            for other in others.chunks_exact(piece.max(1)) {
                for (sum, value) in sum.iter_mut().zip(other) {
                    *sum += value;
                }
            }
            world.all_gather_into(&*sum, &mut padded[..]);
        });
        values.copy_from_slice(&padded[..values.len()]);
        Ok(())
    }
}
