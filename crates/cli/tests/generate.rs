//! `idpas generate` and `idpas diff`, as a user runs them.

#![allow(clippy::unwrap_used)]

mod common;

use std::path::Path;

use common::{idpas, json};
use tempfile::TempDir;

fn generate(arguments: &[&str], out: &Path) -> assert_cmd::assert::Assert {
    idpas()
        .arg("generate")
        .args(arguments)
        .arg("--out")
        .arg(out)
        .assert()
}

#[test]
fn every_family_makes_tiny_instances_that_solve() {
    let folder = TempDir::new().unwrap();
    for family in ["mmcnp", "slap", "course"] {
        let out = folder.path().join(family);
        generate(
            &[family, "--size", "tiny", "--count", "2", "--seed", "3"],
            &out,
        )
        .success();
        for file in [
            "inst_0001.mps.gz",
            "inst_0002.mps.gz",
            "reference.json",
            "manifest.json",
        ] {
            assert!(out.join(file).is_file(), "{family}: {file}");
        }
        let solved = idpas()
            .args(["solve", "-q", "--format", "json", "--time-limit", "60"])
            .arg(out.join("inst_0001.mps.gz"))
            .assert()
            .success();
        let solved = json(solved.get_output());
        assert_eq!(solved["status"], "optimal", "{family}");
        assert_eq!(solved["check"]["feasible"], true, "{family}");
    }
}

#[test]
fn an_instance_can_be_made_again_alone() {
    let folder = TempDir::new().unwrap();
    let (all, one) = (folder.path().join("all"), folder.path().join("one"));
    let common = ["mmcnp", "--size", "tiny", "--seed", "9"];
    generate(&[&common[..], &["--count", "4"]].concat(), &all).success();
    generate(
        &[&common[..], &["--first", "3", "--count", "1"]].concat(),
        &one,
    )
    .success();
    let bytes = |folder: &Path| std::fs::read(folder.join("inst_0003.mps.gz")).unwrap();
    assert_eq!(bytes(&all), bytes(&one));
}

#[test]
fn diff_names_what_varies() {
    let folder = TempDir::new().unwrap();
    generate(&["mmcnp", "--size", "tiny", "--count", "2"], folder.path()).success();
    let [first, second] = ["inst_0001.mps.gz", "inst_0002.mps.gz"].map(|f| folder.path().join(f));
    idpas()
        .arg("diff")
        .args([&first, &first])
        .assert()
        .success()
        .stdout("");
    let differs = idpas().arg("diff").args([&first, &second]).assert().code(1);
    let text = String::from_utf8(differs.get_output().stdout.clone()).unwrap();
    // Demand stands in the capacity rows and in the costs that depend on it, and nowhere else.
    for line in text.lines() {
        let expected = line.starts_with("coefficient of x[") && line.contains(" in capacity[")
            || line.starts_with("cost of x[")
            || line.starts_with("column y[");
        assert!(expected, "{line}");
    }
    let shown = idpas()
        .args(["diff", "--format", "json"])
        .args([&first, &second])
        .assert()
        .code(1);
    let shown = json(shown.get_output());
    assert_eq!(shown["same"], false);
    assert_eq!(
        shown["changes"].as_array().unwrap().len(),
        text.lines().count()
    );
}

#[test]
fn lp_files_hold_the_same_models() {
    let folder = TempDir::new().unwrap();
    let (mps, lp) = (folder.path().join("mps"), folder.path().join("lp"));
    generate(&["course", "--size", "tiny", "--count", "1"], &mps).success();
    generate(
        &["course", "--size", "tiny", "--count", "1", "--format", "lp"],
        &lp,
    )
    .success();
    let files = [mps.join("inst_0001.mps.gz"), lp.join("inst_0001.lp")];
    idpas().arg("diff").args(files).assert().success();
}

#[test]
fn any_model_can_be_varied() {
    let folder = TempDir::new().unwrap();
    let model = folder.path().join("base.mps");
    let spec = folder.path().join("vary.toml");
    let out = folder.path().join("family");
    std::fs::write(
        &model,
        "NAME base\nROWS\n N cost\n G demand1\n G demand2\nCOLUMNS\n x cost 3\n x demand1 1\n y cost 2\n y demand2 1\nRHS\n RHS demand1 10\n RHS demand2 20\nENDATA\n",
    )
    .unwrap();
    let vary = "[[vary]]\nwhat = \"rhs\"\nrows = \"demand*\"\ndistribution = { kind = \"uniform\", min_factor = 0.5, max_factor = 0.9 }\n";
    std::fs::write(&spec, vary).unwrap();
    let perturb = |spec: &Path| {
        idpas()
            .args(["generate", "perturb"])
            .arg(&model)
            .args(["--count", "2", "--seed", "4", "--spec"])
            .arg(spec)
            .arg("--out")
            .arg(&out)
            .assert()
    };
    perturb(&spec).success();
    let differs = idpas()
        .arg("diff")
        .arg(&model)
        .arg(out.join("inst_0002.mps.gz"))
        .assert()
        .code(1);
    let text = String::from_utf8(differs.get_output().stdout.clone()).unwrap();
    assert_eq!(
        text.lines().filter(|l| l.starts_with("row demand")).count(),
        2,
        "{text}"
    );

    std::fs::write(&spec, vary.replace("demand*", "supply*")).unwrap();
    let refused = perturb(&spec).code(2);
    let message = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
    assert!(
        message.contains("vary.toml") && message.contains("supply*"),
        "{message}"
    );
}

#[test]
fn bad_requests_are_refused() {
    let folder = TempDir::new().unwrap();
    for arguments in [
        vec!["knapsack"],
        vec!["mmcnp", "--size", "huge"],
        vec!["mmcnp", "--size", "tiny", "--format", "xls"],
        vec!["course", "--size", "tiny", "--data", "/no/such/folder"],
    ] {
        generate(&arguments, &folder.path().join("out"))
            .code(2)
            .stdout("");
    }
}

#[test]
fn lead_times_make_a_family_of_their_own_that_solves() {
    let folder = TempDir::new().unwrap();
    let best = |name: &str, flags: &[&str]| {
        let out = folder.path().join(name);
        let arguments = ["mmcnp", "--size", "tiny", "--count", "1", "--seed", "3"];
        generate(&[&arguments[..], flags].concat(), &out).success();
        let manifest = std::fs::read_to_string(out.join("manifest.json")).unwrap();
        assert!(manifest.contains(&format!("\"family\": \"{name}\"")));
        let solved = idpas()
            .args(["solve", "-q", "--format", "json", "--time-limit", "60"])
            .arg(out.join("inst_0001.mps.gz"))
            .assert()
            .success();
        let solved = json(solved.get_output());
        assert_eq!(solved["status"], "optimal", "{name}");
        assert_eq!(solved["check"]["feasible"], true, "{name}");
        solved["objective"].as_f64().unwrap()
    };
    // The rows of lead times come to those of the plain model, so they can only cost.
    let (plain, timed) = (
        best("mmcnp", &[]),
        best("mmcnp-lead-time", &["--lead-time"]),
    );
    assert!(plain <= timed * (1.0 + 1e-4), "{plain} {timed}");
    generate(&["slap", "--lead-time"], &folder.path().join("slap")).code(2);
}
