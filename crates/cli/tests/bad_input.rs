//! Broken files of every kind, for every command that reads a model: one error line, nothing else.

mod common;

use std::io::Write;
use std::path::Path;

use common::{data, file, folder, idpas, run, stderr, stdout};
use flate2::{Compression, write::GzEncoder};
use tempfile::TempDir;

/// A line that depends on how a compressed file is unpacked.
const SOMEWHERE: Option<usize> = Some(usize::MAX);

/// Runs `inspect`, `solve` and `check` on a bad model: each must fail in the same tidy way.
/// With a line number where `at` has one; and the error must say `why`.
fn refused(folder: &TempDir, path: &Path, at: Option<usize>, why: &str) {
    let solution = file(folder, "in.sol", "=obj= 0\n");
    let before = names(folder.path());
    for command in ["inspect", "solve", "check"] {
        let mut program = idpas();
        program.arg(command).arg(path);
        match command {
            "solve" => program.arg("--solution").arg(folder.path().join("out.sol")),
            "check" => program.arg(&solution),
            _ => &mut program,
        };
        let output = run(&mut program, 2);
        let said = stderr(&output);
        assert_eq!(stdout(&output), "", "{command}");
        tidy(&said);
        let place = match at {
            SOMEWHERE => format!("error: {}:", path.display()),
            Some(line) => format!("error: {}:{line}: ", path.display()),
            None => format!("error: {}: ", path.display()),
        };
        assert!(said.contains(&place), "{command}: {said}");
        assert!(said.contains(why), "{command}: {said}");
        assert_eq!(names(folder.path()), before, "{command} left a file");
    }
}

/// One error, perhaps with a hint behind it and warnings before.
fn tidy(said: &str) {
    let errors = said.lines().filter(|line| line.starts_with("error: "));
    assert_eq!(errors.count(), 1, "{said}");
    for line in said.lines() {
        let known = ["error: ", "hint: ", "warning: "];
        assert!(known.iter().any(|start| line.starts_with(start)), "{said}");
        assert!(line.chars().count() < 800, "{said}");
    }
    assert!(!said.contains("panicked"), "{said}");
}

fn names(folder: &Path) -> Vec<std::ffi::OsString> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<_> = entries
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    names.sort();
    names
}

/// A bad file with this content.
fn bad(name: &str, content: impl AsRef<[u8]>, at: Option<usize>, why: &str) {
    let folder = folder();
    let path = file(&folder, name, content);
    refused(&folder, &path, at, why);
}

/// The knapsack with one text replaced by another.
fn knapsack(from: &str, to: &str) -> String {
    let text = std::fs::read_to_string(data("knapsack.mps")).expect("the knapsack");
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).expect("memory");
    encoder.finish().expect("memory")
}

#[test]
fn missing_or_a_folder() {
    let folder = folder();
    refused(
        &folder,
        &folder.path().join("none.mps"),
        None,
        "No such file",
    );
    let sub = folder.path().join("sub.mps");
    std::fs::create_dir(&sub).unwrap();
    refused(&folder, &sub, None, "is a folder");
}

#[cfg(unix)]
#[test]
fn unreadable() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let path = file(&folder, "secret.mps", knapsack("NAME", "NAME"));
    let forbidden = std::fs::Permissions::from_mode(0o000);
    std::fs::set_permissions(&path, forbidden).unwrap();
    if std::fs::File::open(&path).is_ok() {
        return idpas_testing::skip("this user may read every file");
    }
    refused(&folder, &path, None, "ermission denied");
}

#[test]
fn empty_or_cut_in_the_middle() {
    bad("empty.mps", "", None, "the file is empty");
    let gz = gzip(b"");
    bad("empty.mps.gz", gz, None, "the file is empty");
    let whole = knapsack("NAME", "NAME");
    bad("cut.mps", &whole[..whole.len() / 2], Some(10), "");
    let cut = whole.replace("ENDATA\n", "");
    bad("no_end.mps", cut, Some(18), "cut short");
    let lp = std::fs::read_to_string(data("routes.lp")).unwrap();
    let cut = &lp[..lp.len() / 2];
    bad("cut.lp", cut, Some(cut.lines().count()), "");
}

#[test]
fn binary_content() {
    let mut state = 1u32;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1664525).wrapping_add(1013904223);
        (state >> 24) as u8
    })
    .take(10_000)
    .collect();
    bad("noise.mps", &noise, Some(1), "not UTF-8 text");
    bad("noise.lp", &noise, Some(1), "not UTF-8 text");
    let elf = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0";
    bad("program.mps", elf, Some(1), "a binary file?");
    let latin1 = knapsack("stove", "st\u{7}ve").into_bytes();
    let latin1: Vec<u8> = latin1
        .into_iter()
        .map(|byte| if byte == 7 { 0xf6 } else { byte })
        .collect();
    bad("latin1.mps", latin1, Some(10), "found byte 0xf6");
}

