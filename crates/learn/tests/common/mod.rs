//! A family of instances with a rule: variable j is not zero if and only if parameter j is above its mean.
#![allow(dead_code, clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;

use idpas_base::container::{self, Kind, Tensor};
use idpas_base::random::Random;
use idpas_graph::{Identities, Registry};
use idpas_learn::metrics::{Summary, measure};
use idpas_learn::train::{Begin, TrainControl};
use idpas_learn::{
    Example, Examples, Instance, LearnError, Predictor, Recipe, Source, Stored, TrainedModel,
    Truth, learn,
};
use idpas_mip::{Model, ModelBuilder, Sense, VarKind, write_model};
use idpas_pools::collect::CollectSettings;
use idpas_pools::inputs::find_instances;
use idpas_pools::manifest::{Manifest, SplitRule, pool_path};
use idpas_pools::pool::{InstanceInfo, Pool, PoolInfo, PoolSolution, Source as From, Weighting};
use idpas_pools::split::Part;

/// Instances in memory.
pub(crate) struct Family {
    pub(crate) names: Vec<(String, Part)>,
    pub(crate) examples: Vec<Example>,
}

impl Source for Family {
    fn names(&self, part: Part) -> Vec<&str> {
        let inside = self.names.iter().filter(|(_, p)| *p == part);
        inside.map(|(name, _)| name.as_str()).collect()
    }

    fn load(&self, name: &str) -> Result<Arc<Example>, LearnError> {
        let found = self.examples.iter().find(|e| e.name == name);
        Ok(Arc::new(found.unwrap().clone()))
    }
}

/// `variables` binaries or integers with as many demands; the demand is a row's side, and 0.02 of it a cost.
pub(crate) fn model(demands: &[f64], order: &[usize]) -> Model {
    let mut b = ModelBuilder::new("rule", Sense::Minimize);
    let mut columns = Vec::new();
    for &j in order {
        let upper = if j % 2 == 0 { 1.0 } else { 5.0 };
        let cost = 1.0 + 0.02 * demands[j];
        let x = b.column(&format!("x{j}"), VarKind::Integer, 0.0, upper, cost);
        let y = b.column(
            &format!("y{j}"),
            VarKind::Continuous,
            0.0,
            f64::INFINITY,
            2.0,
        );
        columns.push((j, x.unwrap(), y.unwrap()));
    }
    for &(j, x, y) in columns.iter().rev() {
        let entries = [(x, 3.0 * demands[j]), (y, 1.0)];
        b.row(&format!("demand{j}"), demands[j], f64::INFINITY, entries)
            .unwrap();
    }
    b.build().unwrap()
}

/// The pool of a model: one solution that follows the rule.
pub(crate) fn pool(model: &Model, demands: &[f64]) -> Pool {
    let value = |j: usize| {
        let name = model.columns.names.get(j);
        let number: usize = name[1..].parse().unwrap();
        let above = demands[number] > 100.0;
        f64::from(u8::from(above == name.starts_with('x')))
    };
    let values: Vec<f64> = (0..model.num_columns()).map(value).collect();
    import_pool("rule", "", model, values)
}

/// A pool that holds one imported solution.
pub(crate) fn import_pool(name: &str, sha256: &str, model: &Model, values: Vec<f64>) -> Pool {
    let info = PoolInfo {
        instance: InstanceInfo::new(name, sha256, model),
        sense: model.sense.as_str().into(),
        bound: None,
        status: "import".into(),
        solver: Default::default(),
        settings: None,
        settings_sha256: None,
        lp: None,
        seconds: 0.0,
        rounds: 0,
        rejected: 0,
        program: "test".into(),
        copies: 0,
        turns: Vec::new(),
    };
    let solution = PoolSolution {
        objective: model.objective(&values),
        values,
        time: None,
        source: From::Import,
    };
    Pool {
        info,
        solutions: vec![solution],
        relaxation: None,
    }
}

/// Writes instances, and pools of one solution each; gives the manifest.
pub(crate) fn write_pools(
    instances: &Path,
    pools: &Path,
    all: &[(Model, Vec<f64>)],
    proportions: &str,
) -> Manifest {
    for (number, (model, _)) in all.iter().enumerate() {
        write_model(model, instances.join(format!("day{number:03}.mps"))).unwrap();
    }
    let inputs = find_instances(instances).unwrap();
    let rule = SplitRule {
        proportions: proportions.parse().unwrap(),
        seed: 0,
    };
    let manifest = Manifest::plan(pools, None, &inputs, &CollectSettings::default(), rule);
    let manifest = manifest.unwrap();
    manifest.write(pools).unwrap();
    for (input, (model, values)) in inputs.iter().zip(all) {
        let entry = &manifest.instances[&input.name];
        let pool = import_pool(&input.name, &entry.sha256, model, values.clone());
        pool.write(pool_path(pools, &input.name)).unwrap();
    }
    manifest
}

