//! Commands that can be gone on with: each with its input, and its result apart from times.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::common::family::{Family, family};
use crate::common::folder;
use crate::common::processes::{Started, start_command};
use crate::files::{all_files, is_temporary};

/// The commands that keep their work in files and go on with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    Collect,
    Train,
    Tune,
    Evaluate,
    Series,
}

/// All stages of a tiny family but tuning, whose choice depends on times.
const STUDY: &str = r#"name = "faults"
time_limit = 20
gap = 0
methods = ["solver", "zero-frequency", "idpas", "oracle"]
[collect]
time_limit = 100
nodes = 1
rounds = 0
pool = 10
keep_gap = 0.3
siblings = "ignore"
[train]
epochs = 3
embedding = 8
heads = 2
[tune]
grid = "off"
[[benchmark]]
name = "tiny"
family = "mmcnp"
size = "tiny"
train = 3
validation = 1
test = 1
"#;

/// Instances of a collection and of a series.
const FEW: usize = 3;

/// What a result is: by the name of each of its parts.
pub(crate) type Parts = BTreeMap<String, String>;

/// A task with its input and the result of an undisturbed run.
pub(crate) struct Work {
    pub(crate) task: Task,
    inputs: Arc<Inputs>,
    /// The program; a copy of it where another user has to run it.
    pub(crate) program: PathBuf,
    /// The result of an undisturbed run; of a tuning it depends on what was measured.
    pub(crate) calm: Parts,
    /// How long that took.
    pub(crate) seconds: f64,
}

/// What all tasks read, and what came of undisturbed ones.
pub(crate) struct Inputs {
    family: Arc<Family>,
    folder: TempDir,
    /// By the number of the task: its result and how many seconds it took.
    calm: [OnceLock<(Parts, f64)>; Task::ALL.len()],
}

static SHARED: Mutex<Weak<Inputs>> = Mutex::new(Weak::new());

impl Inputs {
    /// The inputs; they go away with the last test that has them.
    pub(crate) fn shared() -> Arc<Self> {
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        shared.upgrade().unwrap_or_else(|| {
            let inputs = Self::new();
            *shared = Arc::downgrade(&inputs);
            inputs
        })
    }

    fn new() -> Arc<Self> {
        let inputs = Inputs {
            family: family(),
            folder: folder(),
            calm: Default::default(),
        };
        let few = inputs.path("few");
        std::fs::create_dir(&few).expect("a folder");
        for number in 1..=FEW {
            let instance = inputs.family.instance(number);
            let copy = few.join(instance.file_name().expect("a name"));
            std::fs::copy(&instance, copy).expect("a copy");
        }
        std::fs::write(inputs.path("study.toml"), STUDY).expect("a study");
        Arc::new(inputs)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The family that models were trained on.
    pub(crate) fn family(&self) -> &Family {
        &self.family
    }
}

impl Task {
    pub(crate) const ALL: [Task; 5] = [
        Task::Collect,
        Task::Train,
        Task::Tune,
        Task::Evaluate,
        Task::Series,
    ];

    /// The words of the command, which runs in the folder of its output. Limits are counts and one worker, so that results
    /// do not depend on time.
    fn words(self, inputs: &Inputs) -> Vec<OsString> {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        let mut all: Vec<OsString> = Vec::new();
        match self {
            Task::Collect => {
                all.extend(["collect".into(), inputs.path("few").into()]);
                all.extend(words(
                    "--out pools --nodes 1 --rounds 2 --time-limit 100 --jobs 1",
                ));
                all.extend(words("--pool 10 --keep-gap 0.3"));
            }
            Task::Train => {
                all.extend(["train".into(), inputs.family.pools().into()]);
                all.extend(words(
                    "--out m.safetensors --resume --epochs 40 --patience 40",
                ));
                all.extend(words("--batch 2 --embedding 8 --heads 2 --threads 1"));
            }
            Task::Tune => {
                all.extend(["tune".into(), "--instances".into()]);
                all.push(inputs.family.pools().into());
                all.extend(words("--model m.safetensors --time-limit 0.2 --budget 2"));
                all.extend(words("--jobs 1 --count 2"));
            }
            Task::Evaluate => {
                all.extend(["evaluate".into(), inputs.path("study.toml").into()]);
                all.extend(words("--out results"));
            }
            Task::Series => {
                all.extend(["series".into(), inputs.path("few").into()]);
                all.extend(words("--out state --time-limit 20 --gap 0"));
            }
        }
        all
    }

