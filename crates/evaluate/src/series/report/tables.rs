//! The tables of the page about a series.

use std::fmt::Write;

use idpas_base::svg::escape;

use super::super::{InstanceScore, MeanScore, ScoredRun, SeriesPart, SeriesSummary};
use super::p_value;
use crate::report::csv::{Csv, number};
use crate::report::tables::{dash, wrap};
use crate::report::text::{seconds, whole_percent};

/// The numbers of a part's first and last instance.
pub(super) fn range(part: &SeriesPart) -> String {
    match part.first == part.last {
        true => part.first.to_string(),
        false => format!("{}–{}", part.first, part.last),
    }
}

/// Mean scores of each batch and of all instances, with the comparison.
pub(super) fn batches(summary: &SeriesSummary) -> String {
    let with_solver = summary.all.compared.is_some();
    let scores = "<th>score</th><th>time</th><th>gap</th><th>no solution</th><th>solved</th>";
    let head = match with_solver {
        false => format!("<tr><th>Instances</th>{scores}</tr>"),
        true => format!(
            "<tr><th rowspan=2>Instances</th><th colspan=5>this series</th><th colspan=5>default solver</th>\
             <th rowspan=2>less</th><th rowspan=2>better</th><th rowspan=2>equal</th><th rowspan=2>worse</th><th rowspan=2>p</th>\
             </tr><tr>{}{scores}</tr>",
            // The first cell of a row is a heading at the left otherwise.
            scores.replacen("<th>", "<th style=\"text-align:right\">", 1)
        ),
    };
    let mut csv = Csv::new(&[
        "first",
        "last",
        "instances",
        "solved",
        "score",
        "time",
        "gap",
        "no_solution",
        "compared",
        "compared_score",
        "solver_solved",
        "solver_score",
        "solver_time",
        "solver_gap",
        "solver_no_solution",
        "reduction",
        "better",
        "equal",
        "worse",
        "p",
    ]);
    let mut body = String::new();
    for part in &summary.batches {
        csv.row(part_cells(part));
        body.push_str(&part_row(&range(part), "", part, with_solver));
    }
    csv.row(part_cells(&summary.all));
    body.push_str(&part_row("all", " class=begin", &summary.all, with_solver));
    let below = format!(
        "Mean scores and their three parts. Lower is better. {}",
        csv.link("batches")
    );
    wrap(&head, &body, &below)
}

fn part_row(name: &str, class: &str, part: &SeriesPart, with_solver: bool) -> String {
    let mut row = format!("<tr{class}><td class=name>{name}</td>");
    let best = |mean: &MeanScore, other: Option<&MeanScore>| {
        other.is_some_and(|other| mean.total <= other.total)
    };
    let solver = part.compared.as_ref().map(|compared| &compared.solver);
    let ours = part.compared.as_ref().map(|compared| &compared.ours);
    means(
        &mut row,
        &part.ours,
        ours.is_some_and(|ours| best(ours, solver)),
    );
    match &part.compared {
        _ if !with_solver => (),
        None => row.push_str(&"<td>–</td>".repeat(10)),
        Some(compared) => {
            means(&mut row, &compared.solver, best(&compared.solver, ours));
            // Writing to a string cannot fail.
            let _ = write!(
                row,
                "<td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>",
                dash(compared.reduction.map(whole_percent)),
                compared.better,
                compared.equal,
                compared.worse,
                escape(&dash(compared.test.map(p_value)))
            );
        }
    }
    row + "</tr>"
}

fn means(row: &mut String, mean: &MeanScore, best: bool) {
    let class = if best { " class=best" } else { "" };
    let _ = write!(
        row,
        "<td{class}>{:.3}</td><td>{:.3}</td><td>{:.3}</td><td>{:.3}</td><td>{} of {}</td>",
        mean.total, mean.time, mean.gap, mean.no_solution, mean.solved, mean.instances
    );
}

fn part_cells(part: &SeriesPart) -> Vec<String> {
    let counts = [part.first, part.last, part.ours.instances, part.ours.solved];
    let mut cells: Vec<String> = counts.map(|count| count.to_string()).into();
    let parts = |mean: &MeanScore| {
        [mean.total, mean.time, mean.gap, mean.no_solution].map(|value| value.to_string())
    };
    cells.extend(parts(&part.ours));
    match &part.compared {
        None => cells.extend(std::iter::repeat_n(String::new(), 12)),
        Some(compared) => {
            cells.push(compared.ours.instances.to_string());
            cells.push(compared.ours.total.to_string());
            cells.push(compared.solver.solved.to_string());
            cells.extend(parts(&compared.solver));
            cells.push(number(compared.reduction));
            cells.extend(
                [compared.better, compared.equal, compared.worse].map(|count| count.to_string()),
            );
            cells.push(number(compared.test.map(|test| test.p)));
        }
    }
    cells
}

