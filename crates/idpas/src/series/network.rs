//! A network that is trained while a series goes on, on a thread of its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use idpas_learn::train::{Begin, TrainControl};
use idpas_learn::{Examples, Guide, LearnError, Recipe, Train};
use idpas_pools::manifest::pool_path;
use idpas_pools::pool::Pool;
use idpas_pools::split::Part;
use idpas_solver::{Control, Interrupt, Params};

use super::folder::Folder;
use super::{SeriesOptions, TrainBeside};

/// Solved instances from which on a network is trained: with fewer, counting is as good.
const ENOUGH: usize = 8;
/// A network is trained again when there are so many times the instances that it has seen.
const GROWTH: f64 = 1.5;
/// How often it is looked whether a training is done.
const LOOK: Duration = Duration::from_millis(20);

/// Trains networks one after the other, each from all instances that there are when it begins.
pub(super) struct NetworkTraining {
    out: PathBuf,
    pools: PathBuf,
    /// Name of the solver of relaxations.
    solver: String,
    /// Seconds of one training; `None` if there is none.
    seconds: Option<f64>,
    /// The latest network that is done, and the number of solved instances when its training began.
    guide: Option<(Guide, usize)>,
    running: Option<Running>,
}

struct Running {
    thread: JoinHandle<Result<Guide, LearnError>>,
    stop: Arc<AtomicBool>,
    instances: usize,
}

impl NetworkTraining {
    pub(super) fn new(folder: &Folder, options: &SeriesOptions) -> Self {
        let out = folder.network();
        let seconds = match options.train {
            TrainBeside::Off => None,
            TrainBeside::Seconds(seconds) => Some(seconds),
        };
        let guide = seconds.and_then(|_| Guide::read(&out).ok());
        NetworkTraining {
            pools: folder.pools(),
            solver: options.solver.clone(),
            guide: guide.map(|guide| {
                let instances = guide.trained().training.training_instances;
                (guide, instances)
            }),
            out,
            seconds,
            running: None,
        }
    }

    /// The latest network.
    pub(super) fn guide(&self) -> Option<&Guide> {
        self.guide.as_ref().map(|(guide, _)| guide)
    }

    /// Takes a network that is done, and begins another training if there are instances enough. Gives what to tell the user.
    pub(super) fn attend(&mut self, instances: usize) -> Option<String> {
        let seconds = self.seconds?;
        let is_done = (self.running.as_ref()).is_some_and(|running| running.thread.is_finished());
        if is_done && let Some(running) = self.running.take() {
            let trained = running.thread.join();
            return Some(match trained {
                Ok(Ok(guide)) => {
                    self.guide = Some((guide, running.instances));
                    format!("a network of {} instances is ready", running.instances)
                }
                Ok(Err(error)) => format!("no network could be trained: {error}"),
                Err(_) => "no network could be trained: its thread broke".into(),
            });
        }
        let seen = self.guide.as_ref().map_or(0, |(_, seen)| *seen);
        let is_due = instances >= ENOUGH && instances as f64 >= GROWTH * seen as f64;
        if self.running.is_some() || !is_due {
            return None;
        }
        let stop = Arc::new(AtomicBool::new(false));
        let (pools, out, raised) = (self.pools.clone(), self.out.clone(), stop.clone());
        let solver = self.solver.clone();
        let work = move || train(&pools, out, &solver, seconds, &raised);
        let thread = std::thread::Builder::new().name("network".into());
        match thread.spawn(work) {
            Ok(thread) => {
                self.running = Some(Running {
                    thread,
                    stop,
                    instances,
                });
                None
            }
            Err(error) => Some(format!("no network is trained: {error}")),
        }
    }

    /// Whether a training is under way.
    pub(super) fn is_running(&self) -> bool {
        let running = self.running.as_ref();
        running.is_some_and(|running| !running.thread.is_finished())
    }

    /// Waits for the training under way, if there is one, and takes its network. An interrupt ends the waiting.
    pub(super) fn finish(&mut self, interrupt: &Interrupt) {
        while self.is_running() && !interrupt.is_raised() {
            std::thread::sleep(LOOK);
        }
        // There are no new instances to begin another one with.
        self.attend(0);
    }
}

impl Drop for NetworkTraining {
    /// A training that nobody waits for ends soon; the next one begins anew.
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop.store(true, Ordering::Relaxed);
            let _ = running.thread.join();
        }
    }
}

/// Trains a network on one thread, with the relaxations that it looks at.
fn train(
    pools: &Path,
    out: PathBuf,
    solver: &str,
    seconds: f64,
    stop: &AtomicBool,
) -> Result<Guide, LearnError> {
    relax(&Examples::open(pools)?, solver, stop)?;
    let train = Train {
        recipe: Recipe::Gnn(idpas_learn::train::Settings::default()),
        out: Some(out),
        begin: Begin::Restart,
        time_limit: Some(seconds),
        threads: Some(1),
    };
    let mut control = TrainControl {
        interrupt: Some(stop),
        observer: None,
    };
    Guide::train(&Examples::open(pools)?, &train, &mut control)
}

/// Solves the relaxations that the pools do not have yet. One that cannot be solved is done without.
fn relax(examples: &Examples, solver: &str, stop: &AtomicBool) -> Result<(), LearnError> {
    let solver = idpas_solver::by_name(solver)?;
    for name in examples.names(Part::Train) {
        if stop.load(Ordering::Relaxed) {
            return Err(LearnError::Interrupted);
        }
        let example = examples.load(name)?;
        if example.pool.relaxation.is_some() {
            continue;
        }
        let mut loaded = solver.load(&example.model)?;
        let lp = loaded.solve_relaxation(&Params::default(), &mut Control::default())?;
        let pool = Pool {
            relaxation: lp.solution,
            ..example.pool.clone()
        };
        pool.write(pool_path(examples.folder(), name))?;
    }
    Ok(())
}
