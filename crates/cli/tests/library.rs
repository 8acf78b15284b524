//! The program's features through the libraries, as a user of the crates has them.

mod common;

use std::ffi::OsString;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::family::family;
use common::{data, file, folder, split};
use idpas::{
    Collect, Learn, LearnEvent, LearnFamilyError, LearnStep, Recipe, SearchStatus, Solve,
    SolveControl, SolveEvent, solve,
};
use idpas_base::process::{Commands, WorkerCommand};
use idpas_evaluate::analysis::Clock;
use idpas_evaluate::run::{StudyEvent, StudyOutcome, StudyRequest, run_study};
use idpas_evaluate::tune::{TuneEvent, TuneOverrides, TuneRequest, tune};
use idpas_evaluate::{EvaluateError, report};
use idpas_mip::check::{Tolerances, check};
use idpas_mip::files::Input;
use idpas_mip::solution::{self, Solution, SolutionFormat};
use idpas_mip::{Sense, read_model, write_model};
use idpas_search::tuned::{TunedSettings, sidecar};
use idpas_solver::{Control, Params, StartOutcome};

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[test]
fn read_inspect_and_convert() -> Outcome {
    let model = read_model(data("constant.lp"))?.model;
    assert_eq!(model.sense, Sense::Maximize);
    assert_eq!(model.objective_constant, 100.0);
    assert_eq!(model.shape().integers, 2);
    let folder = folder();
    let path = folder.path().join("constant.mps.gz");
    write_model(&model, &path)?;
    let again = read_model(&path)?.model;
    assert_eq!(again.shape(), model.shape());
    assert_eq!(again.objective_constant, 100.0);
    Ok(())
}

#[test]
fn solve_write_read_and_check() -> Outcome {
    let model = read_model(data("routes.lp"))?.model;
    let mut seen = Vec::new();
    let mut observer = |event: SolveEvent<'_>| {
        if let SolveEvent::Incumbent { objective, .. } = event {
            seen.push(objective);
        }
    };
    let mut control = SolveControl {
        observer: Some(&mut observer),
        ..SolveControl::default()
    };
    let outcome = solve(&model, None, &Solve::with_time_limit(60.0), &mut control)?.outcome;
    assert_eq!(outcome.status, SearchStatus::Optimal);
    let best = outcome.solution.ok_or("no solution")?;
    assert_eq!(best.objective, 11.0);
    assert_eq!(seen.last(), Some(&11.0));
    assert_eq!(outcome.trajectory.len(), seen.len());

    let folder = folder();
    for format in SolutionFormat::ALL {
        let path = folder.path().join(format!("{}.sol", format.as_str()));
        let written = Solution::new(best.values.clone());
        solution::write_file(&model, &written, format, &path)?;
        let read = solution::read(&Input::path(&path), &model)?;
        let report = check(&model, &read.solution.values, &Tolerances::default())?;
        assert!(report.feasible);
        assert_eq!(report.objective, 11.0);
    }
    Ok(())
}

#[test]
fn a_partial_start_from_a_file() -> Outcome {
    let model = read_model(data("knapsack.mps"))?.model;
    let folder = folder();
    let path = file(&folder, "start.sol", "=obj= 7\ntent 1\nstove 1\n");
    let values = solution::read_partial(&Input::path(&path), &model)?;
    assert_eq!(values, [(0, 1.0), (1, 1.0)]);

    let model = split::model(3, 30);
    let mut start = vec![f64::NAN; model.num_columns()];
    start[..30].fill(0.0);
    let options = Solve {
        node_limit: Some(0),
        starts: vec![start],
        ..Solve::with_time_limit(60.0)
    };
    let outcome = solve(&model, None, &options, &mut SolveControl::default())?.outcome;
    assert_eq!(outcome.start, Some(StartOutcome::Accepted));
    assert!(outcome.solution.is_some());
    Ok(())
}

