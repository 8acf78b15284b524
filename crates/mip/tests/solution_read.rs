//! Reading solution files of every dialect, each as its solver writes it.

#![allow(clippy::unwrap_used)] // the helpers are tests too

use std::io::Write;
use std::path::{Path, PathBuf};

use idpas_mip::check::{Tolerances, check};
use idpas_mip::files::Input;
use idpas_mip::solution::{Dialect, read, read_partial};
use idpas_mip::{Model, ModelBuilder, Sense, VarKind, read_model};
use idpas_testing::shared_data;

const VALUES: [f64; 4] = [3.0, 0.0, 2.5, -4.0];

fn model() -> Model {
    let mut b = ModelBuilder::new("demo", Sense::Minimize);
    b.objective("cost", 16.0);
    let inf = f64::INFINITY;
    let x = b.column("x", VarKind::Integer, 0.0, 10.0, 1.0).unwrap();
    b.column("y[1,2]", VarKind::Integer, 0.0, 1.0, 7.0).unwrap();
    let a = b
        .column("a name", VarKind::Continuous, 0.0, inf, 5.0)
        .unwrap();
    let z = b.column("z", VarKind::Continuous, -inf, inf, 0.5).unwrap();
    b.row("c1", 1.0, 10.0, [(x, 1.0), (a, 1.0)]).unwrap();
    b.row("c2", -inf, 0.0, [(z, 1.0)]).unwrap();
    b.build().unwrap()
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/sol")
        .join(name)
}

fn text(content: &str) -> Input {
    Input::bytes("test.sol", content.as_bytes())
}

#[test]
fn every_dialect_gives_the_same_values() {
    let optimal = Some("Optimal");
    for (name, dialect, status) in [
        ("highs_raw.sol", Dialect::Highs, optimal),
        (
            "highs_sparse.sol",
            Dialect::Highs,
            Some("Time limit reached"),
        ),
        ("highs_table.sol", Dialect::HighsTable, optimal),
        ("highs_table_lp.sol", Dialect::HighsTable, optimal),
        ("scip.sol", Dialect::Scip, Some("optimal solution found")),
        ("miplib.sol", Dialect::Miplib, None),
        ("gurobi.sol", Dialect::Gurobi, None),
        ("list.sol", Dialect::Gurobi, None),
        (
            "cplex.sol",
            Dialect::Cplex,
            Some("integer optimal solution"),
        ),
    ] {
        let file = read(&Input::path(fixture(name)), &model()).unwrap();
        assert_eq!(file.solution.values, VALUES, "{name}");
        assert_eq!(file.dialect, dialect, "{name}");
        assert_eq!(file.solution.status.as_deref(), status, "{name}");
        let stated = (name != "list.sol").then_some(29.5);
        assert_eq!(file.solution.objective, stated, "{name}");
        let warnings: Vec<_> = file.warnings.into_iter().map(|w| w.message).collect();
        match dialect {
            Dialect::HighsTable => assert!(warnings[0].contains("6 digits"), "{warnings:?}"),
            _ => assert_eq!(warnings, [""; 0], "{name}"),
        }
    }
}

#[test]
fn a_partial_start_has_the_listed_columns_only() {
    let partial = |name| read_partial(&Input::path(fixture(name)), &model()).unwrap();
    assert_eq!(partial("miplib.sol"), [(0, 3.0), (2, 2.5), (3, -4.0)]);
    assert_eq!(partial("highs_raw.sol").len(), 4);
    let some = read_partial(&text("# MIP start\nz 1\nx 0\n"), &model()).unwrap();
    assert_eq!(some, [(3, 1.0), (0, 0.0)]);
}

#[test]
fn gzip_line_ends_and_a_missing_last_newline_do_not_matter() {
    for name in ["highs_raw.sol", "scip.sol", "cplex.sol", "highs_table.sol"] {
        let plain = std::fs::read_to_string(fixture(name)).unwrap();
        let expected = read(&text(&plain), &model()).unwrap().solution;
        let dos = plain.trim_end().replace('\n', "\r\n");
        assert_eq!(
            read(&text(&dos), &model()).unwrap().solution,
            expected,
            "{name}"
        );
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(plain.as_bytes()).unwrap();
        let input = Input::bytes("test.sol.gz", gzip.finish().unwrap());
        assert_eq!(read(&input, &model()).unwrap().solution, expected, "{name}");
    }
}

