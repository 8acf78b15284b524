//! `idpas solve` with a model: every method, what fits what, what is told.

mod common;

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use assert_cmd::Command;
use common::family::family;
use common::{checked_objective, data, file, folder, idpas, json, run, split, stderr, stdout};
use serde_json::Value;

fn solve(instance: &Path) -> Command {
    let mut command = idpas();
    command.arg("solve").arg(instance).args(["--gap", "0"]);
    command
}

fn with_model(instance: &Path, model: &Path) -> Command {
    let mut command = solve(instance);
    command.arg("--model").arg(model);
    command
}

fn report(command: &mut Command) -> Value {
    json(&run(command.args(["--format", "json"]), 0))
}

/// The objective of a report that must be a proved optimum.
fn optimum(report: &Value) -> f64 {
    assert_eq!(report["status"], "optimal", "{report:#}");
    report["objective"].as_f64().expect("an objective")
}

fn assert_close(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() <= 1e-6 * expected.abs().max(1.0),
        "{found} instead of {expected}"
    );
}

#[test]
fn every_method_finds_the_optimum() {
    let family = family();
    let results = folder();
    let instance = family.instance(2);
    let best = optimum(&report(&mut solve(&instance)));
    for (model, method) in [
        ("gnn", "solver"),
        ("gnn", "pas"),
        ("gnn", "pas+"),
        ("gnn-off", "pas+"),
        ("gnn", "id-pas+"),
        ("gnn", "zero-frequency"),
        ("zero-frequency", "zero-frequency"),
        ("prop", "prop"),
        ("nearest", "nearest"),
        ("gnn", "nearest"),
        ("gnn", "warm-start"),
        ("nearest", "warm-start"),
        ("gnn", "idpas"),
        ("gnn-off", "idpas"),
        ("zero-frequency", "idpas"),
        ("prop", "idpas"),
        ("nearest", "idpas"),
    ] {
        let path = results.path().join("best.sol");
        let mut command = with_model(&instance, &family.model(model));
        command
            .args(["--method", method])
            .arg("--solution")
            .arg(&path);
        if method != "idpas" {
            command.args(["--k0", "90%"]);
        }
        let report = report(&mut command);
        assert_close(optimum(&report), best);
        assert_close(checked_objective(&instance, &path), best);
        assert_eq!(report["method"], method);
        assert_eq!(report["model"], family.model(model).display().to_string());
        assert_eq!(report["settings_from"], "defaults");
        assert_eq!(report["warnings"], serde_json::json!([]));
        let stages = report["stages"].as_array().expect("stages");
        let selected = report["explain"]["zero_binaries"]["selected"].as_u64();
        if matches!(method, "solver" | "warm-start") {
            assert_eq!(stages.len(), 1);
            assert_eq!(selected, Some(0));
            assert_eq!(report["prediction"].is_null(), method == "solver");
            let has_start = ["accepted", "rejected"].map(Value::from);
            assert_eq!(has_start.contains(&report["start"]), method == "warm-start");
        } else {
            // The staged search need not select anything to solve as small a model as this.
            if method != "idpas" {
                assert!(selected > Some(100), "{method}: {report:#}");
            }
            assert_eq!(report["prediction"]["known_columns"], 1.0);
            assert_eq!(
                report["prediction"]["with_identity"],
                !method.starts_with("pas") && model != "gnn-off"
            );
        }
        let begins_with_start = stages[0]["name"] == "start";
        // All models that hold past solutions, for the methods that go by them.
        let has_past = matches!(model, "nearest" | "gnn");
        let takes_past = matches!(method, "nearest" | "idpas");
        assert_eq!(begins_with_start, has_past && takes_past);
    }
}

#[test]
fn the_staged_search_is_the_default_and_amounts_ask_for_the_paper() {
    let family = family();
    for (model, method) in [
        ("gnn", "id-pas+"),
        ("gnn-off", "pas+"),
        ("prop", "prop"),
        ("zero-frequency", "zero-frequency"),
        ("nearest", "nearest"),
    ] {
        let mut command = with_model(&family.instance(1), &family.model(model));
        assert_eq!(report(&mut command)["method"], "idpas");
        let mut command = with_model(&family.instance(1), &family.model(model));
        assert_eq!(report(command.args(["--k0", "50%"]))["method"], method);
    }
    let mut command = with_model(&family.instance(1), &family.model("gnn"));
    let said = stderr(&run(command.args(["--method", "idpas", "--k0", "50%"]), 2));
    assert!(said.contains("does not use --k0"), "{said}");
}

