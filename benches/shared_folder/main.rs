//! One task of a study that many share, with solves that cost nothing: what is left is what a task does to the folder.
//!
//! `simulate.py` beside this file starts hundreds of these on one folder and counts their system calls. The solver is
//! not what is measured, so its place is taken by this program itself: started as `child` it sleeps for as long as the
//! time limit says, writes a solution and prints a report that never changes.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use idpas_base::process::{Commands, WorkerCommand};
use idpas_evaluate::run::{StudyRequest, run_study};

const USAGE: &str = "usage: shared_folder STUDY OUT SHARD, with a shard such as 3/1000";

/// What the stand-in says of every solve.
const REPORT: &str = r#"{"status":"time_limit","objective":1.0,"bound":0.5,"gap":0.5,"time":0.01,
"trajectory":[{"time":0.01,"objective":1.0,"bound":0.5}],"stages":[],"solution":null,"check":null,
"solver":"stand-in","threads":1,"seed":1,"start":null}"#;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["child", ..] => solve(&words),
        [study, out, shard] => task(Path::new(study), Path::new(out), shard),
        _ => Err(USAGE.into()),
    }
}

/// Works on the study as the task of an array does.
fn task(study: &Path, out: &Path, shard: &str) -> Result<(), Box<dyn Error>> {
    let commands = Commands {
        program: WorkerCommand::new(std::env::current_exe()?),
        interrupted: Arc::new(AtomicBool::new(false)),
        terminated: Arc::new(AtomicBool::new(false)),
    };
    let mut request = StudyRequest::read(study, out, &commands)?;
    request.shard = shard.parse()?;
    run_study(&request, &|_| {})?;
    Ok(())
}

/// Stands in for `idpas solve`.
fn solve(words: &[&str]) -> Result<(), Box<dyn Error>> {
    let after = |name: &str| {
        let at = words.iter().position(|word| *word == name)?;
        words.get(at + 1)
    };
    let limit = after("--time-limit").ok_or("no time limit")?;
    std::thread::sleep(Duration::from_secs_f64(limit.parse()?));
    if let Some(path) = after("--solution") {
        std::fs::write(path, "x 1\n")?;
    }
    println!("{REPORT}");
    Ok(())
}
