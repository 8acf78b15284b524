//! An account of a search for people: what was fixed, how sure that was, what became of it.

use idpas::Solved;
use idpas_base::words::{counted, thousands};
use idpas_search::{
    Explain, Flip, Method, NeighbourhoodReport, SearchSettings, SelectedPart, SourceReport,
    StageReport,
};

use crate::output::{Lines, one_line, value};

/// Surprises that are listed.
const LISTED: usize = 5;

pub(super) fn explain(lines: &mut Lines, solved: &Solved) {
    let (settings, outcome) = (&solved.settings, &solved.outcome);
    let explain = &outcome.explain;
    if let Some(prediction) = &solved.prediction {
        let identity = if prediction.with_identity {
            "with"
        } else {
            "without"
        };
        lines.add(
            "prediction",
            format!(
                "{}, {identity} identities; {:.0} % of the discrete columns known; relaxation {:.2}s, scores {:.2}s",
                prediction.predictor,
                100.0 * prediction.known_columns,
                prediction.seconds.relaxation,
                prediction.seconds.scores,
            ),
        );
    }
    if solved.has_scores || settings.method == Method::Idpas {
        lines.add("asked for", amounts(settings));
        selected(lines, explain);
    }
    let mut label = "stages";
    for stage in &outcome.stages {
        lines.add(label, stage_line(stage));
        label = "";
    }
    let mut label = "sources";
    for source in &outcome.sources {
        lines.add(label, source_line(source));
        label = "";
    }
    let mut label = "tried";
    for kind in &outcome.neighbourhoods {
        lines.add(label, tried(kind));
        label = "";
    }
}

/// What a source cost and brought, on one line.
fn source_line(report: &SourceReport) -> String {
    format!(
        "{:<22} {:>7.2}s in {}, {} better, {:.3} % gained; {:.0} % of the time to come",
        report.source.to_string(),
        report.seconds,
        counted(report.tries, "piece"),
        thousands(report.improved),
        100.0 * report.gain,
        100.0 * report.credit,
    )
}

/// Neighbourhoods of one kind on one line.
fn tried(kind: &NeighbourhoodReport) -> String {
    format!(
        "{:<12} {}, {} to the end, {} better, by {} in all, {:.2}s",
        kind.name,
        counted(kind.tries, "neighbourhood"),
        thousands(kind.exhausted),
        thousands(kind.improved),
        value(kind.gain),
        kind.seconds,
    )
}

/// What of the selection's settings applies.
pub(crate) fn amounts(settings: &SearchSettings) -> String {
    if settings.method == Method::Idpas {
        let bands = &settings.staged.bands;
        let bands: Vec<String> = bands.iter().map(f32::to_string).collect();
        return format!("scores up to {} at zero", bands.join(", "));
    }
    let selection = settings.method.selection(&settings.selection);
    let most = selection.max_score;
    format!(
        "k0b {}, k0i {}, k1 {}, Δ {}{}",
        selection.k0_binaries,
        selection.k0_integers,
        selection.k1_binaries,
        selection.delta,
        most.map_or(String::new(), |most| format!(", scores up to {most}")),
    )
}

fn selected(lines: &mut Lines, explain: &Explain) {
    let parts = [
        (&explain.zero_binaries, "binaries", "0"),
        (&explain.zero_integers, "integers", "0"),
        (&explain.one_binaries, "binaries", "1"),
    ];
    let mut label = "fixed";
    for (part, kind, target) in parts {
        if let Some(text) = sure(part, kind, target) {
            lines.add(label, text);
            label = "";
        }
    }
    if label == "fixed" {
        lines.add(label, "nothing");
        return;
    }
    if explain.released > 0 {
        let columns = counted(explain.released, "column");
        lines.add(
            "released",
            format!("{columns} that rows could not do without"),
        );
    }
    lines.add(
        "expected",
        format!(
            "{:.1} of them wrong, by their scores",
            explain.expected_wrong
        ),
    );
    let mut flipped = thousands(explain.flipped);
    flipped.push_str(" have another value in the solution");
    if !explain.surprises.is_empty() {
        let listed: Vec<String> = explain.surprises.iter().take(LISTED).map(flip).collect();
        flipped.push_str(": ");
        flipped.push_str(&listed.join(", "));
        if explain.flipped > LISTED {
            flipped.push_str(", …");
        }
    }
    lines.add("flipped", one_line(&flipped));
    let size = &explain.reduction;
    lines.add(
        "smaller",
        format!(
            "{} of {} left, {} of {}",
            thousands(size.columns_left),
            counted(size.columns, "free column"),
            thousands(size.rows_left),
            counted(size.rows, "row"),
        ),
    );
}

/// How many of a kind were selected, and the quantiles of their scores.
fn sure(part: &SelectedPart, kind: &str, target: &str) -> Option<String> {
    let [least, lower, median, upper, greatest] = part.scores?;
    let (selected, total) = (thousands(part.selected), thousands(part.total));
    Some(format!(
        "{selected} of {total} {kind} at {target}; scores {least:.3} | {lower:.3} | {median:.3} | {upper:.3} | {greatest:.3}"
    ))
}

fn flip(flip: &Flip) -> String {
    format!(
        "{} = {} (score {:.3})",
        flip.name,
        value(flip.value),
        flip.score
    )
}

/// A stage on one line.
fn stage_line(stage: &StageReport) -> String {
    let fixed = stage.fixed_binaries + stage.fixed_integers + stage.fixed_ones;
    let what = match fixed {
        0 => String::new(),
        _ => format!(
            ", {} restricted, Δ {}",
            counted(fixed, "column"),
            stage.delta
        ),
    };
    let outcome = stage.outcome.as_str().replace('_', " ");
    let best = stage.best.map_or("no solution".into(), value);
    format!(
        "{:<10} {:>7.2}s to {:>7.2}s: {outcome}, best {best}{what}",
        stage.kind,
        stage.began,
        stage.began + stage.seconds,
    )
}