#[test]
fn missing_columns_are_zero_and_mentioned_where_the_format_lists_all() {
    let file = read(&text("# Objective value = 3\nx 3\n"), &model()).unwrap();
    assert_eq!(file.solution.values, [3.0, 0.0, 0.0, 0.0]);
    assert_eq!(
        file.warnings[0].message,
        "3 of 4 columns are not in the file and were taken as 0, the first is `y[1,2]`"
    );
    for sparse in ["=obj= 3\nx 3\n", "solution status: unknown\nx 3\n"] {
        assert!(read(&text(sparse), &model()).unwrap().warnings.is_empty());
    }
}

#[test]
fn an_infeasible_point_of_highs_is_read_with_a_warning() {
    let file = std::fs::read_to_string(fixture("highs_raw.sol")).unwrap();
    let file = file.replacen("Feasible", "Infeasible", 1);
    let warning = read(&text(&file), &model()).unwrap().warnings.remove(0);
    assert_eq!(warning.line, Some(5));
    assert_eq!(
        warning.message,
        "HiGHS says that these values are infeasible"
    );
}

#[test]
fn a_column_may_have_any_name_in_a_highs_file() {
    let mut b = ModelBuilder::new("", Sense::Minimize);
    for name in ["# Rows", "# Columns 7", "Objective"] {
        b.column(name, VarKind::Continuous, 0.0, 9.0, 0.0).unwrap();
    }
    let head = "Model status\n\n# Primal solution values\nFeasible\nObjective 0\n# Columns 3\n";
    let file = text(&format!("{head}# Rows 1\n# Columns 7 2\nObjective 3\n"));
    let file = read(&file, &b.build().unwrap()).unwrap();
    assert_eq!(file.solution.values, [1.0, 2.0, 3.0]);
    assert_eq!(file.solution.status, None);
}

#[test]
fn an_infinite_objective_is_only_a_statement() {
    let file = read(&text("=obj= -inf\nx 1\n"), &model()).unwrap();
    assert_eq!(file.solution.objective, Some(f64::NEG_INFINITY));
}

/// A file as HiGHS writes it, whose columns end without a newline. Its continuous columns are 0, so that rows and the
/// objective do not hold.
#[test]
fn a_solution_of_integers_alone_is_read_and_checked() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/mips");
    let model = read_model(data.join("lots.mps")).unwrap().model;
    let mut columns = String::new();
    for name in model.columns.names.iter() {
        let value = u8::from(["OPEN1", "OPEN3"].contains(&name));
        columns.push_str(&format!("\n{name} {value}"));
    }
    let head =
        "Model status\nOptimal\n\n# Primal solution values\nFeasible\nObjective 33\n# Columns 8";
    let file = read(&text(&format!("{head}{columns}")), &model).unwrap();
    assert_eq!(file.dialect, Dialect::Highs);
    assert_eq!(file.solution.objective, Some(33.0));
    assert!(file.warnings.is_empty(), "{:?}", file.warnings);
    let column = |name| file.solution.values[model.columns.names.find(name).unwrap()];
    assert_eq!((column("OPEN1"), column("OPEN2")), (1.0, 0.0));
    assert_eq!((column("OPEN3"), column("KEEP2")), (1.0, 0.0));
    let report = check(&model, &file.solution.values, &Tolerances::default()).unwrap();
    assert!(!report.feasible);
    assert_eq!(report.objective, 18.0);
    assert_eq!(report.max_row_violation(), 5.0);
    assert_eq!(report.max_integrality_violation(), 0.0);
}

/// A file that HiGHS wrote, whose columns end without a newline.
#[test]
fn the_flugpl_solution_is_read_and_checked() {
    let Some(data) = shared_data("mps") else {
        return;
    };
    let solution = data.join("flugpl_integer.sol");
    let model = read_model(data.join("flugpl.mps")).unwrap().model;
    let file = read(&Input::path(solution), &model).unwrap();
    assert_eq!(file.dialect, Dialect::Highs);
    assert_eq!(file.solution.objective, Some(1201500.0));
    assert!(file.warnings.is_empty());
    let column = |name| file.solution.values[model.columns.names.find(name).unwrap()];
    assert_eq!((column("ANM3"), column("UE6")), (16.0, 0.0));
    // Its continuous columns were set to 0, so that rows and the objective do not hold.
    let report = check(&model, &file.solution.values, &Tolerances::default()).unwrap();
    assert!(!report.feasible);
    assert_eq!(report.max_integrality_violation(), 0.0);
}
