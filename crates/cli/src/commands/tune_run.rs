//! One evaluation: a search in a process of its own, so that a solver that ignores its limit cannot disturb the next.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::tune_race::Stopped;
use super::tune_record::{Key, Made};
use crate::failure::{Failure, INTERNAL, INTERRUPTED, NOTHING};
use crate::output::one_line;

/// Seconds beyond its limit after which a search is taken to hang.
const GRACE: f64 = 15.0;
/// How often a running search is looked at.
const POLL: Duration = Duration::from_millis(10);

/// Runs searches with one model.
pub(super) struct Runner<'a> {
    program: PathBuf,
    model: &'a Path,
    pub(super) threads: u16,
    pub(super) seed: u32,
    interrupt: Arc<AtomicBool>,
}

fn internal(error: impl std::fmt::Display) -> Stopped {
    Stopped::Failed(Failure::Internal(format!("cannot run a search: {error}")))
}

impl<'a> Runner<'a> {
    pub(super) fn new(
        model: &'a Path,
        threads: u16,
        seed: u32,
        interrupt: Arc<AtomicBool>,
    ) -> Result<Self, Failure> {
        let program = std::env::current_exe()
            .map_err(|e| Failure::Internal(format!("cannot find this program: {e}")))?;
        Ok(Runner {
            program,
            model,
            threads,
            seed,
            interrupt,
        })
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Searches one instance with the settings of the key.
    pub(super) fn run(&self, key: Key, instance: &Path) -> Result<Made, Stopped> {
        let settings = tempfile::NamedTempFile::new().map_err(internal)?;
        serde_json::to_writer(settings.as_file(), &key.settings).map_err(internal)?;
        let (mut stdout, mut stderr) = (
            tempfile::tempfile().map_err(internal)?,
            tempfile::tempfile().map_err(internal)?,
        );
        let mut command = Command::new(&self.program);
        command.arg("solve").arg(instance);
        command.arg("--model").arg(self.model);
        command.arg("--settings").arg(settings.path());
        command.args(["--time-limit", &key.time_limit.to_string()]);
        command.args(["--threads", &self.threads.to_string()]);
        command.args(["--seed", &self.seed.to_string()]);
        command.args(["--format", "json", "--quiet"]);
        command.stdin(Stdio::null());
        command.stdout(stdout.try_clone().map_err(internal)?);
        command.stderr(stderr.try_clone().map_err(internal)?);
        let clock = Instant::now();
        let status = self.wait(&mut command, key.time_limit)?;
        let seconds = clock.elapsed().as_secs_f64();
        let code = status.and_then(|status| status.code());
        if self.is_interrupted() || code == Some(i32::from(INTERRUPTED)) {
            return Err(Stopped::Interrupted);
        }
        let said = read(&mut stdout).map_err(internal)?;
        let errors = read(&mut stderr).map_err(internal)?;
        let ran = |c: i32| c == 0 || c == i32::from(NOTHING);
        let failure = match code {
            Some(code) if ran(code) => None,
            // A solver in trouble is a bad evaluation; anything else is wrong with all of them.
            Some(code) if code != i32::from(INTERNAL) => {
                let why = one_line(errors.trim());
                return Err(Stopped::Failed(Failure::Usage(format!(
                    "{}: {why}",
                    key.instance
                ))));
            }
            Some(_) => Some(one_line(errors.trim())),
            None => Some("it did not stop in time or crashed".to_owned()),
        };
        let result: Value = serde_json::from_str(&said).unwrap_or_default();
        let point = |point: &Value| Some((point["time"].as_f64()?, point["objective"].as_f64()?));
        let points = result["trajectory"].as_array().into_iter().flatten();
        Ok(Made {
            status: result["status"].as_str().unwrap_or("failed").to_owned(),
            seconds: result["time"].as_f64().unwrap_or(seconds),
            trajectory: points.filter_map(point).collect(),
            failure,
            key,
        })
    }

    /// Waits for the end; kills what hangs, or everything when interrupted.
    fn wait(&self, command: &mut Command, limit: f64) -> Result<Option<ExitStatus>, Stopped> {
        let begin = Instant::now();
        let mut child = command.spawn().map_err(internal)?;
        loop {
            if let Some(status) = child.try_wait().map_err(internal)? {
                return Ok(Some(status));
            }
            let hangs = begin.elapsed().as_secs_f64() > limit + GRACE;
            if hangs || self.is_interrupted() {
                // It may have ended by itself meanwhile.
                let _ = child.kill();
                let _ = child.wait();
                return Ok(None);
            }
            std::thread::sleep(POLL);
        }
    }
}

fn read(file: &mut File) -> std::io::Result<String> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
