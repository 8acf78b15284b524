//! Our readers and HiGHS's give the same model, wherever HiGHS sees a linear one.
//!
//! Known differences, which no file here has: we read a negative upper bound without a lower bound as CPLEX and
//! Gurobi do, where HiGHS leaves the lower bound at 0; and of two different bounds or right-hand sides HiGHS takes
//! the first, where we warn or refuse.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests are tests too

mod common;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;

use common::{files, fixture};
use idpas_families::course::Course;
use idpas_families::mmcnp::Mmcnp;
use idpas_families::slap::Slap;
use idpas_families::{GenerateOptions, InstanceFamily, Size, generate};
use idpas_mip::files::Input;
use idpas_mip::{Model, ReadError, read_model};
use idpas_solver::highs::read_file;
use idpas_testing::shared_data;

/// Refuses two maps that differ, naming the first few differences.
fn same<V: PartialEq + Debug>(
    what: &str,
    ours: &BTreeMap<String, V>,
    theirs: &BTreeMap<String, V>,
) -> Result<(), String> {
    let all = ours.keys().chain(theirs.keys());
    let differ = all.filter(|&key| ours.get(key) != theirs.get(key));
    let told: Vec<String> = differ
        .take(5)
        .map(|key| {
            format!(
                "{what} {key}: ours {:?}, theirs {:?}",
                ours.get(key),
                theirs.get(key)
            )
        })
        .collect();
    if told.is_empty() {
        Ok(())
    } else {
        Err(told.join("\n"))
    }
}

/// Everything about each column: bounds, kind, cost.
fn columns(model: &Model) -> BTreeMap<String, (f64, f64, bool, f64)> {
    let columns = &model.columns;
    let all = columns.names.iter().enumerate();
    all.map(|(j, name)| {
        let data = (
            columns.lower[j],
            columns.upper[j],
            model.is_integer(j),
            columns.cost[j],
        );
        (name.to_owned(), data)
    })
    .collect()
}

fn rows(model: &Model) -> BTreeMap<String, (f64, f64)> {
    let rows = &model.rows;
    let all = rows.names.iter().enumerate();
    all.map(|(i, name)| (name.to_owned(), (rows.lower[i], rows.upper[i])))
        .collect()
}

fn entries(model: &Model) -> BTreeMap<String, f64> {
    let mut entries = BTreeMap::new();
    for (j, column) in model.columns.names.iter().enumerate() {
        for (i, value) in model.matrix.entries(j) {
            entries.insert(format!("{column} in {}", model.rows.names.get(i)), value);
        }
    }
    entries
}

fn agree(ours: &Model, theirs: &Model) -> Result<(), String> {
    let objective = |m: &Model| (m.sense, m.objective_constant);
    if objective(ours) != objective(theirs) {
        return Err(format!(
            "objective: ours {:?}, theirs {:?}",
            objective(ours),
            objective(theirs)
        ));
    }
    same("column", &columns(ours), &columns(theirs))?;
    same("row", &rows(ours), &rows(theirs))?;
    same("entry", &entries(ours), &entries(theirs))
}

/// What a comparison came to.
#[derive(Debug, PartialEq)]
enum Outcome {
    Same,
    /// HiGHS cannot read it either, or reads a model that is not linear.
    BothRefuse,
    Differ(String),
}

/// Compares what is read from `path` with what HiGHS reads from `plain`, the same file without compression.
fn compare(path: &Path, plain: &Path) -> Outcome {
    let ours: Result<Model, ReadError> = read_model(path).map(|parsed| parsed.model);
    let theirs = read_file(plain, true).map(|peer| peer.model);
    match (ours, theirs) {
        (Ok(ours), Ok(Some(theirs))) => match agree(&ours, &theirs) {
            Ok(()) => Outcome::Same,
            Err(difference) => Outcome::Differ(difference),
        },
        (Err(error), Err(_) | Ok(None)) => {
            println!("refused: {error}");
            Outcome::BothRefuse
        }
        (Ok(_), Err(error)) => Outcome::Differ(format!("only HiGHS refuses it: {error}")),
        (Ok(_), Ok(None)) => Outcome::Differ("only HiGHS sees no linear model".into()),
        (Err(error), Ok(Some(_))) => Outcome::Differ(format!("only we refuse it: {error}")),
    }
}

/// The names of the files that are read the same, are refused by both, and are read differently, with the difference.
fn compare_all(folder: &Path) -> (Vec<String>, Vec<String>, Vec<(String, String)>) {
    let (mut same, mut refused, mut differ) = (Vec::new(), Vec::new(), Vec::new());
    for path in files(folder, &[".mps", ".lp"]) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match compare(&path, &path) {
            Outcome::Same => same.push(name),
            Outcome::BothRefuse => refused.push(name),
            Outcome::Differ(difference) => differ.push((name, difference)),
        }
    }
    (same, refused, differ)
}

