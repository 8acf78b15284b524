//! How good the scores of models are on the test instances, judged by the best solution that any run found.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use idpas_evaluate::results::{Quality, TestInstance, read, write};
use idpas_learn::metrics::{InstanceMetrics, Summary, measure};
use idpas_learn::{Class, PredictOptions, TrainedModel, Truth, UseIdentity};
use idpas_mip::Model;
use idpas_mip::files::Input;
use idpas_mip::solution;

use super::board::claims;
use super::leases::Mark;
use super::prepare::Prepared;
use super::{Stop, Work};
use crate::args::Verbosity;
use crate::failure::Failure;
use crate::output::read_with_warnings;
use idpas_learn::on_threads;

/// Judges all models of a benchmark that have changed, or whose instances have better solutions now.
pub(super) fn judge(work: &Work<'_>, prepared: &Prepared) -> Result<(), Stop> {
    let outline = &prepared.outline;
    let folder = work.results.benchmark(&outline.name);
    let mut solutions = BTreeMap::new();
    for instance in &outline.instances {
        if let Some(best) = work.results.best(&outline.name, &instance.name)? {
            solutions.insert(instance.name.as_str(), best.solution_sha256);
        }
    }
    if solutions.len() < outline.instances.len() {
        // Other shards are not done, or nobody found a solution: better no picture than part of one.
        return Ok(());
    }
    let best: Vec<String> = solutions.into_values().collect();
    let mut changed = Vec::new();
    // One process judges, the others see that it did.
    let go_on = || !work.commands.is_interrupted();
    let claim = claims(work.results, &outline.name).wait("quality", go_on);
    let claim = claim.map_err(|e| Failure::Usage(format!("{}: {e}", folder.display())))?;
    let _claim = claim.ok_or(Stop::Interrupted)?;
    let _mark = Mark::set();
    for (name, path) in &prepared.models {
        let sha256 = work.hashes.of(path)?;
        let made_from = idpas_base::hash::text_hash(&format!("{sha256} {}", best.join(" ")));
        let target = Quality::path(&folder, name);
        let old: Option<Quality> = read(&target, "quality of a model").unwrap_or_default();
        if old.is_some_and(|old| old.made_from == made_from) {
            continue;
        }
        work.say(&format!(
            "{}: judging the scores of the model `{name}`",
            outline.name
        ));
        changed.push(Judged {
            name,
            made_from,
            target,
            model: TrainedModel::read(path).map_err(Failure::from)?,
            measured: Vec::new(),
        });
    }
    if changed.is_empty() {
        return Ok(());
    }
    for instance in &outline.instances {
        if work.commands.is_interrupted() {
            return Err(Stop::Interrupted);
        }
        let solution = work.results.best_path(&outline.name, &instance.name);
        on_threads(None, || one(&mut changed, instance, &solution)).map_err(Failure::from)??;
    }
    for judged in changed {
        let quality = Quality {
            model: judged.name.to_owned(),
            made_from: judged.made_from,
            summary: Summary::of(&judged.measured),
        };
        write(&judged.target, &quality)?;
    }
    Ok(())
}

/// A model that is being judged.
struct Judged<'a> {
    name: &'a str,
    made_from: String,
    /// Where the judgement goes.
    target: PathBuf,
    model: TrainedModel,
    measured: Vec<InstanceMetrics>,
}

/// Judges all models on one instance.
fn one(models: &mut [Judged<'_>], instance: &TestInstance, best: &Path) -> Result<(), Failure> {
    let model = read_with_warnings(&instance.file, Verbosity::Quiet)?;
    let file = solution::read(&Input::path(best), &model).map_err(Failure::Solution)?;
    let truth = truth(&model, &file.solution.values);
    let options = PredictOptions {
        identity: UseIdentity::Auto,
        ..PredictOptions::default()
    };
    for judged in models {
        let prediction = judged.model.predict(&model, &options)?;
        judged.measured.push(measure(&truth, &prediction.scores));
    }
    Ok(())
}

/// One solution as what there is to predict.
fn truth(model: &Model, values: &[f64]) -> Truth {
    let best: Vec<bool> = values.iter().map(|value| value.abs() >= 0.5).collect();
    Truth {
        classes: Class::of(model),
        targets: best
            .iter()
            .map(|&nonzero| if nonzero { 1.0 } else { 0.0 })
            .collect(),
        best,
    }
}
