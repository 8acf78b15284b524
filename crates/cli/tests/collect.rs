//! `collect`, `status` and `pool`, from end to end.

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use common::{checked_objective, folder, idpas, json, run, stderr, stdout};
use idpas_families::mmcnp::Mmcnp;
use idpas_families::{FileFormat, GenerateOptions, Size, generate};
use tempfile::TempDir;

/// Limits that decide by counts, and one worker, so that pools do not depend on the machine's speed.
const LIMITS: [&str; 12] = [
    "--time-limit",
    "100",
    "--nodes",
    "3",
    "--rounds",
    "3",
    "--pool",
    "10",
    "--keep-gap",
    "0.3",
    "--jobs",
    "1",
];

/// Writes tiny instances.
fn instances(folder: &TempDir, count: u64) -> PathBuf {
    let out = folder.path().join("instances");
    let options = GenerateOptions {
        format: FileFormat::Mps,
        ..GenerateOptions::new(&out, count)
    };
    let family = Mmcnp::new(Size::Tiny, 1).expect("a family");
    let go_on = |_: &idpas_families::Progress<'_>| std::ops::ControlFlow::Continue(());
    generate(&family, &options, &go_on).expect("instances");
    out
}

fn collect(input: &Path, out: &Path) -> Command {
    let mut command = idpas();
    command.arg("collect").arg(input).arg("--out").arg(out);
    command.args(LIMITS);
    for name in ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"] {
        command.env_remove(name);
    }
    command
}

/// What `collect --format json` says: made, already, failed.
fn counts(output: &Output) -> (u64, u64, u64) {
    let said = json(output);
    let count = |name: &str| said[name].as_u64().expect("a count");
    (count("made"), count("already"), count("failed"))
}

fn as_json(mut command: Command) -> Command {
    command.args(["--format", "json"]);
    command
}

fn show(pool: &Path) -> serde_json::Value {
    let mut command = idpas();
    command.args(["pool", "show", "--format", "json"]).arg(pool);
    json(&run(&mut command, 0))
}

/// Hashes of all pools' content, times left out.
fn contents(pools: &Path) -> BTreeMap<String, String> {
    let files = std::fs::read_dir(pools).expect("a folder");
    let paths = files.map(|entry| entry.expect("an entry").path());
    paths
        .filter(|path| path.extension().is_some_and(|e| e == "safetensors"))
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy();
            let hash = show(&path)["content_sha256"]
                .as_str()
                .expect("a hash")
                .into();
            (name.into_owned(), hash)
        })
        .collect()
}

#[test]
fn collects_resumes_and_notices_changes() {
    let folder = folder();
    let input = instances(&folder, 4);
    let pools = folder.path().join("pools");
    assert_eq!(
        counts(&run(&mut as_json(collect(&input, &pools)), 0)),
        (4, 0, 0)
    );

    let mut status = idpas();
    status.arg("status").arg(&pools).args(["--format", "json"]);
    let seen = json(&run(&mut status, 0));
    assert_eq!(
        [
            &seen["done"],
            &seen["running"],
            &seen["failed"],
            &seen["total"]
        ],
        [4, 0, 0, 4]
    );
    let pool = show(&pools.join("inst_0001.safetensors"));
    assert!(pool["solutions"].as_array().expect("solutions").len() > 1);
    assert_eq!(pool["lp"]["status"], "optimal");

    let first = contents(&pools);
    assert_eq!(
        counts(&run(&mut as_json(collect(&input, &pools)), 0)),
        (0, 4, 0)
    );

    // The same content in other clothes is the same instance.
    let plain = input.join("inst_0002.mps");
    let text = std::fs::read(&plain).expect("an instance");
    let file = std::fs::File::create(input.join("inst_0002.mps.gz")).expect("a file");
    let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, &text).expect("written");
    encoder.finish().expect("written");
    std::fs::remove_file(&plain).expect("removed");
    assert_eq!(
        counts(&run(&mut as_json(collect(&input, &pools)), 0)),
        (0, 4, 0)
    );

    // Another content is another instance.
    let other = std::fs::read(input.join("inst_0003.mps")).expect("an instance");
    std::fs::write(input.join("inst_0004.mps"), other).expect("written");
    let output = run(&mut as_json(collect(&input, &pools)), 0);
    assert_eq!(counts(&output), (1, 3, 0));
    assert!(
        stderr(&output).contains("inst_0004.safetensors is made again: the instance has changed")
    );

    let mut changed = as_json(collect(&input, &pools));
    changed.args(["--seed", "5"]);
    let output = run(&mut changed, 0);
    assert_eq!(counts(&output), (4, 0, 0));
    assert!(stderr(&output).contains("note: settings changed: seed 0 → 5"));
    assert_ne!(contents(&pools), first);

    let text = stdout(&run(idpas().arg("status").arg(&pools), 0));
    assert!(text.contains("done         4 of 4"), "{text}");
    assert!(text.contains("all done"), "{text}");
}

