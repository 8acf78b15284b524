//! An unfinished training as a file.

use std::path::{Path, PathBuf};

use idpas_base::container::{self, Kind, tensor};
use idpas_mip::files::save_bytes;
use idpas_nn::{Adam, Network};
use serde::{Deserialize, Serialize};

use super::Settings;
use crate::LearnError;

const KIND: Kind = Kind {
    key: "checkpoint",
    format: "idpas-checkpoint",
    version: 1,
};

/// How far a training has got.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Place {
    /// Number of epochs finished.
    pub(super) epoch: usize,
    /// Number of batches of the next epoch that are done.
    pub(super) batch: usize,
    /// Sum of the losses of the graphs in these batches.
    pub(super) loss: f64,
    /// The best epoch, counted from 1; 0 if none is finished.
    pub(super) best_epoch: usize,
    /// Loss of the best epoch.
    pub(super) best_loss: f64,
    /// Seconds of training so far.
    pub(super) seconds: f64,
}

impl Default for Place {
    fn default() -> Self {
        Place {
            epoch: 0,
            batch: 0,
            loss: 0.0,
            best_epoch: 0,
            best_loss: f64::MAX,
            seconds: 0.0,
        }
    }
}

/// The state of an unfinished training.
pub(super) struct State {
    pub(super) place: Place,
    pub(super) network: Network,
    pub(super) adam: Adam,
    /// The weights of the best epoch.
    pub(super) best: Vec<f32>,
}

#[derive(Serialize, Deserialize)]
struct Header {
    settings: Settings,
    data: String,
    steps: u64,
    place: Place,
}

/// Writes a checkpoint; `data` is the hash of the pools.
pub(super) fn write(
    path: &Path,
    state: &State,
    settings: &Settings,
    data: &str,
) -> Result<(), LearnError> {
    let header = Header {
        settings: settings.clone(),
        data: data.to_owned(),
        steps: state.adam.step,
        place: state.place.clone(),
    };
    let tensors = [
        tensor::f32s("parameters", state.network.parameters()),
        tensor::f32s("adam.first", &state.adam.first),
        tensor::f32s("adam.second", &state.adam.second),
        tensor::f32s("best", &state.best),
    ];
    let bytes = container::encode(KIND, &header, &tensors).map_err(|why| fault(path, why))?;
    Ok(save_bytes(path, &bytes)?)
}

/// The number of epochs that the checkpoint at a path has finished; `None` if there is none that can be read.
pub(super) fn epochs(path: &Path) -> Option<usize> {
    let bytes = std::fs::read(path).ok()?;
    let header: Header = container::header(KIND, &bytes).ok()?;
    Some(header.place.epoch)
}

/// Restores the state from a checkpoint; an error if its settings or data are different.
pub(super) fn read(
    path: &Path,
    state: &mut State,
    settings: &Settings,
    data: &str,
) -> Result<(), LearnError> {
    let bytes = std::fs::read(path).map_err(|e| LearnError::io(path, e))?;
    restore(&bytes, path, state, settings, data)
}

/// [`read`] from the content of the file; `path` is for messages.
fn restore(
    bytes: &[u8],
    path: &Path,
    state: &mut State,
    settings: &Settings,
    data: &str,
) -> Result<(), LearnError> {
    let (header, file) = container::decode::<Header>(KIND, bytes).map_err(|f| f.at(KIND, path))?;
    if header.settings != *settings {
        return Err(fault(
            path,
            "it was made with other settings; give the same ones, or --restart".into(),
        ));
    }
    if header.data != data {
        return Err(fault(
            path,
            "it was made from other pools, or they have changed; begin anew with --restart".into(),
        ));
    }
    let take = |name: &str| -> Result<Vec<f32>, LearnError> {
        let values = tensor::take_f32s(&file, name).map_err(|why| fault(path, why))?;
        let expected = state.network.parameters().len();
        if values.len() != expected {
            let why = format!("`{name}` has {} numbers; expected {expected}", values.len());
            return Err(fault(path, why));
        }
        Ok(values)
    };
    let (parameters, best) = (take("parameters")?, take("best")?);
    let (first, second) = (take("adam.first")?, take("adam.second")?);
    state.network.parameters_mut().copy_from_slice(&parameters);
    state.best = best;
    state.adam.first = first;
    state.adam.second = second;
    state.adam.step = header.steps;
    state.place = header.place;
    Ok(())
}

fn fault(path: &Path, why: String) -> LearnError {
    LearnError::File {
        path: path.display().to_string(),
        what: "checkpoint",
        why,
    }
}

/// Reads the content of a checkpoint into a training of this network, whatever its settings. For tests of what such a file
/// may hold; training itself reads its own folder.
#[doc(hidden)]
pub fn read_checkpoint(bytes: &[u8], network: &Network) -> Result<Adam, LearnError> {
    let path = Path::new("checkpoint");
    let header: Header = container::header(KIND, bytes).map_err(|f| f.at(KIND, path))?;
    let mut state = State {
        place: Place::default(),
        network: network.clone(),
        adam: Adam::new(network.parameters().len()),
        best: Vec::new(),
    };
    restore(bytes, path, &mut state, &header.settings, &header.data)?;
    Ok(state.adam)
}

/// The folder of temporary files of a training of this model.
pub(super) fn work_folder(model: &Path) -> PathBuf {
    model.with_extension("training")
}
