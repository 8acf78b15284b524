//! Families: folders of pools, as `idpas collect` makes them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use idpas::{Collect, CollectProgress, CollectSettings, CollectStop, Family, TrainControl};
use idpas_learn::TrainOverrides;
use idpas_learn::train::{Begin, TrainProgress};
use idpas_mip::solution::{Solution, SolutionFormat, write_file};
use idpas_mip::write_model;
use idpas_pools::import;
use idpas_pools::inputs::find_instances;
use idpas_pools::manifest::{Manifest, SplitRule};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::attended::attend;
use crate::command::program;
use crate::errors::family_error;
use crate::guide::Guide;
use crate::model::Model;

/// Puts an instance into `instances`, its solutions into its pool, and both into the manifest. Gives how many solutions were
/// kept, and why others were refused.
#[pyfunction]
#[pyo3(signature = (pools, instances, name, model, solutions, *, settings, split))]
#[allow(clippy::too_many_arguments)] // Python names each
pub(crate) fn add(
    py: Python<'_>,
    pools: PathBuf,
    instances: PathBuf,
    name: &str,
    model: &Bound<'_, Model>,
    solutions: Vec<PyReadonlyArray1<'_, f64>>,
    settings: &str,
    split: &str,
) -> PyResult<(usize, Vec<String>)> {
    let settings: CollectSettings = serde_json::from_str(settings).map_err(family_error)?;
    let rule: SplitRule = serde_json::from_str(split).map_err(family_error)?;
    let solutions: Vec<Vec<f64>> = solutions
        .iter()
        .map(|solution| solution.as_array().iter().copied().collect())
        .collect();
    let model = model.get().model.clone();
    py.detach(|| {
        let file = instances.join(format!("{name}.mps.gz"));
        make_folder(&instances)?;
        make_folder(&pools)?;
        // A file that is the same stays as it is, so that its pool does.
        let is_there =
            file.exists() && idpas::read_model(&file).is_ok_and(|old| old.model == *model);
        if !is_there {
            write_model(&model, &file).map_err(family_error)?;
        }
        let imported = match solutions.is_empty() {
            true => None,
            false => Some(import_values(&pools, &file, &model, solutions, &settings)?),
        };
        let inputs = find_instances(&instances).map_err(family_error)?;
        let old = Manifest::read(&pools).map_err(family_error)?;
        let rule = old.as_ref().map_or(rule, |old| old.split);
        let settings = old.as_ref().map_or(settings, |old| old.settings.clone());
        Manifest::plan(&pools, old.as_ref(), &inputs, &settings, rule)
            .and_then(|manifest| manifest.write(&pools))
            .map_err(family_error)?;
        Ok(imported.unwrap_or_default())
    })
}

fn make_folder(folder: &Path) -> PyResult<()> {
    let told = |error| family_error(format!("{}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(told)
}

/// Checks solutions and adds the feasible ones to the pool of an instance.
fn import_values(
    pools: &Path,
    file: &Path,
    model: &idpas::Model,
    solutions: Vec<Vec<f64>>,
    settings: &CollectSettings,
) -> PyResult<(usize, Vec<String>)> {
    let folder = pools.join("given");
    make_folder(&folder)?;
    let mut files = Vec::new();
    for (at, values) in solutions.into_iter().enumerate() {
        if values.len() != model.num_columns() {
            let (found, expected) = (values.len(), model.num_columns());
            return Err(family_error(format!(
                "solution {at} has {found} values; expected {expected}"
            )));
        }
        let path = folder.join(format!("{}-{at}.sol", std::process::id()));
        let solution = Solution::new(values);
        write_file(model, &solution, SolutionFormat::default(), &path).map_err(family_error)?;
        files.push(path);
    }
    let imported = import(pools, file, &files, settings.pool, settings.keep_gap);
    for file in &files {
        let _ = std::fs::remove_file(file);
    }
    // Another process may have put something there.
    let _ = std::fs::remove_dir(&folder);
    let imported = imported.map_err(family_error)?;
    let refused = imported.refused.into_iter().map(|(file, why)| {
        let at = files.iter().position(|other| *other == file);
        let why = why.replace(&file.display().to_string(), "");
        format!("solution {}{why}", at.unwrap_or(0))
    });
    Ok((imported.kept, refused.collect()))
}

/// What Python says about a collection.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct CollectRequest {
    #[serde(default)]
    settings: CollectSettings,
    #[serde(default)]
    budget: Option<f64>,
    #[serde(default)]
    workers: Option<usize>,
    #[serde(default)]
    memory_limit: Option<u64>,
    #[serde(default)]
    split: SplitRule,
}

/// Collects pools. The first Ctrl-C, or an exception of the listener, begins no further turn and finishes those begun.
#[pyfunction]
#[pyo3(signature = (pools, instances, *, program, request, listener))]
pub(crate) fn collect<'py>(
    py: Python<'py>,
    pools: PathBuf,
    instances: PathBuf,
    program: Vec<OsString>,
    request: &str,
    listener: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let request: CollectRequest = serde_json::from_str(request).map_err(family_error)?;
    let mut worker = self::program(&program)?;
    worker.args.push("collect-worker".into());
    let usual = Collect::default();
    let options = Collect {
        out: pools,
        settings: request.settings,
        budget: request.budget,
        split: request.split,
        jobs: request.workers.unwrap_or(usual.jobs),
        memory_limit: request.memory_limit,
        worker: Some(worker),
        ..usual
    };
    let stop = CollectStop::default();
    let tell = |progress: CollectProgress| match &listener {
        Some(listener) => tell_collect(listener, progress),
        None => Ok(()),
    };
    let attended = attend(
        py,
        || match stop.is_raised() {
            // Who asks twice does not want to wait.
            true => stop.abandon(),
            false => stop.finish(),
        },
        tell,
        |events| {
            let mut progress = |progress: CollectProgress| {
                // Who does not listen any more has been told enough.
                let _ = events.send(progress);
            };
            idpas_pools::collect::collect(&instances, &options, &stop, &mut progress)
        },
    )?;
    let summary = attended.or_raised(py)?.map_err(family_error)?;
    let answer = PyDict::new(py);
    answer.set_item("total", summary.total)?;
    answer.set_item("already", summary.already)?;
    answer.set_item("made", summary.made)?;
    answer.set_item("elsewhere", summary.elsewhere)?;
    answer.set_item("interrupted", summary.interrupted)?;
    let failed = summary.failed.into_iter().map(|f| (f.name, f.reason));
    answer.set_item("failed", failed.collect::<Vec<_>>())?;
    Ok(answer)
}