/// A model trained on a folder of pools.
pub(crate) fn trained(pools: &Path, folder: &Path, recipe: &Recipe) -> TrainedModel {
    let examples = Examples::open(pools).unwrap();
    let path = folder.join("model.safetensors");
    let mut control = TrainControl::default();
    let learned = learn(&examples, &path, recipe, Begin::Restart, None, &mut control);
    learned.unwrap().model
}

/// Demands of one instance.
pub(crate) fn demands(number: u64, variables: usize) -> Vec<f64> {
    let mut random = Random::new(3, "rule", number);
    let mut demand = |_| (random.uniform(50.0, 150.0) * 100.0).round() / 100.0;
    (0..variables).map(&mut demand).collect()
}

/// A family with this many instances of each set, and its registry.
pub(crate) fn family(variables: usize, sizes: [usize; 3]) -> (Family, Registry) {
    let mut family = Family {
        names: Vec::new(),
        examples: Vec::new(),
    };
    let mut registry = Registry::new();
    let order: Vec<usize> = (0..variables).collect();
    for (part, size) in Part::ALL.into_iter().zip(sizes) {
        for _ in 0..size {
            let number = family.names.len();
            let name = format!("instance{number}");
            let demands = demands(number as u64, variables);
            let model = model(&demands, &order);
            if part == Part::Train {
                registry.add_instance(&model);
            }
            family.examples.push(Example {
                name: name.clone(),
                pool: pool(&model, &demands),
                model,
            });
            family.names.push((name, part));
        }
    }
    (family, registry)
}

/// A model as a predictor sees it.
pub(crate) fn instance<'a>(
    model: &'a Model,
    identities: &'a Identities,
    registry: &'a Registry,
) -> Instance<'a> {
    Instance {
        model,
        relaxation: None,
        identities,
        registry,
        with_identity: true,
    }
}

/// The scores of a model by column.
pub(crate) fn scores(predictor: &dyn Predictor, model: &Model, registry: &Registry) -> Vec<f32> {
    let identities = registry.identify(model);
    predictor
        .scores(&instance(model, &identities, registry))
        .unwrap()
}

/// Judges a predictor on the test set.
pub(crate) fn judge(predictor: &dyn Predictor, family: &Family, registry: &Registry) -> Summary {
    let judged = family.names(Part::Test).into_iter().map(|name| {
        let example = family.load(name).unwrap();
        let truth = Truth::new(&example.model, &example.pool, Weighting::Uniform);
        measure(&truth, &scores(predictor, &example.model, registry))
    });
    Summary::of(&judged.collect::<Vec<_>>())
}

const KIND: Kind = Kind {
    key: "test",
    format: "test",
    version: 1,
};

/// Writes a predictor and reads it back with `restore`, its tensors changed by `change` on the way.
pub(crate) fn restored<T>(
    stored: &Stored,
    change: impl FnOnce(&mut Vec<Tensor>),
    restore: impl Fn(&serde_json::Value, &safetensors::SafeTensors) -> Result<T, String>,
) -> Result<T, String> {
    let mut tensors = stored.tensors.clone();
    change(&mut tensors);
    let settings = &stored.settings;
    let header = serde_json::json!({ "settings": settings });
    let bytes = container::encode(KIND, &header, &tensors).unwrap();
    let (header, file): (serde_json::Value, _) = container::decode(KIND, &bytes).unwrap();
    restore(&header["settings"], &file)
}

/// Checks that reading refuses each tensor when it is missing, short, of another type, or full of nonsense, and
/// never panics.
pub(crate) fn check_damage<T>(
    stored: &Stored,
    restore: impl Fn(&serde_json::Value, &safetensors::SafeTensors) -> Result<T, String>,
) {
    for at in 0..stored.tensors.len() {
        let name = stored.tensors[at].name.clone();
        let optional = name.ends_with("components");
        let missing = restored(stored, |t| drop(t.remove(at)), &restore);
        assert!(missing.is_err() || optional, "{name} is missing");
        let original = &stored.tensors[at];
        if original.bytes.is_empty() {
            continue;
        }
        let size = original.bytes.len() / original.shape.iter().product::<usize>();
        let short = restored(
            stored,
            |t| {
                t[at].bytes.truncate(original.bytes.len() - size);
                t[at].shape = vec![t[at].bytes.len() / size];
            },
            &restore,
        );
        assert!(short.is_err(), "{name} is short");
        let other = restored(
            stored,
            |t| {
                t[at].dtype = safetensors::Dtype::I8;
                t[at].shape = vec![t[at].bytes.len()];
            },
            &restore,
        );
        assert!(other.is_err(), "{name} has another type");
        // All bits set: NaN, or a number that is out of range. Some are harmless; none may panic.
        let _ = restored(stored, |t| t[at].bytes.fill(0xff), &restore);
    }
    let nothing = restored(stored, |t| t.clear(), &restore);
    assert!(nothing.is_err());
}
