//! The instances of a benchmark: generated, or dealt out of the user's folders.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use idpas_base::process::Task;
use idpas_evaluate::results::TestInstance;
use idpas_evaluate::study::{Benchmark, Folders};
use idpas_mip::files::save_bytes;
use idpas_pools::inputs::{InputFile, find_instances};
use serde_json::json;

use super::leases::Mark;
use super::stamp::Stage;
use super::{Stop, Work};
use crate::failure::Failure;
use crate::output::warn;

/// Where the instances are.
pub(super) struct Dealt {
    /// A folder or list of those to learn from and choose by.
    pub(super) learn: PathBuf,
    /// Those to compare methods on.
    pub(super) test: Vec<InputFile>,
    /// Seconds that it took.
    pub(super) seconds: f64,
}

pub(super) fn deal(work: &Work<'_>, benchmark: &Benchmark) -> Result<Dealt, Stop> {
    let folder = work.results.benchmark(&benchmark.name);
    match &benchmark.instances {
        None => generate(work, benchmark, &folder),
        Some(instances) => from_files(work, benchmark, instances, &folder),
    }
}

fn generate(work: &Work<'_>, benchmark: &Benchmark, folder: &Path) -> Result<Dealt, Stop> {
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
    let stage = Stage::new(work, folder, "instances", from, &test);
    let seconds = stage.alone_or_wait(|_| {
        work.say(&format!(
            "{}: generating {} instances",
            benchmark.name,
            learning + benchmark.test
        ));
        for (out, first, count) in [(&learn, 1, learning), (&test, learning + 1, benchmark.test)] {
            // Ours alone, and perhaps of another seed or number.
            let _ = std::fs::remove_dir_all(out);
            if count > 0 {
                generate_into(work, benchmark, out, first, count)?;
            }
        }
        Ok(())
    })?;
    Ok(Dealt {
        learn,
        test: find_instances(&test)?,
        seconds,
    })
}

fn generate_into(
    work: &Work<'_>,
    benchmark: &Benchmark,
    out: &Path,
    first: usize,
    count: usize,
) -> Result<(), Stop> {
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
    work.command("generate", words).map(|_| ())
}

/// Deals the user's files out by a ranking that depends on the seed and their names only. Copies of a file count once:
/// the same instance must not be learned from and tested on.
fn from_files(
    work: &Work<'_>,
    benchmark: &Benchmark,
    instances: &Folders,
    folder: &Path,
) -> Result<Dealt, Stop> {
    let mut seen = BTreeSet::new();
    let mut copies = 0;
    let mut ranked = |folders: &Folders| -> Result<Vec<InputFile>, Stop> {
        let mut files = Vec::new();
        for path in folders.paths() {
            files.extend(find_instances(path)?);
        }
        let mut ranked = Vec::new();
        for file in files {
            if !seen.insert(work.hashes.of(&file.path)?) {
                copies += 1;
                continue;
            }
            let rank = idpas_base::hash::text_hash(&format!("{} {}", benchmark.seed, file.name));
            ranked.push((rank, file));
        }
        ranked.sort();
        Ok(ranked.into_iter().map(|(_, file)| file).collect())
    };
    let learning = benchmark.train + benchmark.validation;
    let (mut test, mut learn) = match &benchmark.test_instances {
        Some(apart) => (ranked(apart)?, ranked(instances)?),
        None => {
            let mut all = ranked(instances)?;
            let rest = all.split_off(benchmark.test.min(all.len()));
            (all, rest)
        }
    };
    let lacks = |found: usize, wanted: usize, what: &str| {
        let paths: Vec<String> = instances
            .paths()
            .iter()
            .map(|p| p.display().to_string())
            .collect();
        Failure::Usage(format!(
            "{}: benchmark `{}` asks for {wanted} {what}, but there are {found} different ones left",
            paths.join(", "),
            benchmark.name
        ))
    };
    if test.len() < benchmark.test {
        return Err(lacks(test.len(), benchmark.test, "test instances").into());
    }
    if learn.len() < learning {
        return Err(lacks(learn.len(), learning, "instances to learn from").into());
    }
    test.truncate(benchmark.test);
    learn.truncate(learning);
    if copies > 0 {
        work.say(&format!(
            "note: {}: {copies} files are copies of others and left out",
            benchmark.name
        ));
    }
    if let Some(name) = learn
        .iter()
        .map(|file| &file.name)
        .find(|name| test.iter().any(|t| t.name == **name))
    {
        let why = format!(
            "benchmark `{}`: two instances are called `{name}`",
            benchmark.name
        );
        return Err(Failure::Usage(why).into());
    }
    test.sort();
    let list = folder.join("instances/learn.txt");
    let mut text = String::new();
    for file in &learn {
        let whole = std::path::absolute(&file.path).unwrap_or_else(|_| file.path.clone());
        text.push_str(&format!("{}\n", whole.display()));
    }
    let parent = folder.join("instances");
    std::fs::create_dir_all(&parent)
        .map_err(|e| Failure::Usage(format!("{}: {e}", parent.display())))?;
    save_bytes(&list, text.as_bytes()).map_err(Failure::from)?;
    Ok(Dealt {
        learn: list,
        test,
        seconds: 0.0,
    })
}

/// What is known of test instances from their files.
pub(super) fn look(work: &Work<'_>, files: &[InputFile]) -> Result<Vec<TestInstance>, Stop> {
    let mut all = Vec::new();
    for file in files {
        let read = (work.hashes.read_instance(&file.path)).map_err(Failure::from)?;
        warn(&file.path, &read.parsed.warnings, work.verbosity);
        let model = read.parsed.model;
        let shape = model.shape();
        all.push(TestInstance {
            name: file.name.clone(),
            file: std::path::absolute(&file.path).unwrap_or_else(|_| file.path.clone()),
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

impl Work<'_> {
    /// Runs a command of this program that shows its own progress. Gives its code and what it said, unless that
    /// means that it was used wrongly or broke.
    pub(super) fn command(
        &self,
        what: &str,
        mut words: Vec<std::ffi::OsString>,
    ) -> Result<(i32, String), Stop> {
        match self.verbosity {
            crate::args::Verbosity::Quiet => words.push("--quiet".into()),
            crate::args::Verbosity::Verbose => words.push("--verbose".into()),
            crate::args::Verbosity::Normal => {}
        }
        let task = Task {
            arguments: &words,
            cores: &[],
            shown: true,
            limit: None,
        };
        // It keeps to no core, so that runs of other processes are not alone on theirs.
        let _mark = Mark::set();
        let ended = self.commands.run(&task).map_err(Failure::from)??;
        match ended.code {
            Some(code @ (0 | 1)) => Ok((code, ended.stdout)),
            code => {
                let code = code.map_or("a signal".into(), |code| format!("code {code}"));
                let why = format!("`idpas {what}` ended with {code}; see its message above");
                Err(Failure::Usage(why).into())
            }
        }
    }
}
