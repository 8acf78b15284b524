//! What the project says of itself: the drawn dependencies, packages that could be published, examples.

mod workspace;

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;
use workspace::{cargo, folder, list, members, published, read, root, text};

/// What the documents call a package: the name of its folder.
fn short(name: &str) -> &str {
    name.trim_start_matches("idpas-")
}

/// Dependencies on packages of the workspace that are not for tests alone.
fn inner_dependencies(package: &Value) -> impl Iterator<Item = &Value> {
    let all = list(package, "dependencies").iter();
    all.filter(|dependency| dependency["path"].is_string() && dependency["kind"].is_null())
}

#[test]
fn the_drawn_arrows_are_the_dependencies() {
    let architecture = read(root().join("ARCHITECTURE.md"));
    let mut drawn = BTreeSet::new();
    let mut above = vec!["base", "mip"];
    for line in architecture.lines().filter(|line| line.starts_with("    ")) {
        let Some((from, to)) = line.split_once('→') else {
            continue;
        };
        for to in to.split(',').map(str::trim) {
            assert!(above.contains(&to), "{} is drawn before {to}", from.trim());
            drawn.insert(format!("{} → {to}", from.trim()));
        }
        above.push(from.trim());
    }
    let mut real = BTreeSet::new();
    for package in &members() {
        for dependency in inner_dependencies(package) {
            let (from, to) = (text(package, "name"), text(dependency, "name"));
            real.insert(format!("{} → {}", short(from), short(to)));
        }
    }
    let missing: Vec<&String> = real.difference(&drawn).collect();
    let untrue: Vec<&String> = drawn.difference(&real).collect();
    assert!(
        missing.is_empty(),
        "not drawn in ARCHITECTURE.md: {missing:?}"
    );
    assert!(
        untrue.is_empty(),
        "drawn in ARCHITECTURE.md, but not so: {untrue:?}"
    );
}

#[test]
fn packages_say_what_they_are() {
    let unpublished: Vec<String> = members()
        .iter()
        .filter(|package| !package["publish"].is_null())
        .map(|package| text(package, "name").to_owned())
        .collect();
    for package in &published() {
        let name = text(package, "name");
        for field in [
            "description",
            "license",
            "repository",
            "readme",
            "rust_version",
        ] {
            assert!(!text(package, field).is_empty(), "{name}: {field}");
        }
        let keywords = list(package, "keywords").len();
        assert!((1..=5).contains(&keywords), "{name}: {keywords} keywords");
        assert!(
            !list(package, "categories").is_empty(),
            "{name}: no categories"
        );
        for dependency in inner_dependencies(package) {
            let on = text(dependency, "name");
            let version = format!("^{}", env!("CARGO_PKG_VERSION"));
            assert_eq!(text(dependency, "req"), version, "{name} on {on}");
            assert!(
                !unpublished.iter().any(|other| other == on),
                "{name} on {on}"
            );
        }
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let ours = read(folder(package).join(licence));
            assert_eq!(ours, read(root().join(licence)), "{name}: {licence}");
        }
    }
}

#[test]
fn packages_are_small_and_hold_what_they_include() {
    for package in &published() {
        let name = text(package, "name");
        let arguments = [
            "package",
            "--list",
            "--offline",
            "--allow-dirty",
            "-p",
            name,
        ];
        let files = cargo(&arguments).expect("a list of files");
        let mut bytes = 0;
        for file in files.lines() {
            assert!(!file.starts_with("tests/"), "{name}: {file}");
            // Some are made while packaging, and the manual of all is that of the workspace.
            let path = folder(package).join(file);
            bytes += path.metadata().map_or(0, |data| data.len());
            if !file.ends_with(".rs") {
                continue;
            }
            for included in read(&path).split("include_str!(\"").skip(1) {
                let included = included.split('"').next().expect("a path");
                let mut inside = Path::new(file).parent().expect("a folder").to_path_buf();
                for part in Path::new(included).components() {
                    match part.as_os_str().to_str() {
                        Some("..") => assert!(inside.pop(), "{name}: {file} includes {included}"),
                        _ => inside.push(part),
                    }
                }
                let listed = files.lines().any(|other| Path::new(other) == inside);
                assert!(
                    listed,
                    "{name}: {file} includes {included}, not in the package"
                );
            }
        }
        assert!(bytes < 1_000_000, "{name}: {bytes} bytes");
    }
}

