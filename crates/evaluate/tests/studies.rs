//! Study files: what is shipped is sound, and what is wrong is said, with file and line.

use std::path::Path;

use idpas_evaluate::Study;
use idpas_evaluate::study::{Benchmark, ModelKind, slug};
use idpas_learn::Recipe;
use idpas_learn::train::{Schedule, Settings, Targets};
use idpas_pools::pool::Weighting;
use idpas_search::Method;
use idpas_search::tuned::Grid;

const GOOD: &str = r#"name = "n"
time_limit = 10
methods = ["solver", "id-pas+"]
[[benchmark]]
name = "B"
family = "mmcnp"
size = "small"
train = 4
validation = 1
test = 2
"#;

fn message(text: &str) -> String {
    match Study::parse(text, Path::new("s.toml")) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_shipped_studies_are_sound() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "toml") {
            Study::read(&path).unwrap_or_else(|error| panic!("{error}"));
            names.push(path.file_stem().unwrap().display().to_string());
        }
    }
    for name in ["smoke", "laptop", "paper", "own", "real"] {
        assert!(names.iter().any(|known| known == name), "{names:?}");
    }
}

#[test]
fn the_papers_study_has_the_papers_numbers() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/paper.toml");
    let study = Study::read(&path).unwrap();
    assert_eq!((study.time_limit, study.benchmarks.len()), (1000.0, 6));
    for benchmark in &study.benchmarks {
        assert_eq!(
            (benchmark.train, benchmark.validation, benchmark.test),
            (480, 120, 100)
        );
        let tune = study.tune_of(benchmark);
        assert_eq!((tune.grid, tune.count), (Some(Grid::Paper), Some(30)));
    }
}

#[test]
fn the_papers_network_is_trained_as_in_the_paper() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/paper.toml");
    let study = Study::read(&path).unwrap();
    let settings_of = |kind: ModelKind| {
        let said = study.train_of(&study.benchmarks[0]);
        assert_eq!(said.time_limit, Some(48.0 * 3600.0));
        match kind.overrides().or(&kind.settings_in(said)).recipe() {
            Recipe::Gnn(settings) => settings,
            other => panic!("{other:?} is no network"),
        }
    };
    let paper = Settings {
        features: serde_json::from_value("paper".into()).unwrap(),
        identity: true,
        identity_dropout: 0.0,
        weighting: Weighting::Uniform,
        targets: Targets::Discrete,
        epochs: 1000,
        patience: 100,
        batch: 16,
        rate: 1e-5,
        schedule: Schedule::Constant,
        weight_decay: 0.0,
        clip: 0.0,
        embedding: 64,
        heads: 8,
        rounds: 1,
        residual_norm: false,
        seed: 0,
    };
    assert_eq!(settings_of(ModelKind::Identity), paper);
    // PaS+ differs by what it knows of variables, PaS also by what it learns of them.
    let anonymous = Settings {
        identity: false,
        ..paper
    };
    assert_eq!(settings_of(ModelKind::Anonymous), anonymous);
    let pas = Settings {
        targets: Targets::Binaries,
        weighting: Weighting::Energy,
        ..anonymous
    };
    assert_eq!(settings_of(ModelKind::Pas), pas);
    // PROP sees all that varies, and weighs what it misses.
    let said = study.train_of(&study.benchmarks[0]);
    let prop = ModelKind::Prop
        .overrides()
        .or(&ModelKind::Prop.settings_in(said));
    let Recipe::Prop(prop, _) = prop.recipe() else {
        panic!("expected small networks");
    };
    assert_eq!((prop.inputs, prop.missed_weight), (0, 2.0));
    // The paper's method ends with its region, and counting zeros takes as many of them.
    let entries = study.entries();
    let ours = entries
        .iter()
        .find(|entry| entry.label == "id-pas+ (paper)");
    let options = ours.map(|entry| entry.options.join(" "));
    assert_eq!(options.as_deref(), Some("--completion off"));
    let counting = entries
        .iter()
        .find(|entry| entry.label == "zero-frequency (same zeros)")
        .expect("a method that counts");
    assert_eq!(counting.settings_of.as_deref(), Some("id-pas+ (paper)"));
    assert_eq!(counting.options.join(" "), "--completion off");
    assert!(!counting.is_tuned());
}

