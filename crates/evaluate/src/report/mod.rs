//! The report as one HTML page without scripts or external links, with figures as SVG and their data beside them.

pub(crate) mod csv;
pub(crate) mod figures;
pub(crate) mod tables;
pub(crate) mod text;

use std::fmt::Write;
use std::path::Path;

use idpas_base::svg::escape;
use idpas_mip::files::save_bytes;
use text::{counted, percent, whole_percent};

use crate::EvaluateError;
use crate::analysis::{Analysis, BenchmarkAnalysis, Clock, MethodAnalysis, analyse};
use crate::results::Results;

pub use text::text;

const STYLE: &str = include_str!("style.css");

/// Closes what [`begin_page`] opened, but for the header.
pub(crate) const END_OF_PAGE: &str = "</main></body></html>\n";

/// Analyses a folder of results and, if `out` is given, writes the page about it there.
pub fn write(results: &Path, out: Option<&Path>, clock: Clock) -> Result<Analysis, EvaluateError> {
    let analysis = analyse(&Results::new(results), clock)?;
    if let Some(out) = out {
        save_bytes(out, html(&analysis).as_bytes())?;
    }
    Ok(analysis)
}

/// The report as an HTML page.
pub fn html(analysis: &Analysis) -> String {
    let mut page = begin_page(&analysis.study);
    if let Some(about) = &analysis.about {
        // Writing to a string cannot fail.
        let _ = write!(page, "<p>{}</p>", escape(about));
    }
    let _ = write!(
        page,
        "<p class=\"soft\">{}</p></header>",
        escape(&summary(analysis))
    );
    page.push_str(&cards(analysis));
    for name in &analysis.without_results {
        let name = escape(name);
        let _ = write!(page, "<p class=\"note\">{name} has no results.</p>");
    }
    for benchmark in &analysis.benchmarks {
        for warning in text::warnings(benchmark) {
            let _ = write!(
                page,
                "<p class=\"note\">{}: {}.</p>",
                escape(&benchmark.name),
                escape(&warning)
            );
        }
    }
    section(
        &mut page,
        "Primal gap and primal integral",
        &tables::main(analysis),
    );
    section(&mut page, "Primal gap over time", &curves(analysis));
    section(
        &mut page,
        "Speed, and how far from a perfect prediction",
        &tables::speed(analysis),
    );
    if let Some(table) = tables::against(analysis, "zero-frequency") {
        section(&mut page, "Against zero frequency", &table);
    }
    if let Some(table) = tables::three_way(analysis, "prop") {
        section(&mut page, "Against PROP", &table);
    }
    section(&mut page, "Instance by instance", &scatters(analysis));
    let quality: String = analysis.benchmarks.iter().map(figures::quality).collect();
    if !quality.is_empty() {
        section(&mut page, "How good the predictions are", &quality);
    }
    let grown: String = analysis.benchmarks.iter().map(figures::growth).collect();
    if !grown.is_empty() {
        let grown = format!("<div class=\"grid\">{grown}</div>");
        section(&mut page, "What was learned from", &grown);
    }
    let listed: String = analysis.benchmarks.iter().map(tables::instances).collect();
    let benchmarks = format!("{}{listed}", tables::benchmarks(analysis));
    section(&mut page, "Instances", &benchmarks);
    section(
        &mut page,
        "Settings of the searches",
        &tables::settings(analysis),
    );
    section(&mut page, "How this was measured", &measured(analysis));
    page.push_str(END_OF_PAGE);
    page
}

/// What the page may do: show itself. Names of strangers are escaped wherever they are shown; if one were not, it could still
/// run nothing and ask for nothing.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The beginning of a page, up to its heading: the header is open, for more to be said in it.
pub(crate) fn begin_page(title: &str) -> String {
    let title = escape(title);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title} – idpas report</title><style>{STYLE}</style></head><body><main>\
         <header><h1>{title}</h1>"
    )
}

