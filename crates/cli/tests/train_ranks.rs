//! `idpas train` in several processes, as far as no MPI is needed; `scripts/mpi-test.sh` does the rest.

mod common;

use assert_cmd::Command;
use common::{folder, idpas, run, stderr, stdout};

/// The command, as task `rank` of four that `srun` has started. There are no pools.
fn task(rank: &str, more: &[&str]) -> (tempfile::TempDir, Command) {
    let folder = folder();
    let mut command = idpas();
    command.current_dir(folder.path());
    command.args(["train", "pools", "--out", "model.safetensors"]);
    command.args(more);
    command.env("SLURM_NTASKS", "4").env("SLURM_PROCID", rank);
    command.env("SLURM_STEP_NUM_TASKS", "4");
    command.env("SLURM_STEP_ID", "0");
    (folder, command)
}

#[cfg(not(feature = "mpi"))]
#[test]
fn several_processes_without_mpi_are_refused_in_one_message() {
    let (folder, mut first) = task("0", &[]);
    let told = stderr(&run(&mut first, 2));
    assert!(
        told.contains("srun has started this command 4 times"),
        "{told}"
    );
    assert!(told.contains("built without MPI"), "{told}");
    assert!(told.contains("--features mpi"), "{told}");
    let left = std::fs::read_dir(folder.path()).expect("a folder");
    assert_eq!(left.count(), 0, "nothing is written");
    let (_folder, mut third) = task("2", &[]);
    assert_eq!(stderr(&run(&mut third, 2)), "");
}

/// A batch script of a job with four tasks is one process; here it gets as far as looking for pools.
#[test]
fn a_batch_script_is_one_process() {
    for id in [None, Some("batch"), Some("4294967291")] {
        let (_folder, mut script) = task("0", &[]);
        match id {
            None => script
                .env_remove("SLURM_STEP_NUM_TASKS")
                .env_remove("SLURM_STEP_ID"),
            Some(id) => script.env("SLURM_STEP_ID", id),
        };
        let told = stderr(&run(&mut script, 2));
        assert!(told.contains("pools") && !told.contains("MPI"), "{told}");
    }
}

#[test]
fn other_predictors_are_left_to_the_first_process() {
    let frequency = ["--predictor", "zero-frequency"];
    let (_folder, mut second) = task("1", &frequency);
    assert_eq!(stderr(&run(&mut second, 0)), "");
    let (_folder, mut first) = task("0", &frequency);
    let told = stderr(&run(&mut first, 2));
    assert!(
        told.contains("trained by one process; 3 of 4 end at once"),
        "{told}"
    );
    assert!(told.contains("pools"), "{told}");
}

#[test]
fn the_help_says_whether_mpi_is_in() {
    let help = stdout(&run(idpas().args(["train", "--help"]), 0));
    let built = match cfg!(feature = "mpi") {
        true => "built with MPI",
        false => "built without MPI",
    };
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains(built), "{help}");
}
