//! The instances of a benchmark: generated, or dealt out of the user's folders.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use idpas_mip::files::save_bytes;
use idpas_pools::inputs::{InputFile, find_instances};
use serde_json::json;

use super::hashing::{hash_all, looks};
use super::stage::BenchmarkStage;
use super::{StudyEvent, StudyStage, StudyWork, absolute, make_folder, refuse_link};
use crate::EvaluateError;
use crate::results::{TestInstance, read, write};
use crate::study::{Benchmark, Folders};

/// The list of the user's files to learn from.
const LIST: &str = "learn.txt";

/// Where the instances of a benchmark are.
pub(super) struct DealtInstances {
    /// A folder or list of those to learn from and choose by.
    pub(super) learn: PathBuf,
    /// Those to compare methods on.
    pub(super) test: Vec<InputFile>,
    /// Seconds that it took.
    pub(super) seconds: f64,
}

/// Generates the instances of a benchmark, or deals out the user's files.
pub(super) fn deal(
    work: &StudyWork<'_>,
    benchmark: &Benchmark,
) -> Result<DealtInstances, EvaluateError> {
    let folder = work.results.benchmark(&benchmark.name);
    match &benchmark.instances {
        None => generate(work, benchmark, &folder),
        Some(instances) => from_files(work, benchmark, instances, &folder),
    }
}

fn generate(
    work: &StudyWork<'_>,
    benchmark: &Benchmark,
    folder: &Path,
) -> Result<DealtInstances, EvaluateError> {
    let (learn, test) = (
        folder.join("instances/learn"),
        folder.join("instances/test"),
    );
    let learning = benchmark.train + benchmark.validation;
    let from = json!({
        "program": idpas_base::PROGRAM,
        "source": benchmark.source(),
        "data": benchmark.data,
        "learn": learning,
        "test": benchmark.test,
    });
    let stage = BenchmarkStage::new(work, folder, "instances", from, &test);
    let seconds = stage.alone_or_wait(|_| {
        work.tell(StudyEvent::StageBegan {
            benchmark: &benchmark.name,
            stage: StudyStage::Generate {
                instances: learning + benchmark.test,
            },
        });
        for (out, first, count) in [(&learn, 1, learning), (&test, learning + 1, benchmark.test)] {
            // Ours alone, and perhaps of another seed or number.
            refuse_link(work.results.folder(), out)?;
            let _ = std::fs::remove_dir_all(out);
            if count > 0 {
                generate_into(work, benchmark, out, first, count)?;
            }
        }
        Ok(())
    })?;
    Ok(DealtInstances {
        learn,
        test: find_instances(&test)?,
        seconds,
    })
}

fn generate_into(
    work: &StudyWork<'_>,
    benchmark: &Benchmark,
    out: &Path,
    first: usize,
    count: usize,
) -> Result<(), EvaluateError> {
    let family = benchmark.family.map_or("mmcnp", |family| family.as_str());
    let size = benchmark.size.clone().unwrap_or_default();
    let mut words: Vec<std::ffi::OsString> =
        ["generate", family, "--size", &size].map(Into::into).into();
    for (name, value) in [
        ("--seed", benchmark.seed.to_string()),
        ("--first", first.to_string()),
        ("--count", count.to_string()),
    ] {
        words.extend([name.into(), value.into()]);
    }
    words.extend(["--out".into(), out.into()]);
    if benchmark.lead_time {
        words.push("--lead-time".into());
    }
    if let Some(data) = &benchmark.data {
        words.extend(["--data".into(), data.into()]);
    }
    work.command("generate", words).map(drop)
}

