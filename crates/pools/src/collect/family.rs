//! The instances of a family as their folder of pools shows them, for all threads of a process.

use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use idpas_base::claim::Backoff;

use super::driver::CollectOptions;
use super::plan::{Next, Plan};
use super::standing::{Availability, Standing};
use super::state::{State, state};
use super::turn::{Sibling, TurnPlan};
use super::{CollectFailure, WorkerJob};
use crate::PoolError;
use crate::manifest::pool_path;

/// How often, in seconds, the folder is looked at for what other processes have written.
const LOOK: f64 = 1.0;
/// How often, in seconds, all pools are looked at although the folder seems not to have changed: its time is only as fine
/// as the file system's clock.
const LOOK_AT_ALL: f64 = 30.0;
/// Looking takes this share of the time at most, so that hundreds of processes leave a slow file system time to answer.
const LOOK_SHARE: f64 = 0.05;

/// An instance of the family.
pub(super) struct Member {
    pub(super) name: String,
    pub(super) instance: PathBuf,
    pub(super) sha256: String,
    /// When its pool and the note of its failure were last written, as they were last read.
    seen: [Option<SystemTime>; 2],
    /// When to look again, if another process has it.
    due: Option<Instant>,
    /// How long to wait the next time that another process has it.
    pause: Backoff,
}

/// A turn to be taken.
pub(super) struct Task {
    pub(super) index: usize,
    pub(super) job: WorkerJob,
}

/// What to do next.
pub(super) enum Step {
    Take(Box<Task>),
    /// Nothing now.
    Wait,
    Done,
}

/// All instances.
pub(super) struct Family<'a> {
    options: &'a CollectOptions,
    settings_sha256: String,
    members: Vec<Member>,
    plan: Plan<'a>,
    looked: Looked,
}

/// The last look at what other processes have written.
struct Looked {
    /// When it was.
    at: Instant,
    /// Seconds until the next one.
    pause: f64,
    /// When all pools were looked at.
    all_at: Instant,
    /// When a file was last put into the folder of pools or into that of failures, before this look.
    changed: [Option<SystemTime>; 2],
}

impl<'a> Family<'a> {
    pub(super) fn new(options: &'a CollectOptions) -> Self {
        Family {
            options,
            settings_sha256: options.settings.hash(),
            members: Vec::new(),
            plan: Plan {
                settings: &options.settings,
                standings: Vec::new(),
            },
            looked: Looked {
                at: Instant::now(),
                pause: LOOK,
                all_at: Instant::now(),
                changed: [None; 2],
            },
        }
    }

    /// Adds an instance as its files show it.
    pub(super) fn add(
        &mut self,
        name: &str,
        instance: &Path,
        sha256: &str,
        standing: Standing,
    ) -> Result<State, PoolError> {
        self.members.push(Member {
            name: name.to_owned(),
            instance: instance.to_owned(),
            sha256: sha256.to_owned(),
            seen: [None; 2],
            due: None,
            pause: Backoff::default(),
        });
        self.plan.standings.push(standing);
        self.look(self.members.len() - 1)
    }

    pub(super) fn member(&self, index: usize) -> &Member {
        &self.members[index]
    }

