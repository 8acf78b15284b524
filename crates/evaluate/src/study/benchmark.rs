//! Where the instances of a benchmark come from.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use idpas_learn::TrainOverrides;
use idpas_pools::collect::CollectOverrides;
use serde::{Deserialize, Serialize};

use crate::tune::TuneOverrides;

/// Instances of one family: generated, or from folders of the user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Benchmark {
    /// Its name in tables, and of its folder among the results.
    pub name: String,
    /// The family to generate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<FamilyName>,
    /// The size of generated instances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<String>,
    /// The seed of generated instances, or of dealing out files.
    #[serde(default = "first")]
    pub seed: u64,
    /// The variant of `mmcnp` in which waiting for trucks keeps lead times.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lead_time: bool,
    /// The folder of Cornell's data for `course`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<PathBuf>,
    /// The user's instances, instead of a family.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instances: Option<Folders>,
    /// The user's test instances, where they are apart from the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_instances: Option<Folders>,
    /// Instances to learn from.
    #[serde(default)]
    pub train: usize,
    /// Instances to choose weights and settings by.
    #[serde(default)]
    pub validation: usize,
    /// Instances to compare methods on.
    pub test: usize,
    /// Seconds of each run, if not the study's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<f64>,
    /// Labels of methods that do not apply here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub omit: Vec<String>,
    /// Models that are there already, by label of a method; nothing is trained or tuned for these.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, PathBuf>,
    /// How pools are collected, where it differs from the study.
    #[serde(default)]
    pub collect: CollectOverrides,
    /// How networks are trained, where it differs.
    #[serde(default, rename = "training")]
    pub train_settings: TrainOverrides,
    /// How settings are chosen, where it differs.
    #[serde(default)]
    pub tune: TuneOverrides,
}

fn first() -> u64 {
    1
}

/// A family of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FamilyName {
    /// Middle-mile consolidation network design.
    Mmcnp,
    /// Strategic locomotive assignment.
    Slap,
    /// Course scheduling.
    Course,
}

impl FamilyName {
    /// Its name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            FamilyName::Mmcnp => "mmcnp",
            FamilyName::Slap => "slap",
            FamilyName::Course => "course",
        }
    }
}

/// A folder, or several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a folder, or a list of folders")]
pub enum Folders {
    /// One folder, list of files, or file.
    One(PathBuf),
    /// Several.
    Many(Vec<PathBuf>),
}

impl Folders {
    /// All of them.
    pub fn paths(&self) -> &[PathBuf] {
        match self {
            Folders::One(path) => std::slice::from_ref(path),
            Folders::Many(paths) => paths,
        }
    }

    fn resolve(&mut self, folder: &Path) {
        match self {
            Folders::One(path) => *path = folder.join(&path),
            Folders::Many(paths) => paths.iter_mut().for_each(|path| *path = folder.join(&path)),
        }
    }
}

impl Benchmark {
    /// Takes relative paths from `folder`.
    pub(super) fn resolve(&mut self, folder: &Path) {
        for folders in [&mut self.instances, &mut self.test_instances]
            .into_iter()
            .flatten()
        {
            folders.resolve(folder);
        }
        for path in self.models.values_mut().chain(&mut self.data) {
            *path = folder.join(&path);
        }
    }

    /// Takes relative paths from the current folder.
    pub(super) fn absolute(&mut self) {
        let here = std::env::current_dir().unwrap_or_default();
        self.resolve(&here);
    }

    /// One line on where the instances come from.
    pub fn source(&self) -> String {
        match (&self.family, &self.size) {
            (Some(family), Some(size)) => {
                let variant = if self.lead_time {
                    " with lead times"
                } else {
                    ""
                };
                // Which of the two decides how much there is to learn.
                let data = match (family, &self.data) {
                    (FamilyName::Course, Some(_)) => ", Cornell's data",
                    (FamilyName::Course, None) => ", synthetic co-enrolments",
                    _ => "",
                };
                let seed = self.seed;
                format!("{} {size}{variant}{data}, seed {seed}", family.as_str())
            }
            _ => "files of the user".into(),
        }
    }
}
