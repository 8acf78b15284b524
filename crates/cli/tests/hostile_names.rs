//! Names in models, of files and in studies with escape sequences, ends of lines, HTML and commands to a shell: every command
//! shows them harmlessly, and nothing of them is run.
#![cfg(unix)]

mod common;

use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use common::hostile::{FILE, NAME, TEXT, assert_harmless, instances, model};
use common::{file, folder, idpas, json, run, stderr, stdout};
use tempfile::TempDir;

/// The program in a folder of its own, with these words; expects this exit code and a text that does nothing.
fn harmless(own: &TempDir, words: &[&str], code: i32) -> Output {
    let mut command = idpas();
    command.current_dir(own).args(words);
    checked(&mut command, code)
}

fn checked(command: &mut Command, code: i32) -> Output {
    let output = run(command, code);
    for text in [stdout(&output), stderr(&output)] {
        assert_harmless(&text, &format!("{command:?}"));
    }
    output
}

/// Nothing that a name says was run.
fn assert_nothing_ran(own: &TempDir) {
    assert!(!own.path().join("owned").exists());
}

#[test]
fn models_are_shown_harmlessly() {
    let own = folder();
    file(&own, "m.mps", model(NAME));
    file(&own, "other.mps", model(NAME).replace(" 5\n", " 6\n"));
    file(&own, "plain.mps", model(""));
    file(&own, "bad.mps", model(NAME).replace("RHS r", "RHS q"));
    file(&own, "m.sol", format!("a{NAME} 1\nb{NAME} 4\n"));
    file(&own, "outside.sol", format!("a{NAME} 3.5\nb{NAME} 9\n"));
    file(&own, "bad.sol", format!("a{NAME} 1\nc{NAME} 4\n"));
    let vary = "[[vary]]\nwhat = \"rhs\"\nrows = \"none\u{202e}*\"\n\
                distribution = { kind = \"uniform\", min_factor = 0.9, max_factor = 1.1 }\n";
    file(&own, "vary.toml", vary);
    for format in ["text", "json"] {
        let format = ["--format", format];
        let with = |words: &[&'static str]| [words, &format].concat();
        harmless(&own, &with(&["inspect", "m.mps"]), 0);
        harmless(&own, &with(&["solve", "m.mps"]), 0);
        harmless(&own, &with(&["check", "m.mps", "m.sol"]), 0);
        let outside = harmless(&own, &with(&["check", "m.mps", "outside.sol"]), 1);
        assert!(stdout(&outside).contains("owned"), "the worst is named");
        let changes = harmless(&own, &with(&["diff", "m.mps", "plain.mps"]), 1);
        assert!(stdout(&changes).contains("owned"), "what differs is named");
    }
    harmless(&own, &["diff", "m.mps", "other.mps"], 1);
    harmless(&own, &["solve", "-v", "m.mps"], 0);
    harmless(&own, &["solve", "bad.mps"], 2);
    harmless(&own, &["check", "m.mps", "bad.sol"], 2);
    harmless(&own, &["convert", "m.mps", "m.lp"], 2);
    let vary = ["generate", "perturb", "m.mps", "--spec", "vary.toml"];
    harmless(&own, &[&vary[..], &["--out", "varied"]].concat(), 2);
    assert_nothing_ran(&own);
}

#[test]
fn words_of_the_user_are_shown_harmlessly() {
    let own = folder();
    file(&own, "m.mps", model(""));
    harmless(&own, &["inspect", FILE], 2);
    let option = format!("n{NAME}={FILE}");
    harmless(&own, &["solve", "m.mps", "--option", &option], 2);
    harmless(&own, &["solve", "m.mps", "--solver", NAME], 2);
    // What clap says of words that it does not know.
    for word in ["\u{1b}[31mowned", "\u{202e}dne", "\u{9b}31mowned"] {
        harmless(&own, &[word], 2);
        harmless(&own, &["solve", "m.mps", &format!("--{word}")], 2);
        harmless(&own, &["inspect", "m.mps", "--format", word], 2);
    }
}

#[test]
fn collections_and_series_are_shown_harmlessly() {
    let own = folder();
    let files = instances(&own.path().join("in"), TEXT, 2);
    let bad = own.path().join(format!("in/{FILE}9.mps"));
    std::fs::write(bad, "no model").expect("a file");
    harmless(
        &own,
        &["collect", "in", "--out", "pools", "--time-limit", "1"],
        1,
    );
    for format in ["text", "json"] {
        harmless(&own, &["status", "pools", "--format", format], 0);
    }
    let pool = format!("pools/{FILE}0.safetensors");
    for format in ["text", "json"] {
        harmless(&own, &["pool", "show", &pool, "--format", format], 0);
    }
    let exported = harmless(&own, &["pool", "export", &pool, "--out", "out"], 0);
    assert!(own.path().join(format!("out/{FILE}0_001.sol")).exists());
    assert_eq!(stdout(&exported).lines().count(), 1);
    let train = [
        "train",
        "pools",
        "--out",
        "m.safetensors",
        "--predictor",
        "nearest",
    ];
    harmless(&own, &train, 0);
    let first = files[0].to_str().expect("a name");
    let predict = [
        "predict",
        first,
        "--model",
        "m.safetensors",
        "--format",
        "json",
    ];
    let scores = json(&harmless(&own, &predict, 0));
    assert_eq!(
        scores["scores"][0]["name"],
        format!("a{TEXT}"),
        "the name itself"
    );
    harmless(&own, &["solve", first, "--model", "m.safetensors"], 0);

    std::fs::remove_file(own.path().join(format!("in/{FILE}9.mps"))).expect("a file");
    harmless(
        &own,
        &["series", "in", "--out", "state", "--time-limit", "2"],
        0,
    );
    harmless(&own, &["report", "state", "--out", "page.html"], 0);
    let page = std::fs::read_to_string(own.path().join("page.html")).expect("a page");
    assert!(!page.contains("<img"), "{page}");
    assert_nothing_ran(&own);
}

/// A study whose names are commands to a shell, and what its jobs ask for.
fn study(cluster: &str) -> String {
    format!(
        "name = '''a$(touch owned)`touch owned`;touch owned'''\ntime_limit = 1\nmethods = [\"solver\"]\n\
         [cluster]\n{cluster}\n[[benchmark]]\nname = \"b'$(touch owned)`touch owned`;touch owned \\u001b[31m\"\n\
         family = \"mmcnp\"\nsize = \"tiny\"\ntest = 1\n"
    )
}

/// The scripts of a study's jobs, as a dry run shows them.
fn scripts(own: &TempDir, out: &str) -> Vec<String> {
    let words = [
        "evaluate",
        "study.toml",
        "--out",
        out,
        "--slurm",
        "--dry-run",
    ];
    let mut command = idpas();
    command
        .current_dir(own)
        .args(words)
        .args(["--format", "json"]);
    let planned = json(&checked(&mut command, 0));
    let planned = planned["planned"].as_array().expect("jobs").clone();
    let script = |job: &serde_json::Value| job["script"].as_str().expect("a script").to_owned();
    planned.iter().map(script).collect()
}

/// What a script says if its commands only print their words, one a line.
fn spoken(own: &TempDir, script: &str, program: &Path) -> String {
    let printing = script.replace(&program.display().to_string(), "printf '%s\\n'");
    let output = std::process::Command::new("bash")
        .args(["-c", &printing.replace("exec ", "")])
        .current_dir(own)
        .output()
        .expect("a shell");
    assert!(output.status.success(), "{printing}\n{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn scripts_for_a_cluster_run_nothing_else() {
    let own = folder();
    file(&own, "study.toml", study("setup = [\"true\"]"));
    let out = "r 1$(touch owned)`touch owned`;touch owned'";
    let scripts = scripts(&own, out);
    assert!(!scripts.is_empty());
    let program = assert_cmd::cargo::cargo_bin!("idpas");
    for script in &scripts {
        assert!(script.contains(&program.display().to_string()), "{script}");
        let words = spoken(&own, script, program);
        let folder = own.path().canonicalize().expect("a path").join(out);
        let place = words
            .lines()
            .any(|word| Path::new(word).starts_with(&folder));
        assert!(place, "{words}");
        assert_nothing_ran(&own);
    }
    let named = |script: &String| spoken(&own, script, program).contains("\nb'$(touch owned)`");
    assert!(
        scripts.iter().any(named),
        "the benchmark is handed on whole"
    );
}

#[test]
fn settings_of_a_cluster_are_one_line_each() {
    let own = folder();
    for cluster in [
        "partition = \"a\\ntouch owned\"",
        "account = \"a\\rtouch owned\"",
        "memory = \"1G\\ntouch owned\"",
        "sbatch = [\"--qos=x\\ntouch owned\"]",
        "setup = [\"true\\ntouch owned\"]",
    ] {
        file(&own, "study.toml", study(cluster));
        let refused = harmless(
            &own,
            &["evaluate", "study.toml", "--out", "r", "--slurm"],
            2,
        );
        assert!(stderr(&refused).contains("in one line"), "{cluster}");
    }
    file(&own, "study.toml", study(""));
    let words = [
        "evaluate",
        "study.toml",
        "--out",
        "r\ntouch owned",
        "--slurm",
        "--dry-run",
    ];
    let refused = harmless(&own, &words, 2);
    assert!(stderr(&refused).contains("in one line"));
    assert_nothing_ran(&own);
}

#[test]
fn a_manifest_for_kubernetes_has_names_as_text() {
    let own = folder();
    file(&own, "study.toml", study(""));
    let volume = format!(
        "shared:{}",
        own.path().canonicalize().expect("a path").display()
    );
    let words = [
        "evaluate",
        "study.toml",
        "--out",
        "r",
        "--kubernetes",
        "i:1",
    ];
    let mut command = idpas();
    command.current_dir(own.path().canonicalize().expect("a path"));
    let manifest = json(&checked(command.args(words).args(["--volume", &volume]), 0));
    let item = &manifest["items"][0];
    let name = item["metadata"]["name"].as_str().expect("a name");
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    assert!(name.chars().all(is_plain), "{name}");
    let command = &item["spec"]["template"]["spec"]["containers"][0]["command"];
    assert_eq!(command[0], "idpas", "no shell reads the words");
    let words = command.as_array().expect("words").iter();
    assert!(
        words
            .filter_map(|word| word.as_str())
            .any(|word| word.starts_with("b'$(touch"))
    );
    assert_nothing_ran(&own);
}