    pub(super) fn plan(&self) -> &Plan<'a> {
        &self.plan
    }

    pub(super) fn standing(&self, index: usize) -> &Standing {
        &self.plan.standings[index]
    }

    /// Reads what is there of an instance.
    pub(super) fn look(&mut self, index: usize) -> Result<State, PoolError> {
        let folder = &self.options.out;
        let member = &mut self.members[index];
        let standing = &mut self.plan.standings[index];
        member.seen = written(folder, &member.name);
        let state = state(folder, &member.name, &member.sha256, &self.settings_sha256)?;
        if let State::Done(outline) = &state {
            let info = &outline.info;
            standing.turns.clone_from(&info.turns);
            standing.sense = info.sense();
            standing.best = outline.objectives.first().copied();
            standing.bound = info.bound;
            standing.is_proven = info.is_proven();
        } else {
            let failure = CollectFailure::read(folder, &member.name)
                .filter(|failure| failure.settings_sha256 == self.settings_sha256);
            standing.turns = failure.map_or_else(Vec::new, |failure| failure.turns);
            standing.best = None;
        }
        Ok(state)
    }

    /// Looks at what other processes have written since.
    fn look_around(&mut self) {
        if self.looked.at.elapsed().as_secs_f64() < self.looked.pause {
            return;
        }
        let begin = Instant::now();
        let folder = &self.options.out;
        // Files are put in place by renaming, which changes the time of their folder.
        let changed = [time_of(folder), time_of(&folder.join("failed"))];
        let is_due = self.looked.all_at.elapsed().as_secs_f64() >= LOOK_AT_ALL;
        if changed != self.looked.changed || is_due {
            self.looked.changed = changed;
            self.looked.all_at = begin;
            for index in 0..self.members.len() {
                // A closing is the last turn, and nothing comes after it.
                if self.plan.standings[index].is_closed() {
                    continue;
                }
                let member = &self.members[index];
                if written(&self.options.out, &member.name) != member.seen {
                    // A file that cannot be read now is looked at again when it is needed.
                    let _ = self.look(index);
                }
            }
        }
        self.looked.at = Instant::now();
        self.looked.pause = LOOK.max(begin.elapsed().as_secs_f64() / LOOK_SHARE);
    }

    /// The next turn. It counts as under way until [`end`](Self::end) says otherwise.
    pub(super) fn next(&mut self) -> Step {
        self.look_around();
        let now = Instant::now();
        for (member, standing) in self.members.iter_mut().zip(&mut self.plan.standings) {
            if member.due.is_some_and(|due| due <= now) {
                member.due = None;
                standing.state = Availability::Free;
            }
        }
        loop {
            let (index, turn) = match self.plan.next() {
                Next::Done => return Step::Done,
                Next::Wait => return Step::Wait,
                Next::Turn(index, turn) => (index, turn),
            };
            let member = &self.members[index];
            // Asked once more, since a turn that another process has taken is found out by claiming it otherwise.
            if written(&self.options.out, &member.name) == member.seen {
                self.plan.standings[index].state = Availability::Busy(Some(turn.clone()));
                let job = self.job(index, turn);
                return Step::Take(Box::new(Task { index, job }));
            }
            // If it cannot be read now, its turn finds out.
            let _ = self.look(index);
        }
    }

    fn job(&self, index: usize, turn: TurnPlan) -> WorkerJob {
        let member = &self.members[index];
        let folder = &self.options.out;
        let sibling = |(at, distance): (usize, f64)| {
            let other = &self.members[at];
            Sibling {
                pool: pool_path(folder, &other.name),
                instance: other.instance.clone(),
                distance,
            }
        };
        let standing = &self.plan.standings[index];
        WorkerJob {
            name: member.name.clone(),
            instance: member.instance.clone(),
            sha256: member.sha256.clone(),
            out: pool_path(folder, &member.name),
            settings: self.options.settings.clone(),
            memory_limit: self.options.memory_limit,
            turn,
            before: standing.turns.clone(),
            siblings: self.plan.siblings(index).into_iter().map(sibling).collect(),
        }
    }

    /// A turn is over, or could not be taken: the instance can have another one, or none any more.
    pub(super) fn end(&mut self, index: usize, state: Availability) {
        self.plan.standings[index].state = state;
        self.members[index].pause = Backoff::default();
    }

    /// Another process has an instance: it is looked at again after a while.
    pub(super) fn wait_for(&mut self, index: usize) {
        let member = &mut self.members[index];
        member.due = Some(Instant::now() + member.pause.pause());
        self.plan.standings[index].state = Availability::Busy(None);
    }
}

/// When the pool and the note of a failure of an instance were last written.
fn written(folder: &Path, name: &str) -> [Option<SystemTime>; 2] {
    let pool = time_of(&pool_path(folder, name));
    // An instance that has a pool has no failure any more.
    let failure = match pool {
        Some(_) => None,
        None => time_of(&CollectFailure::path(folder, name)),
    };
    [pool, failure]
}

/// When a file or folder was last written.
fn time_of(path: &Path) -> Option<SystemTime> {
    let data = std::fs::metadata(path);
    data.and_then(|data| data.modified()).ok()
}
