//! Series through the library: a network trained beside, and instances that cannot be gone on with.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use idpas::{Model, Series, SeriesControl, SeriesEvent, SeriesOptions, TrainBeside, read_model};
use idpas_families::mmcnp::Mmcnp;
use idpas_families::{GenerateOptions, Size, generate};

fn days(folder: &Path, count: u64) -> Vec<Arc<Model>> {
    let mmcnp = Mmcnp::new(Size::Tiny, 4).expect("a family");
    let options = GenerateOptions::new(folder, count);
    generate(&mmcnp, &options, &|_| ControlFlow::Continue(())).expect("instances");
    let read = |number| {
        let file = folder.join(format!("inst_{number:04}.mps.gz"));
        Arc::new(read_model(file).expect("a model").model)
    };
    (1..=count).map(read).collect()
}

#[test]
fn a_network_is_trained_beside_and_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let days = days(&folder.path().join("days"), 10);
    let options = SeriesOptions {
        train: TrainBeside::Seconds(2.0),
        way: Some("search".into()),
        ..SeriesOptions::with_time_limit(5.0)
    };
    let mut series = Series::open(folder.path().join("state"), options).expect("a series");
    for day in &days[..9] {
        series
            .solve("orders", day, &mut SeriesControl::default())
            .expect("a solve");
    }
    series.finish_training(&SeriesControl::default().interrupt);
    assert!(!series.is_training());
    assert!(folder.path().join("state/network.safetensors").exists());
    let solved = series
        .solve("orders", &days[9], &mut SeriesControl::default())
        .expect("a solve");
    assert!(solved.solved.outcome.solution.is_some());
    let predictor = solved.solved.prediction.expect("a prediction").predictor;
    assert_eq!(predictor, "gnn");
}

#[test]
fn an_instance_that_never_comes_to_its_end_is_left_to_the_plain_solver() {
    let folder = tempfile::tempdir().expect("a folder");
    let days = days(&folder.path().join("days"), 2);
    let state = folder.path().join("state");
    let open = || Series::open(&state, SeriesOptions::with_time_limit(5.0)).expect("a series");
    let mut series = open();
    series
        .solve("orders", &days[0], &mut SeriesControl::default())
        .expect("a solve");
    drop(series);
    // As two processes leave it that died with the second instance.
    std::fs::write(state.join("begun.json"), r#"{"number": 2, "attempts": 2}"#).expect("a file");
    let mut notes = Vec::new();
    let mut observer = |event: SeriesEvent<'_>| {
        if let SeriesEvent::Note(text) = event {
            notes.push(text.to_owned());
        }
    };
    let mut control = SeriesControl {
        observer: Some(&mut observer),
        ..SeriesControl::default()
    };
    let solved = open()
        .solve("orders", &days[1], &mut control)
        .expect("a solve");
    assert_eq!(solved.record.way, "solver");
    assert!(notes[0].contains("begun 2 times"), "{notes:?}");
}
