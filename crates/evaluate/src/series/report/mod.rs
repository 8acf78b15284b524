//! The report about a series: a table for a terminal, and a page in the look of the report about studies.

mod figures;
mod tables;
mod text;

use std::fmt::Write;
use std::path::Path;

use idpas_base::svg::escape;
use idpas_base::words::counted;
use idpas_mip::files::save_bytes;

use super::{ScoreComparison, SeriesRecord, SeriesSummary};
use crate::EvaluateError;
use crate::report::text::{seconds, whole_percent};
use crate::report::{END_OF_PAGE, begin_page, section};
use crate::statistics::Wilcoxon;

pub use text::text;

/// Whether a folder holds a series: whether it has the record of a first instance.
pub fn is_series(folder: &Path) -> bool {
    SeriesRecord::path(folder, 1).is_file()
}

/// Summarises the series in a folder and, if `out` is given, writes the page about it there, whole or not at all.
pub fn write(folder: &Path, out: Option<&Path>) -> Result<SeriesSummary, EvaluateError> {
    let records = SeriesRecord::read_all(folder)?;
    if records.is_empty() {
        let folder = folder.display();
        return Err(EvaluateError::Input(format!(
            "{folder}: there are no records of a series here"
        )));
    }
    let summary = SeriesSummary::new(&records);
    if let Some(out) = out {
        save_bytes(out, html(&summary, &title(folder)).as_bytes())?;
    }
    Ok(summary)
}

/// The report as an HTML page with this title.
pub fn html(summary: &SeriesSummary, title: &str) -> String {
    let mut page = begin_page(title);
    // Writing to a string cannot fail.
    let _ = write!(
        page,
        "<p>{}</p><p class=\"soft\">{}</p></header>",
        escape(&headline(summary)),
        escape(&about(summary))
    );
    page.push_str(&cards(summary));
    if let Some(note) = partly_compared(summary) {
        let _ = write!(page, "<p class=\"note\">{}.</p>", escape(&note));
    }
    section(&mut page, "Batch by batch", &tables::batches(summary));
    section(&mut page, "Along the series", &figures::along(summary));
    section(
        &mut page,
        "Instance by instance",
        &tables::instances(summary),
    );
    section(
        &mut page,
        "How instances were solved",
        &tables::ways(summary),
    );
    section(&mut page, "How this was measured", MEASURED);
    page.push_str(END_OF_PAGE);
    page
}

const MEASURED: &str = "<p>The score is that of the MIP Workshop 2023 competition on re-optimisation, and smaller is \
     better. It is the sum of three parts: the time as a share of the time limit, which is 1 if the instance was not \
     solved; the gap between solution and bound, |p − d| / max(|p|, |d|), which is 1 if either is missing or their signs \
     differ; and 1 if there is no solution. An instance is solved if its solution was proved optimal, or if it was proved \
     that there is none. Its gap is 0 then.</p>\
     <p>The clock starts when the instance file is opened. Seconds that learning took after an instance count in the score \
     of the series where the instance was solved; the column of seconds leaves them out. Overruns of the limit below \
     1 % are not counted. Every solution was checked exactly in the original model before it counted.</p>\
     <p>The default solver was run on the same machine, directly before or after the series’ own run. Scores \
     closer than 0.001 are equal. Wilcoxon’s p-values are two-sided, and exact up to 50 pairs that differ.</p>";

/// The name of a folder, for people.
fn title(folder: &Path) -> String {
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let name = whole.file_name();
    name.map_or("series".into(), |name| name.to_string_lossy().into_owned())
}

/// The result in a sentence or two, as plain text.
fn headline(summary: &SeriesSummary) -> String {
    let all = &summary.all;
    let instances = counted(all.ours.instances, "instance");
    let Some(compared) = &all.compared else {
        return format!(
            "Mean score {:.3} over {instances}. The default solver was not run on them.",
            all.ours.total
        );
    };
    let against = format!(
        "{}the default solver’s {:.3}; {}{}.",
        compared
            .reduction
            .map_or("against ".into(), |share| change(share) + " than "),
        compared.solver.total,
        outcomes(compared),
        compared.test.map_or(String::new(), |test| format!(
            " (Wilcoxon’s p {})",
            p_value(test)
        ))
    );
    if compared.ours.instances == all.ours.instances {
        return format!(
            "Mean score {:.3} over {instances}, {against}",
            all.ours.total
        );
    }
    format!(
        "Mean score {:.3} over {instances}. On the {} of them that the default solver was run on: {:.3}, {against}",
        all.ours.total, compared.ours.instances, compared.ours.total
    )
}

