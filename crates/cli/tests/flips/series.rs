//! The folder of a series.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::common::{idpas, run};
use crate::subject::{Stage, Subject};
use crate::{expect_none, random, so_many};

const SERIES: &str = "series days --out state --time-limit 20 --gap 0 -q --format json";

/// What became of each instance, apart from the last digits: different ways to the same solution round differently.
fn records(live: &Path, _: &Output) -> String {
    let read = |number: usize| -> Option<String> {
        let path = live.join(format!("state/records/{number:06}.json"));
        let record: Value = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
        let objective = record["run"]["objective"].as_f64()?;
        Some(format!(
            "{} {} {objective:.6e}",
            record["name"], record["run"]["status"]
        ))
    };
    (1..).map_while(read).collect::<Vec<_>>().join(", ")
}

#[test]
fn a_series_goes_on_or_says_why_not() {
    let stage = Stage::new(|live| {
        let mut generate = idpas();
        generate.current_dir(live);
        generate.args("generate mmcnp --size tiny --seed 8 --count 4 -q --out days".split(' '));
        run(&mut generate, 0);
        let mut series = idpas();
        series.timeout(std::time::Duration::from_secs(600));
        series.current_dir(live).args(SERIES.split(' '));
        run(series.args(["--count", "3"]), 0);
    });
    let mut random = random("series");
    let mut faults = Vec::new();
    println!("the folder of a series: {:?}", stage.files("state/"));
    let kinds = [
        ("the state of a series", "state/series.json", 25),
        ("a record of a series", "state/records/", 25),
        ("a solution of a series", "state/solutions/", 25),
        ("a pool of a series", "state/pools/0", 25),
        (
            "the manifest of a series' pools",
            "state/pools/manifest.json",
            25,
        ),
        ("an instance of a series", "state/instances/", 25),
        ("the guide of a series", "state/guide.safetensors", 25),
        ("the note of what was begun", "state/begun.json", 25),
    ];
    for (what, part, long) in kinds {
        let subject = Subject {
            what,
            stage: &stage,
            files: stage.files(part),
            words: SERIES,
            without: None,
            result: records,
            is_plain: false,
        };
        if subject.files.is_empty() {
            println!("flips: {what}: there is none");
            continue;
        }
        faults.extend(subject.survives(so_many(1, long), &mut random));
    }
    expect_none(&faults);
}
