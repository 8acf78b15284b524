//! Results by hand: a folder of few records, and what must come out of it.

use std::path::Path;

use idpas_evaluate::analysis::{Analysis, Clock, MethodAnalysis, analyse};
use idpas_evaluate::report::{html, text};
use idpas_evaluate::results::{
    Best, Configuration, Outline, OutlinedMethod, Record, Results, TestInstance, write,
};
use idpas_mip::Sense;
use idpas_search::Method;

const STUDY: &str = r#"
name = "by hand <&>"
time_limit = 10
methods = ["solver", "zero-frequency", "prop", "id-pas+", "oracle"]
[[benchmark]]
name = "B"
instances = "somewhere"
train = 1
validation = 1
test = 2
"#;

fn configuration(method: Method) -> Configuration {
    Configuration {
        method,
        program: "p".into(),
        solver: "s".into(),
        time_limit: 10.0,
        threads: 1,
        gap: 0.0,
        model_sha256: None,
        settings_sha256: None,
        options: Vec::new(),
    }
}

fn instance(name: &str) -> TestInstance {
    TestInstance {
        name: name.into(),
        file: "none".into(),
        sha256: name.into(),
        sense: Sense::Minimize,
        rows: 3,
        binaries: 2,
        integers: 1,
        continuous: 0,
        nonzeros: 5,
    }
}

fn record(method: Method, instance: &str, overhead: f64, trajectory: &[(f64, f64)]) -> Record {
    let configuration = configuration(method);
    Record {
        benchmark: "B".into(),
        label: method.as_str().into(),
        instance: instance.into(),
        instance_sha256: instance.into(),
        seed: 0,
        given_sha256: None,
        configuration_sha256: configuration.hash(),
        configuration,
        status: "time_limit".into(),
        objective: trajectory.last().map(|point| point.1),
        bound: None,
        time: 10.0,
        overhead,
        trajectory: trajectory.to_vec(),
        cores: vec![0],
        exclusive: true,
        cpu_seconds: Some(9.0),
        waited_seconds: Some(0.1),
        host: "h".into(),
        finished: 0,
        settings: None,
        stages: None,
        warnings: Vec::new(),
        failure: None,
    }
}

const METHODS: [Method; 5] = [
    Method::Solver,
    Method::ZeroFrequency,
    Method::Prop,
    Method::IdPasPlus,
    Method::Oracle,
];

/// Two instances, the best value 100 in both.
fn folder() -> (tempfile::TempDir, Results) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("study.toml"), STUDY).expect("a study");
    let results = Results::new(folder.path());
    let outline = Outline {
        name: "B".into(),
        source: "by hand".into(),
        train: 1,
        validation: 1,
        time_limit: 10.0,
        instances: vec![instance("a"), instance("b")],
        methods: METHODS
            .map(|method| OutlinedMethod {
                label: method.as_str().into(),
                method,
                configuration: configuration(method),
                tuned: None,
                tuning_seconds: None,
                model: None,
            })
            .into(),
        stages: Vec::new(),
    };
    results.write_outline(&outline).expect("an outline");
    for of in [
        // Gap 1 for 1 s, then 0.2 for 4 s, then 0.1.
        record(Method::Solver, "a", 0.5, &[(1.0, 120.0), (5.0, 110.0)]),
        // No solution at all.
        record(Method::Solver, "b", 0.5, &[]),
        record(Method::ZeroFrequency, "a", 0.5, &[(1.0, 101.0)]),
        record(Method::ZeroFrequency, "b", 0.5, &[(1.0, 101.0)]),
        record(Method::Prop, "a", 0.5, &[(1.0, 101.0)]),
        record(Method::Prop, "b", 0.5, &[(1.0, 102.0)]),
        // The last value comes after the limit: it counts for the gap, not for the integral.
        record(Method::IdPasPlus, "a", 2.0, &[(2.0, 105.0), (10.2, 101.0)]),
        record(Method::IdPasPlus, "b", 2.0, &[(2.0, 101.0)]),
        record(Method::Oracle, "a", 0.0, &[(0.0, 100.0)]),
        record(Method::Oracle, "b", 0.0, &[(0.0, 100.0)]),
    ] {
        put(&results, &of);
    }
    (folder, results)
}

