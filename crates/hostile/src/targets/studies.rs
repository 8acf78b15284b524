//! Settings, studies, and what runs leave behind.

use std::path::Path;

use idpas::GivenSettings;
use idpas_evaluate::cluster::SubmittedJob;
use idpas_evaluate::judgement::Judgement;
use idpas_evaluate::results::{Best, Manifest, Outline, Quality, Record, TestInstance};
use idpas_evaluate::series::{SeriesRecord, SeriesSummary, competition, html, text};
use idpas_evaluate::study::Study;
use idpas_evaluate::tune::EvaluationRecord;
use idpas_search::measure::integral;
use idpas_search::{SolveReport, TunedSettings};

use super::json;
use crate::limits::frugal;

pub(super) fn settings(bytes: &[u8]) {
    let read = frugal(bytes, || GivenSettings::from_bytes(bytes, Path::new("a")));
    drop(read);
    if let Some(settings) = json::value::<idpas_search::SearchSettings>(bytes) {
        let _ = settings.validate();
    }
}

pub(super) fn tuned(bytes: &[u8]) {
    if let Some(tuned) = json::value::<TunedSettings>(bytes) {
        let _ = tuned.settings.validate();
    }
}

pub(super) fn evaluations(bytes: &[u8]) {
    for line in bytes.split(|&byte| byte == b'\n') {
        json::value::<EvaluationRecord>(line);
    }
}

pub(super) fn report(bytes: &[u8]) {
    if let Some(report) = json::value::<SolveReport>(bytes) {
        let points = report.trajectory.iter();
        integral(points.map(|point| (point.time, point.objective)), 10.0, 1.0);
    }
}

pub(super) fn study(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let Ok(study) = frugal(bytes, || Study::parse(text, Path::new("a.toml"))) else {
        return;
    };
    study.entries();
    let written = study.to_toml().expect("what was read can be written");
    let again = Study::parse(&written, Path::new("a.toml"))
        .unwrap_or_else(|error| panic!("{error}: what was written cannot be read:\n{written}"));
    assert_eq!(again.to_toml().expect("it was written"), written);
}

pub(super) fn results(bytes: &[u8]) {
    json::value::<Outline>(bytes);
    json::value::<Best>(bytes);
    json::value::<Manifest>(bytes);
    json::value::<Quality>(bytes);
    json::value::<Vec<TestInstance>>(bytes);
    json::value::<Vec<SubmittedJob>>(bytes);
}

pub(super) fn record(bytes: &[u8]) {
    json::value::<Record>(bytes);
}

pub(super) fn judgement(bytes: &[u8]) {
    if let Some(judgement) = json::value::<Judgement>(bytes)
        && let Some(verdict) = judgement.verdict()
    {
        verdict.lines();
    }
}

/// One record in a line.
pub(super) fn series(bytes: &[u8]) {
    let lines = bytes.split(|&byte| byte == b'\n');
    let records: Vec<SeriesRecord> = lines.filter_map(json::value).collect();
    let summary = SeriesSummary::new(&records);
    let said = text(&summary);
    let hidden = |c: &char| idpas_base::words::is_deceptive(*c) && *c != '\n';
    assert_eq!(said.chars().find(hidden), None, "{said:?}");
    let page = html(&summary, "a <b>");
    assert!(page.contains("a &lt;b&gt;"));
}

pub(super) fn competition(bytes: &[u8]) {
    let log = String::from_utf8_lossy(bytes);
    frugal(bytes, || competition::read_log(&log));
}
