//! The same past solutions give the same scores, whichever way they come.
#![allow(clippy::unwrap_used)]

mod common;

use std::path::{Path, PathBuf};

use common::{trained, write_pools};

use idpas_learn::train::Settings as Training;
use idpas_learn::{Guide, History, PredictionRequest, Recipe, TrainedModel};
use idpas_mip::solution::{Solution, SolutionFormat, write_file};
use idpas_mip::{Model, ModelBuilder, Sense, VarKind};
use idpas_pools::manifest::Manifest;
use idpas_pools::pool::Weighting;
use idpas_pools::split::Part;
use idpas_search::Method;
use idpas_solver::HardStop;

/// Names of columns with the values that they have on five days; nothing on a day that has no such column.
const COLUMNS: [(&str, [Option<f64>; 5]); 6] = [
    ("always", [Some(1.0); 5]),
    ("never", [Some(0.0); 5]),
    (
        "mostly",
        [Some(2.0), Some(0.0), Some(1.0), Some(3.0), Some(1.0)],
    ),
    ("some days", [None, Some(1.0), Some(0.0), None, Some(0.0)]),
    (
        "settled",
        [Some(1.0), Some(0.0), Some(1.0), Some(0.0), Some(1.0)],
    ),
    ("continuous", [Some(0.5); 5]),
];

/// A column that no day has.
const NEW: &str = "new";

fn model<'a>(day: usize, names: impl Iterator<Item = &'a str>) -> Model {
    let mut b = ModelBuilder::new("day", Sense::Minimize);
    let mut all = Vec::new();
    for (k, name) in names.enumerate() {
        let kind = match name {
            "continuous" => VarKind::Continuous,
            _ => VarKind::Integer,
        };
        let cost = (day * 10 + k) as f64;
        // On the last day bounds leave one column no choice.
        let lower = f64::from(u8::from(name == "settled" && day == 5));
        let column = b.column(&name.replace(' ', "_"), kind, lower, 9.0, cost);
        all.push((column.unwrap(), 1.0));
    }
    b.row("sum", 0.0, 100.0, all).unwrap();
    b.build().unwrap()
}

/// Pools of five days, four of them to learn from; gives their folder and that of the four solutions as files.
fn past(folder: &Path) -> (PathBuf, PathBuf) {
    let [instances, pools, solutions] =
        ["instances", "pools", "solutions"].map(|name| folder.join(name));
    let mut days = Vec::new();
    for path in [&instances, &pools, &solutions] {
        std::fs::create_dir(path).unwrap();
    }
    for day in 0..5 {
        let there = COLUMNS.iter().filter(|(_, values)| values[day].is_some());
        let model = model(day, there.clone().map(|(name, _)| *name));
        let values: Vec<f64> = there.filter_map(|(_, values)| values[day]).collect();
        days.push((model, values));
    }
    let manifest = write_pools(&instances, &pools, &days, "4/1/0");
    for (name, (model, values)) in manifest.instances.keys().zip(&days) {
        if manifest.instances[name].part == Part::Train {
            let path = solutions.join(format!("{name}.sol"));
            let solution = Solution::new(values.clone());
            write_file(model, &solution, SolutionFormat::Highs, &path).unwrap();
        }
    }
    (pools, solutions)
}

fn scores(trained: TrainedModel, model: &Model) -> Vec<f32> {
    let request = PredictionRequest {
        method: Method::ZeroFrequency,
        solver: "highs".into(),
        threads: 1,
        stop: HardStop::default(),
    };
    let guide = Guide::new(trained).unwrap();
    guide.predict(model, &request).unwrap().scores.unwrap()
}

#[test]
fn whichever_way_past_solutions_come() {
    let folder = tempfile::tempdir().unwrap();
    let (pools, solutions) = past(folder.path());
    let names = COLUMNS.iter().map(|(name, _)| *name).chain([NEW]);
    let today = model(5, names.clone());
    let network = Training {
        epochs: 1,
        embedding: 4,
        heads: 1,
        ..Training::default()
    };
    let by_counting = Recipe::ZeroFrequency(Weighting::Uniform);
    let mut ways = Vec::new();
    for (way, recipe) in [
        ("a model that counts", by_counting),
        ("a network", Recipe::Gnn(network)),
    ] {
        let trained = trained(&pools, folder.path(), &recipe);
        ways.push((way, scores(trained, &today)));
    }
    let history = History::Folder(solutions).read(&today).unwrap();
    assert_eq!(history.warnings, [""; 0]);
    ways.push(("a folder of solutions", history.scores(&today)));

    // The days that were learned from.
    let manifest = Manifest::read(&pools).unwrap().unwrap();
    let parts: Vec<Part> = manifest.instances.values().map(|day| day.part).collect();
    assert_eq!(parts.iter().filter(|part| **part == Part::Train).count(), 4);
    let expected = COLUMNS.map(|(name, values)| {
        let days = values.iter().zip(&parts);
        let learned = days.filter(|(_, part)| **part == Part::Train);
        let known: Vec<f64> = learned.filter_map(|(value, _)| *value).collect();
        let used = known.iter().filter(|value| **value != 0.0).count() as f32;
        match name {
            "settled" => Some(1.0),
            "continuous" => None,
            _ => Some((used + 0.5) / (known.len() as f32 + 1.0)),
        }
    });
    let expected: Vec<Option<f32>> = expected.into_iter().chain([None]).collect();
    for (way, scores) in ways {
        let found: Vec<Option<f32>> = scores
            .into_iter()
            .map(|score| (!score.is_nan()).then_some(score))
            .collect();
        assert_eq!(found, expected, "{way}");
    }
}
