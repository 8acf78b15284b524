//! What the pools of siblings say about an instance: solutions to start from, and how often each column was not zero.

use idpas_mip::{Model, read_model};
use idpas_search::{ScoreOrigin, ScoreSet};

use super::turn::Sibling;
use crate::pool::{InstanceInfo, Pool, Weighting};

/// Solutions of siblings that the search may start from: the best of each, and more of each where there are few.
const STARTS: usize = 8;
/// Siblings that count as the nearest.
const NEAREST: usize = 3;
/// Added to distances, as a share of the mean one, so that a sibling that is equal counts for much, but not for everything.
const NEAR: f64 = 0.1;

/// What is known from siblings, by column of the instance; NaN where a sibling does not have the column.
#[derive(Debug, Default)]
pub(super) struct SiblingAdvice {
    /// The best solution of each of the nearest, nearest first; then others.
    pub(super) starts: Vec<Vec<f64>>,
    /// How often columns are not zero, in all siblings and in the nearest.
    pub(super) sets: Vec<ScoreSet>,
    /// How many siblings could be read.
    pub(super) count: usize,
}

/// One sibling's pool, by column of the instance.
struct Known {
    distance: f64,
    /// The best solution, and a few others that were found on other ways.
    solutions: Vec<Vec<f64>>,
    /// For each column, the share of solutions in which it is not zero.
    targets: Vec<f32>,
}

impl SiblingAdvice {
    /// Reads the pools of siblings. One that cannot be read, or has no solution, is left out: it may be written or moved
    /// at this moment, and the others serve as well.
    pub(super) fn read(siblings: &[Sibling], model: &Model, instance: &InstanceInfo) -> Self {
        let mut known: Vec<Known> = siblings
            .iter()
            .filter_map(|sibling| read(sibling, model, instance, STARTS.div_ceil(siblings.len())))
            .collect();
        known.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        if known.is_empty() {
            return SiblingAdvice::default();
        }
        let mean = known.iter().map(|k| k.distance).sum::<f64>() / known.len() as f64;
        let near = NEAR * mean.max(f64::MIN_POSITIVE);
        let alike: Vec<f64> = vec![1.0; known.len()];
        let by_distance: Vec<f64> = known.iter().map(|k| 1.0 / (k.distance + near)).collect();
        let mut sets = vec![ScoreSet::new(
            ScoreOrigin::ZeroFrequency,
            mean_targets(&known, &alike),
        )];
        if known.len() > NEAREST {
            let scores = mean_targets(&known[..NEAREST], &by_distance);
            sets.push(ScoreSet::new(ScoreOrigin::Nearest, scores));
        }
        let count = known.len();
        let rounds = 0..STARTS;
        let starts = rounds.flat_map(|k| known.iter().filter_map(move |s| s.solutions.get(k)));
        let starts = starts.take(STARTS).cloned().collect();
        SiblingAdvice {
            starts,
            sets,
            count,
        }
    }
}

/// The mean target of each column, over the siblings that have it; NaN where none has.
fn mean_targets(known: &[Known], weights: &[f64]) -> Vec<f32> {
    let columns = known.first().map_or(0, |k| k.targets.len());
    let mean = |j: usize| {
        let (mut sum, mut total) = (0.0, 0.0);
        for (sibling, weight) in known.iter().zip(weights) {
            let target = f64::from(sibling.targets[j]);
            if !target.is_nan() {
                sum += weight * target;
                total += weight;
            }
        }
        // 0 by 0, which is NaN, where no sibling has the column.
        (sum / total) as f32
    };
    (0..columns).map(mean).collect()
}

