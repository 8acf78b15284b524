//! The methods of a study.

use idpas_learn::train::Targets;
use idpas_learn::{PredictorKind, Switch, TrainOverrides};
use idpas_pools::pool::Weighting;
use idpas_search::{Amount, Method};
use serde::{Deserialize, Serialize};

use crate::tune::TuneOverrides;

/// A method with settings of its own, as a study file has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MethodEntry {
    /// Its label in tables, such as `id-pas+ (paper)`.
    pub label: String,
    /// The method.
    pub method: Method,
    /// What it learns from, for `idpas`, which takes any: `identity`, `anonymous`, `pas`, `prop`, `zero-frequency`,
    /// `nearest`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelKind>,
    /// Whether to go on where the paper stops.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion: Option<bool>,
    /// Binaries to take for zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k0b: Option<Amount>,
    /// Integers to take for zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k0i: Option<Amount>,
    /// Binaries to take for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k1: Option<Amount>,
    /// How many of those may have another value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<Amount>,
    /// How its settings are chosen, where it differs from the study.
    #[serde(default)]
    pub tune: TuneOverrides,
    /// The label of another method whose settings it has instead: the same amounts, and the same options if it names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings_of: Option<String>,
    /// The solver that it runs on, where it is not the study's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solver: Option<String>,
}

/// A method of a study, resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its label in tables.
    pub label: String,
    /// The method.
    pub method: Method,
    /// What it learns from, if it learns.
    pub model: Option<ModelKind>,
    /// Options of `idpas solve` that it adds.
    pub options: Vec<String>,
    /// How its settings are chosen, where it differs from the study.
    pub tune: TuneOverrides,
    /// The label of the method whose settings it has, if they are not chosen for itself.
    pub settings_of: Option<String>,
    /// The solver that it runs on, where it is not the study's.
    pub solver: Option<String>,
}

/// What a method learns from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModelKind {
    /// A network that sees which variable is which.
    Identity,
    /// A network that does not.
    Anonymous,
    /// The network of predict-and-search: without identities, for binaries alone, with better solutions weighing more.
    Pas,
    /// One small network per variable.
    Prop,
    /// How often variables were zero.
    ZeroFrequency,
    /// Solutions of similar instances.
    Nearest,
}

impl ModelKind {
    /// The model that a method needs, if it needs one.
    pub fn of(method: Method) -> Option<Self> {
        Some(match method {
            Method::Solver | Method::Oracle => return None,
            Method::Pas => ModelKind::Pas,
            Method::PasPlus => ModelKind::Anonymous,
            Method::Prop => ModelKind::Prop,
            Method::ZeroFrequency => ModelKind::ZeroFrequency,
            Method::Nearest | Method::WarmStart => ModelKind::Nearest,
            // Every other method goes by identities.
            _ => ModelKind::Identity,
        })
    }

    /// The name of its file.
    pub fn as_str(self) -> &'static str {
        match self {
            ModelKind::Identity => "identity",
            ModelKind::Anonymous => "anonymous",
            ModelKind::Pas => "pas",
            ModelKind::Prop => "prop",
            ModelKind::ZeroFrequency => "zero-frequency",
            ModelKind::Nearest => "nearest",
        }
    }

    /// The settings of a training that make such a model.
    pub fn overrides(self) -> TrainOverrides {
        let (predictor, identity) = match self {
            ModelKind::Identity => (PredictorKind::Gnn, Some(Switch::On)),
            ModelKind::Anonymous | ModelKind::Pas => (PredictorKind::Gnn, Some(Switch::Off)),
            ModelKind::Prop => (PredictorKind::Prop, None),
            ModelKind::ZeroFrequency => (PredictorKind::ZeroFrequency, None),
            ModelKind::Nearest => (PredictorKind::Nearest, None),
        };
        let is_pas = self == ModelKind::Pas;
        TrainOverrides {
            predictor: Some(predictor),
            identity,
            weights: is_pas.then_some(Weighting::Energy),
            targets: is_pas.then_some(Targets::Binaries),
            ..TrainOverrides::default()
        }
    }

    /// What a study's settings of training say about it.
    pub fn settings_in(self, said: TrainOverrides) -> TrainOverrides {
        match self {
            _ if self.is_network() => TrainOverrides {
                inputs: None,
                missed_weight: None,
                ..said
            },
            ModelKind::Prop => TrainOverrides {
                inputs: said.inputs,
                missed_weight: said.missed_weight,
                ..TrainOverrides::default()
            },
            _ => TrainOverrides::default(),
        }
    }

    /// Whether it is a network, which most training settings are about.
    pub fn is_network(self) -> bool {
        matches!(
            self,
            ModelKind::Identity | ModelKind::Anonymous | ModelKind::Pas
        )
    }
}

impl Entry {
    /// A method with its tuned or default settings.
    pub fn plain(method: Method) -> Self {
        Entry {
            label: method.as_str().to_owned(),
            method,
            model: ModelKind::of(method),
            options: Vec::new(),
            tune: TuneOverrides::default(),
            settings_of: None,
            solver: None,
        }
    }

    /// Whether there are settings of its search to be chosen.
    pub fn is_tuned(&self) -> bool {
        has_settings(self.method) && self.settings_of.is_none()
    }

    /// Whether it is given the answer, and so competes with nobody.
    pub fn is_ceiling(&self) -> bool {
        self.method == Method::Oracle
    }
}

impl MethodEntry {
    /// Resolved.
    pub fn entry(&self) -> Entry {
        let mut options = Vec::new();
        let amounts = [
            ("--k0b", self.k0b),
            ("--k0i", self.k0i),
            ("--k1", self.k1),
            ("--delta", self.delta),
        ];
        for (name, amount) in amounts {
            if let Some(amount) = amount {
                options.extend([name.to_owned(), amount.to_string()]);
            }
        }
        if let Some(completion) = self.completion {
            let switch = if completion { "on" } else { "off" };
            options.extend(["--completion".to_owned(), switch.to_owned()]);
        }
        Entry {
            label: self.label.clone(),
            method: self.method,
            model: self.model.or(ModelKind::of(self.method)),
            options,
            tune: self.tune.clone(),
            settings_of: self.settings_of.clone(),
            solver: self.solver.clone(),
        }
    }
}

/// Whether a method has settings that depend on what was learned: the plain solver, however it is started, has none, and
/// an oracle needs none.
pub(crate) fn has_settings(method: Method) -> bool {
    !matches!(method, Method::Solver | Method::WarmStart | Method::Oracle)
}

/// A text as a name of files: what is special to any system becomes `_`.
pub fn slug(text: &str) -> String {
    let safe = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '+' | '_' | '.' => c,
        _ => '_',
    };
    let name: String = text.chars().map(safe).collect();
    match name.as_str() {
        "" | "." | ".." => format!("_{name}"),
        _ => name,
    }
}