/// Adds a part with a heading to a page. Both texts are HTML.
pub(crate) fn section(page: &mut String, heading: &str, content: &str) {
    // Writing to a string cannot fail.
    let _ = write!(page, "<section><h2>{heading}</h2>{content}</section>");
}

fn summary(analysis: &Analysis) -> String {
    let instances: usize = analysis.benchmarks.iter().map(counted).sum();
    let methods = analysis
        .benchmarks
        .iter()
        .map(|b| b.methods.len())
        .max()
        .unwrap_or(0);
    let plural = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    };
    format!(
        "{} on {} of {}, {} per run, {} per instance.",
        plural(methods, "method"),
        plural(instances, "test instance"),
        plural(analysis.benchmarks.len(), "benchmark"),
        plural(usize::from(analysis.threads), "thread"),
        plural(analysis.seeds.len(), "seed"),
    )
}

fn find<'a>(benchmark: &'a BenchmarkAnalysis, label: &str) -> Option<&'a MethodAnalysis> {
    benchmark
        .methods
        .iter()
        .find(|method| method.label == label)
}

/// The main results, one card for each benchmark.
fn cards(analysis: &Analysis) -> String {
    let Some(subject) = analysis.subject.as_deref() else {
        return String::new();
    };
    let mut cards = String::new();
    for benchmark in &analysis.benchmarks {
        let Some(method) = find(benchmark, subject) else {
            continue;
        };
        let (Some(gap), Some(integral)) = (method.gap_reduction, method.integral_reduction) else {
            continue;
        };
        let good = if integral > 0.0 { " good" } else { "" };
        let speed = method.speed_up.map_or(String::new(), |speed| {
            format!(
                "<br>The solver’s final value is reached {:.1}× sooner, on {} of {} runs.",
                speed.factor, speed.reached, speed.runs
            )
        });
        let change = |share: f64| match share {
            s if s >= 0.0 => format!("{} lower", whole_percent(s)),
            s => format!("{} higher", whole_percent(-s)),
        };
        let _ = write!(
            cards,
            "<div class=\"card\"><h3>{}</h3><div class=\"big{good}\">{}</div>\
             <div class=\"small\">primal integral of <b>{}</b> against the solver alone (p {}), primal gap {} at {}.{speed}</div></div>",
            escape(&benchmark.name),
            change(integral),
            escape(subject),
            tables::p_value(find(benchmark, "solver").and_then(|solver| solver.integral_test)),
            change(gap),
            tables::dash(method.gap.map(|gap| percent(gap.mean))),
        );
    }
    match cards.is_empty() {
        true => cards,
        false => format!("<div class=\"cards\">{cards}</div>"),
    }
}

/// The paper's figure of all methods, and the one with PROP alone if it is among them.
fn curves(analysis: &Analysis) -> String {
    let mut grid = String::new();
    for benchmark in &analysis.benchmarks {
        let all: Vec<&MethodAnalysis> = benchmark.methods.iter().collect();
        grid.push_str(&figures::gap_over_time(benchmark, &all, "gap-over-time"));
    }
    let mut prop = String::new();
    if let Some(subject) = analysis
        .subject
        .as_deref()
        .filter(|subject| *subject != "prop")
    {
        for benchmark in &analysis.benchmarks {
            let three: Vec<&MethodAnalysis> = ["solver", "prop", subject]
                .iter()
                .filter_map(|label| find(benchmark, label))
                .collect();
            if three.len() == 3 && benchmark.methods.len() > 3 {
                prop.push_str(&figures::gap_over_time(
                    benchmark,
                    &three,
                    "gap-over-time-prop",
                ));
            }
        }
    }
    if !prop.is_empty() {
        prop = format!(
            "<p>PROP, one small network per variable, beside the solver and the subject:</p><div class=\"grid\">{prop}</div>"
        );
    }
    format!("<div class=\"grid\">{grid}</div>{prop}")
}

