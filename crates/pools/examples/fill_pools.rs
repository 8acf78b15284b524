//! Training data: pools of good solutions of three instances, written and read back.
//!
//! `idpas collect` does the same for a folder, in parallel worker processes, so that a crash costs one instance.
//!
//! `cargo run --release -p idpas-pools --example fill_pools`
#![allow(clippy::print_stdout)]

use std::error::Error;

use idpas_families::mmcnp::Mmcnp;
use idpas_families::{InstanceFamily, Size};
use idpas_pools::collect::{CollectSettings, fill_pool};
use idpas_pools::pool::{InstanceInfo, Pool, Weighting};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let family = Mmcnp::new(Size::Tiny, 1)?;
    // Nodes and rounds, not seconds, end the work here, so that every machine makes the same pools.
    let settings = CollectSettings {
        time_limit: 20.0,
        nodes: Some(1),
        rounds: Some(3),
        keep_gap: 0.2,
        ..CollectSettings::default()
    };
    let solver = idpas_solver::by_name(&settings.solver)?;

    for number in 1..=3 {
        let model = family.instance(number)?.model;
        // With an instance that has a file, the second argument is `idpas_pools::instance_hash` of it.
        let info = InstanceInfo::new(format!("day_{number}"), "", &model);
        let interrupt = Default::default();
        let pool = fill_pool(&model, info, Vec::new(), &settings, &*solver, &interrupt)?;
        pool.write(folder.path().join(format!("day_{number}.safetensors")))?;
    }

    for number in 1..=3 {
        // Reading checks every bit: a damaged file is an error, never wrong training data.
        let pool = Pool::read(folder.path().join(format!("day_{number}.safetensors")))?;
        // What a network learns: in how many of the solutions a variable is not zero.
        let targets = pool.targets(Weighting::Uniform);
        let never = targets.iter().filter(|&&share| share == 0.0).count();
        println!(
            "{}: {} solutions, the best costs {:.0}; {never} of {} variables are zero in all of them",
            pool.info.instance.name,
            pool.solutions.len(),
            pool.best().ok_or("an empty pool")?,
            targets.len()
        );
    }
    Ok(())
}