#[test]
fn damaged_pools_are_named_and_made_again() {
    let folder = folder();
    let input = instances(&folder, 3);
    let pools = folder.path().join("pools");
    run(&mut collect(&input, &pools), 0);
    let whole = contents(&pools);
    let path = |n: u32| pools.join(format!("inst_{n:04}.safetensors"));
    let bytes = std::fs::read(path(1)).expect("a pool");
    std::fs::write(path(1), &bytes[..bytes.len() / 2]).expect("written");
    let mut bytes = std::fs::read(path(2)).expect("a pool");
    let middle = bytes.len() * 2 / 3;
    bytes[middle] ^= 0x10;
    std::fs::write(path(2), bytes).expect("written");

    let seen = json(&run(
        idpas().arg("status").arg(&pools).args(["--format", "json"]),
        0,
    ));
    assert_eq!(seen["done"], 1);
    assert_eq!(
        seen["damaged"],
        serde_json::json!(["inst_0001", "inst_0002"])
    );
    let refused = run(idpas().args(["pool", "show"]).arg(path(2)), 2);
    assert!(stderr(&refused).contains("the pool is damaged: its checksum is"));

    let output = run(&mut as_json(collect(&input, &pools)), 0);
    assert_eq!(counts(&output), (2, 1, 0));
    for name in ["inst_0001", "inst_0002"] {
        let told = format!("{name}.safetensors is made again: it is damaged");
        assert!(stderr(&output).contains(&told), "{}", stderr(&output));
    }
    assert_eq!(contents(&pools), whole);
}

#[test]
fn solutions_go_out_and_come_back() {
    let folder = folder();
    let input = instances(&folder, 1);
    let instance = input.join("inst_0001.mps");
    let at = |name: &str| folder.path().join(name);
    run(&mut collect(&input, &at("pools")), 0);
    let pool = at("pools").join("inst_0001.safetensors");
    let mut export = idpas();
    export
        .args(["pool", "export"])
        .arg(&pool)
        .arg("--out")
        .arg(at("sols"));
    let output = run(export.args(["--solution-format", "miplib"]), 0);
    let files: Vec<PathBuf> = stdout(&output).lines().map(PathBuf::from).collect();
    let original = show(&pool);
    let solutions = original["solutions"].as_array().expect("solutions");
    assert_eq!(files.len(), solutions.len());
    for (file, solution) in files.iter().zip(solutions) {
        let objective = checked_objective(&instance, file);
        assert_eq!(Some(objective), solution["objective"].as_f64());
    }

    let bad = at("bad.sol");
    std::fs::write(&bad, "=obj= 0\n").expect("written");
    let mut import = idpas();
    import.args(["pool", "import", "--keep-gap", "0.3", "--out"]);
    import
        .arg(at("imported"))
        .arg(&instance)
        .args(&files)
        .arg(&bad);
    let output = run(&mut import, 1);
    assert!(stderr(&output).contains("bad.sol: no solution: the activity of row"));
    let again = stdout(&run(&mut import, 1));
    assert!(
        again.contains("imported     0\nrefused      1\n"),
        "{again}"
    );
    let imported = show(&at("imported").join("inst_0001.safetensors"));
    let objectives = |pool: &serde_json::Value| -> Vec<serde_json::Value> {
        let all = pool["solutions"].as_array().expect("solutions");
        all.iter().map(|s| s["objective"].clone()).collect()
    };
    assert_eq!(objectives(&imported), objectives(&original));
    assert_eq!(imported["solutions"][0]["source"], "import");

    // A collection goes on from there and keeps them.
    run(&mut collect(&input, &at("imported")), 0);
    let collected = show(&at("imported").join("inst_0001.safetensors"));
    assert_eq!(collected["solutions"][0]["source"], "import");
    assert_eq!(collected["lp"]["status"], "optimal");
}

