//! A series by hand: 23 records, and what must come out of them.

use std::path::Path;

use idpas_evaluate::series::{
    SeriesPart, SeriesRecord, SeriesRun, SeriesSummary, html, is_series, text, write,
};
use idpas_search::SearchStatus;

fn run(status: SearchStatus, seconds: f64, objective: Option<f64>, bound: f64) -> SeriesRun {
    SeriesRun {
        started: 1_666_797_910.0,
        seconds,
        status,
        objective,
        bound: Some(bound),
        trajectory: objective
            .map(|value| (0.5 * seconds, value))
            .into_iter()
            .collect(),
    }
}

fn optimal(seconds: f64) -> SeriesRun {
    run(SearchStatus::Optimal, seconds, Some(100.0), 99.995)
}

fn record(number: usize) -> SeriesRecord {
    let limit = |objective| run(SearchStatus::TimeLimit, 10.0, objective, 80.0);
    let (way, run, learning, solver) = match number {
        // 1 + 0.2; the solver has the same, or no solution at all: 1 + 1 + 1.
        1..=10 => (
            "solver",
            limit(Some(100.0)),
            0.5,
            Some(limit((number % 2 == 1).then_some(100.0))),
        ),
        // (2 + 1) / 10; the solver 5 / 10, and once 2.9 / 10.
        11..=20 => (
            "start",
            optimal(2.0),
            1.0,
            Some(optimal(if number == 20 { 2.9 } else { 5.0 })),
        ),
        // The solver was not run on the last ones. 0.1, 1.2 + 1 + 1, 0.4.
        21 => (
            "start",
            run(SearchStatus::Infeasible, 1.0, None, 0.0),
            0.0,
            None,
        ),
        22 => (
            "search: presolve=off",
            run(SearchStatus::TimeLimit, 12.0, None, 5.0),
            0.0,
            None,
        ),
        _ => ("search: presolve=off", optimal(4.0), 0.0, None),
    };
    SeriesRecord {
        number,
        name: if number == 7 {
            "<b>bold</b> & \"7\"".into()
        } else {
            format!("i{number:02}")
        },
        sha256: number.to_string(),
        time_limit: 10.0,
        way: way.into(),
        run,
        solver,
        learning,
        sources: Vec::new(),
        notes: match number {
            7 => vec!["other rows: <script>alert(1)</script>".into()],
            _ => Vec::new(),
        },
    }
}

fn records() -> Vec<SeriesRecord> {
    (1..=23).map(record).collect()
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found} {expected}");
}

/// The mean score of the series' own runs with its parts.
fn ours(part: &SeriesPart) -> [f64; 4] {
    let mean = &part.ours;
    [mean.total, mean.time, mean.gap, mean.no_solution]
}

#[test]
fn batches_by_hand() {
    let summary = SeriesSummary::new(&records());
    let [first, second, third] = &summary.batches[..] else {
        panic!("{} batches", summary.batches.len());
    };
    for (part, range, expected) in [
        (first, (1, 10), [1.2, 1.0, 0.2, 0.0]),
        (second, (11, 20), [0.3, 0.3, 0.0, 0.0]),
        (
            third,
            (21, 23),
            [3.7 / 3.0, 1.7 / 3.0, 1.0 / 3.0, 1.0 / 3.0],
        ),
        (
            &summary.all,
            (1, 23),
            [18.7 / 23.0, 14.7 / 23.0, 3.0 / 23.0, 1.0 / 23.0],
        ),
    ] {
        assert_eq!((part.first, part.last), range);
        for (found, expected) in ours(part).into_iter().zip(expected) {
            close(found, expected);
        }
    }
    let solved = [first, second, third, &summary.all].map(|part| part.ours.solved);
    assert_eq!(solved, [0, 10, 2, 12]);
    assert_eq!(third.compared, None);
    let ways: Vec<(&str, usize)> = summary
        .ways
        .iter()
        .map(|w| (w.way.as_str(), w.instances))
        .collect();
    assert_eq!(
        ways,
        [("start", 11), ("solver", 10), ("search: presolve=off", 2)]
    );
    assert_eq!(summary.time_limit(), Some(10.0));
}

#[test]
fn the_comparison_by_hand() {
    let summary = SeriesSummary::new(&records());
    let first = summary.batches[0].compared.as_ref().unwrap();
    close(first.solver.total, 2.1);
    close(first.solver.gap, 0.6);
    close(first.solver.no_solution, 0.5);
    close(first.reduction.unwrap(), 0.9 / 2.1);
    assert_eq!((first.better, first.equal, first.worse), (5, 5, 0));
    assert_eq!(first.proof, None);
    close(first.test.unwrap().p, 2.0 / 32.0);

    let second = summary.batches[1].compared.as_ref().unwrap();
    close(second.solver.total, 0.479);
    assert_eq!((second.better, second.equal, second.worse), (9, 0, 1));
    let proof = second.proof.unwrap();
    assert_eq!(proof.instances, 10);
    close(proof.ours, 2.0);
    close(proof.solver, 4.79);
    // The one difference for the solver is the smallest of ten.
    close(second.test.unwrap().p, 4.0 / 1024.0);

    // Three of 23 instances have no run of the solver, and are in none of these numbers.
    let all = summary.all.compared.as_ref().unwrap();
    assert_eq!((all.ours.instances, all.solver.instances), (20, 20));
    close(all.ours.total, 0.75);
    close(all.solver.total, 25.79 / 20.0);
    close(all.reduction.unwrap(), 1.0 - 15.0 / 25.79);
    assert_eq!((all.better, all.equal, all.worse), (14, 5, 1));
    assert_eq!((all.ours.solved, all.solver.solved), (10, 10));
}

