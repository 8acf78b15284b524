//! What a user may say about a training.

use std::fmt;

use idpas_graph::FeatureSet;
use idpas_pools::pool::Weighting;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::train::{Schedule, Settings, Targets};
use crate::{NearestSettings, PredictorKind, PropSettings, Recipe};

/// On or off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Switch {
    /// With it.
    #[default]
    On,
    /// Without it.
    Off,
}

impl<'de> Deserialize<'de> for Switch {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match String::deserialize(from)?.as_str() {
            "on" => Ok(Switch::On),
            "off" => Ok(Switch::Off),
            other => Err(D::Error::custom(format!(
                "`{other}`; expected `on` or `off`"
            ))),
        }
    }
}

impl From<bool> for Switch {
    fn from(on: bool) -> Self {
        if on { Switch::On } else { Switch::Off }
    }
}

impl fmt::Display for Switch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Switch::On => "on",
            Switch::Off => "off",
        })
    }
}

// The order of fields is that of the words in stamps of studies; `display_order` is that of the help.
idpas_base::overrides! {
    /// How a predictor is trained, where it differs from the defaults. Studies say those of networks, which come first.
    #[cfg_attr(feature = "clap", derive(clap::Args))]
    pub struct TrainOverrides {
        /// Passes over the training set, at most.
        #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value = Settings::default().epochs.to_string(), display_order = 50))]
        pub epochs: usize,
        /// Stop when the validation loss has not improved for this many epochs.
        #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value = Settings::default().patience.to_string(), display_order = 60))]
        pub patience: usize,
        /// Stop after this many seconds of training.
        #[cfg_attr(feature = "clap", arg(long, value_name = "S", display_order = 70))]
        pub time_limit: f64,
        /// Graphs in a batch.
        #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value = Settings::default().batch.to_string(), display_order = 80))]
        pub batch: usize,
        /// Learning rate at its highest.
        #[cfg_attr(feature = "clap", arg(long, value_name = "RATE", default_value = Settings::default().rate.to_string(), display_order = 90))]
        pub rate: f64,
        /// How the learning rate goes.
        #[cfg_attr(feature = "clap", arg(long, value_enum, default_value = Settings::default().schedule.to_string(), display_order = 100))]
        pub schedule: Schedule,
        /// What the network sees.
        #[cfg_attr(feature = "clap", arg(long, value_enum, default_value = Settings::default().features.to_string(), display_order = 30))]
        pub features: FeatureSet,
        /// How the solutions of a pool are weighted.
        #[cfg_attr(feature = "clap", arg(long, value_enum, default_value = Settings::default().weighting.to_string(), display_order = 40))]
        pub weights: Weighting,
        /// Width of embeddings and of each attention head.
        #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value = Settings::default().embedding.to_string(), display_order = 130))]
        pub embedding: usize,
        /// Attention heads.
        #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value = Settings::default().heads.to_string(), display_order = 140))]
        pub heads: usize,
        /// Rounds of attention from variables to rows and back.
        #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value = Settings::default().rounds.to_string(), display_order = 150))]
        pub rounds: usize,
        /// Add a node's old embedding to the new one, and normalise.
        #[cfg_attr(feature = "clap", arg(long, value_enum, default_value = Switch::from(Settings::default().residual_norm).to_string(), display_order = 160))]
        pub residual_norm: Switch,
        /// Seed of weights, order and dropout.
        #[cfg_attr(feature = "clap", arg(long, default_value = Settings::default().seed.to_string(), display_order = 180))]
        pub seed: u64,
        /// What to train.
        #[serde(skip)]
        #[cfg_attr(feature = "clap", arg(long, value_enum, default_value = PredictorKind::default().to_string(), display_order = 10))]
        pub predictor: PredictorKind,
        /// Whether the network sees which variable is which.
        #[serde(skip)]
        #[cfg_attr(feature = "clap", arg(long, value_enum, default_value = Switch::from(Settings::default().identity).to_string(), display_order = 20))]
        pub identity: Switch,
        /// Share of identities hidden in training, so that the network can do without.
        #[cfg_attr(feature = "clap", arg(long, value_name = "SHARE", default_value = Settings::default().identity_dropout.to_string(), display_order = 110))]
        pub identity_dropout: f64,
        /// Decoupled weight decay.
        #[cfg_attr(feature = "clap", arg(long, value_name = "DECAY", default_value = Settings::default().weight_decay.to_string(), display_order = 120))]
        pub weight_decay: f64,
        /// Largest norm of a gradient, to which longer ones are scaled down; 0 leaves them as they are.
        #[cfg_attr(feature = "clap", arg(long, value_name = "NORM", default_value = Settings::default().clip.to_string(), display_order = 125))]
        pub clip: f64,
        /// The variables that the loss is about.
        #[serde(skip)]
        #[cfg_attr(feature = "clap", arg(long, value_enum, default_value = Settings::default().targets.to_string(), display_order = 45))]
        pub targets: Targets,
        /// Most inputs of a network of `prop`, chosen by correlation with its variable; 0 is all that vary.
        #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value = PropSettings::default().inputs.to_string(), display_order = 172))]
        pub inputs: usize,
        /// What it costs `prop` to take a variable for zero that is not, where the opposite costs 1.
        #[cfg_attr(feature = "clap", arg(long, value_name = "WEIGHT", default_value = PropSettings::default().missed_weight.to_string(), display_order = 174))]
        pub missed_weight: f64,
        /// Neighbours that `nearest` asks; by default the validation set chooses.
        #[serde(skip)]
        #[cfg_attr(feature = "clap", arg(long, value_name = "N", display_order = 170))]
        pub neighbours: usize,
    }
}