/// Calls `listener(kind, contents)` for an event of a collection.
fn tell_collect(listener: &Bound<'_, PyAny>, progress: CollectProgress) -> PyResult<()> {
    let contents = PyDict::new(listener.py());
    let kind = match progress {
        CollectProgress::Notice(text) => {
            contents.set_item("text", text)?;
            "notice"
        }
        CollectProgress::Planned { total, done } => {
            contents.set_item("total", total)?;
            contents.set_item("done", done)?;
            "planned"
        }
        CollectProgress::Made {
            name,
            round,
            solutions,
            best,
            before,
        } => {
            contents.set_item("name", name)?;
            contents.set_item("round", round)?;
            contents.set_item("solutions", solutions)?;
            contents.set_item("best", best)?;
            contents.set_item("before", before)?;
            "made"
        }
        CollectProgress::Used { seconds, budget } => {
            contents.set_item("seconds", seconds)?;
            contents.set_item("budget", budget)?;
            "used"
        }
        CollectProgress::Failed(failure) => {
            contents.set_item("name", failure.name)?;
            contents.set_item("text", failure.reason)?;
            "failed"
        }
        CollectProgress::Retried { name, reason } => {
            contents.set_item("name", name)?;
            contents.set_item("text", reason)?;
            "retried"
        }
        _ => return Ok(()),
    };
    listener.call1((kind, contents))?;
    Ok(())
}

/// How far the collection in a folder is, as JSON.
#[pyfunction]
pub(crate) fn status(py: Python<'_>, pools: PathBuf) -> PyResult<String> {
    let status = py.detach(|| idpas_pools::status(&pools));
    serde_json::to_string(&status.map_err(family_error)?).map_err(family_error)
}

/// What Python says about a training.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct TrainRequest {
    #[serde(default)]
    predictor: Option<idpas::PredictorKind>,
    #[serde(default)]
    identity: Option<bool>,
    #[serde(default)]
    settings: TrainOverrides,
    #[serde(default)]
    out: Option<PathBuf>,
    #[serde(default)]
    resume: bool,
    #[serde(default)]
    threads: Option<usize>,
    #[serde(default)]
    instances: Option<PathBuf>,
}

/// What a training tells.
enum Told {
    Step(String, usize, usize),
    Epoch(usize, usize, f64),
}

/// Trains a guide. Ctrl-C ends it with the best weights so far.
#[pyfunction]
#[pyo3(signature = (pools, *, request, listener))]
pub(crate) fn train(
    py: Python<'_>,
    pools: PathBuf,
    request: &str,
    listener: Option<Bound<'_, PyAny>>,
) -> PyResult<Guide> {
    let request: TrainRequest = serde_json::from_str(request).map_err(family_error)?;
    let settings = TrainOverrides {
        predictor: request.predictor,
        identity: request.identity.map(Into::into),
        ..request.settings
    };
    let train = idpas::Train {
        recipe: settings.recipe(),
        out: request.out,
        begin: match request.resume {
            true => Begin::Resume,
            false => Begin::New,
        },
        time_limit: settings.time_limit,
        threads: request.threads,
    };
    let interrupted = AtomicBool::new(false);
    let tell = |told: Told| {
        let Some(listener) = &listener else {
            return Ok(());
        };
        match told {
            Told::Step(stage, done, total) => listener.call1(("step", stage, done, total))?,
            Told::Epoch(epoch, epochs, loss) => listener.call1(("epoch", epoch, epochs, loss))?,
        };
        Ok(())
    };
    let stop = || interrupted.store(true, Ordering::Relaxed);
    let attended = attend(py, stop, tell, |events| {
        let family = match &request.instances {
            Some(instances) => Family::open_with(&pools, instances),
            None => Family::open(&pools),
        };
        let family = family.map_err(|error| error.to_string())?;
        let mut observer = |progress: &TrainProgress<'_>| {
            let told = match progress {
                TrainProgress::Step { stage, done, total } => {
                    Told::Step(format!("{stage:?}").to_lowercase(), *done, *total)
                }
                TrainProgress::Batch {
                    epoch,
                    epochs,
                    done,
                    total,
                    loss,
                    ..
                } if done == total => Told::Epoch(*epoch, *epochs, *loss),
                _ => return,
            };
            // Who does not listen any more has been told enough.
            let _ = events.send(told);
        };
        let mut control = TrainControl {
            interrupt: Some(&interrupted),
            observer: Some(&mut observer),
        };
        idpas::Guide::train(&family, &train, &mut control).map_err(|error| error.to_string())
    })?;
    let guide = attended.or_raised(py)?.map_err(family_error)?;
    Ok(Guide { guide })
}
