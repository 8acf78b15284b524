//! From a folder of solved instances to scores for a new one.
//!
//! `cargo run --release -p idpas-learn --example learn_and_predict`
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;

use idpas_families::mmcnp::Mmcnp;
use idpas_families::{GenerateOptions, InstanceFamily, Size, generate};
use idpas_learn::train::{self, Begin, TrainControl};
use idpas_learn::{Examples, PredictOptions, Recipe, TrainedModel, UseIdentity, assess, learn};
use idpas_pools::collect::{CollectSettings, fill_pool};
use idpas_pools::inputs::find_instances;
use idpas_pools::manifest::{Manifest, SplitRule, pool_path};
use idpas_pools::pool::{InstanceInfo, Weighting};
use idpas_pools::split::Part;
use idpas_solver::{Interrupt, by_name};

/// A pool of solutions for each instance of a folder; `idpas collect` does this in parallel and survives crashes.
fn collect(instances: &Path, pools: &Path) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir(pools)?;
    let settings = CollectSettings {
        time_limit: 20.0,
        nodes: Some(1),
        rounds: Some(1),
        ..CollectSettings::default()
    };
    let inputs = find_instances(instances)?;
    // Four instances to learn from, one to choose by, one to judge on.
    let split = SplitRule {
        proportions: "4/1/1".parse()?,
        seed: 0,
    };
    Manifest::plan(pools, None, &inputs, &settings, split)?.write(pools)?;
    let (solver, interrupt) = (by_name(&settings.solver)?, Interrupt::new());
    for input in &inputs {
        let model = idpas_mip::read_model(&input.path)?.model;
        let hash = idpas_pools::instance_hash(&input.path)?;
        let info = InstanceInfo::new(&input.name, hash, &model);
        let pool = fill_pool(&model, info, Vec::new(), &settings, &*solver, &interrupt)?;
        pool.write(pool_path(pools, &input.name))?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let (instances, pools) = (folder.path().join("instances"), folder.path().join("pools"));
    let family = Mmcnp::new(Size::Tiny, 1)?;
    let options = GenerateOptions::new(&instances, 6);
    generate(&family, &options, &|_| ControlFlow::Continue(()))?;
    collect(&instances, &pools)?;

    let examples = Examples::open(&pools)?;
    let network = train::Settings {
        epochs: 15,
        embedding: 16,
        heads: 2,
        ..Default::default()
    };
    let counting = Recipe::ZeroFrequency(Weighting::Uniform);
    for recipe in [counting, Recipe::Gnn(network)] {
        let kind = recipe.kind();
        let path = folder.path().join(format!("{kind:?}.safetensors"));
        let (begin, mut control) = (Begin::New, TrainControl::default());
        let learned = learn(&examples, &path, &recipe, begin, None, &mut control)?;
        learned.model.write(&path)?;

        // The file is all that is needed from here on. Judged is on an instance that the training has not seen.
        let model = TrainedModel::read(&path)?;
        let (set, identity) = (Part::Test, UseIdentity::Auto);
        let judged = assess(&model, &examples, set, identity, |_done, _total| true)?;
        let auc = judged.summary.all.auc.ok_or("nothing to rank")?.mean;
        println!("{kind:?}: zeros and others told apart with AUC {auc:.2}");

        // Scores for an instance of tomorrow: how likely each discrete variable is not zero.
        let tomorrow = family.instance(100)?.model;
        let scores = model.predict(&tomorrow, &PredictOptions::default())?.scores;
        let sure = scores.iter().filter(|&&score| score < 0.05).count();
        let all = scores.len();
        println!("  of {all} variables of a new instance, {sure} are almost surely zero");
    }
    Ok(())
}