/// Reads the pool of a sibling, and so many of its solutions.
fn read(
    sibling: &Sibling,
    model: &Model,
    instance: &InstanceInfo,
    solutions: usize,
) -> Option<Known> {
    let pool = Pool::read(&sibling.pool).ok()?;
    let count = pool.solutions.len();
    // Evenly from all, the best among them.
    let chosen =
        (0..solutions.min(count)).map(|k| &pool.solutions[k * count / solutions.min(count)]);
    let chosen: Vec<&[f64]> = chosen.map(|solution| &solution.values[..]).collect();
    let targets = pool.targets(Weighting::Uniform);
    let same = pool.info.instance.columns_sha256 == instance.columns_sha256;
    // Where the columns are others, or in another order, names say which is which.
    let other = match same {
        true => None,
        false => Some(read_model(&sibling.instance).ok()?.model),
    };
    let columns = other.as_ref().map_or(model, |other| other).num_columns();
    if chosen.first()?.len() != columns {
        return None;
    }
    let place = |j: usize| match &other {
        None => Some(j),
        Some(other) => other.columns.names.find(model.columns.names.get(j)),
    };
    let bounds = &model.columns;
    let value = |values: &[f64], j: usize| match place(j) {
        Some(at) => values[at].max(bounds.lower[j]).min(bounds.upper[j]),
        None => f64::NAN,
    };
    let moved = |values: &&[f64]| (0..model.num_columns()).map(|j| value(values, j)).collect();
    let target = |j: usize| match place(j) {
        Some(at) if model.is_integer(j) => targets[at],
        _ => f32::NAN,
    };
    Some(Known {
        distance: sibling.distance,
        solutions: chosen.iter().map(moved).collect(),
        targets: (0..model.num_columns()).map(target).collect(),
    })
}

#[cfg(test)]
mod tests {
    use idpas_mip::{ModelBuilder, Sense, VarKind, write_model};

    use super::*;
    use crate::collect::{CollectSettings, fill_pool};

    /// A model with these columns, of which at least two must be one.
    fn model(names: &[&str]) -> Model {
        let mut b = ModelBuilder::new("m", Sense::Minimize);
        let mut entries = Vec::new();
        for (j, name) in names.iter().enumerate() {
            let cost = 1.0 + f64::from(name.as_bytes()[0]) + 0.01 * j as f64;
            entries.push((
                b.column(name, VarKind::Integer, 0.0, 1.0, cost).unwrap(),
                1.0,
            ));
        }
        b.row("r", 2.0, f64::INFINITY, entries).unwrap();
        b.build().unwrap()
    }

    #[test]
    fn columns_are_found_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let sibling = |name: &str, columns: &[&str], distance: f64| {
            let model = model(columns);
            let instance = folder.path().join(format!("{name}.mps"));
            write_model(&model, &instance).unwrap();
            let settings = CollectSettings {
                time_limit: 5.0,
                keep_gap: 0.0,
                ..CollectSettings::default()
            };
            let solver = idpas_solver::by_name("highs").unwrap();
            let info = InstanceInfo::new(name, "00", &model);
            let pool = fill_pool(
                &model,
                info,
                Vec::new(),
                &settings,
                &*solver,
                &Default::default(),
            );
            let path = folder.path().join(format!("{name}.safetensors"));
            pool.unwrap().write(&path).unwrap();
            Sibling {
                pool: path,
                instance,
                distance,
            }
        };
        // The cheapest two are the first in the alphabet.
        let all = [
            sibling("same", &["a", "b", "c", "d"], 2.0),
            sibling("other", &["d", "e", "c", "a"], 1.0),
            Sibling {
                pool: folder.path().join("gone"),
                instance: folder.path().join("gone"),
                distance: 0.5,
            },
        ];
        let own = model(&["a", "b", "c", "d"]);
        let info = InstanceInfo::new("own", "11", &own);
        let advice = SiblingAdvice::read(&all, &own, &info);
        assert_eq!(advice.count, 2);
        assert_eq!(advice.starts[0][0], 1.0);
        assert!(advice.starts[0][1].is_nan(), "the nearest has no b");
        assert_eq!(advice.starts[0][2..], [1.0, 0.0]);
        assert_eq!(advice.starts[1], [1.0, 1.0, 0.0, 0.0]);
        assert_eq!(advice.sets.len(), 1);
        assert_eq!(advice.sets[0].scores, [1.0, 1.0, 0.5, 0.0]);
    }
}