fn put(results: &Results, record: &Record) {
    let path = results.run_path("B", &record.label, &record.instance, record.seed);
    write(&path, record).expect("a record");
}

fn method<'a>(analysis: &'a Analysis, label: &str) -> &'a MethodAnalysis {
    let methods = &analysis.benchmarks[0].methods;
    let found = methods.iter().find(|method| method.label == label);
    found.expect("a method")
}

fn close(found: Option<f64>, expected: f64) {
    let found = found.expect("a number");
    assert!((found - expected).abs() < 1e-9, "{found} {expected}");
}

#[test]
fn gaps_integrals_and_wins_by_hand() {
    let (_folder, results) = folder();
    let analysis = analyse(&results, Clock::EndToEnd).unwrap();
    let solver = method(&analysis, "solver");
    // 1 + 4 · 0.2 + 5 · 0.1, and 10 without any solution.
    assert_eq!(solver.gaps, [0.1, 1.0]);
    close(Some(solver.integrals[0]), 2.3);
    close(Some(solver.integrals[1]), 10.0);
    close(solver.gap.map(|gap| gap.mean), 0.55);
    close(solver.gap.map(|gap| gap.deviation), 0.9 / 2f64.sqrt());

    let ours = method(&analysis, "id-pas+");
    close(Some(ours.gaps[0]), 0.01);
    close(Some(ours.integrals[0]), 2.0 + 8.0 * 0.05);
    close(Some(ours.integrals[1]), 2.0 + 8.0 * 0.01);
    close(ours.gap_reduction, (0.55 - 0.01) / 0.55);
    // On instance a three tie at 1 %, on b two.
    close(ours.gap_wins, 1.0 / 3.0 + 0.5);
    close(
        method(&analysis, "zero-frequency").gap_wins,
        1.0 / 3.0 + 0.5,
    );
    close(method(&analysis, "prop").gap_wins, 1.0 / 3.0);
    close(solver.gap_wins, 0.0);
    assert_eq!(method(&analysis, "oracle").gap_wins, None);
    // The oracle has gap 0: the way from 0.55 to 0 is gone but for 0.01.
    close(ours.gap_oracle_share, 0.54 / 0.55);
    assert_eq!(analysis.subject.as_deref(), Some("id-pas+"));
    assert_eq!(solver.gap_test.map(|test| test.pairs), Some(2));
}

#[test]
fn the_solvers_clock_leaves_out_what_comes_before_it() {
    let (_folder, results) = folder();
    let analysis = analyse(&results, Clock::Solver).unwrap();
    let ours = method(&analysis, "id-pas+");
    // At once 5 %, and 1 % from 8.2 s on.
    close(Some(ours.integrals[0]), 8.2 * 0.05 + 1.8 * 0.01);
    close(Some(ours.integrals[1]), 0.1);
    close(
        ours.other_integral.map(|other| other.mean),
        (2.4 + 2.08) / 2.0,
    );
}

#[test]
fn speed_to_the_solvers_final_value() {
    let (_folder, results) = folder();
    let analysis = analyse(&results, Clock::EndToEnd).unwrap();
    // Only instance a counts: the solver has 110 there after 5 s.
    let speed = method(&analysis, "id-pas+").speed_up.unwrap();
    assert_eq!((speed.runs, speed.reached), (1, 1));
    close(Some(speed.seconds), 2.0);
    close(Some(speed.factor), 5.01 / 2.01);
    close(
        method(&analysis, "solver")
            .speed_up
            .map(|speed| speed.factor),
        1.0,
    );
}