/// The line of the first block of code without a kind, which rustdoc compiles and runs. Formulas and drawings are `text`.
fn first_example(lines: &[&str]) -> Option<usize> {
    let mut inside = false;
    for (number, line) in lines.iter().enumerate() {
        match line.strip_prefix("```") {
            Some("") if !inside => return Some(number),
            Some(_) => inside = !inside,
            None => {}
        }
    }
    None
}

#[test]
fn every_crates_documentation_begins_with_an_example() {
    for package in &published() {
        let name = text(package, "name");
        let source = read(folder(package).join("src/lib.rs"));
        let documented = source.lines().map_while(|line| line.strip_prefix("//!"));
        let lines: Vec<&str> = documented.map(str::trim).collect();
        let example = first_example(&lines);
        let example = example.unwrap_or_else(|| panic!("{name}: no example that is run"));
        let reference = lines
            .iter()
            .position(|line| line.starts_with('|') || line.starts_with("# "));
        let first = reference.is_none_or(|reference| example < reference);
        assert!(first, "{name}: the example comes after a table or heading");
    }
}

#[test]
fn every_crate_has_an_example_and_every_example_is_run() {
    let readme = read(root().join("README.md"));
    for package in &published() {
        let name = text(package, "name");
        let kind = |target: &&Value| target["kind"][0] == "example";
        let examples: Vec<&Value> = list(package, "targets").iter().filter(kind).collect();
        let tests = read(folder(package).join("tests/examples.rs"));
        for example in &examples {
            let call = format!("example::run(\"{}\"", text(example, "name"));
            assert!(tests.contains(&call), "{name}: no test has {call}");
        }
        let linked = examples.iter().any(|example| {
            let path = Path::new(text(example, "src_path"));
            let path = path.strip_prefix(root()).expect("a file of the workspace");
            readme.contains(&format!("({})", path.display()))
        });
        assert!(linked, "{name}: the README has no example of it");
    }
}

#[test]
fn files_that_documents_link_to_exist() {
    for document in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] {
        for link in read(root().join(document)).split("](").skip(1) {
            let link = link.split([')', '#']).next().expect("a link");
            let elsewhere = link.is_empty() || link.contains("://");
            assert!(
                elsewhere || root().join(link).exists(),
                "{document}: {link}"
            );
        }
    }
}

#[test]
fn actions_of_the_hosted_checks_are_pinned() {
    let workflow = read(root().join(".github/workflows/ci.yml"));
    let mut uses = 0;
    for line in workflow
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- uses: "))
    {
        let (action, version) = line.split_once('@').expect("an action and its version");
        let commit = version.split(' ').next().expect("a commit");
        let hash = commit.len() == 40 && commit.chars().all(|c| c.is_ascii_hexdigit());
        assert!(hash, "{action} is not pinned to a commit: {version}");
        uses += 1;
    }
    assert!(uses > 0 && workflow.contains("run: make test"));
}

/// Packages with their features, as `cargo tree` has them.
fn features(arguments: &[&str]) -> BTreeSet<String> {
    let always = [
        "tree",
        "--offline",
        "--locked",
        "--prefix",
        "none",
        "--format",
        "{p} {f}",
    ];
    let tree = cargo(&[&always, arguments].concat()).expect("a tree of packages");
    let line = |line: &str| line.trim_end_matches(" (*)").trim_end().to_owned();
    tree.lines()
        .map(line)
        .filter(|line| !line.is_empty())
        .collect()
}

/// Otherwise all crates are compiled once for the program and once more for its tests.
#[test]
fn tests_give_no_dependency_of_the_program_other_features() {
    let program = features(&["--package", "idpas-cli", "--edges", "normal,build"]);
    // The Python package is built by itself, with features of its own.
    let but_python = ["--workspace", "--exclude", "idpas-python"];
    let tests = features(&[&but_python[..], &["--edges", "normal,build,dev"]].concat());
    let other: Vec<&String> = program.difference(&tests).collect();
    assert!(
        other.is_empty(),
        "tests add features to {other:?}; crates/cli/Cargo.toml must have the same"
    );
}