    /// The parts of a result, without times and what depends on them.
    fn parts(self, out: &Path) -> Parts {
        let mut parts = Parts::new();
        // Temporary files are looked for elsewhere: they go away when they are old.
        for name in all_files(out)
            .into_iter()
            .filter(|name| !is_temporary(name))
        {
            let path = out.join(&name);
            let ending = path.extension().unwrap_or_default().to_string_lossy();
            let text = match (self, ending.as_ref()) {
                (_, "safetensors") if self != Task::Series && name.contains("pools/") => {
                    pool(&path)
                }
                (Task::Train, "safetensors") => bytes(&path),
                (Task::Tune, "json" | "jsonl") => bytes(&path),
                (Task::Collect, "json") => bytes(&path),
                (Task::Evaluate, "json") if name.contains("/runs/") => record(&json(&path)),
                (Task::Series, "json") if name.contains("/records/") => series_record(&json(&path)),
                (Task::Evaluate, _) if name.contains("claims") => continue,
                // Which instances of a series are learned from depends on how long that takes.
                (Task::Series, _) if !name.contains("/solutions/") => continue,
                _ => String::new(),
            };
            parts.insert(name, text);
        }
        parts
    }
}

fn bytes(path: &Path) -> String {
    idpas_base::hash::bytes_hash(&std::fs::read(path).expect("a file"))
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON")
}

/// A pool without its times.
fn pool(path: &Path) -> String {
    let pool = idpas_pools::pool::Pool::read(path);
    pool.expect("a whole pool").content_hash()
}

/// Objective values as they are apart from the last digits: different ways to the same solution round differently.
fn objective(run: &Value) -> String {
    let objective = run["objective"].as_f64();
    objective.map_or("none".into(), |objective| format!("{objective:.6e}"))
}

/// What a run of a study found.
fn record(record: &Value) -> String {
    let kept = [
        &record["status"],
        &record["failure"],
        &record["instance_sha256"],
    ];
    format!("{kept:?} {}", objective(record))
}

/// What became of an instance of a series.
fn series_record(record: &Value) -> String {
    let kept = [&record["name"], &record["number"], &record["run"]["status"]];
    format!("{kept:?} {}", objective(&record["run"]))
}

impl Work {
    /// The task, done once without any disturbance.
    pub(crate) fn new(task: Task, inputs: &Arc<Inputs>) -> Self {
        let mut work = Work {
            task,
            inputs: inputs.clone(),
            program: assert_cmd::cargo::cargo_bin!("idpas").to_owned(),
            calm: Parts::new(),
            seconds: 0.0,
        };
        let undisturbed = || {
            let scene = work.scene();
            let clock = Instant::now();
            scene.ends_well(&work);
            (work.result(&scene), clock.elapsed().as_secs_f64())
        };
        let calm = inputs.calm[task as usize].get_or_init(undisturbed);
        (work.calm, work.seconds) = calm.clone();
        work
    }

    /// A new place for the task.
    pub(crate) fn scene(&self) -> Scene {
        Scene::at(folder(), self)
    }

    /// What the task has made.
    pub(crate) fn result(&self, scene: &Scene) -> Parts {
        self.task.parts(&scene.out())
    }

    /// The command of the task.
    pub(crate) fn command(&self, scene: &Scene) -> Command {
        let mut command = Command::new(&self.program);
        command.args(self.task.words(&self.inputs));
        command.current_dir(scene.out());
        command.env("TMPDIR", scene.temporary());
        command.env_remove("RUST_BACKTRACE");
        command
    }

