//! The folder of a series: what is in it, and how it stays whole.
//!
//! | in the folder | what it holds |
//! | --- | --- |
//! | `series.json` | the program, the solver and the settings that the series was last gone on with |
//! | `records/000001.json` | what became of each instance; written last, so that an instance with a record is done |
//! | `solutions/000001-NAME.sol` | the best solution of each instance |
//! | `instances/`, `pools/` | copies of the latest instances, and a folder of pools with their solutions |
//! | `guide.safetensors` | the guide that was learned from these |
//! | `network.safetensors` | the network that was trained beside, if that was asked for |
//! | `claims/` | who works on the series now |
//! | `begun.json` | the instance under way, and how often it was begun |

use std::path::{Path, PathBuf};
use std::time::Duration;

use idpas_base::claim::{Claim, Claims};
use idpas_base::file_name::link_below;
use idpas_base::sealed;
use idpas_evaluate::series::{RECORDS, SeriesRecord};
use idpas_learn::{Examples, Guide, LearnError, Recipe, Train, TrainedModel};
use idpas_mip::files::{remove_left_behind, save_bytes};
use idpas_mip::solution::{Solution, SolutionFormat, write_file};
use idpas_mip::{Model, write_model};
use idpas_pools::collect::CollectSettings;
use idpas_pools::inputs::find_instances;
use idpas_pools::instance_hash;
use idpas_pools::manifest::{Manifest, SplitRule, pool_path};
use idpas_pools::pool::{InstanceInfo, Pool, PoolSolution};
use idpas_pools::split::Proportions;
use serde::{Deserialize, Serialize};

use super::{SeriesError, SeriesOptions};

/// The latest instances that a series learns from: learning takes the same time however long the series is.
const REMEMBERED: usize = 64;
/// Solutions of an instance that are kept, and how far from the best they may be, relatively.
pub(super) const KEPT: usize = 10;
pub(super) const KEEP_GAP: f64 = 0.05;
/// All instances are learned from.
const SPLIT: SplitRule = SplitRule {
    proportions: Proportions {
        train: 1,
        validation: 0,
        test: 0,
    },
    seed: 0,
};
/// The folders inside, which are made when a series begins, and in which its files are written and removed.
const PARTS: [&str; 4] = [RECORDS, "solutions", "instances", "pools"];
/// The version of what `series.json` says.
const VERSION: u32 = 1;

/// The folder of a series. No other process can go on with the series as long as this one has it.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    _claim: Claim,
}

/// What `series.json` says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SeriesManifest {
    version: u32,
    program: String,
    solver: String,
    solver_version: String,
    options: SeriesOptions,
}

/// The instance under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Begun {
    number: usize,
    attempts: usize,
}

impl Folder {
    /// Makes the folder, or opens one that is there, and removes what an instance without a record has left.
    pub(super) fn open(
        path: &Path,
        options: &SeriesOptions,
    ) -> Result<(Self, Vec<SeriesRecord>), SeriesError> {
        refuse_strangers(path)?;
        refuse_links(path)?;
        let claims = Claims::new(path.join("claims"));
        let claim = claims.take_settled("series");
        let claim = claim.map_err(|error| SeriesError::io(path, error))?;
        let folder = Folder {
            path: path.to_owned(),
            _claim: claim.ok_or_else(|| SeriesError::Busy(path.display().to_string()))?,
        };
        remove_left_behind(path, Duration::ZERO);
        for part in PARTS {
            let part = path.join(part);
            std::fs::create_dir_all(&part).map_err(|error| SeriesError::io(&part, error))?;
            remove_left_behind(&part, Duration::ZERO);
        }
        let records = SeriesRecord::read_all(path)?;
        folder.write_manifest(options)?;
        folder.forget_beyond(records.len())?;
        Ok((folder, records))
    }

    fn write_manifest(&self, options: &SeriesOptions) -> Result<(), SeriesError> {
        let solver = idpas_solver::by_name(&options.solver)?;
        let manifest = SeriesManifest {
            version: VERSION,
            program: idpas_base::PROGRAM.into(),
            solver: solver.name().into(),
            solver_version: solver.version(),
            options: options.clone(),
        };
        self.write_json(&self.path.join("series.json"), &manifest)
    }