#[test]
fn the_staged_search_needs_no_model() {
    let family = family();
    let results = folder();
    let instance = family.instance(2);
    let best = optimum(&report(&mut solve(&instance)));
    for threads in ["1", "2"] {
        let path = results.path().join("best.sol");
        let mut command = solve(&instance);
        command.args(["--method", "idpas", "--threads", threads]);
        let report = report(command.arg("--solution").arg(&path));
        assert_close(optimum(&report), best);
        assert_close(checked_objective(&instance, &path), best);
        assert!(report["prediction"].is_null());
    }
}

#[test]
fn past_solutions_are_a_history() {
    let family = family();
    let (results, past) = (folder(), folder());
    for number in 1..=3 {
        let path = past.path().join(format!("day{number}.sol"));
        report(solve(&family.instance(number)).arg("--solution").arg(path));
    }
    file(&past, "broken.sol", "x1 one\n");
    file(&past, "notes.txt", "none of it");
    let instance = family.instance(4);
    let best = optimum(&report(&mut solve(&instance)));
    let path = results.path().join("best.sol");
    let mut command = solve(&instance);
    command.arg("--history").arg(past.path());
    let output = run(
        command.args(["--format", "json", "--solution"]).arg(&path),
        0,
    );
    let said = json(&output);
    assert_close(optimum(&said), best);
    assert_close(checked_objective(&instance, &path), best);
    assert_eq!(said["method"], "idpas");
    assert_eq!(said["stages"][0]["name"], "start");
    assert!(
        stderr(&output).contains("broken.sol"),
        "{}",
        stderr(&output)
    );
    assert!(!stderr(&output).contains("notes.txt"));

    let empty = folder();
    let mut command = solve(&instance);
    let output = run(command.arg("--history").arg(empty.path()), 0);
    assert!(stderr(&output).contains("no solution (.sol)"));
    let mut command = solve(&instance);
    let missing = empty.path().join("nowhere");
    let said = stderr(&run(command.arg("--history").arg(&missing), 2));
    assert!(said.contains("nowhere"), "{said}");
    let mut command = with_model(&instance, &family.model("gnn"));
    command
        .args(["--method", "id-pas+", "--history"])
        .arg(past.path());
    let said = stderr(&run(&mut command, 2));
    assert!(said.contains("does not use --history"), "{said}");
}

#[test]
fn without_a_model_nothing_is_new() {
    let report = report(&mut solve(&data("mixed.mps")));
    assert_eq!(report["stages"][0]["name"], "highs");
    for field in ["method", "model", "explain", "settings"] {
        assert!(report.get(field).is_none(), "{field}");
    }
}

#[test]
fn json_has_the_fields_of_the_contract() {
    let family = family();
    let results = folder();
    let csv = results.path().join("t.csv");
    let mut command = with_model(&family.instance(3), &family.model("gnn"));
    let report = report(command.arg("--trajectory").arg(&csv));
    for field in ["objective", "bound", "gap", "time"] {
        assert!(report[field].is_number(), "{field}");
    }
    let trajectory = report["trajectory"].as_array().expect("a trajectory");
    for point in trajectory {
        assert!(point["time"].is_number() && point["objective"].is_number());
    }
    for stage in report["stages"].as_array().expect("stages") {
        for field in [
            "begin",
            "time",
            "nodes",
            "delta",
            "fixed_binaries",
            "columns",
        ] {
            assert!(stage[field].is_number(), "{field}");
        }
        assert!(stage["name"].is_string() && stage["status"].is_string());
    }
    for field in ["expected_wrong", "flipped", "released"] {
        assert!(report["explain"][field].is_number(), "{field}");
    }
    let size = &report["explain"]["reduction"];
    assert!(size["columns_left"].as_u64() < size["columns"].as_u64());
    for part in [
        "reading",
        "relaxation",
        "scores",
        "selection",
        "loading",
        "total",
    ] {
        assert!(report["overhead"][part].is_number(), "{part}");
    }
    assert_eq!(report["check"]["feasible"], true);
    let table = std::fs::read_to_string(csv).expect("a table");
    assert!(table.starts_with("time,objective,bound\n"));
    assert_eq!(table.lines().count(), trajectory.len() + 1);
}

