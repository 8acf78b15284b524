//! Licences of all dependencies: the part of `cargo deny` that needs no tool. `scripts/deny.sh` does the rest where that is
//! installed.

mod workspace;

use std::process::Command;

use workspace::{members, metadata, read, root, text};

/// The licences that `deny.toml` allows.
fn allowed() -> Vec<String> {
    let deny = read(root().join("deny.toml"));
    let list = deny
        .split("\nallow = [")
        .nth(1)
        .and_then(|rest| rest.split(']').next());
    let list = list.expect("a list of licences in deny.toml");
    list.split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// Whether a licence expression can be met with what is allowed. `OR` binds weaker than `AND`; `/` is an old `OR`, and an
/// exception (`WITH`) only adds permissions.
fn permitted(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = &words[..];
    let met = any_of(&mut rest, allowed);
    met && rest.is_empty()
}

fn any_of(words: &mut &[&str], allowed: &[String]) -> bool {
    let mut met = all_of(words, allowed);
    while words.first() == Some(&"OR") {
        *words = &words[1..];
        met |= all_of(words, allowed);
    }
    met
}

fn all_of(words: &mut &[&str], allowed: &[String]) -> bool {
    let mut met = one(words, allowed);
    while words.first() == Some(&"AND") {
        *words = &words[1..];
        met &= one(words, allowed);
    }
    met
}

fn one(words: &mut &[&str], allowed: &[String]) -> bool {
    let Some((first, rest)) = words.split_first() else {
        return false;
    };
    *words = rest;
    if *first == "(" {
        let met = any_of(words, allowed);
        let closed = words.first() == Some(&")");
        *words = words.get(1..).unwrap_or_default();
        return met && closed;
    }
    if words.first() == Some(&"WITH") {
        *words = words.get(2..).unwrap_or_default();
    }
    allowed.iter().any(|licence| licence == first)
}

#[test]
fn licence_expressions_are_understood() {
    let allowed = ["MIT", "Apache-2.0", "Zlib"].map(str::to_owned);
    for good in [
        "MIT",
        "MIT/GPL-3.0",
        "GPL-3.0 OR Zlib",
        "(MIT OR GPL-3.0) AND Zlib",
        "Apache-2.0 WITH LLVM-exception",
        "GPL-3.0 AND MIT OR Zlib",
    ] {
        assert!(permitted(good, &allowed), "{good}");
    }
    for bad in [
        "",
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "(MIT OR Zlib) AND GPL-3.0",
        "MIT )",
        "( MIT",
    ] {
        assert!(!permitted(bad, &allowed), "{bad}");
    }
}

#[test]
fn licences_of_all_dependencies_are_allowed() {
    let version = Command::new("rustc")
        .arg("-vV")
        .output()
        .expect("rustc runs");
    let version = String::from_utf8(version.stdout).expect("text");
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let platform = ["--filter-platform", host.expect("the host's name")];
    // What other packages' tests need may not be on this machine yet.
    let packages =
        metadata(&[&platform[..], &["--offline"]].concat()).or_else(|_| metadata(&platform));
    let packages = packages.expect("metadata of all dependencies");
    assert!(
        packages.len() > members().len(),
        "only {} packages",
        packages.len()
    );
    let allowed = allowed();
    assert!(
        allowed.iter().any(|licence| licence == "MIT"),
        "{allowed:?}"
    );
    for package in &packages {
        let (name, licence) = (text(package, "name"), package["license"].as_str());
        let met = licence.is_some_and(|licence| permitted(licence, &allowed));
        assert!(
            met,
            "{name} is under {licence:?}, and deny.toml allows {allowed:?}"
        );
    }
}
