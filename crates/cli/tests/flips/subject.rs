//! A file that is damaged, the command that reads it, and what may come of that.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use idpas_base::random::Random;
use serde_json::Value;
use tempfile::TempDir;

use crate::common::{folder, idpas, stderr, stdout};
use crate::damage::Damage;

/// A folder at a place that stays the same, since files name others by their paths, and a copy of it as it was.
pub(crate) struct Stage {
    folder: TempDir,
}

impl Stage {
    /// `fill` makes what is in the folder.
    pub(crate) fn new(fill: impl FnOnce(&Path)) -> Self {
        let stage = Stage { folder: folder() };
        std::fs::create_dir(stage.live()).expect("a folder");
        fill(&stage.live());
        copy(&stage.live(), &stage.kept());
        stage
    }

    /// Where commands run.
    pub(crate) fn live(&self) -> PathBuf {
        self.folder.path().join("live")
    }

    fn kept(&self) -> PathBuf {
        self.folder.path().join("kept")
    }

    /// Makes the folder what it was.
    pub(crate) fn restore(&self) {
        std::fs::remove_dir_all(self.live()).expect("a folder");
        copy(&self.kept(), &self.live());
    }

    /// The files whose paths in the folder hold `part`, with their paths in it, sorted.
    pub(crate) fn files(&self, part: &str) -> Vec<String> {
        let mut found = Vec::new();
        list(&self.kept(), &self.kept(), &mut found);
        found.retain(|name| name.contains(part));
        found.sort();
        found
    }
}

fn list(folder: &Path, from: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            list(&path, from, found);
        } else {
            let name = path.strip_prefix(from).expect("a file inside");
            found.push(name.display().to_string());
        }
    }
}

/// Copies a folder with the times of its files.
pub(crate) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target);
            continue;
        }
        std::fs::copy(&path, &target).expect("a copy");
        let time = entry.metadata().and_then(|data| data.modified());
        let file = std::fs::File::options().write(true).open(&target);
        file.and_then(|file| file.set_modified(time?))
            .expect("its time");
    }
}

/// What came of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// The result is the same, and the file as damaged as it was.
    Unchanged,
    /// The result is the same, and the file was made again or removed.
    Mended,
    /// The command ended with an error that names the file.
    Refused,
    /// The result is another one, and the command names the file.
    Named,
    /// The result is another one, and nobody said so.
    Silent,
}

/// A kind of file and the command that reads it.
pub(crate) struct Subject<'a> {
    /// The kind, for people.
    pub(crate) what: &'static str,
    pub(crate) stage: &'a Stage,
    /// The files of this kind, by their paths in the folder.
    pub(crate) files: Vec<String>,
    /// The words of the command, which runs in the folder.
    pub(crate) words: &'static str,
    /// What is removed from the folder before the command runs, so that it has something to do.
    pub(crate) without: Option<String>,
    /// What the command has found out or made.
    pub(crate) result: fn(&Path, &Output) -> String,
    /// Whether the file has no checksum, so that another content is another meaning.
    pub(crate) is_plain: bool,
}

impl Subject<'_> {
    fn run(&self) -> Output {
        let live = self.stage.live();
        if let Some(name) = &self.without {
            std::fs::remove_file(live.join(name)).expect("a file");
        }
        let mut command = idpas();
        command.timeout(Duration::from_secs(600));
        command.current_dir(&live).args(self.words.split(' '));
        for name in ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"] {
            command.env_remove(name);
        }
        command.output().expect("a program that runs")
    }

    /// Damages files of this kind, one at a time, and expects of each that it is noticed or does no harm. Prints counts, and
    /// gives back what went wrong.
    pub(crate) fn survives(&self, times: usize, random: &mut Random) -> Vec<String> {
        assert!(!self.files.is_empty(), "no {}", self.what);
        self.stage.restore();
        let calm = self.run();
        assert!(calm.status.success(), "{}: {}", self.what, stderr(&calm));
        let calm = (self.result)(&self.stage.live(), &calm);
        let (mut verdicts, mut faults) = (Vec::new(), Vec::new());
        for _ in 0..times {
            self.stage.restore();
            let name = &self.files[random.below(self.files.len())];
            let path = self.stage.live().join(name);
            let length = std::fs::metadata(&path).expect("a file").len() as usize;
            if length == 0 {
                continue;
            }
            let damage = Damage::draw(random, length);
            let damaged = damage.apply(&path);
            match self.verdict(&path, &damaged, &calm) {
                Ok(verdict) => verdicts.push(verdict),
                Err(why) => {
                    let what = self.what;
                    faults.push(format!(
                        "{what}, `{}`: {damage:?} of {name}: {why}",
                        self.words
                    ));
                }
            }
        }
        self.tell(&verdicts, &faults);
        faults
    }

    /// What came of damage to a file; or what is wrong with that.
    fn verdict(&self, path: &Path, damaged: &[u8], calm: &str) -> Result<Verdict, String> {
        let output = self.run();
        let said = format!(
            "{}{}",
            stderr(&output),
            String::from_utf8_lossy(&output.stdout)
        );
        let code = output.status.code();
        if said.contains("panicked") || !matches!(code, Some(0..=3)) {
            return Err(format!("ended with {code:?}: {said}"));
        }
        let name = path.file_name().expect("a name").to_string_lossy();
        let stem = name.split('.').next().unwrap_or(&name);
        // Instances are known by the name of their file without its endings.
        let is_named =
            |said: &str| said.contains(&*name) || (stem.len() > 3 && said.contains(stem));
        if code != Some(0) {
            return match is_named(&said) {
                true => Ok(Verdict::Refused),
                false => Err(format!("the file is not named: {said}")),
            };
        }
        let result = (self.result)(&self.stage.live(), &output);
        if result == calm {
            let now = std::fs::read(path).unwrap_or_default();
            return Ok(match now == damaged {
                true => Verdict::Unchanged,
                false => Verdict::Mended,
            });
        }
        if is_named(&stderr(&output)) || is_listed(&output, stem) {
            return Ok(Verdict::Named);
        }
        match self.is_plain {
            true => Ok(Verdict::Silent),
            false => Err(format!(
                "another result, and nobody said so: {}",
                difference(calm, &result)
            )),
        }
    }

    fn tell(&self, verdicts: &[Verdict], faults: &[String]) {
        let count = |kind: Verdict| verdicts.iter().filter(|&&one| one == kind).count();
        println!(
            "flips: {}, `{}`: {} damaged; {} refused, {} named, {} mended, {} without effect, {} silent; {} wrong",
            self.what,
            self.words,
            verdicts.len() + faults.len(),
            count(Verdict::Refused),
            count(Verdict::Named),
            count(Verdict::Mended),
            count(Verdict::Unchanged),
            count(Verdict::Silent),
            faults.len(),
        );
    }
}

/// Where two texts differ first, and how.
fn difference(one: &str, other: &str) -> String {
    let at = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b);
    let at = at.count().saturating_sub(40);
    let part = |text: &str| String::from_utf8_lossy(&text.as_bytes()[at..]).into_owned();
    let short = |text: String| text.chars().take(160).collect::<String>();
    format!("{:?} became {:?}", short(part(one)), short(part(other)))
}

/// Whether a status lists an instance among those with damaged files.
fn is_listed(output: &Output, name: &str) -> bool {
    let printed = serde_json::from_slice::<Value>(&output.stdout).unwrap_or_default();
    let listed = printed["damaged"].as_array();
    listed.is_some_and(|names| names.iter().any(|one| one == name))
}

/// What the command printed.
pub(crate) fn printed(_: &Path, output: &Output) -> String {
    stdout(output)
}