#[test]
fn a_network_is_asked_after_the_first_solution() {
    let family = family();
    let own = folder();
    let only_bands = only_bands(&own);
    let names = |model: &str| {
        let mut command = with_model(&family.instance(1), &family.model(model));
        let told = report(command.args(["--seed", "1", "--settings"]).arg(&only_bands));
        let stages = told["stages"].as_array().expect("stages");
        let name = |stage: &Value| stage["name"].as_str().unwrap_or_default().to_owned();
        let names: Vec<String> = stages.iter().map(name).collect();
        (told, names)
    };
    let (told, stages) = names("gnn");
    assert_eq!(stages[0], "start", "{stages:?}");
    let is_early =
        |name: &String| name.contains("nearest band") || name.contains("zero-frequency band");
    assert!(is_early(&stages[1]), "{stages:?}");
    assert!(
        stages.iter().any(|name| name.starts_with("network band")),
        "{stages:?}"
    );
    assert!(told["prediction"]["seconds"]["scores"].as_f64() > Some(0.0));
    assert_eq!(told["overhead"]["relaxation"], 0.0);
    let sources = told["sources"].as_array().expect("sources");
    assert!(sources.iter().any(|one| one["source"] == "prediction"));
    // Without identities there are no past zeros to begin with.
    let (_, stages) = names("gnn-off");
    assert!(!stages.iter().any(is_early), "{stages:?}");
}

