//! A small family with pools and a model of each kind, made once for all tests that run at the same time.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tempfile::TempDir;

use super::{folder, idpas, run};

/// Limits that decide by counts, so that pools do not depend on the machine's speed.
const LIMITS: [&str; 14] = [
    "--time-limit",
    "100",
    "--nodes",
    "3",
    "--rounds",
    "3",
    "--pool",
    "10",
    "--keep-gap",
    "0.3",
    "--jobs",
    "1",
    "--split",
    "8/3/1",
];

/// Tiny MMCNP instances, pools of them, and models trained on these.
pub(crate) struct Family {
    folder: TempDir,
}

static SHARED: Mutex<Weak<Family>> = Mutex::new(Weak::new());

/// The family; it goes away with the last test that has it.
pub(crate) fn family() -> Arc<Family> {
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    shared.upgrade().unwrap_or_else(|| {
        let family = Arc::new(Family::new());
        *shared = Arc::downgrade(&family);
        family
    })
}

impl Family {
    fn new() -> Self {
        let family = Family { folder: folder() };
        let mut generate = idpas();
        generate.args(["generate", "mmcnp", "--size", "tiny", "--seed", "1", "-q"]);
        generate.args(["--count", "12", "--out"]);
        run(generate.arg(family.path("instances")), 0);
        let mut collect = idpas();
        collect.arg("collect").arg(family.path("instances"));
        collect.arg("--out").arg(family.pools()).args(LIMITS);
        for name in ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"] {
            collect.env_remove(name);
        }
        run(&mut collect, 0);
        let small = ["--epochs", "2", "--embedding", "8", "--heads", "2"];
        family.train("gnn", &small);
        family.train("gnn-off", &[&small[..], &["--identity", "off"]].concat());
        for predictor in ["prop", "zero-frequency", "nearest"] {
            family.train(predictor, &["--predictor", predictor]);
        }
        family
    }

    fn train(&self, name: &str, how: &[&str]) {
        let mut train = idpas();
        train.arg("train").arg(self.pools()).args(how);
        run(train.arg("--out").arg(self.model(name)), 0);
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn pools(&self) -> PathBuf {
        self.path("pools")
    }

    /// `gnn`, `gnn-off`, `prop`, `zero-frequency` or `nearest`.
    pub(crate) fn model(&self, name: &str) -> PathBuf {
        self.path(&format!("{name}.safetensors"))
    }

    pub(crate) fn instance(&self, number: usize) -> PathBuf {
        self.path(&format!("instances/inst_{number:04}.mps.gz"))
    }
}
