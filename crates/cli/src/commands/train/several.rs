//! `idpas train` as one of several processes that `srun` or `mpirun` has started.

use idpas_base::launcher::Launched;
use idpas_learn::train::ranks::Alone;
use idpas_learn::{PredictorKind, Train};

use super::{TrainArgs, lead};
use crate::args::Verbosity;
use crate::failure::{Done, Failure};
use crate::output::tell;

/// What `idpas train --help` ends with.
pub(super) fn help() -> String {
    let with = match cfg!(feature = "mpi") {
        true => "with",
        false => "without",
    };
    format!(
        "Several nodes: `srun idpas train ...` trains one network with all processes of the job (docs/learning.md). \
         This program was built {with} MPI."
    )
}

/// Trains together with the other processes, or says why they cannot.
pub(super) fn run(
    args: &TrainArgs,
    train: &Train,
    launched: Launched,
    verbosity: Verbosity,
) -> Result<Done, Failure> {
    if train.recipe.kind() == PredictorKind::Gnn {
        return together::run(args, train, launched, verbosity);
    }
    // Before MPI is started, which waits for the others at its end.
    if launched.rank > 0 {
        return Ok(Done::default());
    }
    if verbosity > Verbosity::Quiet {
        let (kind, others) = (train.recipe.kind().as_str(), launched.count - 1);
        tell(&format!(
            "note: {kind} is trained by one process; {others} of {} end at once",
            launched.count
        ));
    }
    lead(args, train, &Alone, verbosity)
}

#[cfg(not(feature = "mpi"))]
mod together {
    use super::*;
    use crate::failure::USAGE;

    /// Refuses: without MPI, all processes would train the same model and write the same files.
    pub(super) fn run(
        _: &TrainArgs,
        _: &Train,
        launched: Launched,
        _: Verbosity,
    ) -> Result<Done, Failure> {
        // One message is enough.
        if launched.rank > 0 {
            return Ok(Done::default().with_code(USAGE));
        }
        let Launched { by, count, .. } = launched;
        Err(Failure::WithoutMpi(format!(
            "{by} has started this command {count} times, and this program was built without MPI, so that they cannot \
             train together"
        )))
    }
}

#[cfg(feature = "mpi")]
mod together {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use idpas_learn::train::ranks::{MpiRanks, Ranks};
    use idpas_learn::train::{Stopped, TrainControl};
    use idpas_learn::{LearnError, Recipe};

    use super::*;
    use crate::failure::{INTERNAL, INTERRUPTED, USAGE};
    use crate::output::tell_failure;
    use crate::signals::flag_on_signals;

    pub(super) fn run(
        args: &TrainArgs,
        train: &Train,
        launched: Launched,
        verbosity: Verbosity,
    ) -> Result<Done, Failure> {
        let folder = args.out.with_extension("ranks");
        let own = launched.rank;
        let is_lost = move |error: Option<LearnError>| {
            if let Some(error) = error {
                tell_failure(&format!("error on rank {own}"), &error.into());
            }
            signal_hook::low_level::exit(i32::from(INTERNAL))
        };
        let ranks = match MpiRanks::start(launched.count, &folder, is_lost) {
            Ok(ranks) => ranks,
            // All processes fail in the same way; one message is enough.
            Err(_) if launched.rank > 0 => return Ok(Done::default().with_code(USAGE)),
            Err(error) => return Err(error.into()),
        };
        let rank = ranks.rank();
        let work = || part(args, train, &ranks, verbosity);
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(Ok(done)) => {
                if verbosity == Verbosity::Verbose {
                    let [waited, exchanged] = ranks.seconds();
                    tell(&format!(
                        "rank {rank}: waited {waited:.2} s for other ranks, {exchanged:.2} s of exchanges"
                    ));
                }
                Ok(done)
            }
            // All ranks know; the first one says so.
            Ok(Err(Failure::Learn(LearnError::Interrupted))) if rank > 0 => {
                Ok(Done::default().with_code(INTERRUPTED))
            }
            Ok(Err(failure @ Failure::Learn(LearnError::Interrupted))) => Err(failure),
            // The rank where it happened says so, and ends all.
            Ok(Err(Failure::Learn(LearnError::OtherRank { .. }))) => {
                Ok(Done::default().with_code(USAGE))
            }
            // Others may not know and wait for this rank, so it ends them.
            Ok(Err(failure)) => {
                tell_failure(&format!("error on rank {rank}"), &failure);
                ranks.abort(failure.code())
            }
            Err(_) => {
                tell(&format!(
                    "error on rank {rank}: it has panicked, as said above"
                ));
                ranks.abort(INTERNAL)
            }
        }
    }

    /// This rank's part of the training.
    fn part(
        args: &TrainArgs,
        train: &Train,
        ranks: &MpiRanks,
        verbosity: Verbosity,
    ) -> Result<Done, Failure> {
        let mut train = train.clone();
        if train.threads.is_none() && std::env::var_os("RAYON_NUM_THREADS").is_none() {
            let own = super::processors();
            let sharing = ranks.gather(own.as_bytes())?;
            let sharing = sharing.iter().filter(|other| *other == own.as_bytes());
            let available = std::thread::available_parallelism().map_or(1, usize::from);
            train.threads = Some((available / sharing.count().max(1)).max(1));
        }
        if ranks.rank() > 0 {
            let flag = flag_on_signals()?;
            let mut control = TrainControl {
                interrupt: Some(&flag),
                observer: None,
            };
            let stopped = train.assist(ranks, &mut control)?;
            let is_interrupted = stopped == Some(Stopped::Interrupted);
            return Ok(Done::default().with_code(if is_interrupted { INTERRUPTED } else { 0 }));
        }
        if verbosity > Verbosity::Quiet {
            let count = ranks.count();
            tell(&format!("training on {count} ranks"));
            if let Recipe::Gnn(settings) = &train.recipe
                && settings.batch < count
            {
                let idle = count - settings.batch;
                tell(&format!(
                    "note: a batch has {} graphs, so {idle} ranks have nothing to do; --batch {count} or a multiple of it \
                     keeps all busy",
                    settings.batch
                ));
            }
        }
        lead(args, &train, ranks, verbosity)
    }
}

/// Names the machine and the processors of it on which this process may run. Ranks for which this is the same share them.
#[cfg(feature = "mpi")]
fn processors() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let allowed = status
        .lines()
        .find(|line| line.starts_with("Cpus_allowed_list:"));
    format!(
        "{} {}",
        idpas_base::system::host(),
        allowed.unwrap_or_default()
    )
}
