//! The best solution of an instance, compared with the note beside it before anybody goes by it.

use std::path::Path;

use idpas_base::claim::Claims;
use idpas_mip::check::{Tolerances, check};
use idpas_mip::files::Input;
use idpas_mip::{read_model, solution};
use idpas_pools::instance_hash;

use crate::EvaluateError;
use crate::results::{Best, Results, TestInstance, are_same, write};

/// The claim of whoever replaces the best solution of an instance.
pub(super) fn task(instance: &TestInstance) -> String {
    format!("best-{}", instance.name)
}

/// The best solution known of an instance, whose file is what the note says; `None` if there is none.
///
/// The file is replaced before its note. Where a process was killed between the two, it holds a solution that is at least as
/// good as the note says, and the note is mended. Anything else is damage.
pub(super) fn verified(
    results: &Results,
    claims: &Claims,
    benchmark: &str,
    instance: &TestInstance,
) -> Result<Option<Best>, EvaluateError> {
    let path = results.best_path(benchmark, &instance.name);
    let known = || -> Result<_, EvaluateError> {
        let best = results.best(benchmark, &instance.name)?;
        let best = best.filter(|best| best.instance_sha256 == instance.sha256);
        match best {
            Some(best) => Ok(Some((best.solution_sha256 == instance_hash(&path)?, best))),
            None => Ok(None),
        }
    };
    match known()? {
        None => return Ok(None),
        Some((true, best)) => return Ok(Some(best)),
        Some((false, _)) => {}
    }
    // Somebody may be replacing both.
    let fault = |error| EvaluateError::io(&path, error);
    let _claim = claims.wait(&task(instance), || true).map_err(fault)?;
    match known()? {
        None => Ok(None),
        Some((true, best)) => Ok(Some(best)),
        Some((false, best)) => mended(best, &path, instance).map(Some),
    }
}

/// The note for a solution that is another one than `noted`, if it is at least as good.
fn mended(noted: Best, path: &Path, instance: &TestInstance) -> Result<Best, EvaluateError> {
    let damaged = |why: &str| EvaluateError::Damaged {
        path: path.display().to_string(),
        what: "solution that its note tells of",
        message: format!(
            "{why}; restore it, or remove it with its note and the records of this instance"
        ),
    };
    let model = read_model(&instance.file)?.model;
    let file = solution::read(&Input::path(path), &model);
    let values = file
        .map_err(|error| damaged(&error.to_string()))?
        .solution
        .values;
    let report = check(&model, &values, &Tolerances::default());
    let report = report.map_err(|error| damaged(&error.to_string()))?;
    let is_as_good = are_same(report.objective, noted.objective)
        || instance.sense.is_better(report.objective, noted.objective);
    match report.feasible && is_as_good {
        true => {
            let best = Best {
                objective: report.objective,
                solution_sha256: instance_hash(path)?,
                ..noted
            };
            write(&path.with_extension("json"), &best)?;
            Ok(best)
        }
        false => Err(damaged("it is infeasible, or worse than it was")),
    }
}