#[test]
fn on_our_own_files() {
    let (same, refused, differ) = compare_all(&fixture("mps"));
    assert_eq!(differ, []);
    assert_eq!(
        same,
        [
            "bounds.mps",
            "fixed.mps",
            "infeasible.mps",
            "names.mps",
            "rows.mps",
            "unindented.mps"
        ]
    );
    assert_eq!(refused, ["quadratic.mps", "semicontinuous.mps"]);
}

#[test]
fn on_our_own_instances() {
    let (same, refused, differ) = compare_all(&fixture("mips"));
    assert_eq!(differ, []);
    assert_eq!(refused, [""; 0]);
    assert_eq!(same.len(), 7);
}

/// Refuses differences other than the known ones, each by file and the beginning of what is said of it.
fn assert_known(differ: &[(String, String)], known: &[(&str, &str)]) {
    assert_eq!(differ.len(), known.len(), "{differ:#?}");
    for ((name, difference), (known, begins)) in differ.iter().zip(known) {
        assert_eq!(name, known);
        assert!(difference.starts_with(begins), "{name}: {difference}");
    }
}

#[test]
fn on_our_own_corner_cases() {
    let (same, refused, differ) = compare_all(&fixture("corner"));
    assert_eq!(same, ["held_binary.lp", "no_newline.lp", "ranges.mps"]);
    assert_eq!(
        refused,
        [
            "nan_cost.mps",
            "noise.mps",
            "quadratic_twice.mps",
            "semi_continuous.lp",
            "semi_integer.mps"
        ]
    );
    let known = [
        // HiGHS takes no comments behind the fields of a line.
        ("comments_behind.mps", "only HiGHS refuses it"),
        // HiGHS drops the coefficient.
        ("nan_entry.mps", "only we refuse it"),
        // HiGHS reads an empty model.
        ("noise.lp", "only we refuse it"),
        // HiGHS takes a column called OBJSENSE for the section of that name, and the columns behind it are lost.
        ("word_columns.mps", "column BOUNDS: ours Some("),
    ];
    assert_known(&differ, &known);
}

#[test]
fn on_miplib_and_corner_cases() {
    let Some(folder) = shared_data("mps") else {
        return;
    };
    let (same, refused, differ) = compare_all(&folder);
    println!("same: {same:?}\nrefused: {refused:?}");
    assert!(same.len() >= 13, "{same:?}");
    for name in [
        "2821.mps",
        "2821-duplicate.mps",
        "2821-quadobj.mps",
        "garbage.mps",
        "nan0.mps",
        "semi-continuous.mps",
        "semi-continuous.lp",
        "semi-integer.mps",
    ] {
        assert!(refused.iter().any(|r| r == name), "{name} is not refused");
    }
    let known = [
        // HiGHS takes no comments behind the fields of a line.
        ("comment.mps", "only HiGHS refuses it"),
        // HiGHS reads an empty model.
        ("garbage.lp", "only we refuse it"),
        // HiGHS drops the coefficient.
        ("nan1.mps", "only we refuse it"),
        // HiGHS takes a column called OBJSENSE for the section of that name, and the columns behind it are lost.
        (
            "silly-names.mps",
            "column C1: ours Some((0.0, inf, false, -1.0)), theirs None",
        ),
    ];
    assert_known(&differ, &known);
}

/// Compares a compressed file.
fn compare_compressed(path: &Path) -> Outcome {
    let mut plain = tempfile::Builder::new().suffix(".mps").tempfile().unwrap();
    let mut lines = Input::path(path).open().unwrap();
    while let Some(line) = lines.next().unwrap() {
        writeln!(plain, "{line}").unwrap();
    }
    plain.flush().unwrap();
    compare(path, plain.path())
}

#[test]
fn on_series_of_our_own_families() {
    let folder = tempfile::tempdir().unwrap();
    let families: [(&str, Box<dyn InstanceFamily>); 3] = [
        ("mmcnp", Box::new(Mmcnp::new(Size::Tiny, 1).unwrap())),
        ("slap", Box::new(Slap::new(Size::Tiny, 1).unwrap())),
        (
            "course",
            Box::new(Course::new(Size::Tiny, 1, None).unwrap()),
        ),
    ];
    for (name, family) in families {
        let series = folder.path().join(name);
        let options = GenerateOptions::new(&series, 4);
        generate(&*family, &options, &|_| ControlFlow::Continue(())).unwrap();
        let all = files(&series, &[".mps.gz"]);
        assert_eq!(all.len(), 4);
        for path in all {
            assert_eq!(
                compare_compressed(&path),
                Outcome::Same,
                "{}",
                path.display()
            );
        }
    }
}

#[test]
fn on_a_series_of_real_instances() {
    let Some(folder) = shared_data("mipcc23/bnd_series_1") else {
        return;
    };
    let all = files(&folder, &[".mps.gz"]);
    assert_eq!(all.len(), 50);
    for path in all {
        assert_eq!(
            compare_compressed(&path),
            Outcome::Same,
            "{}",
            path.display()
        );
    }
}