    fn write_json(&self, path: &Path, value: &impl Serialize) -> Result<(), SeriesError> {
        let text = sealed::to_text(value).map_err(|error| SeriesError::Damaged {
            path: path.display().to_string(),
            why: error.to_string(),
        })?;
        Ok(save_bytes(path, text.as_bytes())?)
    }

    /// The folder itself.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn pools(&self) -> PathBuf {
        self.path.join("pools")
    }

    fn guide(&self) -> PathBuf {
        self.path.join("guide.safetensors")
    }

    /// The file of the network that is trained beside.
    pub(super) fn network(&self) -> PathBuf {
        self.path.join("network.safetensors")
    }

    /// The file of an instance's best solution.
    pub(super) fn solution(&self, number: usize, name: &str) -> PathBuf {
        let file = format!("{}.sol", key(number, name));
        self.path.join("solutions").join(file)
    }

    fn instance(&self, number: usize, name: &str) -> PathBuf {
        let file = format!("{}.mps.gz", key(number, name));
        self.path.join("instances").join(file)
    }

    /// Notes that an instance begins, and says how often it was begun before without coming to its end.
    pub(super) fn begin(&self, number: usize) -> Result<usize, SeriesError> {
        let path = self.path.join("begun.json");
        let text = std::fs::read(&path).unwrap_or_default();
        // A note that cannot be read is none.
        let before: Begun = sealed::from_slice(&text).unwrap_or_default();
        let attempts = match before.number == number {
            true => before.attempts,
            false => 0,
        };
        let begun = Begun {
            number,
            attempts: attempts.saturating_add(1),
        };
        self.write_json(&path, &begun)?;
        Ok(attempts)
    }

    /// Notes that the instance under way was left on purpose, so that it does not count as an attempt.
    pub(super) fn leave(&self) {
        let _ = std::fs::remove_file(self.path.join("begun.json"));
    }

    /// Writes the best solution of an instance.
    pub(super) fn write_solution(
        &self,
        number: usize,
        name: &str,
        model: &Model,
        values: &[f64],
    ) -> Result<PathBuf, SeriesError> {
        let path = self.solution(number, name);
        let solution = Solution::new(values.to_vec());
        write_file(model, &solution, SolutionFormat::default(), &path)?;
        Ok(path)
    }

    /// Adds an instance with its solutions to the pools, and takes the oldest ones away.
    pub(super) fn remember(
        &self,
        number: usize,
        name: &str,
        model: &Model,
        solutions: Vec<PoolSolution>,
        bound: Option<f64>,
    ) -> Result<(), SeriesError> {
        let file = self.instance(number, name);
        write_model(model, &file)?;
        let key = key(number, name);
        let info = InstanceInfo::new(&key, instance_hash(&file)?, model);
        let mut pool = Pool::given(info, model.sense);
        pool.info.bound = bound;
        pool.merge(&model.columns.kind, solutions, KEPT, KEEP_GAP);
        pool.write(pool_path(&self.pools(), &key))?;
        let old: Vec<String> = self.keys()?;
        let beyond = old.len().saturating_sub(REMEMBERED);
        for key in &old[..beyond] {
            self.forget(key)?;
        }
        self.write_pool_manifest()
    }

    /// The instances that are remembered, the oldest first.
    fn keys(&self) -> Result<Vec<String>, SeriesError> {
        let folder = self.path.join("instances");
        match std::fs::read_dir(&folder).map(|mut all| all.next().is_none()) {
            Ok(true) => return Ok(Vec::new()),
            Ok(false) => {}
            Err(error) => return Err(SeriesError::io(&folder, error)),
        }
        let files = find_instances(&folder)?;
        Ok(files.into_iter().map(|file| file.name).collect())
    }

    fn forget(&self, key: &str) -> Result<(), SeriesError> {
        let instance = self.path.join("instances").join(format!("{key}.mps.gz"));
        for file in [pool_path(&self.pools(), key), instance] {
            match std::fs::remove_file(&file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(SeriesError::io(&file, error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Removes instances beyond the last record: they were being learned from when the process ended, and are solved again
    /// without knowing of themselves.
    fn forget_beyond(&self, records: usize) -> Result<(), SeriesError> {
        let number = |key: &String| key.get(..6).and_then(|digits| digits.parse().ok());
        let beyond = |key: &String| number(key).is_none_or(|number: usize| number > records);
        let gone: Vec<String> = self.keys()?.into_iter().filter(beyond).collect();
        for key in &gone {
            self.forget(key)?;
        }
        if !gone.is_empty() && !self.keys()?.is_empty() {
            self.write_pool_manifest()?;
        }
        Ok(())
    }

    fn write_pool_manifest(&self) -> Result<(), SeriesError> {
        let inputs = find_instances(&self.path.join("instances"))?;
        let pools = self.pools();
        let old = Manifest::read(&pools).ok().flatten();
        let settings = CollectSettings {
            pool: KEPT,
            keep_gap: KEEP_GAP,
            ..CollectSettings::default()
        };
        let manifest = Manifest::plan(&pools, old.as_ref(), &inputs, &settings, SPLIT)?;
        Ok(manifest.write(&pools)?)
    }

    /// The instances that are remembered, with their solutions; `None` if there are none. What was read before is not read
    /// again.
    pub(super) fn examples(
        &self,
        before: Option<&Examples>,
    ) -> Result<Option<Examples>, SeriesError> {
        if self.keys()?.is_empty() {
            return Ok(None);
        }
        Ok(Some(match before {
            Some(before) => before.reopened()?,
            None => Examples::open(self.pools())?,
        }))
    }

    /// The guide of these examples: the one of the file if it was learned from just them, else a new one, which is written.
    pub(super) fn learned(
        &self,
        examples: &Examples,
        threads: usize,
    ) -> Result<Guide, SeriesError> {
        let path = self.guide();
        let data = examples.fingerprint()?;
        if let Ok(trained) = TrainedModel::read(&path)
            && trained.training.pools_sha256 == data
        {
            return Ok(Guide::read(&path)?);
        }
        let train = Train {
            recipe: Recipe::Nearest(Default::default(), Default::default()),
            out: Some(path),
            threads: Some(threads),
            ..Train::default()
        };
        let guide = Guide::train(examples, &train, &mut Default::default());
        guide.map_err(|error| match error {
            LearnError::Interrupted => SeriesError::Interrupted,
            other => SeriesError::Learn(other),
        })
    }
}

/// Refuses a folder with links in the place of its parts: files are removed there, and those of a link are none of ours.
fn refuse_links(folder: &Path) -> Result<(), SeriesError> {
    let mut parts = PARTS.iter().map(|part| folder.join(part));
    match parts.find_map(|part| link_below(folder, &part)) {
        Some(link) => Err(SeriesError::Damaged {
            path: link.display().to_string(),
            why: "this is a link; expected a folder".into(),
        }),
        None => Ok(()),
    }
}

/// Refuses a folder of another kind, and one that a newer version has written.
fn refuse_strangers(folder: &Path) -> Result<(), SeriesError> {
    let path = folder.join("series.json");
    let text = match std::fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return match holds_nothing(folder) {
                true => Ok(()),
                false => Err(SeriesError::NoSeries(folder.display().to_string())),
            };
        }
        Err(error) => return Err(SeriesError::io(&path, error)),
    };
    let damaged = |why: String| SeriesError::Damaged {
        path: path.display().to_string(),
        why,
    };
    let value: serde_json::Value =
        sealed::from_slice(&text).map_err(|error| damaged(error.to_string()))?;
    match value["version"].as_u64() {
        Some(version) if version == u64::from(VERSION) => Ok(()),
        Some(version) => Err(damaged(format!(
            "it is of version {version}; this program knows version {VERSION}"
        ))),
        None => Err(damaged("it says no version".into())),
    }
}

/// Whether a folder has nothing but what a process leaves that ended while it began, killed or for lack of space: its claim,
/// temporary files, and folders that are still empty.
fn holds_nothing(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_trace = |entry: std::fs::DirEntry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name == "claims"
            || name.starts_with(".idpas-")
            || (PARTS.contains(&name.as_ref())
                && std::fs::read_dir(entry.path()).is_ok_and(|mut all| all.next().is_none()))
    };
    entries.into_iter().all(is_trace)
}

/// The name of an instance in the folder: its number comes first, since names may come again.
fn key(number: usize, name: &str) -> String {
    format!("{number:06}-{name}")
}