    /// Expects the result of an undisturbed run, but for the content of pools. An instance whose worker died is collected
    /// after the others, and starts from more of them; where the clock jumps, solvers end their parts of a solve early.
    pub(crate) fn is_as_calm_but_pools(&self, scene: &Scene) {
        let without_pools = |mut parts: Parts| {
            for (name, text) in &mut parts {
                if name.ends_with(".safetensors") && self.task != Task::Train {
                    text.clear();
                }
            }
            parts
        };
        match self.task {
            Task::Tune => self.is_as_calm(scene),
            _ => assert_eq!(
                without_pools(self.result(scene)),
                without_pools(self.calm.clone()),
                "{:?}",
                self.task
            ),
        }
    }

    /// Expects the result of an undisturbed run. A choice of settings rests on measured times: it must be the one that an
    /// undisturbed tuning makes from the same measurements, of which none is lost or made twice.
    pub(crate) fn is_as_calm(&self, scene: &Scene) {
        let result = self.result(scene);
        if self.task != Task::Tune {
            assert_eq!(result, self.calm, "{:?}", self.task);
            return;
        }
        let record = std::fs::read_to_string(scene.out().join("m.tune.jsonl")).expect("a record");
        let lines = record
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut keys: Vec<String> = lines
            .map(|line| {
                format!(
                    "{} {}",
                    line["settings"],
                    [&line["instance"], &line["time_limit"]]
                        .map(Value::to_string)
                        .concat()
                )
            })
            .collect();
        let all = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), all, "evaluations that were made twice");
        let again = self.scene();
        std::fs::write(again.out().join("m.tune.jsonl"), &record).expect("a record");
        again.ends_well(self);
        assert_eq!(
            self.result(&again),
            result,
            "the choice from the same record"
        );
    }
}

/// A folder in which a task is done: `out` with all that it makes, the temporary files of its processes, and what it says.
pub(crate) struct Scene {
    folder: TempDir,
}

impl Scene {
    fn at(folder: TempDir, work: &Work) -> Self {
        let scene = Scene { folder };
        for part in [scene.out(), scene.temporary()] {
            std::fs::create_dir_all(part).expect("a folder");
        }
        scene.furnish(work);
        scene
    }

    /// Puts in what the task finds in its folder.
    pub(crate) fn furnish(&self, work: &Work) {
        if work.task == Task::Tune {
            let model = work.inputs.family.model("gnn");
            std::fs::copy(model, self.out().join("m.safetensors")).expect("a copy");
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    pub(crate) fn temporary(&self) -> PathBuf {
        self.folder.path().join("tmp")
    }

    /// Starts a command, usually that of the task.
    pub(crate) fn start(&self, command: Command) -> Started {
        start_command(command, self.folder.path().join("said.log"))
    }

    /// Runs a command to its end, which must come within minutes, and tells its status and what it said.
    pub(crate) fn run(&self, command: Command) -> (ExitStatus, String) {
        let mut started = self.start(command);
        let status = started.end_within(Duration::from_secs(300));
        let said = started.said();
        let status = status.unwrap_or_else(|| panic!("no end: {said}"));
        started.left_nothing();
        // Rust's library panics where memory does not even suffice for a thread.
        let is_short = said.contains("failed to spawn thread");
        assert!(is_short || !said.contains("panicked"), "{said}");
        (status, said)
    }

    /// Does the task to its end without disturbance.
    pub(crate) fn ends_well(&self, work: &Work) {
        let (status, said) = self.run(work.command(self));
        assert_eq!(status.code(), Some(0), "{:?}: {said}", work.task);
    }

    /// The temporary files that are there, of the program's own and in the system's folder for them.
    pub(crate) fn temporaries(&self) -> Vec<PathBuf> {
        let own = all_files(&self.out())
            .into_iter()
            .filter(|name| is_temporary(name));
        let own = own.map(|name| self.out().join(name));
        let others = all_files(&self.temporary());
        own.chain(others.into_iter().map(|name| self.temporary().join(name)))
            .collect()
    }
}
