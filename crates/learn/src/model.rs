//! A trained model as one file: the predictor, the names it knows, its calibration, and how it was trained.

use std::path::Path;

use idpas_base::container::{self, Kind, tensor};
use idpas_graph::{Fit, IdentityKey, Registry, RegistryParts, RegistrySummary};
use idpas_mip::files::save_bytes;
use safetensors::SafeTensors;
use serde::{Deserialize, Serialize};

use crate::calibration::Calibration;
use crate::metrics::Summary;
use crate::predictor::{Predictor, PredictorKind};
use crate::{Gnn, LearnError, LearnedSet, Nearest, Prop, ZeroFrequency};

const KIND: Kind = Kind {
    key: "model",
    format: "idpas-model",
    version: 1,
};

/// A trained predictor with everything that is needed to use it and to know its origin.
pub struct TrainedModel {
    /// The predictor.
    pub predictor: Box<dyn Predictor>,
    /// The names and identities that it knows.
    pub registry: Registry,
    /// Turns its scores into probabilities.
    pub calibration: Calibration,
    /// How it was trained.
    pub training: Training,
    /// The past solutions beside a predictor that keeps none itself; a `nearest` model keeps its own, and files of
    /// older versions have none. [`past_solutions`](Self::past_solutions) gives them wherever they are.
    pub past: Option<Nearest>,
    /// The sets of scores that the model can give beside those of its predictor. Empty in files of older versions.
    pub other_sets: Vec<LearnedSet>,
}

/// How a model was trained. Contains no times, so that equal trainings give equal files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// Name and version of the program.
    pub program: String,
    /// Hash of the pools from which it learned.
    pub pools_sha256: String,
    /// Number of instances in the training set.
    pub training_instances: usize,
    /// Number of instances in the validation set.
    pub validation_instances: usize,
    /// The settings, in the form of the predictor's kind.
    pub settings: serde_json::Value,
    /// Number of epochs done, and the epoch that was kept, counted from 1; `None` for predictors without epochs.
    pub epochs: Option<[usize; 2]>,
    /// Quality of the calibrated scores on the validation set; `None` if that is empty.
    pub validation: Option<Summary>,
    /// Quality on the validation set with all identities hidden; `None` for predictors that need identities.
    pub validation_without_identity: Option<Summary>,
}

#[derive(Serialize, Deserialize)]
struct Header {
    predictor: PredictorKind,
    settings: serde_json::Value,
    features: Option<Features>,
    registry: RegistrySummary,
    calibration: Calibration,
    training: Training,
    /// Settings of the past solutions, if the file holds them beside the predictor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    past: Option<serde_json::Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sets: Vec<LearnedSet>,
}

/// The names of a network's features, for people who open the file.
#[derive(Serialize, Deserialize)]
struct Features {
    variable: Vec<String>,
    row: Vec<String>,
    edge: Vec<String>,
}

impl TrainedModel {
    /// Writes the model to a file, completely or not at all.
    pub fn write(&self, path: &Path) -> Result<(), LearnError> {
        Ok(save_bytes(path, &self.to_bytes()?)?)
    }

    /// The bytes that [`write`](Self::write) writes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, LearnError> {
        let stored = self.predictor.store();
        let past = self.past.as_ref().map(Predictor::store);
        let parts = self.registry.to_parts();
        let header = Header {
            predictor: self.predictor.kind(),
            features: features(&stored.settings),
            settings: stored.settings,
            registry: parts.summary,
            calibration: self.calibration,
            training: self.training.clone(),
            past: past.as_ref().map(|past| past.settings.clone()),
            sets: self.other_sets.clone(),
        };
        let counts: Vec<i64> = parts.counts.iter().map(|count| *count as i64).collect();
        let mut tensors = vec![
            tensor::u8s("registry.columns", &parts.column_names),
            tensor::u8s("registry.rows", &parts.row_names),
            tensor::f64s("registry.nonzero", &parts.nonzero_sums),
            tensor::i64s("registry.count", &counts),
        ];
        tensors.extend(stored.tensors);
        tensors.extend(past.into_iter().flat_map(|past| past.tensors));
        container::encode(KIND, &header, &tensors).map_err(|why| fault("a model", why))
    }

    /// Reads a model and checks every bit of it. Nothing in the file is executed.
    pub fn read(path: &Path) -> Result<Self, LearnError> {
        Ok(Self::read_hashed(path)?.0)
    }

    /// Reads a model as [`read`](Self::read) does, and also returns the file's
    /// [`instance_hash`](idpas_pools::instance_hash) without reading it twice.
    pub fn read_hashed(path: &Path) -> Result<(Self, String), LearnError> {
        let bytes = std::fs::read(path).map_err(|e| LearnError::io(path, e))?;
        let model = Self::from_bytes(&bytes, path)?;
        Ok((model, idpas_base::hash::bytes_hash(&bytes)))
    }

    /// Reads a model from the content of its file, as [`read`](Self::read) does; `path` is for messages.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Self, LearnError> {
        let (header, file) =
            container::decode::<Header>(KIND, bytes).map_err(|f| f.at(KIND, path))?;
        Self::restore(header, &file).map_err(|why| fault(&path.display().to_string(), why))
    }

    fn restore(header: Header, file: &SafeTensors) -> Result<Self, String> {
        let counts = tensor::take_i64s(file, "registry.count")?;
        let registry = Registry::from_parts(RegistryParts {
            summary: header.registry,
            column_names: tensor::take_u8s(file, "registry.columns")?,
            row_names: tensor::take_u8s(file, "registry.rows")?,
            nonzero_sums: tensor::take_f64s(file, "registry.nonzero")?,
            // A negative count becomes a very large one, which the registry refuses.
            counts: counts.into_iter().map(|count| count as u64).collect(),
        })
        .map_err(|e| e.to_string())?;
        header.calibration.validate()?;
        for set in &header.sets {
            set.calibration.validate()?;
        }
        let settings = &header.settings;
        let predictor: Box<dyn Predictor> = match header.predictor {
            PredictorKind::Gnn => Box::new(Gnn::restore(settings, file)?),
            PredictorKind::Prop => Box::new(Prop::restore(settings, file)?),
            PredictorKind::ZeroFrequency => Box::new(ZeroFrequency::restore(settings, file)?),
            PredictorKind::Nearest => Box::new(Nearest::restore(settings, file)?),
        };
        let past = header.past.as_ref();
        let past = past.map(|settings| Nearest::restore(settings, file));
        Ok(TrainedModel {
            predictor,
            registry,
            calibration: header.calibration,
            training: header.training,
            past: past.transpose()?,
            other_sets: header.sets,
        })
    }

    /// How much of an instance's names the model knows.
    pub fn fit(&self, model: &idpas_mip::Model) -> Fit {
        self.registry.fit(model)
    }

    /// Whether names in the family were not stable, so that variables are recognised by their position.
    pub fn goes_by_position(&self) -> bool {
        self.registry.key() == IdentityKey::Position
    }
}

/// The feature names that belong to a network's settings.
fn features(settings: &serde_json::Value) -> Option<Features> {
    let names = |of: &str| -> Option<Vec<String>> {
        let all = settings["standardisation"][of].as_array()?.iter();
        all.map(|one| Some(one["feature"].as_str()?.to_owned()))
            .collect()
    };
    Some(Features {
        variable: names("variables")?,
        row: names("rows")?,
        edge: names("edges")?,
    })
}

fn fault(path: &str, why: String) -> LearnError {
    LearnError::File {
        path: path.to_owned(),
        what: "model",
        why,
    }
}