#[test]
fn the_papers_method_is_in_every_shipped_comparison() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies");
    for name in ["laptop", "own", "real"] {
        let study = Study::read(&folder.join(format!("{name}.toml"))).unwrap();
        assert_eq!(study.subject().as_deref(), Some("idpas"), "{name}");
        let entries = study.entries();
        let paper = entries
            .iter()
            .find(|entry| entry.label == "id-pas+ (paper)");
        let paper = paper.unwrap_or_else(|| panic!("{name}"));
        assert_eq!(paper.options.join(" "), "--completion off", "{name}");
        assert_eq!(paper.tune.grid, Some(Grid::PaperBest), "{name}");
        // Nothing that goes on after the region has the plain name of the paper's method.
        assert!(entries.iter().all(|entry| entry.label != "id-pas+"));
    }
}

#[test]
fn the_real_sizes_are_the_papers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies");
    let read = |name: &str| Study::read(&folder.join(name)).unwrap().benchmarks;
    let (real, paper) = (read("real.toml"), read("paper.toml"));
    let size = |b: &Benchmark| (b.name.clone(), b.family, b.size.clone());
    let sizes = |all: &[Benchmark]| all.iter().map(size).collect::<Vec<_>>();
    assert_eq!(sizes(&real), sizes(&paper));
}

#[test]
fn settings_are_those_of_a_method_that_has_some() {
    let with = |of: &str| {
        let own = format!(
            "[[method]]\nlabel = \"same\"\nmethod = \"zero-frequency\"\nsettings_of = \"{of}\"\n[[benchmark]]"
        );
        message(&GOOD.replace("[[benchmark]]", &own))
    };
    assert_eq!(with("id-pas+"), "");
    for wrong in ["solver", "same", "pas"] {
        let expected = format!("settings_of: no method with tuned settings is called `{wrong}`");
        assert!(with(wrong).contains(&expected), "{}", with(wrong));
    }
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    assert_eq!(message(GOOD), "");
    for (old, new, expected) in [
        (
            "time_limit = 10",
            "time_limit = 0",
            "s.toml:2: time_limit = 0; expected seconds above 0",
        ),
        (
            "time_limit = 10",
            "time_limt = 10",
            "s.toml:2: unknown field `time_limt`",
        ),
        (
            "\"id-pas+\"",
            "\"id-pass\"",
            "s.toml:3: unknown method `id-pass`; known: solver",
        ),
        (
            "\"id-pas+\"",
            "\"solver\"",
            "two methods are called `solver`",
        ),
        ("small", "huge", "benchmark `B`: "),
        (
            "family = \"mmcnp\"\n",
            "",
            "benchmark `B`: size: is for a family only",
        ),
        ("mmcnp", "knapsack", "s.toml:6: unknown variant `knapsack`"),
        ("test = 2", "test = 0", "test = 0"),
        (
            "train = 4",
            "train = 0",
            "train = 0, but there are methods that learn",
        ),
        (
            "validation = 1",
            "validation = 0",
            "validation = 0, but settings are tuned",
        ),
        (
            "test = 2",
            "test = 2\nomit = [\"pas\"]",
            "`pas` is none of the methods",
        ),
        (
            "test = 2",
            "test = 2\ninstances = \"x\"",
            "either a family or instances",
        ),
        (
            "test = 2",
            "test = 2\ninstances = 3",
            "expected a folder, or a list of folders",
        ),
        (
            "time_limit = 10",
            "time_limit = 10\nseeds = [1, 1]",
            "seeds: expected different numbers",
        ),
        (
            "time_limit = 10",
            "time_limit = 10\nsubject = \"x\"",
            "s.toml:3: subject `x`",
        ),
        ("time_limit = 10", "time_limit = \"x\"", "s.toml:2: "),
        ("[[benchmark]]", "[[benchmark]", "s.toml:4: "),
    ] {
        let text = GOOD.replacen(old, new, 1);
        let found = message(&text);
        assert!(found.contains(expected), "{new}: {found}");
        assert!(found.starts_with("s.toml"), "{found}");
    }
    let missing = Study::read(Path::new("/nowhere/s.toml")).unwrap_err();
    assert!(missing.to_string().starts_with("/nowhere/s.toml: "));
}

