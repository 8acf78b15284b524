//! The graph attention network as a predictor.

use std::sync::Mutex;

use idpas_base::container::tensor;
use idpas_graph::{
    FeatureSet, IdentityInput, Profile, ProfileParts, Standardisation, Widths, assemble, build,
    prior,
};
use idpas_nn::{Config, Layout, Network, Threads, Workspace};
use safetensors::SafeTensors;
use serde::{Deserialize, Serialize};

use crate::predictor::{Instance, Predictor, PredictorKind, Stored};
use crate::{LearnError, sigmoid};

/// A trained graph attention network with everything that its input needs.
pub struct Gnn {
    standardisation: Standardisation,
    /// The usual values in the family.
    profile: Profile,
    /// Number of bits of an identity; `None` if the network does not use identities.
    identity_bits: Option<usize>,
    /// Number of training instances behind the zero rates from which the network's logits start; 0 if they start from
    /// 0.
    history: usize,
    network: Network,
    /// Working memory, reused from one prediction to the next.
    workspace: Mutex<Workspace>,
}

/// The part of a network that is stored as JSON.
#[derive(Serialize, Deserialize)]
struct Settings {
    network: Config,
    identity_bits: Option<usize>,
    history: usize,
    /// Number of columns and of rows in the profile.
    profile: [usize; 2],
    standardisation: Standardisation,
}

impl Gnn {
    /// Combines a network with the data of its input; an error if their widths do not fit.
    pub fn new(
        network: Network,
        standardisation: Standardisation,
        profile: Profile,
        identity_bits: Option<usize>,
        history: usize,
    ) -> Result<Self, String> {
        if let Some(bits) = identity_bits.filter(|&bits| bits > u32::BITS as usize) {
            return Err(format!("identities of {bits} bits; expected at most 32"));
        }
        let widths = Widths::new(standardisation.set(), identity_bits);
        let config = network.config();
        let found = (config.variable_width, config.row_width, config.edge_width);
        let expected = (widths.variable, widths.row, widths.edge);
        if found != expected {
            return Err(format!(
                "the network takes {found:?} numbers per variable, row and edge; its features are {expected:?}"
            ));
        }
        Ok(Gnn {
            standardisation,
            profile,
            identity_bits,
            history,
            network,
            workspace: Mutex::new(Workspace::new(Threads::Pool)),
        })
    }

    /// The set of features that it uses.
    pub fn features(&self) -> FeatureSet {
        self.standardisation.set()
    }

    /// The network itself.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Restores the predictor from what [`store`](Predictor::store) returned.
    pub fn restore(settings: &serde_json::Value, tensors: &SafeTensors) -> Result<Self, String> {
        let settings: Settings =
            serde_json::from_value(settings.clone()).map_err(|e| format!("its settings: {e}"))?;
        let network = read_network(settings.network, tensors, "gnn.")?;
        let [columns, rows] = settings.profile;
        let profile = Profile::from_parts(&ProfileParts {
            usual: tensor::take_f64s(tensors, "profile.usual")?,
            places: tensor::take_u32s(tensors, "profile.places")?,
            columns,
            rows,
        })
        .map_err(|e| e.to_string())?;
        Gnn::new(
            network,
            settings.standardisation,
            profile,
            settings.identity_bits,
            settings.history,
        )
    }
}

/// A network from tensors whose names begin with a prefix.
pub(crate) fn read_network(
    config: Config,
    tensors: &SafeTensors,
    prefix: &str,
) -> Result<Network, String> {
    let layout = Layout::of(&config).map_err(|e| e.to_string())?;
    // Grows with what the file has; the settings in its header may promise more.
    let mut parameters = Vec::new();
    for entry in &layout {
        let name = format!("{prefix}{}", entry.name);
        let values = tensor::take_f32s(tensors, &name)?;
        let found = tensors.tensor(&name).map_err(|e| e.to_string())?;
        if found.shape() != entry.shape {
            let (found, shape) = (found.shape(), &entry.shape);
            return Err(format!(
                "tensor `{name}` has shape {found:?}; expected {shape:?}"
            ));
        }
        if !values.iter().all(|value| value.is_finite()) {
            return Err(format!("tensor `{name}` has numbers that are not finite"));
        }
        parameters.extend(values);
    }
    Network::from_parameters(config, parameters).map_err(|e| e.to_string())
}

/// The parameters of a network as tensors whose names begin with a prefix.
pub(crate) fn network_tensors(
    network: &Network,
    parameters: &[f32],
    prefix: &str,
) -> Vec<tensor::Tensor> {
    network
        .layout()
        .iter()
        .map(|entry| {
            let name = format!("{prefix}{}", entry.name);
            tensor::f32s(name, &parameters[entry.range.clone()]).shaped(&entry.shape)
        })
        .collect()
}

impl Predictor for Gnn {
    fn kind(&self) -> PredictorKind {
        PredictorKind::Gnn
    }

    fn needs_relaxation(&self) -> bool {
        self.features().needs_relaxation()
    }

    fn works_without_identity(&self) -> bool {
        true
    }

    fn is_identity_aware(&self) -> bool {
        self.identity_bits.is_some()
    }

    fn scores(&self, instance: &Instance) -> Result<Vec<f32>, LearnError> {
        let relaxation = instance.relaxation;
        let history = instance.registry.history(instance.identities);
        let mut raw = build(instance.model, relaxation, self.features(), Some(&history))?;
        if self.is_identity_aware() && instance.with_identity {
            let (registry, identities) = (instance.registry, instance.identities);
            let usual = &self.profile;
            let deviations = usual.deviations(registry, identities, instance.model, relaxation)?;
            raw.set_deviations(&deviations)?;
        }
        self.standardisation.apply(&mut raw)?;
        let identity = match self.identity_bits {
            None => IdentityInput::Off,
            Some(bits) if !instance.with_identity => IdentityInput::Unknown { bits },
            Some(bits) => IdentityInput::All(instance.identities.columns(bits)),
        };
        let graph = assemble(raw, identity)?;
        // A poisoned lock is harmless: the next call reads nothing that an earlier one left in the workspace.
        let mut workspace = self
            .workspace
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        let logits = self.network.logits(&graph, &mut workspace)?;
        let start = prior(&graph, self.features(), self.history);
        let pairs = logits.into_iter().zip(start);
        Ok(pairs.map(|(logit, start)| sigmoid(logit + start)).collect())
    }

    fn store(&self) -> Stored {
        let parts = self.profile.to_parts();
        let settings = Settings {
            profile: [parts.columns, parts.rows],
            network: self.network.config().clone(),
            identity_bits: self.identity_bits,
            history: self.history,
            standardisation: self.standardisation.clone(),
        };
        let mut tensors = network_tensors(&self.network, self.network.parameters(), "gnn.");
        tensors.push(tensor::f64s("profile.usual", &parts.usual));
        tensors.push(tensor::u32s("profile.places", &parts.places));
        Stored {
            // Cannot fail: numbers and names always have a JSON form.
            settings: serde_json::to_value(settings).unwrap_or_default(),
            tensors,
        }
    }
}
