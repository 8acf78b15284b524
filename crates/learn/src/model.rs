//! A trained model as one file: the predictor, the names it knows, its calibration, and how it came about.

use std::path::Path;

use idpas_base::container::{self, Kind, tensor};
use idpas_graph::{Fit, IdentityKey, Registry, RegistryParts, RegistrySummary};
use idpas_mip::files::save_bytes;
use safetensors::SafeTensors;
use serde::{Deserialize, Serialize};

use crate::calibration::Calibration;
use crate::metrics::Summary;
use crate::predictor::{Predictor, PredictorKind};
use crate::{Gnn, LearnError, Nearest, Prop, ZeroFrequency};

const KIND: Kind = Kind {
    key: "model",
    format: "idpas-model",
    version: 1,
};

/// A trained predictor with all that is needed to use it and to tell where it is from.
pub struct TrainedModel {
    /// The predictor.
    pub predictor: Box<dyn Predictor>,
    /// The names it knows.
    pub registry: Registry,
    /// How its scores become probabilities.
    pub calibration: Calibration,
    /// How it came about.
    pub training: Training,
}

/// How a model came about. Nothing in it comes from a clock, so that equal trainings give equal files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// Program and version.
    pub program: String,
    /// Hash of the pools it learned from.
    pub pools_sha256: String,
    /// Instances of the training set.
    pub training_instances: usize,
    /// Instances of the validation set.
    pub validation_instances: usize,
    /// The settings, as the predictor's kind has them.
    pub settings: serde_json::Value,
    /// Epochs done, and the one that was kept, for predictors trained in epochs.
    pub epochs: Option<[usize; 2]>,
    /// How good the calibrated scores are on the validation set.
    pub validation: Option<Summary>,
    /// The same with all identities hidden, for predictors that can do without.
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
}

/// The names of what a network sees, for people who open the file.
#[derive(Serialize, Deserialize)]
struct Features {
    variable: Vec<String>,
    row: Vec<String>,
    edge: Vec<String>,
}

impl TrainedModel {
    /// Writes the model. The file appears whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), LearnError> {
        Ok(save_bytes(path, &self.to_bytes()?)?)
    }

    /// The bytes that [`write`](Self::write) writes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, LearnError> {
        let stored = self.predictor.store();
        let parts = self.registry.to_parts();
        let header = Header {
            predictor: self.predictor.kind(),
            features: features(&stored.settings),
            settings: stored.settings,
            registry: parts.summary,
            calibration: self.calibration,
            training: self.training.clone(),
        };
        let counts: Vec<i64> = parts.counts.iter().map(|count| *count as i64).collect();
        let mut tensors = vec![
            tensor::u8s("registry.columns", &parts.column_names),
            tensor::u8s("registry.rows", &parts.row_names),
            tensor::f64s("registry.nonzero", &parts.nonzero_sums),
            tensor::i64s("registry.count", &counts),
        ];
        tensors.extend(stored.tensors);
        container::encode(KIND, &header, &tensors).map_err(|why| fault("a model", why))
    }

    /// Reads a model and checks every bit of it. Nothing in the file is executed.
    pub fn read(path: &Path) -> Result<Self, LearnError> {
        Ok(Self::read_hashed(path)?.0)
    }

    /// Reads a model as [`read`](Self::read) does, and takes the hash of its file on the way, which is the file's
    /// [`instance_hash`](idpas_pools::instance_hash).
    pub fn read_hashed(path: &Path) -> Result<(Self, String), LearnError> {
        let bytes = std::fs::read(path).map_err(|e| LearnError::io(path, e))?;
        let (header, file) =
            container::decode::<Header>(KIND, &bytes).map_err(|f| f.at(KIND, path))?;
        let model =
            Self::restore(header, &file).map_err(|why| fault(&path.display().to_string(), why))?;
        Ok((model, idpas_base::hash::bytes_hash(&bytes)))
    }

    fn restore(header: Header, file: &SafeTensors) -> Result<Self, String> {
        let counts = tensor::take_i64s(file, "registry.count")?;
        let registry = Registry::from_parts(RegistryParts {
            summary: header.registry,
            column_names: tensor::take_u8s(file, "registry.columns")?,
            row_names: tensor::take_u8s(file, "registry.rows")?,
            nonzero_sums: tensor::take_f64s(file, "registry.nonzero")?,
            // A negative count becomes a huge one, which the registry refuses.
            counts: counts.into_iter().map(|count| count as u64).collect(),
        })
        .map_err(|e| e.to_string())?;
        header.calibration.validate()?;
        let settings = &header.settings;
        let predictor: Box<dyn Predictor> = match header.predictor {
            PredictorKind::Gnn => Box::new(Gnn::restore(settings, file)?),
            PredictorKind::Prop => Box::new(Prop::restore(settings, file)?),
            PredictorKind::ZeroFrequency => Box::new(ZeroFrequency::restore(settings, file)?),
            PredictorKind::Nearest => Box::new(Nearest::restore(settings, file)?),
        };
        Ok(TrainedModel {
            predictor,
            registry,
            calibration: header.calibration,
            training: header.training,
        })
    }

    /// How much of an instance the model knows.
    pub fn fit(&self, model: &idpas_mip::Model) -> Fit {
        self.registry.fit(model)
    }

    /// Whether the names of the family were not stable, so that variables are known by their position.
    pub fn goes_by_position(&self) -> bool {
        self.registry.key() == IdentityKey::Position
    }
}

/// The feature names behind a network's settings.
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