#[test]
fn the_best_value_says_whose_it_is_and_counts_earlier_runs() {
    let (_folder, results) = folder();
    let known = |results: &Results| {
        let analysis = analyse(results, Clock::EndToEnd).unwrap();
        let instance = &analysis.benchmarks[0].instances[0];
        (instance.best, instance.best_by.clone().unwrap())
    };
    assert_eq!(known(&results), (Some(100.0), "oracle".into()));
    let best = Best {
        objective: 99.0,
        instance_sha256: "a".into(),
        solution_sha256: "x".into(),
        label: "reference".into(),
        seed: 0,
    };
    let path = results.best_path("B", "a").with_extension("json");
    write(&path, &best).unwrap();
    let (value, by) = known(&results);
    assert_eq!(value, Some(99.0));
    assert!(by.contains("reference"));
    // Of another instance, it means nothing.
    write(
        &path,
        &Best {
            instance_sha256: "other".into(),
            ..best
        },
    )
    .unwrap();
    assert_eq!(known(&results).0, Some(100.0));
}

#[test]
fn incomplete_instances_are_left_out_and_said() {
    let (_folder, results) = folder();
    std::fs::remove_file(results.run_path("B", "prop", "a", 0)).unwrap();
    // One of another configuration is as good as missing.
    let mut stale = record(Method::Prop, "b", 0.0, &[(1.0, 50.0)]);
    stale.configuration_sha256 = "older".into();
    put(&results, &stale);
    let analysis = analyse(&results, Clock::EndToEnd).unwrap();
    let benchmark = &analysis.benchmarks[0];
    assert_eq!(
        (benchmark.soundness.missing, benchmark.soundness.left_out),
        (2, 2)
    );
    assert_eq!(benchmark.methods[0].gap, None);
    assert!(text(&analysis).contains("2 of 10 runs are missing"));
    put(&results, &record(Method::Prop, "b", 0.0, &[(1.0, 102.0)]));
    let analysis = analyse(&results, Clock::EndToEnd).unwrap();
    assert_eq!(analysis.benchmarks[0].methods[0].gaps, [1.0]);
    assert!(html(&analysis).contains("1 of 10 runs are missing"));
}

#[test]
fn disturbed_shared_and_failed_runs_are_said() {
    let (_folder, results) = folder();
    let mut one = record(Method::Prop, "a", 0.0, &[]);
    one.waited_seconds = Some(3.0);
    one.exclusive = false;
    one.failure = Some("crashed".into());
    put(&results, &one);
    let analysis = analyse(&results, Clock::EndToEnd).unwrap();
    let sound = analysis.benchmarks[0].soundness;
    assert_eq!((sound.disturbed, sound.shared, sound.failed), (1, 1, 1));
    let page = html(&analysis);
    for words in ["waited for a processor", "shared processors", "runs failed"] {
        assert!(page.contains(words), "{words}");
    }
}

#[test]
fn the_page_holds_every_table_and_figure_and_needs_nothing_else() {
    let (_folder, results) = folder();
    let page = html(&analyse(&results, Clock::EndToEnd).unwrap());
    assert!(page.contains("by hand &lt;&amp;&gt;"));
    for words in [
        "Against zero frequency",
        "Against PROP",
        "Instance by instance",
        "found by",
        "Wilcoxon",
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert!(page.matches("<svg").count() >= 4);
    assert!(page.matches("data:text/csv").count() >= 6);
    for outside in ["http://", "https://", "<script", "src="] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(!page.contains("NaN"));
}

#[test]
fn a_folder_without_results_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let error = analyse(&Results::new(folder.path()), Clock::EndToEnd).unwrap_err();
    assert!(error.to_string().contains("no results of a study"));
    assert!(
        error
            .to_string()
            .contains(&folder.path().display().to_string())
    );
    let missing = analyse(&Results::new(Path::new("/nowhere/at/all")), Clock::EndToEnd);
    assert!(missing.is_err());
}
