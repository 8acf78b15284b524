//! docs/guide.md, executed on a tiny folder: every command of it, in its order, only with less time.

mod common;

use std::path::Path;

use common::{file, folder, idpas, run, stderr, stdout};

/// Blocks of a kind of a Markdown text.
fn blocks<'a>(text: &'a str, kind: &str) -> Vec<&'a str> {
    let fence = format!("```{kind}\n");
    let rest = text.split(&*fence).skip(1);
    rest.filter_map(|block| block.split("\n```").next())
        .collect()
}

/// The same command with less time, and a smaller network.
fn quick(words: &[&str]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for word in words {
        let after = out.last().map(String::as_str);
        let value = match after {
            Some("--time-limit") if out.first().is_some_and(|w| w == "collect") => "20",
            Some("--time-limit") => "1",
            Some("--budget") => "12s",
            _ => word,
        };
        out.push(value.to_owned());
    }
    let more: &[&str] = match words[0] {
        "collect" => &["--nodes", "3", "--rounds", "3", "--keep-gap", "0.3"],
        "train" => &["--epochs", "2", "--embedding", "8", "--heads", "2"],
        "tune" => &["--budget", "4"],
        _ => &[],
    };
    out.extend(more.iter().map(|word| (*word).to_owned()));
    out
}

#[test]
fn the_guide_works_as_written() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide.md");
    let guide = std::fs::read_to_string(guide).expect("the guide");
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    // The reader's files: a history, and what is to be solved today.
    let mut generate = idpas();
    generate.args([
        "generate", "mmcnp", "--size", "tiny", "--count", "14", "-q", "--out",
    ]);
    run(generate.arg(at("history")), 0);
    for extra in ["manifest.json", "reference.json"] {
        std::fs::remove_file(at("history").join(extra)).expect("a file");
    }
    for k in 1..=14 {
        let (old, new) = (format!("inst_{k:04}.mps.gz"), format!("day_{k:02}.mps.gz"));
        std::fs::rename(at("history").join(old), at("history").join(new)).expect("a file");
    }
    std::fs::rename(at("history").join("day_14.mps.gz"), at("today.mps.gz")).expect("a file");
    let study = blocks(&guide, "toml")[0];
    let study = study
        .replace("time_limit = 60", "time_limit = 0.5")
        .replace("time_limit = 120", "time_limit = 20\nnodes = 3\nrounds = 2")
        .replace("train = 60", "train = 5")
        .replace("validation = 15", "validation = 2")
        .replace("test = 25", "test = 2")
        .replace("[[benchmark]]", "[train]\nepochs = 2\nembedding = 8\nheads = 2\n[tune]\nbudget = 2\ncount = 2\n[[benchmark]]");
    file(&folder, "study.toml", study);

    let mut seen = Vec::new();
    for block in blocks(&guide, "console") {
        for line in block
            .lines()
            .filter_map(|line| line.strip_prefix("$ idpas "))
        {
            let words: Vec<&str> = line.split_whitespace().collect();
            let mut command = idpas();
            command.timeout(std::time::Duration::from_secs(600));
            command.current_dir(folder.path()).args(quick(&words));
            // `diff` says by its code that there are differences.
            let output = run(&mut command, i32::from(words[0] == "diff"));
            if words[0] == "learn" {
                let told = stdout(&output);
                assert!(told.contains("validation instances, "), "{told}");
                assert!(at("guide.pools").join("manifest.json").exists());
            }
            if words[0] == "check" {
                assert!(stdout(&output).contains("feasible"), "{}", stdout(&output));
            }
            assert!(
                !stderr(&output).contains("error:"),
                "{line}: {}",
                stderr(&output)
            );
            seen.push(words[0].to_owned());
        }
    }
    for name in [
        "learn", "inspect", "diff", "collect", "train", "assess", "tune", "solve", "check",
        "evaluate", "report",
    ] {
        assert!(seen.iter().any(|known| known == name), "{seen:?}");
    }
    let page = std::fs::read_to_string(at("report.html")).expect("a page");
    assert!(page.contains("Primal gap over time"));
    // What is compared on was not learned from.
    let learned = std::fs::read_to_string(at("results/own/instances/learn.txt")).expect("a list");
    let tested: Vec<_> = std::fs::read_dir(at("results/own/runs/solver"))
        .expect("runs")
        .flatten()
        .collect();
    assert_eq!(tested.len(), 2);
    for record in tested {
        let name = record.file_name().to_string_lossy().replace(".s0.json", "");
        assert!(!learned.contains(&name), "{name} in {learned}");
    }
}
