//! SIGKILL at random moments: to the program, to it with all that it started, and to something that it started.

use std::path::Path;
use std::time::{Duration, SystemTime};

use idpas_base::random::Random;
use rustix::process::{Pid, Signal, kill_process};

use crate::campaign::{random, so_many, tell};
use crate::common::processes::Started;
use crate::files::{all_files, fault_of, is_temporary};
use crate::work::{Inputs, Scene, Task, Work};

/// A folder is left alone after so many kills, so that everything comes to its end.
const MOST_PER_FOLDER: usize = 25;

/// What was counted.
#[derive(Default)]
struct Tally {
    /// The program alone was killed.
    alone: usize,
    /// It was killed together with all processes that it had started.
    with_all: usize,
    /// One that it had started was killed.
    started: usize,
    /// Folders in which the work came to its end.
    folders: usize,
    /// Looks at files, after which each was whole.
    files: usize,
    /// Temporary files that kills left behind.
    temporary: usize,
}

impl Tally {
    fn kills(&self) -> usize {
        self.alone + self.with_all + self.started
    }
}

#[test]
fn a_killed_collection_ends_as_if_nothing_had_been() {
    storm(Task::Collect);
}

#[test]
fn a_killed_training_ends_as_if_nothing_had_been() {
    storm(Task::Train);
}

#[test]
fn a_killed_tuning_ends_as_if_nothing_had_been() {
    storm(Task::Tune);
}

#[test]
fn a_killed_evaluation_ends_as_if_nothing_had_been() {
    storm(Task::Evaluate);
}

#[test]
fn a_killed_series_ends_as_if_nothing_had_been() {
    storm(Task::Series);
}

/// Does a task again and again, killed at random moments, until there were enough kills.
fn storm(task: Task) {
    let work = Work::new(task, &Inputs::shared());
    let mut random = random(&format!("kills of {task:?}"));
    let mut tally = Tally::default();
    while tally.kills() < so_many(8, 210) {
        let scene = work.scene();
        let (before, started) = (tally.kills(), tally.started);
        while !one_start(&work, &scene, &mut random, &mut tally, before) {}
        match tally.started == started {
            true => work.is_as_calm(&scene),
            false => work.is_as_calm_but_pools(&scene),
        }
        let left = scene.temporaries();
        assert!(left.is_empty(), "{task:?}: left behind: {left:?}");
        tally.folders += 1;
    }
    tell(&format!(
        "{task:?} ({:.1} s undisturbed): {} kills, {} of the program, {} of all its processes, {} of one it had started; \
         {} folders as undisturbed; {} looks at files, all whole; {} temporary files, all gone",
        work.seconds,
        tally.kills(),
        tally.alone,
        tally.with_all,
        tally.started,
        tally.folders,
        tally.files,
        tally.temporary
    ));
}

/// Starts the task and kills it at a random moment; `true` if it came to its end before. `before` is how many kills there
/// had been when the folder was new.
fn one_start(
    work: &Work,
    scene: &Scene,
    random: &mut Random,
    tally: &mut Tally,
    before: usize,
) -> bool {
    let mut running = scene.start(work.command(scene));
    loop {
        let patience = match tally.kills() - before < MOST_PER_FOLDER {
            // As many moments in the first milliseconds as later.
            true => work.seconds * random.uniform(-5.0, 0.3).exp(),
            false => 300.0,
        };
        if let Some(status) = running.end_within(Duration::from_secs_f64(patience)) {
            let said = running.said();
            assert!(!said.contains("panicked"), "{said}");
            // Work of which a part was killed may end with an error, and is gone on with.
            assert!(status.code().is_some(), "{status}: {said}");
            running.left_nothing();
            return status.success();
        }
        let is_over = kill(&mut running, random, tally);
        if is_over {
            running.left_nothing();
            look_at_files(&scene.out(), tally);
            tally.temporary += age(scene);
            return false;
        }
    }
}

/// Kills the program, all of its processes, or one that it started; `true` if the program is dead.
fn kill(running: &mut Started, random: &mut Random, tally: &mut Tally) -> bool {
    let started = running.descendant_processes();
    // It may have ended since.
    let strike = |id: i32| {
        let _ = Pid::from_raw(id).map(|id| kill_process(id, Signal::KILL));
    };
    match random.below(3) {
        0 if !started.is_empty() => {
            strike(started[random.below(started.len())].0);
            tally.started += 1;
            return false;
        }
        1 => {
            running.kill();
            started.iter().for_each(|(id, _)| strike(*id));
            tally.with_all += 1;
        }
        _ => {
            running.kill();
            tally.alone += 1;
        }
    }
    true
}

/// Expects that every file in a folder is whole.
fn look_at_files(out: &Path, tally: &mut Tally) {
    for name in all_files(out) {
        let fault = fault_of(out, &name);
        assert!(fault.is_none(), "{name}: {}", fault.unwrap_or_default());
        tally.files += usize::from(!is_temporary(&name));
    }
}

/// Makes temporary files that were left behind look as if that had been long ago, so that whoever comes next removes them.
/// Tells how many there are.
fn age(scene: &Scene) -> usize {
    let left = scene.temporaries();
    let long_ago = SystemTime::now() - Duration::from_secs(7200);
    for path in &left {
        let file = std::fs::File::options().write(true).open(path);
        let aged = file.and_then(|file| file.set_modified(long_ago));
        aged.expect("a file with another time");
    }
    left.len()
}