#[test]
fn the_table_for_a_terminal() {
    let table = text(&SeriesSummary::new(&records()));
    let expected = "\
Mean score 0.813 over 23 instances. On the 20 of them that the default solver was run on: 0.750, 41.8 % lower than the \
default solver’s 1.289; better on 14, equal on 5, worse on 1 (Wilcoxon’s p < 0.001).
10 s per instance; 12 of 23 solved, 10 of 20 by the default solver; 10 solved by both, in 2.00 s on average against 4.79 s.

instances  score   time    gap   none  solved  solver   time    gap   none  solved    less  better  equal  worse
1–10       1.200  1.000  0.200  0.000    0/10   2.100  1.000  0.600  0.500    0/10  42.9 %       5      5      0
11–20      0.300  0.300  0.000  0.000   10/10   0.479  0.479  0.000  0.000   10/10  37.4 %       9      0      1
21–23      1.233  0.567  0.333  0.333     2/3       -      -      -      -       -       -       -      -      -
all        0.813  0.639  0.130  0.043   12/23   1.289  0.739  0.300  0.250   10/20  41.8 %      14      5      1

ways: start 11, solver 10, search: presolve=off 2
note: the default solver was run on 20 of 23 instances; comparisons are about these, and means of the series’ own runs \
about all
";
    assert_eq!(table, expected);
}

#[test]
fn without_the_default_solver_nothing_is_compared() {
    let mut records = records();
    records.truncate(11);
    records.iter_mut().for_each(|record| record.solver = None);
    let summary = SeriesSummary::new(&records);
    assert_eq!(summary.all.compared, None);
    let expected = "\
Mean score 1.118 over 11 instances. The default solver was not run on them.
10 s per instance; 1 of 11 solved.

instances  score   time    gap   none  solved
1–10       1.200  1.000  0.200  0.000    0/10
11         0.300  0.300  0.000  0.000     1/1
all        1.118  0.936  0.182  0.000    1/11

ways: solver 10, start 1
";
    assert_eq!(text(&summary), expected);
    let page = html(&summary, "alone");
    assert!(!page.contains("colspan") && !page.contains("NaN"));
}

#[test]
fn no_records_make_an_empty_summary() {
    let summary = SeriesSummary::new(&[]);
    assert_eq!((summary.batches.len(), summary.time_limit()), (0, None));
    assert!(!html(&summary, "").contains("NaN") && !text(&summary).contains("NaN"));
}

#[test]
fn the_page_holds_figures_and_data_and_no_script() {
    let page = html(&SeriesSummary::new(&records()), "se<b>ries");
    assert_eq!(page.matches("<svg").count(), 2);
    assert_eq!(page.matches("<figure>").count(), 2);
    for expected in [
        "aria-label=\"Score of each instance\"",
        "<h1>se&lt;b&gt;ries</h1>",
        "&lt;b&gt;bold&lt;/b&gt; &amp; &quot;7&quot;",
        "41.8 % lower",
        "search: presolve=off",
        "download=\"instances.csv\"",
        "download=\"scores.csv\"",
        "download=\"batches.csv\"",
    ] {
        assert!(page.contains(expected), "{expected}");
    }
    for forbidden in ["<b>", "<script", "NaN", "http://", "https://"] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    // Elements are closed as often as they are opened.
    for name in [
        "table", "tr", "td", "th", "figure", "section", "div", "p", "dl", "main",
    ] {
        let opened =
            page.matches(&format!("<{name}>")).count() + page.matches(&format!("<{name} ")).count();
        assert_eq!(
            opened,
            page.matches(&format!("</{name}>")).count(),
            "{name}"
        );
    }
}

#[test]
fn a_folder_is_a_series_once_it_has_a_record() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let page = folder.path().join("page.html");
    std::fs::create_dir_all(state.join("records")).unwrap();
    assert!(!is_series(&state) && !is_series(Path::new("/nowhere")));
    let message = write(&state, Some(&page)).unwrap_err().to_string();
    assert!(
        message.ends_with("state: there are no records of a series here"),
        "{message}"
    );
    assert!(!page.exists());
    for record in records() {
        record.write(&state).unwrap();
    }
    assert!(is_series(&state));
    let summary = write(&state, Some(&page)).unwrap();
    assert_eq!(summary, SeriesSummary::new(&records()));
    let written = std::fs::read_to_string(&page).unwrap();
    assert_eq!(written, html(&summary, "state"));
    assert_eq!(write(&state, None).unwrap(), summary);
    // What is damaged is named.
    std::fs::write(SeriesRecord::path(&state, 5), "{").unwrap();
    let message = write(&state, Some(&page)).unwrap_err().to_string();
    assert!(
        message.contains("000005.json: this is no record of a series"),
        "{message}"
    );
    assert_eq!(std::fs::read_to_string(&page).unwrap(), written);
}
