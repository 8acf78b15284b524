//! The whole loop from a program of one's own: each step is a command of `idpas`, its result read as JSON.
//!
//! `cargo run --release -p idpas --example drive_idpas`, after `cargo build --release -p idpas`
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// The program: the one built beside this example, else the installed one.
fn program() -> PathBuf {
    let name = format!("idpas{}", std::env::consts::EXE_SUFFIX);
    let built = std::env::current_exe().ok();
    let built = built.and_then(|example| Some(example.parent()?.parent()?.join(&name)));
    built.filter(|path| path.exists()).unwrap_or(name.into())
}

/// Runs a command of `idpas`; results come on stdout, messages on stderr, and the exit code says how it went.
fn idpas<S: AsRef<OsStr>>(arguments: &[S]) -> Result<String, Box<dyn Error>> {
    let output = Command::new(program()).args(arguments).output()?;
    if !output.status.success() {
        return Err(String::from_utf8(output.stderr)?.into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (family, pools, guide) = (at("family"), at("pools"), at("guide.safetensors"));

    // Six instances to learn from: in practice, the models of past days.
    idpas(&[
        "generate", "mmcnp", "--size", "tiny", "--count", "6", "--out", &family,
    ])?;
    // Good solutions of each. `--nodes` and `--rounds` keep this short.
    let quick = ["--time-limit", "20", "--nodes", "1", "--rounds", "1", "-q"];
    idpas(&[&["collect", &family, "--out", &pools][..], &quick].concat())?;
    let status: Value = serde_json::from_str(&idpas(&["status", &pools, "--format", "json"])?)?;
    println!("pools: {} of {}", status["done"], status["total"]);
    // A predictor of which variables are zero: here the simplest kind.
    idpas(&[
        "train",
        &pools,
        "--out",
        &guide,
        "--predictor",
        "zero-frequency",
        "-q",
    ])?;

    // Tomorrow's instance, solved with what was learned, and its solution checked.
    let (tomorrow, best) = (at("tomorrow"), at("best.sol"));
    idpas(&[
        "generate", "mmcnp", "--size", "tiny", "--first", "9", "--count", "1", "--out", &tomorrow,
    ])?;
    let model = format!("{tomorrow}/inst_0009.mps.gz");
    let json = ["--format", "json", "-q"];
    let solve = [
        "solve",
        &model,
        "--model",
        &guide,
        "--time-limit",
        "10",
        "--solution",
        &best,
    ];
    let solved: Value = serde_json::from_str(&idpas(&[&solve[..], &json].concat())?)?;
    println!(
        "solved: {} with objective {}",
        solved["status"], solved["objective"]
    );
    let check = ["check", &model, &best];
    let checked: Value = serde_json::from_str(&idpas(&[&check[..], &json].concat())?)?;
    println!(
        "checked: feasible is {}, objective {}",
        checked["feasible"], checked["objective"]
    );
    Ok(())
}