#[test]
fn the_relaxation_with_duals() -> Outcome {
    let model = read_model(data("mixed.mps"))?.model;
    let solver = idpas_solver::by_name("highs")?;
    let lp = solver
        .load(&model)?
        .solve_relaxation(&Params::default(), &mut Control::default())?
        .solution
        .ok_or("no solution")?;
    assert_eq!(lp.objective, 26.0);
    assert_eq!(lp.duals.len(), model.num_rows());
    assert_eq!(lp.reduced_costs.len(), model.num_columns());
    Ok(())
}

#[test]
fn errors_say_where() {
    let folder = folder();
    let path = file(&folder, "bad.mps", "NAME\nROWS\n X  c1\nENDATA\n");
    let error = read_model(&path).unwrap_err();
    assert_eq!(error.line, Some(3));
    assert!(error.to_string().contains("bad.mps:3: "));
    assert!(idpas_solver::by_name("none").is_err());
}

/// Starts commands of the program.
fn commands() -> Commands {
    Commands {
        program: WorkerCommand::new(assert_cmd::cargo::cargo_bin!("idpas")),
        interrupted: Default::default(),
        terminated: Default::default(),
    }
}

#[test]
fn settings_are_tuned_and_remembered() -> Outcome {
    let (family, own, commands) = (family(), folder(), commands());
    let model = own.path().join("m.safetensors");
    std::fs::copy(family.model("zero-frequency"), &model)?;
    let request = TuneRequest {
        model: &model,
        instances: &family.pools(),
        settings: TuneOverrides {
            time_limit: Some(0.2),
            budget: Some(1.0),
            count: Some(1),
            ..TuneOverrides::default()
        },
        out: None,
        commands: &commands,
        deadline: Default::default(),
    };
    let count = |made: &AtomicUsize| made.swap(0, Ordering::Relaxed);
    let made = AtomicUsize::new(0);
    let observer = |event: &TuneEvent<'_>| {
        if let TuneEvent::Evaluated { made: Some(_), .. } = event {
            made.fetch_add(1, Ordering::Relaxed);
        }
    };
    let first = tune(&request, &observer)?;
    assert_eq!(count(&made), first.tuned.evaluations.len());
    assert_eq!(first.out, sidecar(&model));
    let written = TunedSettings::read(&first.out)?;
    assert_eq!(
        written.map(|tuned| tuned.settings),
        Some(first.tuned.settings.clone())
    );
    let again = tune(&request, &observer)?;
    assert_eq!((count(&made), again), (0, first));

    let mut wrong = request.clone();
    wrong.settings.time_limit = None;
    let error = tune(&wrong, &observer).expect_err("no time");
    assert_eq!(
        error.to_string(),
        "time limit and count: expected more than 0"
    );
    Ok(())
}

#[test]
fn a_family_is_learned_in_one_call() -> Outcome {
    let (family, own, commands) = (family(), folder(), commands());
    let instances = family.instance(1).with_file_name("");
    let learn = Learn {
        instances,
        out: own.path().join("guide.safetensors"),
        collect: Collect {
            out: own.path().join("pools"),
            jobs: 2,
            ..Collect::default()
        },
        budget: 6.0,
        time_limit: Some(0.5),
        recipe: Recipe::ZeroFrequency(Default::default()),
        commands: &commands,
    };
    let steps = Mutex::new(Vec::new());
    let observer = |event: &LearnEvent<'_>| {
        if let LearnEvent::Step(step, _) = event {
            steps.lock().expect("a lock").push(*step);
        }
    };
    let learned = learn.run(&observer)?;
    assert_eq!(*steps.lock().expect("a lock"), LearnStep::ALL);
    let verdict = learned.verdict.ok_or("no validation instance")?;
    assert_eq!(
        verdict.better + verdict.equal + verdict.worse,
        verdict.instances
    );
    assert!(learned.guide.tuned().is_some());
    // An interrupt ends it, and it can be called again.
    commands.interrupted.store(true, Ordering::Relaxed);
    let other = Learn {
        out: own.path().join("other.safetensors"),
        ..learn.clone()
    };
    assert!(matches!(
        other.run(&observer),
        Err(LearnFamilyError::Interrupted)
    ));
    Ok(())
}