/// All instances, with both runs of each.
pub(super) fn instances(summary: &SeriesSummary) -> String {
    let with_solver = summary.all.compared.is_some();
    let run =
        "<th class=left>status</th><th>objective</th><th>bound</th><th>seconds</th><th>score</th>";
    let head = match with_solver {
        false => {
            format!("<tr><th>No.</th><th class=left>instance</th><th class=left>way</th>{run}</tr>")
        }
        true => format!(
            "<tr><th rowspan=2>No.</th><th rowspan=2 class=left>instance</th><th rowspan=2 class=left>way</th>\
             <th colspan=5>this series</th><th colspan=5>default solver</th></tr><tr>{run}{run}</tr>"
        ),
    };
    let mut columns = vec![
        "number".to_owned(),
        "instance".into(),
        "way".into(),
        "time_limit".into(),
        "learning".into(),
    ];
    for run in ["", "solver_"] {
        let of_run = [
            "status",
            "objective",
            "bound",
            "seconds",
            "score",
            "time",
            "gap",
            "no_solution",
        ];
        columns.extend(of_run.map(|name| format!("{run}{name}")));
    }
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut csv = Csv::new(&columns);
    let mut body = String::new();
    for instance in &summary.instances {
        let _ = write!(
            body,
            "<tr><td>{}</td><td class=left>{}</td><td class=left>{}</td>",
            instance.number,
            escape(&instance.name),
            escape(&instance.way)
        );
        let totals = instance
            .solver
            .as_ref()
            .map(|solver| (instance.ours.total, solver.total));
        run_row(
            &mut body,
            &instance.ours,
            totals.is_some_and(|(ours, solver)| ours <= solver),
        );
        match &instance.solver {
            Some(solver) => run_row(
                &mut body,
                solver,
                totals.is_some_and(|(ours, solver)| solver <= ours),
            ),
            None if with_solver => body.push_str(&"<td>–</td>".repeat(5)),
            None => (),
        }
        body.push_str("</tr>");
        csv.row(instance_cells(instance));
    }
    let below = format!("The better score is bold. {}", csv.link("instances"));
    wrap(&head, &body, &below) + &notes(summary)
}

fn run_row(row: &mut String, run: &ScoredRun, best: bool) {
    let class = if best { " class=best" } else { "" };
    let _ = write!(
        row,
        "<td class=left>{}</td><td>{}</td><td>{}</td><td>{}</td><td{class}>{:.3}</td>",
        run.status.as_str().replace('_', " "),
        dash(run.objective.map(value)),
        dash(run.bound.map(value)),
        seconds(run.seconds),
        run.total
    );
}

fn instance_cells(instance: &InstanceScore) -> Vec<String> {
    let mut cells = vec![
        instance.number.to_string(),
        instance.name.clone(),
        instance.way.clone(),
        instance.time_limit.to_string(),
        instance.learning.to_string(),
    ];
    for run in [Some(&instance.ours), instance.solver.as_ref()] {
        match run {
            None => cells.extend(std::iter::repeat_n(String::new(), 8)),
            Some(run) => {
                let score = &run.score;
                cells.extend([
                    run.status.as_str().to_owned(),
                    number(run.objective),
                    number(run.bound),
                ]);
                let numbers = [
                    run.seconds,
                    run.total,
                    score.time,
                    score.gap,
                    score.no_solution,
                ];
                cells.extend(numbers.map(|number| number.to_string()));
            }
        }
    }
    cells
}

/// What the user was told while the series was solved; nothing if that was nothing.
fn notes(summary: &SeriesSummary) -> String {
    let mut list = String::new();
    for instance in &summary.instances {
        for note in &instance.notes {
            let _ = write!(
                list,
                "<dt>{} {}</dt><dd>{}</dd>",
                instance.number,
                escape(&instance.name),
                escape(note)
            );
        }
    }
    match list.is_empty() {
        true => list,
        false => format!("<details><summary>Notes</summary><dl>{list}</dl></details>"),
    }
}

/// How many instances were solved in which way.
pub(super) fn ways(summary: &SeriesSummary) -> String {
    let mut csv = Csv::new(&["way", "instances"]);
    let mut body = String::new();
    for way in &summary.ways {
        let _ = write!(
            body,
            "<tr><td>{}</td><td>{}</td></tr>",
            escape(&way.way),
            way.instances
        );
        csv.row([way.way.clone(), way.instances.to_string()]);
    }
    let below = format!(
        "What is behind a colon are the solver’s options that differ from its defaults. {}",
        csv.link("ways")
    );
    wrap("<tr><th>Way</th><th>instances</th></tr>", &body, &below)
}

/// An objective value or bound: six digits after the point at most, with an exponent if it is very large or small.
fn value(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        size if !(1e-6..1e15).contains(&size) => format!("{value:.6e}"),
        _ => format!("{value:.6}")
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::value;

    #[test]
    fn values_are_short() {
        let texts = [0.0, -12.5, 1e6, 1234.5678912, -1e300, 1e-9, f64::INFINITY].map(value);
        assert_eq!(
            texts,
            [
                "0",
                "-12.5",
                "1000000",
                "1234.567891",
                "-1.000000e300",
                "1.000000e-9",
                "inf"
            ]
        );
    }
}
