//! How good the scores of models are on the test instances, judged by the best solution that any run found.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use idpas_learn::metrics::{InstanceMetrics, Summary, measure};
use idpas_learn::{Class, PredictOptions, TrainedModel, Truth, UseIdentity};
use idpas_mip::files::Input;
use idpas_mip::{Model, read_model, solution};

use super::best;
use super::board::claims;
use super::leases::UnpinnedMark;
use super::prepare::PreparedBenchmark;
use super::{StudyEvent, StudyStage, StudyWork};
use crate::EvaluateError;
use crate::results::{Quality, TestInstance, read, write};

/// Judges all models of a benchmark that have changed, or whose instances have better solutions now.
pub(super) fn judge(
    work: &StudyWork<'_>,
    prepared: &PreparedBenchmark,
) -> Result<(), EvaluateError> {
    let outline = &prepared.outline;
    if prepared.models.is_empty() {
        return Ok(());
    }
    let folder = work.results.benchmark(&outline.name);
    // One process judges, the others see that it did; or need not, where they show nothing of it.
    let claims = claims(work.results, &outline.name);
    let claim = match work.is_one_of_many() {
        true => claims.take("quality"),
        false => claims.wait("quality", || !work.commands.is_interrupted()),
    };
    let _claim = match claim.map_err(|e| EvaluateError::io(&folder, e))? {
        Some(claim) => claim,
        None if work.is_one_of_many() => return Ok(()),
        None => return Err(EvaluateError::Interrupted),
    };
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
    let _mark = UnpinnedMark::set();
    for (name, path) in &prepared.models {
        let sha256 = work.hashes.of(path)?;
        let made_from = idpas_base::hash::text_hash(&format!("{sha256} {}", best.join(" ")));
        let target = Quality::path(&folder, name);
        let old: Option<Quality> = read(&target, "quality of a model").unwrap_or_default();
        if old.is_some_and(|old| old.made_from == made_from) {
            continue;
        }
        work.tell(StudyEvent::StageBegan {
            benchmark: &outline.name,
            stage: StudyStage::Judge { model: name },
        });
        changed.push(JudgedModel {
            name,
            made_from,
            target,
            model: TrainedModel::read(path)?,
            measured: Vec::new(),
        });
    }
    if changed.is_empty() {
        return Ok(());
    }
    for instance in &outline.instances {
        if work.commands.is_interrupted() {
            return Err(EvaluateError::Interrupted);
        }
        best::verified(work.results, &claims, &outline.name, instance)?;
        let solution = work.results.best_path(&outline.name, &instance.name);
        judge_on(&mut changed, instance, &solution)?;
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
struct JudgedModel<'a> {
    name: &'a str,
    made_from: String,
    /// Where the judgement goes.
    target: PathBuf,
    model: TrainedModel,
    measured: Vec<InstanceMetrics>,
}

/// Judges all models on one instance, of which `best` is the file of the best solution.
fn judge_on(
    models: &mut [JudgedModel<'_>],
    instance: &TestInstance,
    best: &Path,
) -> Result<(), EvaluateError> {
    let model = read_model(&instance.file)?.model;
    let file = solution::read(&Input::path(best), &model).map_err(EvaluateError::Solution)?;
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
