//! Adds solutions from files to a pool.

use std::path::{Path, PathBuf};

use idpas_mip::files::Input;
use idpas_mip::{Model, Warning, solution};

use crate::collect::{CollectSettings, claims, imported_solution};
use crate::inputs::instance_name;
use crate::manifest::pool_path;
use crate::pool::{InstanceInfo, Pool, PoolSolution};
use crate::{PoolError, read_instance};

/// The result of an [`import`].
#[derive(Clone, Debug)]
pub struct Imported {
    /// Path of the pool.
    pub path: PathBuf,
    /// Number of solutions that the pool has now.
    pub solutions: usize,
    /// Number of solutions from the files that are in the pool; the others were there already or are too far from the
    /// best.
    pub kept: usize,
    /// Files without a feasible solution of the instance, with the reason.
    pub refused: Vec<(PathBuf, String)>,
    /// Warnings about files that could be read.
    pub warnings: Vec<(PathBuf, Vec<Warning>)>,
}

/// Checks solution files of an instance and adds the feasible ones to its pool in `folder`, which is created if there
/// is none. The pool keeps at most `most` solutions within the relative gap `keep_gap` of the best, unless it was
/// collected: then the settings of that collection hold.
pub fn import(
    folder: &Path,
    instance: &Path,
    files: &[PathBuf],
    most: usize,
    keep_gap: f64,
) -> Result<Imported, PoolError> {
    let limits = CollectSettings {
        pool: most,
        keep_gap,
        ..CollectSettings::default()
    };
    limits.validate()?;
    let read = read_instance(instance)?;
    let (model, sha256) = (read.parsed.model, read.sha256);
    let name = instance_name(instance);
    let info = InstanceInfo::new(&name, sha256, &model);
    let path = pool_path(folder, &name);
    let mut imported = Imported {
        path: path.clone(),
        solutions: 0,
        kept: 0,
        refused: Vec::new(),
        warnings: Vec::new(),
    };
    let mut good = Vec::new();
    for file in files {
        match read_solution(file, &model, &mut imported.warnings) {
            Ok(solution) => good.push(solution),
            Err(why) => imported.refused.push((file.clone(), why)),
        }
    }
    let claims = claims(folder);
    let claim = claims
        .take_settled(&name)
        .map_err(|e| PoolError::io(folder, e))?;
    let Some(claim) = claim else {
        let why = "a collection works on this instance now; import when it is done";
        return Err(PoolError::input(&path, why));
    };
    let added = add(&path, info, &model, good, limits);
    drop(claim);
    claims.tidy();
    (imported.kept, imported.solutions) = added?;
    Ok(imported)
}

/// Adds solutions to the pool at `path`; returns how many of them were kept, and how many the pool has now.
fn add(
    path: &Path,
    info: InstanceInfo,
    model: &Model,
    good: Vec<PoolSolution>,
    limits: CollectSettings,
) -> Result<(usize, usize), PoolError> {
    let mut pool = if path.exists() {
        existing(path, &info)?
    } else {
        Pool::given(info, model.sense)
    };
    let limits = pool.info.settings.clone().unwrap_or(limits);
    let kept = pool.merge(&model.columns.kind, good, limits.pool, limits.keep_gap);
    if kept > 0 {
        pool.write(path)?;
    }
    Ok((kept, pool.solutions.len()))
}

fn read_solution(
    file: &Path,
    model: &Model,
    warnings: &mut Vec<(PathBuf, Vec<Warning>)>,
) -> Result<PoolSolution, String> {
    let read = solution::read(&Input::path(file), model).map_err(|e| e.to_string())?;
    if !read.warnings.is_empty() {
        warnings.push((file.to_owned(), read.warnings));
    }
    imported_solution(model, &read.solution.values)
        .map_err(|why| format!("{}: no solution: {why}", file.display()))
}

fn existing(path: &Path, instance: &InstanceInfo) -> Result<Pool, PoolError> {
    let pool = Pool::read(path)?;
    if pool.info.instance.sha256 != instance.sha256 {
        return Err(PoolError::input(
            path,
            "this pool is of an earlier version of the instance; collect it again first, or remove it",
        ));
    }
    Ok(pool)
}
