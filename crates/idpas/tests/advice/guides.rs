//! Model files of every kind, trained on families that have the same names as the random models and another structure.

use std::path::Path;

use idpas::{
    Collect, CollectSettings, Family, Guide, ModelBuilder, Recipe, Sense, Train, TrainControl,
    VarKind, write_model,
};
use idpas_base::random::Random;

type Failure = Box<dyn std::error::Error>;

/// Instances of a family: enough for training and validation.
const INSTANCES: u64 = 6;

/// A guide of each kind.
pub struct Guides {
    /// With identities.
    pub network: Guide,
    /// Without.
    pub anonymous: Guide,
    pub prop: Guide,
    pub frequency: Guide,
    pub nearest: Guide,
}

impl Guides {
    /// The guide that a method of this kind can use.
    pub fn train(folder: &Path, seed: u64) -> Result<Self, Failure> {
        let instances = folder.join(format!("instances-{seed}"));
        std::fs::create_dir_all(&instances)?;
        for number in 0..INSTANCES {
            let path = instances.join(format!("inst_{number}.mps"));
            write_model(&instance(seed, number)?, &path)?;
        }
        let collect = Collect {
            out: folder.join(format!("pools-{seed}")),
            settings: CollectSettings {
                time_limit: 60.0,
                nodes: Some(3),
                rounds: Some(2),
                ..CollectSettings::default()
            },
            ..Collect::default()
        };
        let family = Family::collect(&instances, &collect, &mut |_| {})?;
        let network = |identity| {
            Recipe::Gnn(idpas_learn::train::Settings {
                epochs: 2,
                embedding: 8,
                heads: 2,
                identity,
                ..Default::default()
            })
        };
        let guide = |name: &str, recipe: Recipe| -> Result<Guide, Failure> {
            let path = folder.join(format!("{name}-{seed}.safetensors"));
            let train = Train {
                recipe,
                out: Some(path.clone()),
                ..Train::default()
            };
            Guide::train(&family, &train, &mut TrainControl::default())?;
            Ok(Guide::read(&path)?)
        };
        Ok(Guides {
            network: guide("network", network(true))?,
            anonymous: guide("anonymous", network(false))?,
            prop: guide("prop", Recipe::Prop(Default::default(), Default::default()))?,
            frequency: guide("frequency", Recipe::ZeroFrequency(Default::default()))?,
            nearest: guide(
                "nearest",
                Recipe::Nearest(Default::default(), Default::default()),
            )?,
        })
    }
}

/// An instance of a family of seven columns and three rows, in which costs and sides vary.
fn instance(seed: u64, number: u64) -> Result<idpas::Model, Failure> {
    let mut shape = Random::new(seed, "family", 0);
    let mut random = Random::new(seed, "instance", number);
    let sense = match shape.below(2) {
        0 => Sense::Minimize,
        _ => Sense::Maximize,
    };
    let mut b = ModelBuilder::new("family", sense);
    for j in 0..7 {
        let kind = match shape.below(5) {
            0 => VarKind::Continuous,
            _ => VarKind::Integer,
        };
        let upper = if shape.below(2) == 0 { 1.0 } else { 3.0 };
        b.column(
            &format!("x{j}"),
            kind,
            0.0,
            upper,
            random.between(-9, 9) as f64,
        )?;
    }
    for i in 0..3 {
        let entries: Vec<(usize, f64)> = (0..7).map(|j| (j, shape.between(0, 4) as f64)).collect();
        let side = random.between(6, 12) as f64;
        b.row(&format!("r{i}"), f64::NEG_INFINITY, side, entries)?;
    }
    Ok(b.build()?)
}