#[test]
fn benchmarks_override_the_study() {
    let text = format!(
        "{GOOD}time_limit = 3\ntune = {{ budget = 5 }}\n[benchmark.training]\nepochs = 7\n[train]\nepochs = 9\nbatch = 2\n[tune]\ncount = 1\n"
    );
    let study = Study::parse(&text, Path::new("s.toml")).unwrap();
    let benchmark = &study.benchmarks[0];
    assert_eq!(study.time_limit_of(benchmark), 3.0);
    let train = study.train_of(benchmark);
    assert_eq!(train.flags(), ["--epochs", "7", "--batch", "2"]);
    assert_eq!(
        study.tune_of(benchmark).flags(),
        ["--count", "1", "--budget", "5"]
    );
}

#[test]
fn tables_of_settings_are_checked_with_their_lines() {
    let line = GOOD.lines().count() + 2;
    for (table, expected) in [
        (
            "[train]\nepoch = 3",
            "unknown field `epoch`, expected one of `epochs`, `patience`",
        ),
        ("[train]\nidentity = \"on\"", "unknown field `identity`"),
        (
            "[train]\nschedule = \"cosinus\"",
            "unknown variant `cosinus`, expected `cosine` or `constant`",
        ),
        (
            "[train]\nresidual_norm = true",
            "invalid type: boolean `true`, expected a string",
        ),
        (
            "[train]\nresidual_norm = \"no\"",
            "`no`; expected `on` or `off`",
        ),
        (
            "[collect]\npool = \"many\"",
            "invalid type: string \"many\"",
        ),
        (
            "[collect]\nseed = 3",
            "unknown field `seed`, expected one of `time_limit`, `pool`",
        ),
        (
            "[tune]\ngrid = \"all\"",
            "unknown variant `all`, expected one of `paper`, `paper-best`, `race`, `off`",
        ),
        ("[tune]\nmethod = \"idpas\"", "unknown field `method`"),
    ] {
        let found = message(&format!("{GOOD}{table}\n"));
        assert!(found.contains(expected), "{found}");
        assert!(found.starts_with(&format!("s.toml:{line}: ")), "{found}");
    }
}

#[test]
fn a_kept_study_reads_back_with_whole_paths() {
    let text = GOOD.replace(
        "family = \"mmcnp\"\nsize = \"small\"",
        "instances = [\"a\", \"b\"]",
    );
    let study = Study::parse(&text, Path::new("s.toml")).unwrap();
    let again = Study::parse(&study.to_toml().unwrap(), Path::new("t.toml")).unwrap();
    let paths = again.benchmarks[0].instances.as_ref().unwrap().paths();
    assert!(paths.iter().all(|path| path.is_absolute()), "{paths:?}");
    assert_eq!(again.entries(), study.entries());
}

#[test]
fn every_method_knows_its_model_and_names_are_safe() {
    for method in Method::ALL {
        let kind = ModelKind::of(method);
        assert_eq!(
            kind.is_none(),
            matches!(method, Method::Solver | Method::Oracle)
        );
    }
    assert_eq!(ModelKind::of(Method::WarmStart), Some(ModelKind::Nearest));
    assert_eq!(slug("id-pas+ (paper)"), "id-pas+__paper_");
    assert_eq!(slug(".."), "_..");
    assert_eq!(slug("a/../b"), "a_.._b");
}

#[test]
fn a_warm_start_learns_but_has_nothing_to_tune() {
    let text = GOOD.replace("\"id-pas+\"", "\"warm-start\"");
    let study = Study::parse(&text, Path::new("s.toml")).expect("a study");
    assert_eq!(study.subject(), None, "it is a baseline");
    let plan = study.plan(&study.benchmarks[0], 1);
    let commands: Vec<&str> = plan.iter().map(|part| part.command).collect();
    assert_eq!(commands, ["generate", "collect", "train", "solve"]);
    // So it needs no validation set either.
    let text = text.replace("validation = 1", "validation = 0");
    assert_eq!(message(&text), "");
}
