//! The figures of the report.

use idpas_base::svg::{Axis, Figure, escape};
use idpas_learn::metrics::SHARES;

use super::csv::{Csv, number};
use crate::analysis::{BenchmarkAnalysis, MethodAnalysis};
use crate::results::Quality;

/// Smallest gap that is drawn; smaller ones are drawn as this: 0.0001 %.
const LEAST_GAP: f64 = 1e-6;

/// The number of a method's colour, the same in every figure. Methods of the paper have the paper's colours.
pub(crate) fn colour(label: &str) -> usize {
    let known = [
        "solver",
        "pas",
        "pas+",
        "id-pas+",
        "prop",
        "zero-frequency",
        "nearest",
        "oracle",
        "idpas",
    ];
    match known.iter().position(|name| *name == label) {
        Some(at) => at,
        None => 9 + label.bytes().map(usize::from).sum::<usize>() % 2,
    }
}

/// The number of a model's colour: that of the method that uses it.
fn model_colour(model: &str) -> usize {
    match model {
        "identity" => colour("id-pas+"),
        "anonymous" => colour("pas+"),
        other => colour(other),
    }
}

/// A drawing with a caption, which is HTML, and its data behind a link.
pub(crate) fn figure(svg: &str, caption: &str, csv: &Csv, name: &str) -> String {
    format!(
        "<figure>{svg}<figcaption>{caption} {}</figcaption></figure>",
        csv.link(name)
    )
}

/// A figure with a heading above its drawing.
pub(crate) fn headed(heading: &str, figure: &str) -> String {
    figure.replacen("<figure>", &format!("<figure>{heading}"), 1)
}

/// Names beside their colours.
pub(crate) fn legend<'a>(entries: impl Iterator<Item = (&'a str, usize)>) -> String {
    let one = |(name, colour): (&str, usize)| {
        format!(
            "<span><i style=\"background:var(--c{colour})\"></i>{}</span>",
            escape(name)
        )
    };
    format!(
        "<div class=\"legend\">{}</div>",
        entries.map(one).collect::<String>()
    )
}

/// Draws the mean primal gap of some methods over time.
pub(super) fn gap_over_time(
    benchmark: &BenchmarkAnalysis,
    methods: &[&MethodAnalysis],
    name: &str,
) -> String {
    let means = methods
        .iter()
        .flat_map(|m| m.curve.iter().map(|p| p.mean))
        .chain([1.0]);
    let mut figure_ = Figure::new(
        format!("{}: mean primal gap over time", benchmark.name),
        Axis::linear(0.0, benchmark.time_limit, "seconds"),
        Axis::log(means, LEAST_GAP, "mean primal gap").in_percent(),
    );
    let mut csv = Csv::new(&["method", "seconds", "mean_gap", "standard_error"]);
    for method in methods.iter().filter(|method| !method.ceiling) {
        let band: Vec<(f64, f64, f64)> = method
            .curve
            .iter()
            .map(|p| {
                // On a logarithmic axis the band is as high above the mean as below it, and never reaches zero.
                let factor = 1.0 + p.error / p.mean.max(f64::MIN_POSITIVE);
                (p.time, p.mean / factor, p.mean * factor)
            })
            .collect();
        figure_.band(&band, colour(&method.label));
    }
    for method in methods {
        let line: Vec<(f64, f64)> = method.curve.iter().map(|p| (p.time, p.mean)).collect();
        figure_.step_line(&line, colour(&method.label), method.ceiling);
        for point in &method.curve {
            csv.row([
                method.label.clone(),
                format!("{:.4}", point.time),
                point.mean.to_string(),
                point.error.to_string(),
            ]);
        }
    }
    let entries = methods.iter().map(|m| (m.label.as_str(), colour(&m.label)));
    let heading = format!("<h3>{}</h3>{}", escape(&benchmark.name), legend(entries));
    let caption =
        "Lower is better. Bands: the mean times, and over, one plus its relative standard error.";
    let drawn = figure(
        &figure_.svg(),
        caption,
        &csv,
        &format!("{name}-{}", benchmark.name),
    );
    headed(&heading, &drawn)
}

/// Draws a dot for each instance: the solver's measurement across, the subject's down.
pub(super) fn scatter(
    benchmark: &BenchmarkAnalysis,
    subject: &MethodAnalysis,
    base: &MethodAnalysis,
) -> String {
    let names: Vec<&str> = benchmark
        .instances
        .iter()
        .filter(|instance| instance.complete)
        .map(|instance| instance.instance.name.as_str())
        .collect();
    let one = |what: &str, of: fn(&MethodAnalysis) -> &Vec<f64>, least: f64, percent: bool| {
        let (xs, ys) = (of(base), of(subject));
        let axis = |label: &str| {
            let values = xs.iter().chain(ys).copied();
            let axis = Axis::log(values, least, format!("{what}, {label}"));
            if percent { axis.in_percent() } else { axis }
        };
        let title = format!("{}: {what} of each instance", benchmark.name);
        let mut drawn = Figure::new(title, axis(&base.label), axis(&subject.label));
        drawn.diagonal();
        let mut csv = Csv::new(&["instance", &base.label, &subject.label]);
        for ((name, x), y) in names.iter().zip(xs).zip(ys) {
            drawn.dot(*x, *y, colour(&subject.label), name);
            csv.row([(*name).to_owned(), x.to_string(), y.to_string()]);
        }
        let caption = format!(
            "{}: {what} of each instance. Below the diagonal, {} is better.",
            escape(&benchmark.name),
            escape(&subject.label)
        );
        figure(
            &drawn.svg(),
            &caption,
            &csv,
            &format!("scatter-{what}-{}", benchmark.name),
        )
    };
    one("primal gap", |m| &m.gaps, LEAST_GAP, true)
        + &one(
            "primal integral",
            |m| &m.integrals,
            1e-3 * LEAST_GAP * benchmark.time_limit,
            false,
        )
}