#[test]
fn one_benchmark_of_a_study_is_run_by_itself() -> Outcome {
    let (own, commands) = (folder(), commands());
    let mut text = "name = \"two\"\ntime_limit = 0.5\nmethods = [\"solver\"]\n".to_owned();
    for name in ["first", "second"] {
        let more = "family = \"mmcnp\"\nsize = \"tiny\"\ntest = 1\n";
        text += &format!("[[benchmark]]\nname = \"{name}\"\n{more}");
    }
    let study = file(&own, "two.toml", &text);
    let out = own.path().join("results");
    let quiet = [OsString::from("--quiet")];
    let run = |only: &[String]| {
        let request = StudyRequest {
            command_options: &quiet,
            only,
            ..StudyRequest::read(&study, &out, &commands)?
        };
        run_study(&request, &|_| {})
    };
    let ran = |only: &[&str]| -> Result<Vec<String>, Box<dyn std::error::Error>> {
        let only: Vec<String> = only.iter().map(|name| name.to_string()).collect();
        let StudyOutcome::Ran(runs) = run(&only)? else {
            return Err("expected runs".into());
        };
        assert!(!runs.incomplete && runs.failed.is_none());
        let all = runs.analysis.benchmarks.iter();
        Ok(all.map(|benchmark| benchmark.name.clone()).collect())
    };
    assert_eq!(ran(&["second"])?, ["second"]);
    assert_eq!(ran(&[])?, ["first", "second"]);
    let error = run(&["third".to_owned()]).expect_err("an unknown name");
    let expected = "no benchmark is called `third`; known: first, second";
    assert!(error.to_string().ends_with(expected), "{error}");
    Ok(())
}

#[test]
fn a_study_is_run_resumed_and_reported() -> Outcome {
    let (own, commands) = (folder(), commands());
    let text = "name = \"plain\"\ntime_limit = 0.5\nmethods = [\"solver\"]\n\
                [[benchmark]]\nname = \"tiny\"\nfamily = \"mmcnp\"\nsize = \"tiny\"\ntest = 2\n";
    let study = file(&own, "plain.toml", text);
    let out = own.path().join("results");
    let quiet = [OsString::from("--quiet")];
    let request = StudyRequest {
        command_options: &quiet,
        ..StudyRequest::read(&study, &out, &commands)?
    };
    let made = AtomicUsize::new(0);
    let observer = |event: &StudyEvent<'_>| {
        if let StudyEvent::RunDone { made: true, .. } = event {
            made.fetch_add(1, Ordering::Relaxed);
        }
    };
    for expected in [2, 0] {
        let StudyOutcome::Ran(runs) = run_study(&request, &observer)? else {
            panic!("expected runs");
        };
        assert!(!runs.incomplete && runs.failed.is_none());
        assert_eq!(runs.analysis.benchmarks.len(), 1);
        assert_eq!(made.swap(0, Ordering::Relaxed), expected);
    }
    let page = own.path().join("report.html");
    let analysis = report::write(&out, Some(&page), Clock::EndToEnd)?;
    assert_eq!(analysis.study, "plain");
    assert!(std::fs::read_to_string(&page)?.contains("tiny"));

    let elsewhere = own.path().join("elsewhere");
    let interrupted = StudyRequest {
        out: &elsewhere,
        ..request
    };
    commands.interrupted.store(true, Ordering::Relaxed);
    let error = run_study(&interrupted, &observer).expect_err("an interrupt");
    assert!(matches!(error, EvaluateError::Interrupted));
    Ok(())
}