#[test]
fn damaged_gzip_and_a_bomb() {
    let whole = gzip(knapsack("NAME", "NAME").as_bytes());
    let cut = &whole[..whole.len() / 2];
    bad("cut.mps.gz", cut, SOMEWHERE, "damaged or cut short");
    let mut flipped = whole.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0xff;
    bad("flipped.mps.gz", flipped, SOMEWHERE, "");
    let line = b"* nothing to see here\n".repeat(1 << 12);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    for _ in 0..2048 {
        encoder.write_all(&line).unwrap();
    }
    let folder = folder();
    let bomb = encoder.finish().unwrap();
    let path = file(&folder, "bomb.mps.gz", bomb);
    let output = run(idpas().arg("inspect").arg(&path), 2);
    tidy(&stderr(&output));
    assert!(stderr(&output).contains("refused as a gzip bomb"));
}

#[test]
fn numbers_that_are_none() {
    for (text, why) in [
        ("nan", "is NaN, not a finite number"),
        ("inf", "is inf, not a finite number"),
        ("-1e400", "not a finite number"),
        ("four", "`four` is not a number"),
    ] {
        bad(
            "a.mps",
            knapsack("4.0   w", &format!("{text}   w")),
            Some(10),
            why,
        );
    }
    bad(
        "a.mps",
        knapsack("5.0\nB", "nan\nB"),
        Some(14),
        "not a finite number",
    );
    let lp = "Minimize\n obj: x\nSubject To\n c: nan x >= 1e500\nEnd\n";
    bad("a.lp", lp, Some(4), "");
}

#[test]
fn names_and_bounds_that_contradict() {
    let twice = knapsack(" L  weight\n", " L  weight\n L  weight\n");
    bad("rows.mps", twice, Some(7), "duplicate row name `weight`");
    let twice = knapsack("    lamp ", "    tent ");
    bad("columns.mps", twice, Some(11), "`tent`");
    let unknown = knapsack("rhs       weight", "rhs       height");
    bad("unknown.mps", unknown, Some(14), "unknown row `height`");
    let crossed = knapsack(
        " BV bnd       lamp",
        " LO bnd       lamp 3\n UP bnd       lamp 2",
    );
    bad("crossed.mps", crossed, Some(19), "crossed bounds");
    let crossed = "Minimize\n obj: x\nSubject To\n c: x >= 1\nBounds\n 3 <= x <= 2\nEnd\n";
    bad("crossed.lp", crossed, Some(6), "crossed bounds");
}

#[test]
fn lines_and_sections_that_no_model_has() {
    let long = knapsack("NAME ", &format!("* {}\nNAME ", "x".repeat(1_000_000)));
    bad("long.mps", long, Some(1), "longer than 500000 characters");
    let section = knapsack("RHS\n", "FROBS\n");
    bad("section.mps", section, Some(13), "unknown section `FROBS`");
    let quadratic = knapsack("ENDATA", "QUADOBJ\n    tent tent 1\nENDATA");
    bad("quadratic.mps", quadratic, Some(19), "not supported");
}

#[test]
fn a_wrong_ending() {
    let prose = "Dear reader,\nthis is no model.\n";
    bad("letter.txt", prose, Some(1), "not a file in a known format");
    bad("letter.mps", prose, Some(1), "");
    bad("letter.lp", prose, Some(1), "");
    // The content decides where it can.
    let folder = folder();
    for name in ["model.lp", "model.txt", "model"] {
        let path = file(&folder, name, knapsack("NAME", "NAME"));
        run(idpas().arg("inspect").arg(path), 0);
    }
}

#[test]
fn a_bad_solution_is_refused_the_same_way() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    file(&folder, "empty.sol", "");
    file(&folder, "noise.sol", b"\x7fELF\x02\x01\xff");
    file(&folder, "nan.sol", "=obj= 1\ntent nan\n");
    file(&folder, "twice.sol", "=obj= 1\ntent 1\ntent 1\n");
    let gz = gzip(b"=obj= 1\ntent 1\nlamp 0\n");
    file(&folder, "cut.sol.gz", &gz[..gz.len() / 2]);
    for name in [
        "none.sol",
        "empty.sol",
        "noise.sol",
        "nan.sol",
        "twice.sol",
        "cut.sol.gz",
    ] {
        let mut check = idpas();
        check.arg("check").arg(data("knapsack.mps")).arg(at(name));
        let mut solve = idpas();
        solve.args(["-q", "solve"]).arg(data("knapsack.mps"));
        solve.arg("--start").arg(at(name));
        for program in [&mut check, &mut solve] {
            let output = run(program, 2);
            assert_eq!(stdout(&output), "", "{name}");
            tidy(&stderr(&output));
            assert!(stderr(&output).contains(name), "{}", stderr(&output));
        }
    }
}