/// Draws how well scores agree with frequencies, and how often the lowest scores are right.
pub(super) fn quality(benchmark: &BenchmarkAnalysis) -> String {
    if benchmark.quality.is_empty() {
        return String::new();
    }
    let entries = benchmark
        .quality
        .iter()
        .map(|q| (q.model.as_str(), model_colour(&q.model)));
    format!(
        "<h3>{}</h3>{}<div class=\"grid\">{}{}</div>",
        escape(&benchmark.name),
        legend(entries),
        calibration(benchmark),
        precision(benchmark)
    )
}

/// Draws how far the solutions that were learned from were from the best ones, round by round; nothing if there was one
/// round only.
pub(super) fn growth(benchmark: &BenchmarkAnalysis) -> String {
    let known = || {
        let rounds = benchmark.growth.iter();
        rounds.filter_map(|g| Some((g, g.behind?, g.mean?)))
    };
    if known().count() < 2 {
        return String::new();
    }
    let rounds = benchmark.growth.len() as f64;
    let mut drawn = Figure::new(
        format!("{}: labels by round", benchmark.name),
        Axis::linear(1.0, rounds, "round"),
        Axis::log(
            known().map(|(_, behind, _)| behind),
            LEAST_GAP,
            "mean gap to the best label",
        )
        .in_percent(),
    );
    let mut csv = Csv::new(&[
        "round",
        "turns",
        "seconds",
        "solved",
        "mean_objective",
        "mean_gap",
    ]);
    let mut line = Vec::new();
    for (growth, behind, mean) in known() {
        line.push((growth.round as f64, behind.max(LEAST_GAP)));
        csv.row([
            growth.round.to_string(),
            growth.turns.to_string(),
            growth.seconds.to_string(),
            growth.solved.to_string(),
            mean.to_string(),
            behind.to_string(),
        ]);
    }
    drawn.line(&line, colour("idpas"));
    let solved: Vec<String> = known()
        .map(|(growth, _, _)| growth.solved.to_string())
        .collect();
    let caption = format!(
        "How far the best solution of each instance was from what is known now, after each of its turns. Instances with a \
         solution: {}.",
        solved.join(", ")
    );
    let name = format!("labels-{}", benchmark.name);
    let heading = format!("<h3>{}</h3>", escape(&benchmark.name));
    headed(&heading, &figure(&drawn.svg(), &caption, &csv, &name))
}

fn calibration(benchmark: &BenchmarkAnalysis) -> String {
    let mut drawn = Figure::new(
        format!("{}: calibration of scores", benchmark.name),
        Axis::linear(0.0, 1.0, "score: predicted share that is not zero"),
        Axis::linear(0.0, 1.0, "share that is not zero"),
    );
    drawn.diagonal();
    let mut csv = Csv::new(&["model", "variables", "mean_score", "share_not_zero"]);
    for quality in &benchmark.quality {
        let bins = quality
            .summary
            .all
            .reliability
            .bins
            .iter()
            .filter(|bin| bin.count > 0);
        let points: Vec<(f64, f64)> = bins
            .map(|bin| {
                let count = bin.count as f64;
                let point = (bin.scores / count, bin.targets / count);
                csv.row([
                    quality.model.clone(),
                    bin.count.to_string(),
                    point.0.to_string(),
                    point.1.to_string(),
                ]);
                point
            })
            .collect();
        drawn.line(&points, model_colour(&quality.model));
    }
    let caption = "Scores against the best solutions known, in bins of equal width. On the diagonal, a score is a probability.";
    figure(
        &drawn.svg(),
        caption,
        &csv,
        &format!("calibration-{}", benchmark.name),
    )
}

fn precision(benchmark: &BenchmarkAnalysis) -> String {
    let of = |quality: &Quality| -> Vec<(f64, f64)> {
        let all = &quality.summary.all;
        let points = SHARES.iter().zip(all.precision);
        points
            .filter_map(|(share, p)| Some((*share, p?.mean)))
            .collect()
    };
    let blind = benchmark
        .quality
        .iter()
        .find_map(|q| q.summary.all.zeros)
        .map(|zeros| zeros.mean);
    let lowest = benchmark
        .quality
        .iter()
        .flat_map(of)
        .map(|point| point.1)
        .chain(blind)
        .fold(1.0, f64::min);
    let mut drawn = Figure::new(
        format!("{}: precision of zeros", benchmark.name),
        Axis::linear(0.45, 0.95, "variables taken for zero, lowest scores first").in_percent(),
        Axis::linear(
            (20.0 * lowest - 0.2).floor().max(0.0) / 20.0,
            1.0,
            "of these, zero in the best solution",
        )
        .in_percent(),
    );
    let mut csv = Csv::new(&["model", "share", "precision"]);
    for quality in &benchmark.quality {
        let points = of(quality);
        drawn.line(&points, model_colour(&quality.model));
        for (share, precision) in points {
            csv.row([
                quality.model.clone(),
                share.to_string(),
                precision.to_string(),
            ]);
        }
    }
    csv.row(["blind guess".to_owned(), String::new(), number(blind)]);
    let blind = blind.map_or(String::new(), |zeros| {
        format!(" A blind guess has {:.1} %.", 100.0 * zeros)
    });
    let caption = format!("How many of the variables with the lowest scores are zero.{blind}");
    figure(
        &drawn.svg(),
        &caption,
        &csv,
        &format!("precision-{}", benchmark.name),
    )
}