/// A settings file for a search by bands alone, as far as they lead.
fn only_bands(folder: &tempfile::TempDir) -> PathBuf {
    let without = r#"["whole", "past", "first", "neighbourhoods", "crossing"]"#;
    let settings = format!(r#"{{"method": "idpas", "staged": {{"without": {without}}}}}"#);
    file(folder, "only-bands.json", &settings)
}

#[test]
fn explain_is_for_people() {
    let family = family();
    let mut command = with_model(&family.instance(1), &family.model("gnn"));
    let output = run(command.args(["--explain", "--method", "id-pas+"]), 0);
    let text = stdout(&output);
    let labels = [
        "status",
        "method",
        "prediction",
        "asked for",
        "fixed",
        "expected",
        "flipped",
        "smaller",
        "stages",
    ];
    for label in labels {
        let found = text
            .lines()
            .any(|line| line.starts_with(&format!("{label:<12} ")));
        assert!(found, "{label}: {text}");
    }
    assert!(text.contains("k0b 90%, k0i 90%"), "{text}");
    assert!(stderr(&output).contains("s  fix "), "{}", stderr(&output));

    let mut command = with_model(&family.instance(1), &family.model("gnn"));
    let own = folder();
    command.arg("--settings").arg(only_bands(&own));
    let output = run(command.arg("--explain"), 0);
    let text = stdout(&output);
    let words = [
        "scores up to 0.5, 0.4",
        "network band 0.",
        "of them wrong",
        "sources      ",
        "of the time to come",
    ];
    for words in words {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn a_model_of_another_family_costs_nothing_but_time() {
    let family = family();
    for (name, best) in [
        ("routes.lp", 11.0),
        ("mixed.mps", 29.75),
        ("constant.lp", 112.0),
    ] {
        for model in ["gnn", "prop", "zero-frequency", "nearest"] {
            let mut command = with_model(&data(name), &family.model(model));
            let output = run(command.args(["--format", "json"]), 0);
            let report = json(&output);
            assert_close(optimum(&report), best);
            assert!(stderr(&output).contains("warning: the model knows 0 %"));
            assert_ne!(report["warnings"], serde_json::json!([]));
            assert_eq!(report["prediction"]["with_identity"], false);
        }
        let mut command = with_model(&data(name), &family.model("gnn"));
        let report = report(command.args(["--method", "zero-frequency"]));
        assert_close(optimum(&report), best);
        assert_ne!(report["warnings"], serde_json::json!([]));
    }
    let mut command = with_model(&data("infeasible.lp"), &family.model("gnn"));
    let report = json(&run(command.args(["--format", "json"]), 1));
    assert_eq!(report["status"], "infeasible");
}

#[test]
fn what_does_not_fit_is_refused() {
    let family = family();
    let instance = family.instance(1);
    for (model, method, why) in [
        (
            "prop",
            "nearest",
            "the kind `nearest`, but this one is `prop`",
        ),
        ("prop", "zero-frequency", "the kind `zero-frequency`"),
        ("prop", "warm-start", "needs past solutions"),
        ("zero-frequency", "warm-start", "needs past solutions"),
        ("gnn-off", "warm-start", "needs past solutions"),
        ("gnn-off", "nearest", "needs past solutions"),
        ("nearest", "id-pas+", "the kind `gnn`"),
        ("gnn", "prop", "the kind `prop`"),
        ("gnn-off", "id-pas+", "trained without"),
        ("gnn", "oracle", "add --oracle"),
        ("gnn", "best", "unknown method"),
    ] {
        let mut command = with_model(&instance, &family.model(model));
        let said = stderr(&run(command.args(["--method", method]), 2));
        assert!(said.contains(why), "{said}");
    }
    for method in ["pas+", "warm-start"] {
        let said = stderr(&run(solve(&instance).args(["--method", method]), 2));
        assert!(said.contains("add --model"), "{said}");
    }
    let said = stderr(&run(solve(&instance).args(["--k0b", "50"]), 2));
    assert!(
        said.contains("--k0b is about searching with a model"),
        "{said}"
    );
    let said = stderr(&run(&mut with_model(&instance, &instance), 2));
    assert!(said.contains("model"), "{said}");
}

#[test]
fn an_oracle_is_never_surprised() {
    let family = family();
    let results = folder();
    let instance = family.instance(4);
    let known = results.path().join("known.sol");
    let best = optimum(&report(solve(&instance).arg("--solution").arg(&known)));
    let report = report(solve(&instance).arg("--oracle").arg(&known));
    assert_close(optimum(&report), best);
    assert_eq!(report["method"], "oracle");
    // There may be other optima, but the first region has this one.
    assert_close(
        report["stages"][0]["objective"].as_f64().expect("a value"),
        best,
    );
    assert_eq!(report["explain"]["released"], 0);
    let mut command = with_model(&instance, &family.model("gnn"));
    command
        .args(["--method", "pas+"])
        .arg("--oracle")
        .arg(&known);
    assert!(stderr(&run(&mut command, 2)).contains("does not use --oracle"));
}

#[test]
fn without_completion_there_is_one_region() {
    let family = family();
    let instance = family.instance(1);
    let mut command = with_model(&instance, &family.model("gnn"));
    command.args(["--completion", "off", "--k0", "50%", "--delta", "n3"]);
    let faithful = report(&mut command);
    let stages = faithful["stages"].as_array().expect("stages");
    assert_eq!(stages.len(), 1);
    assert_eq!(
        (&stages[0]["name"], &stages[0]["delta"]),
        (&"region".into(), &3.into())
    );
    assert_eq!(faithful["status"], "region_exhausted");
    assert_eq!(faithful["settings"]["completion"], false);
    let best = optimum(&report(&mut solve(&instance)));
    let bound = faithful["bound"].as_f64().expect("the relaxation's");
    assert!(bound <= best && best <= faithful["objective"].as_f64().expect("a value") + 1e-6);
}

#[test]
fn settings_come_from_options_files_and_what_was_tuned() {
    let family = family();
    let own = folder();
    let instance = family.instance(1);
    let model = own.path().join("gnn.safetensors");
    std::fs::copy(family.model("gnn"), &model).expect("a copy");
    let settings = serde_json::json!({
        "method": "id-pas+",
        "selection": {"k0_binaries": "70%", "delta": "n2"},
        "schedule": {"bands": [{"keep": 1.0, "delta": 1.0}]},
    });
    let given = file(&own, "given.json", settings.to_string());
    let mut command = with_model(&instance, &model);
    command.args(["--k0i", "n7", "--settings"]).arg(&given);
    let said = report(&mut command);
    assert_eq!(said["settings_from"], "file");
    assert_eq!(said["settings"]["selection"]["k0_binaries"], "70%");
    assert_eq!(said["settings"]["selection"]["k0_integers"], "n7");
    assert_eq!(said["explain"]["zero_integers"]["selected"], 7);

    let tuned = serde_json::json!({"settings": settings, "model_sha256": "of another"});
    file(&own, "gnn.tune.json", tuned.to_string());
    let output = run(with_model(&instance, &model).args(["--format", "json"]), 0);
    assert_eq!(json(&output)["settings_from"], "tuned");
    assert!(stderr(&output).contains("the model has changed since"));
    // What was tuned for one method is not for another.
    let said = report(with_model(&instance, &model).args(["--method", "pas+"]));
    assert_eq!(said["settings_from"], "defaults");

    file(&own, "gnn.tune.json", "{");
    let output = run(with_model(&instance, &model).args(["--format", "json"]), 0);
    assert_eq!(json(&output)["settings_from"], "defaults");
    assert!(stderr(&output).contains("using defaults"));
    let wrong = file(&own, "wrong.json", "{\"k0\": 3}");
    let mut command = with_model(&instance, &model);
    let said = stderr(&run(command.arg("--settings").arg(&wrong), 2));
    assert!(said.contains("unknown field `k0`"), "{said}");
}

#[test]
fn a_start_is_taken_whole_or_in_part() {
    let family = family();
    let own = folder();
    let instance = family.instance(5);
    let known = own.path().join("known.sol");
    let best = optimum(&report(solve(&instance).arg("--solution").arg(&known)));
    let mut command = with_model(&instance, &family.model("gnn"));
    let said = report(command.arg("--start").arg(&known));
    assert_eq!(said["start"], "accepted");
    assert_eq!(said["stages"][0]["name"], "start");
    assert_close(
        said["trajectory"][0]["objective"]
            .as_f64()
            .expect("a value"),
        best,
    );
    let mut command = with_model(&data("routes.lp"), &family.model("gnn"));
    let zeros = file(&own, "zeros.sol", "=obj= 0\n");
    let said = report(command.arg("--start").arg(&zeros));
    assert_eq!(said["start"], "rejected");
    assert_close(optimum(&said), 11.0);
}

#[test]
fn no_time_is_a_time_limit_too() {
    let family = family();
    let mut command = with_model(&family.instance(1), &family.model("gnn"));
    command.args(["--time-limit", "0", "--format", "json"]);
    let report = json(&run(&mut command, 1));
    assert_eq!(report["status"], "time_limit");
    assert!(report["objective"].is_null());
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_the_best() {
    let family = family();
    let own = folder();
    let model: PathBuf = split::endless(own.path());
    let solution = own.path().join("best.sol");
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("idpas"))
        .arg("solve")
        .arg(&model)
        .arg("--model")
        .arg(family.model("gnn"))
        .arg("--solution")
        .arg(&solution)
        .args(["--format", "json", "-q"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a program that runs");
    let begin = Instant::now();
    while !solution.exists() && begin.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = child.id().to_string();
    let sent = std::process::Command::new("kill")
        .args(["-s", "INT", &pid])
        .status();
    if !sent.is_ok_and(|status| status.success()) {
        let _ = child.kill();
    }
    let output = child.wait_with_output().expect("an end");
    assert_eq!(output.status.code(), Some(130));
    let report = json(&output);
    assert_eq!(report["status"], "interrupted");
    assert_eq!(report["objective"], checked_objective(&model, &solution));
}

#[test]
fn the_library_does_the_same() {
    use idpas_learn::{PredictOptions, TrainedModel};
    use idpas_search::{
        Method, SearchControl, SearchProblem, SearchSettings, SearchStatus, search,
    };
    use idpas_solver::Params;

    let family = family();
    let trained = TrainedModel::read(&family.model("gnn")).expect("a model");
    let parsed = idpas_mip::read_model(family.instance(6)).expect("an instance");
    let options = PredictOptions::default();
    let prediction = trained.predict(&parsed.model, &options).expect("scores");
    let relaxation = prediction.relaxation.expect("a bound").objective;
    let solver = idpas_solver::by_name("highs").expect("a solver");
    let params = Params {
        relative_gap: 0.0,
        ..Params::with_time_limit(60.0)
    };
    let problem = SearchProblem {
        scores: Some(&prediction.scores),
        bound: Some(relaxation),
        ..SearchProblem::new(&*solver, &parsed.model)
    };
    let settings = SearchSettings::of(Method::IdPasPlus);
    let found = search(&problem, &settings, &params, &mut SearchControl::default());
    let found = found.expect("an outcome");
    assert_eq!(found.status, SearchStatus::Optimal);
    let best = optimum(&report(&mut solve(&family.instance(6))));
    assert_close(found.solution.expect("a solution").objective, best);
    assert!(relaxation <= best);
}