#[test]
fn shards_of_a_scheduler_share_a_folder() {
    let folder = folder();
    let input = instances(&folder, 5);
    let pools = folder.path().join("pools");
    let mut made = Vec::new();
    for task in ["1", "2"] {
        let mut command = as_json(collect(&input, &pools));
        command.env("SLURM_ARRAY_TASK_ID", task);
        command.env("SLURM_ARRAY_TASK_MIN", "1");
        command.env("SLURM_ARRAY_TASK_COUNT", "2");
        made.push(counts(&run(&mut command, 0)));
    }
    assert_eq!(made, [(3, 0, 0), (2, 0, 0)]);
    let mut last = as_json(collect(&input, &pools));
    last.env("JOB_COMPLETION_INDEX", "3");
    assert_eq!(counts(&run(&mut last, 0)), (0, 5, 0));
}

#[cfg(target_os = "linux")]
#[test]
fn failures_are_told_at_the_end() {
    let folder = folder();
    let input = instances(&folder, 1);
    let infeasible =
        "NAME x\nROWS\n N c\n E r\nCOLUMNS\n x r 2 c 1\nRHS\n rhs r 1\nBOUNDS\n BV b x\nENDATA\n";
    std::fs::write(input.join("none.mps"), infeasible).expect("written");
    std::fs::write(input.join("broken.mps"), "NAME x\nROWS\n Q c\n").expect("written");
    let pools = folder.path().join("pools");
    let output = run(&mut as_json(collect(&input, &pools)), 1);
    assert_eq!(counts(&output), (1, 0, 2));
    assert!(stderr(&output).contains("failed: none: the instance is infeasible"));
    assert!(
        stderr(&output).contains("failed: broken: "),
        "{}",
        stderr(&output)
    );

    // Too little memory for anything.
    let mut starved = as_json(collect(&input, &folder.path().join("other")));
    let output = run(starved.args(["--memory-limit", "0.02"]), 1);
    assert_eq!(counts(&output), (0, 0, 3));
    assert!(
        stderr(&output).contains("(2 attempts)"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn nonsense_is_refused() {
    let folder = folder();
    let input = instances(&folder, 1);
    let pools = folder.path().join("pools");
    for (args, told) in [
        (["--shard", "3/2"], "expected i/n"),
        (["--first-share", "1.5"], "first share: 1.5"),
        (["--split", "1/2"], "expected three numbers"),
        (["--memory-limit", "0"], "expected gigabytes above 0"),
        (["--solver", "none"], "unknown solver `none`"),
    ] {
        let output = run(collect(&input, &pools).args(args), 2);
        assert!(stderr(&output).contains(told), "{}", stderr(&output));
    }
    let output = run(&mut collect(folder.path(), &pools), 2);
    assert!(stderr(&output).contains("there are no instances"));
    let output = run(idpas().arg("status").arg(folder.path()), 2);
    assert!(stderr(&output).contains("no folder of pools"));
}