/// Deals the user's files out by a ranking that depends on the seed and their names only. Copies of a file count once:
/// the same instance must not be learned from and tested on.
fn from_files(
    work: &StudyWork<'_>,
    benchmark: &Benchmark,
    instances: &Folders,
    folder: &Path,
) -> Result<DealtInstances, EvaluateError> {
    let mut ranking = FileRanking {
        work,
        folder,
        seed: benchmark.seed,
        seen: BTreeSet::new(),
        copies: 0,
    };
    let (mut test, mut learn) = match &benchmark.test_instances {
        Some(apart) => (ranking.of(apart)?, ranking.of(instances)?),
        None => {
            let mut all = ranking.of(instances)?;
            let rest = all.split_off(benchmark.test.min(all.len()));
            (all, rest)
        }
    };
    let learning = benchmark.train + benchmark.validation;
    for (files, wanted, what) in [
        (&mut test, benchmark.test, "test instances"),
        (&mut learn, learning, "instances to learn from"),
    ] {
        if files.len() < wanted {
            let paths = instances.paths().iter();
            let paths: Vec<String> = paths.map(|path| path.display().to_string()).collect();
            return Err(EvaluateError::Input(format!(
                "{}: benchmark `{}` asks for {wanted} {what}, but there are {} different ones left",
                paths.join(", "),
                benchmark.name,
                files.len()
            )));
        }
        files.truncate(wanted);
    }
    if ranking.copies > 0 {
        work.tell(StudyEvent::CopiesLeftOut {
            benchmark: &benchmark.name,
            copies: ranking.copies,
        });
    }
    let mut names = learn.iter().map(|file| &file.name);
    if let Some(name) = names.find(|name| test.iter().any(|t| t.name == **name)) {
        return Err(EvaluateError::Input(format!(
            "benchmark `{}`: two instances are called `{name}`",
            benchmark.name
        )));
    }
    test.sort();
    let folder = folder.join("instances");
    let learn = match work.only_looks {
        true => folder.join(LIST),
        false => write_list(&learn, &folder)?,
    };
    if !learn.exists() {
        return Err(EvaluateError::NotMade);
    }
    Ok(DealtInstances {
        learn,
        test,
        seconds: 0.0,
    })
}

/// Ranks the user's files, leaving out copies of those that were ranked before.
struct FileRanking<'a> {
    work: &'a StudyWork<'a>,
    /// The folder of the benchmark.
    folder: &'a Path,
    seed: u64,
    /// Hashes of the files that were ranked.
    seen: BTreeSet<String>,
    /// How many files were left out.
    copies: usize,
}

impl FileRanking<'_> {
    /// The files of some folders by their ranks.
    fn of(&mut self, folders: &Folders) -> Result<Vec<InputFile>, EvaluateError> {
        let mut ranked = Vec::new();
        let paths = folders.paths().iter();
        let found = paths.map(|path| find_instances(path));
        let found = found.collect::<Result<Vec<_>, _>>()?.concat();
        let which = match self.seen.is_empty() {
            true => "files",
            false => "more-files",
        };
        let paths = found.iter().map(|file| &*file.path);
        let hashes = hash_all(self.work, self.folder, which, paths)?;
        for (file, sha256) in found.into_iter().zip(hashes) {
            if !self.seen.insert(sha256) {
                self.copies += 1;
                continue;
            }
            let rank = idpas_base::hash::text_hash(&format!("{} {}", self.seed, file.name));
            ranked.push((rank, file));
        }
        ranked.sort();
        Ok(ranked.into_iter().map(|(_, file)| file).collect())
    }
}

/// Writes the list of files to learn from into a folder. Gives its path.
fn write_list(files: &[InputFile], folder: &Path) -> Result<PathBuf, EvaluateError> {
    let mut text = String::new();
    for file in files {
        text.push_str(&format!("{}\n", absolute(&file.path).display()));
    }
    make_folder(folder)?;
    let list = folder.join(LIST);
    if std::fs::read_to_string(&list).ok().as_ref() != Some(&text) {
        save_bytes(&list, text.as_bytes())?;
    }
    Ok(list)
}

/// What is known of the test instances of the benchmark in `folder` from their files. One process reads the files, the
/// others what it wrote.
pub(super) fn look(
    work: &StudyWork<'_>,
    folder: &Path,
    files: &[InputFile],
) -> Result<Vec<TestInstance>, EvaluateError> {
    let made = folder.join("instances/test.json");
    let from = json!({
        "program": idpas_base::PROGRAM,
        "files": looks(files.iter().map(|file| &*file.path)),
    });
    let stage = BenchmarkStage::new(work, folder, "look", from, &made);
    stage.alone_or_wait(|_| write(&made, &read_all(work, files)?))?;
    Ok(read(&made, "list of test instances")?.unwrap_or_default())
}

fn read_all(work: &StudyWork<'_>, files: &[InputFile]) -> Result<Vec<TestInstance>, EvaluateError> {
    let mut all = Vec::new();
    for file in files {
        let read = work.hashes.read_instance(&file.path)?;
        work.tell(StudyEvent::Warnings {
            path: &file.path,
            warnings: &read.parsed.warnings,
        });
        let model = read.parsed.model;
        let shape = model.shape();
        all.push(TestInstance {
            name: file.name.clone(),
            file: absolute(&file.path),
            sha256: read.sha256,
            sense: model.sense,
            rows: shape.rows,
            binaries: shape.binaries,
            integers: shape.integers,
            continuous: shape.continuous,
            nonzeros: shape.nonzeros,
        });
    }
    Ok(all)
}