fn scatters(analysis: &Analysis) -> String {
    let mut grid = String::new();
    for benchmark in &analysis.benchmarks {
        let subject = analysis
            .subject
            .as_deref()
            .and_then(|label| find(benchmark, label));
        if let (Some(subject), Some(base)) = (subject, find(benchmark, "solver")) {
            grid.push_str(&figures::scatter(benchmark, subject, base));
        }
    }
    format!("<div class=\"grid\">{grid}</div>")
}

fn measured(analysis: &Analysis) -> String {
    let clock = match analysis.clock {
        Clock::EndToEnd => {
            "The clock starts when the instance file is opened, so reading, relaxation, prediction and model building count."
        }
        Clock::Solver => {
            "The clock starts when the solver is first asked, as in the paper: reading, relaxation, prediction and model building do not count."
        }
    };
    let mut out = format!(
        "<p>The primal gap of a value v is |v − v*| / max(|v*|, 10⁻⁸), and 1 before there is a solution or where v and v* have \
         different signs; the primal integral is its integral from 0 to the limit. What a run hands over when it is stopped \
         at the limit counts for the gap, though it may come a moment later. v* is the best value that any run of the \
         study found, the oracle’s and longer reference runs included; the tables of instances say which. {clock} Every \
         solution was checked exactly in the original model before it counted.</p>\
         <p>Each run is a process of its own. Gaps closer than 0.0001 % are ties. An instance with several seeds counts once, \
         with the mean over its seeds. Standard deviations divide by n − 1. Wilcoxon’s p-values are exact up to 50 pairs that differ.</p>"
    );
    let mut entries: Vec<(String, String)> = Vec::new();
    if let Some(manifest) = &analysis.manifest {
        let machine = &manifest.machine;
        let memory = machine
            .memory_gib
            .map_or(String::new(), |gib| format!(", {gib} GiB"));
        entries.extend([
            ("program".into(), manifest.program.clone()),
            ("solver".into(), manifest.solver.clone()),
            (
                "machine".into(),
                format!(
                    "{}, {} cores ({} processors){memory}, {}",
                    machine.processor, machine.cores, machine.processors, machine.system
                ),
            ),
            ("study".into(), format!("sha256 {}", manifest.study_sha256)),
            ("command".into(), manifest.command.clone()),
        ]);
    }
    let seeds: Vec<String> = analysis.seeds.iter().map(u32::to_string).collect();
    entries.push(("seeds".into(), seeds.join(", ")));
    entries.push(("threads".into(), analysis.threads.to_string()));
    for benchmark in &analysis.benchmarks {
        let sound = &benchmark.soundness;
        let own = match sound.shared {
            0 => "each run had its processors to itself among the runs".to_owned(),
            shared => format!("{shared} runs shared processors with others"),
        };
        let disturbed = match (sound.disturbed, sound.unwatched) {
            (0, 0) => "no run waited for a processor for more than 5 % of its time".to_owned(),
            (waited, 0) => {
                format!("{waited} waited for a processor for more than 5 % of their time")
            }
            (waited, unknown) => {
                format!("{waited} waited for a processor, of {unknown} the system does not tell")
            }
        };
        entries.push((
            format!("{}: runs", benchmark.name),
            format!(
                "{} planned, {} missing, {} failed; {own}; {disturbed}",
                sound.planned, sound.missing, sound.failed
            ),
        ));
        let stages: Vec<String> = benchmark
            .stages
            .iter()
            .map(|stage| format!("{} {:.0} s", stage.name, stage.seconds))
            .collect();
        entries.push((format!("{}: before", benchmark.name), stages.join(", ")));
    }
    out.push_str("<dl>");
    for (name, value) in entries {
        let _ = write!(out, "<dt>{}</dt><dd>{}</dd>", escape(&name), escape(&value));
    }
    out.push_str("</dl>");
    out
}