/// What else there is to say about the whole series, as plain text.
fn about(summary: &SeriesSummary) -> String {
    let limit = match summary.time_limit() {
        Some(limit) => format!("{limit} s per instance"),
        None => "instances with different time limits".into(),
    };
    let ours = &summary.all.ours;
    let mut text = format!("{limit}; {} of {} solved", ours.solved, ours.instances);
    if let Some(compared) = &summary.all.compared {
        let solver = &compared.solver;
        let _ = write!(
            text,
            ", {} of {} by the default solver",
            solver.solved, solver.instances
        );
        if let Some(proof) = compared.proof {
            let _ = write!(
                text,
                "; {} solved by both, in {} s on average against {} s",
                proof.instances,
                seconds(proof.ours),
                seconds(proof.solver)
            );
        }
    }
    text.push('.');
    text
}

/// What must be known to read the comparison, where the default solver was run on some of the instances only.
fn partly_compared(summary: &SeriesSummary) -> Option<String> {
    let all = &summary.all;
    let compared = all.compared.as_ref()?.ours.instances;
    (compared < all.ours.instances).then(|| {
        format!(
            "the default solver was run on {compared} of {}; comparisons are about these, and means of the series’ own runs \
             about all",
            counted(all.ours.instances, "instance")
        )
    })
}

fn cards(summary: &SeriesSummary) -> String {
    let mut cards = String::new();
    let mut card = |heading: &str, share: f64, below: &str| {
        let good = if share > 0.0 { " good" } else { "" };
        let _ = write!(
            cards,
            "<div class=\"card\"><h3>{heading}</h3><div class=\"big{good}\">{}</div><div class=\"small\">{below}</div></div>",
            change(share)
        );
    };
    let score = |compared: &ScoreComparison| {
        format!(
            "mean score {:.3}, the default solver {:.3}; {}.",
            compared.ours.total,
            compared.solver.total,
            outcomes(compared)
        )
    };
    if let Some((compared, share)) = summary
        .all
        .compared
        .as_ref()
        .and_then(|c| Some((c, c.reduction?)))
    {
        card("All instances", share, &score(compared));
    }
    if let [_, .., last] = &summary.batches[..]
        && let Some((compared, share)) =
            last.compared.as_ref().and_then(|c| Some((c, c.reduction?)))
    {
        let heading = format!("Last batch, {}", tables::range(last));
        card(&heading, share, &score(compared));
    }
    if let Some(proof) = summary
        .all
        .compared
        .as_ref()
        .and_then(|compared| compared.proof)
        && let Some(share) = crate::statistics::reduction(proof.solver, proof.ours)
    {
        let below = format!(
            "mean time to the proof: {} s, the default solver {} s, on {} solved by both.",
            seconds(proof.ours),
            seconds(proof.solver),
            counted(proof.instances, "instance")
        );
        card("Time to the proof", share, &below);
    }
    match cards.is_empty() {
        true => cards,
        false => format!("<div class=\"cards\">{cards}</div>"),
    }
}

/// A reduction in words: `31.2 % lower`, `2.0 % higher`.
fn change(share: f64) -> String {
    match share >= 0.0 {
        true => format!("{} lower", whole_percent(share)),
        false => format!("{} higher", whole_percent(-share)),
    }
}

/// On how many instances the series is better, equal and worse.
fn outcomes(compared: &ScoreComparison) -> String {
    let ScoreComparison {
        better,
        equal,
        worse,
        ..
    } = compared;
    format!("better on {better}, equal on {equal}, worse on {worse}")
}

/// A p-value as plain text.
fn p_value(test: Wilcoxon) -> String {
    match test.p < 0.001 {
        true => "< 0.001".into(),
        false => format!("{:.3}", test.p),
    }
}
