//! Pools, their manifest, notes of failures, and claims.

use std::path::Path;
use std::process::Output;
use std::time::{Duration, SystemTime};

use idpas_base::hash::bytes_hash;
use idpas_pools::pool::Pool;

use crate::common::{idpas, run};
use crate::subject::{Stage, Subject, printed};
use crate::{expect_none, random, so_many};

/// Limits that decide by counts, so that pools do not depend on the machine's speed.
const COLLECT: &str = "collect instances --out pools --time-limit 100 --nodes 1 --rounds 0 --pool 10 --keep-gap 0.3 \
                       --jobs 1 --split 2/1/0 -q";
/// What is learned from pools in no time.
const TRAIN: &str = "train pools --predictor zero-frequency --out m.safetensors -q";

/// Pools of three instances; a fourth one is no model.
fn stage() -> Stage {
    Stage::new(|live| {
        let mut generate = idpas();
        generate.current_dir(live);
        generate
            .args("generate mmcnp --size tiny --seed 6 --count 3 -q --out instances".split(' '));
        run(&mut generate, 0);
        collect(live, 0);
        // The names of what failed are not in the manifest of what worked.
        std::fs::create_dir(live.join("mixed")).expect("a folder");
        let good = live.join("instances/inst_0001.mps.gz");
        std::fs::copy(good, live.join("mixed/inst_0001.mps.gz")).expect("a copy");
        std::fs::write(live.join("mixed/broken.mps"), "ROWS\n X nonsense\n").expect("a file");
        let mut collect = idpas();
        collect.current_dir(live);
        let words = "collect mixed --out failed --time-limit 100 --nodes 1 --rounds 0 --jobs 1 -q";
        run(collect.args(words.split(' ')), 1);
        // As a process leaves it that was killed.
        let claims = live.join("pools/claims");
        std::fs::create_dir_all(&claims).expect("a folder");
        let claim = r#"{"host":"elsewhere","pid":1,"beat":3}"#;
        let path = claims.join("inst_0002.json");
        std::fs::write(&path, claim).expect("a claim");
        let long_ago = SystemTime::now() - Duration::from_secs(100_000);
        let file = std::fs::File::options().write(true).open(path);
        file.and_then(|file| file.set_modified(long_ago))
            .expect("a time");
    })
}

fn collect(live: &Path, code: i32) {
    let mut collect = idpas();
    for name in ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"] {
        collect.env_remove(name);
    }
    run(
        collect
            .current_dir(live)
            .args(COLLECT.split(' ').filter(|w| !w.is_empty())),
        code,
    );
}

/// The contents of all pools.
fn contents(live: &Path, _: &Output) -> String {
    let names = (1..=3).map(|number| live.join(format!("pools/inst_{number:04}.safetensors")));
    let read = |path: std::path::PathBuf| match Pool::read(&path) {
        Ok(pool) => pool.content_hash(),
        Err(error) => error.to_string(),
    };
    names.map(read).collect::<Vec<_>>().join(" ")
}

/// The bytes of the model.
fn model(live: &Path, _: &Output) -> String {
    bytes_hash(&std::fs::read(live.join("m.safetensors")).expect("a model"))
}

#[test]
fn pools_are_noticed_or_made_again() {
    let stage = stage();
    let mut random = random("pools");
    let mut faults = Vec::new();
    let subject = |what, files: Vec<String>, words, result| Subject {
        what,
        stage: &stage,
        files,
        words,
        without: None,
        result,
        is_plain: false,
    };
    let pools = || stage.files("pools/inst");
    let manifest = || vec!["pools/manifest.json".to_owned()];
    let failures = || stage.files("failed/failed/");
    let status = "status pools --format json";
    faults.extend(subject("a pool", pools(), TRAIN, model).survives(so_many(6, 200), &mut random));
    faults
        .extend(subject("a pool", pools(), status, printed).survives(so_many(6, 200), &mut random));
    faults.extend(
        subject("a pool", pools(), COLLECT, contents).survives(so_many(3, 60), &mut random),
    );
    faults.extend(
        subject("the manifest of pools", manifest(), TRAIN, model)
            .survives(so_many(6, 200), &mut random),
    );
    faults.extend(
        subject("the manifest of pools", manifest(), COLLECT, contents)
            .survives(so_many(3, 60), &mut random),
    );
    let status = "status failed --format json";
    faults.extend(
        subject("a note of a failure", failures(), status, printed)
            .survives(so_many(6, 200), &mut random),
    );
    let claimed = Subject {
        without: Some("pools/inst_0002.safetensors".into()),
        ..subject("a claim", stage.files("pools/claims/"), COLLECT, contents)
    };
    faults.extend(claimed.survives(so_many(2, 40), &mut random));
    expect_none(&faults);
}