impl TrainOverrides {
    /// What to train and how: as these say, and otherwise as by default.
    pub fn recipe(&self) -> Recipe {
        let weighting = self.weights.unwrap_or_default();
        match self.predictor.unwrap_or_default() {
            PredictorKind::ZeroFrequency => Recipe::ZeroFrequency(weighting),
            PredictorKind::Nearest => {
                let settings = NearestSettings {
                    neighbours: self.neighbours,
                    ..NearestSettings::default()
                };
                Recipe::Nearest(settings, weighting)
            }
            PredictorKind::Prop => {
                let default = PropSettings::default();
                let settings = PropSettings {
                    inputs: self.inputs.unwrap_or(default.inputs),
                    missed_weight: self.missed_weight.unwrap_or(default.missed_weight),
                    seed: self.seed.unwrap_or(default.seed),
                    ..default
                };
                Recipe::Prop(settings, weighting)
            }
            PredictorKind::Gnn => Recipe::Gnn(self.network()),
        }
    }

    /// The settings of a network.
    fn network(&self) -> Settings {
        let default = Settings::default();
        let is_on = |switch: Option<Switch>, default: bool| {
            switch.map_or(default, |switch| switch == Switch::On)
        };
        Settings {
            features: self.features.unwrap_or(default.features),
            identity: is_on(self.identity, default.identity),
            identity_dropout: self.identity_dropout.unwrap_or(default.identity_dropout),
            weighting: self.weights.unwrap_or(default.weighting),
            targets: self.targets.unwrap_or(default.targets),
            epochs: self.epochs.unwrap_or(default.epochs),
            patience: self.patience.unwrap_or(default.patience),
            batch: self.batch.unwrap_or(default.batch),
            rate: self.rate.unwrap_or(default.rate),
            schedule: self.schedule.unwrap_or(default.schedule),
            weight_decay: self.weight_decay.unwrap_or(default.weight_decay),
            clip: self.clip.unwrap_or(default.clip),
            embedding: self.embedding.unwrap_or(default.embedding),
            heads: self.heads.unwrap_or(default.heads),
            rounds: self.rounds.unwrap_or(default.rounds),
            residual_norm: is_on(self.residual_norm, default.residual_norm),
            seed: self.seed.unwrap_or(default.seed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unsaid_is_as_by_default() {
        let Recipe::Gnn(settings) = TrainOverrides::default().recipe() else {
            panic!("expected a network");
        };
        assert_eq!(settings, Settings::default());
    }

    #[test]
    fn every_setting_is_a_flag() {
        let overrides = TrainOverrides {
            epochs: Some(3),
            rate: Some(1e-5),
            schedule: Some(Schedule::Constant),
            residual_norm: Some(Switch::Off),
            ..TrainOverrides::default()
        };
        let words = "--epochs 3 --rate 0.00001 --schedule constant --residual-norm off";
        assert_eq!(overrides.flags().join(" "), words);
        let Recipe::Gnn(settings) = overrides.recipe() else {
            panic!("expected a network");
        };
        assert_eq!(settings.epochs, 3);
        assert!(!settings.residual_norm);
    }
}
