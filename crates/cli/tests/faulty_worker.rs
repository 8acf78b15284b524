//! A solver that takes its whole process with it: collecting loses that one instance, names it, and goes on with the others.
//!
//! The program under test is this file itself, with a solver that crashes on one instance; that is why it has no harness. Called
//! with `as-program` as its first argument it is the program, otherwise it runs the tests, and counts them as cargo does. With
//! `IDPAS_FAULTS=long` a solver that never returns is among them, which takes a minute and a half.
#![allow(clippy::print_stdout)] // what cargo's own harness prints

#[path = "common/mod.rs"]
mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::time::Duration;

use common::{folder, idpas, json, run, stderr};
use idpas_base::process::WorkerCommand;
use idpas_mip::{Model, ModelBuilder, Sense, VarKind, write_model};
use idpas_solver::highs::Highs;
use idpas_solver::{Abilities, LoadedModel, Solver, SolverError};

/// The first argument of the program.
const AS_PROGRAM: &str = "as-program";
/// How the solver fails.
const FAULT: &str = "IDPAS_TEST_SOLVER_FAULT";
/// The instance that it fails at has so many columns.
const COLUMNS: usize = 7;
/// Instances that it does not fail at.
const OTHERS: usize = 2;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == AS_PROGRAM) {
        idpas_solver::register("highs", || Ok(Box::new(Crashing)));
        let program = std::env::current_exe().expect("this program");
        let mut program = WorkerCommand::new(program);
        program.args.push(AS_PROGRAM.into());
        return idpas_cli::main_as(program, arguments).into();
    }
    let mut faults = vec!["abort", "segfault", "exit", "panic", "noise"];
    if std::env::var_os("IDPAS_FAULTS").is_some_and(|length| length == "long") {
        faults.push("hang");
    }
    println!("\nrunning {} tests", faults.len());
    for fault in &faults {
        one_instance_is_lost(fault);
        println!("test a_solver_that_takes_its_process_with_it::{fault} ... ok");
    }
    let count = faults.len();
    println!(
        "\ntest result: ok. {count} passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n"
    );
    ExitCode::SUCCESS
}

/// HiGHS, but for one instance.
struct Crashing;

impl Solver for Crashing {
    fn name(&self) -> &'static str {
        Highs.name()
    }

    fn version(&self) -> String {
        Highs.version()
    }

    fn abilities(&self) -> Abilities {
        Highs.abilities()
    }

    fn load(&self, model: &Model) -> Result<Box<dyn LoadedModel>, SolverError> {
        if model.num_columns() == COLUMNS {
            fail();
        }
        Highs.load(model)
    }
}

#[allow(clippy::exit)] // as a library does that thinks it is alone
fn fail() {
    match std::env::var(FAULT).unwrap_or_default().as_str() {
        "abort" => std::process::abort(),
        "segfault" => {
            let own = std::process::id().to_string();
            let sent = Command::new("kill").args(["-SEGV", &own]).status();
            assert!(sent.is_ok_and(|sent| sent.success()));
            std::thread::sleep(Duration::from_secs(10));
        }
        "exit" => std::process::exit(0),
        "panic" => panic!("injected"),
        "noise" => println!("{{ Warning: licence expires soon"),
        "hang" => loop {
            std::thread::sleep(Duration::from_secs(1));
        },
        _ => {}
    }
}

/// A knapsack that nothing else has as many columns as.
fn knapsack(path: &Path) {
    let mut b = ModelBuilder::new("knapsack", Sense::Maximize);
    let mut weights = Vec::new();
    for j in 0..COLUMNS {
        let value = (3 + j * j % 5) as f64;
        let column = b.column(&format!("x{j}"), VarKind::Integer, 0.0, 1.0, value);
        weights.push((column.expect("a column"), (2 + j % 3) as f64));
    }
    b.row("weight", f64::NEG_INFINITY, 9.0, weights)
        .expect("a row");
    write_model(&b.build().expect("a model"), path).expect("a file");
}

fn instances(folder: &Path) -> PathBuf {
    let out = folder.join("instances");
    let mut generate = idpas();
    generate.args("generate mmcnp --size tiny --seed 7 -q --out".split(' '));
    let count = OTHERS.to_string();
    run(generate.arg(&out).args(["--count", &count]), 0);
    knapsack(&out.join("knapsack.mps"));
    out
}

fn collect(program: &mut Command, instances: &Path, pools: &Path) -> Output {
    program
        .arg("collect")
        .arg(instances)
        .arg("--out")
        .arg(pools);
    program.args("--time-limit 5 --nodes 1 --rounds 0 --jobs 2 --format json".split(' '));
    for name in ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"] {
        program.env_remove(name);
    }
    program.env_remove("RUST_BACKTRACE");
    program.output().expect("a program that runs")
}

/// Collects with a solver that fails so at one instance, and then with one that does not.
fn one_instance_is_lost(fault: &str) {
    let folder = folder();
    let instances = instances(folder.path());
    let pools = folder.path().join("pools");
    let mut program = Command::new(std::env::current_exe().expect("this program"));
    program.arg(AS_PROGRAM).env(FAULT, fault);
    let output = collect(&mut program, &instances, &pools);
    let told = json(&output);
    // Noise on the output of a worker is not its result; that follows.
    let lost = usize::from(fault != "noise");
    let said = format!("{fault}: {told:#} {}", stderr(&output));
    assert_eq!(output.status.code(), Some(lost as i32), "{said}");
    let made = |name: &str| pools.join(format!("{name}.safetensors")).exists();
    for number in 1..=OTHERS {
        assert!(made(&format!("inst_{number:04}")), "{said}");
    }
    assert_eq!(made("knapsack"), lost == 0, "{said}");
    let note = pools.join("failed/knapsack.json");
    assert_eq!(note.exists(), lost == 1, "{said}");
    assert_eq!(told["failed"], lost, "{said}");

    let mut sound = Command::new(assert_cmd::cargo::cargo_bin!("idpas"));
    let output = collect(&mut sound, &instances, &pools);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(made("knapsack") && !note.exists());
}
