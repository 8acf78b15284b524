//! `idpas inspect`.

mod common;

use common::{data, file, folder, idpas, json, run, stderr, stdout};
use insta::assert_snapshot;

fn inspect(name: &str) -> assert_cmd::Command {
    let mut command = idpas();
    command.arg("inspect").arg(data(name));
    command
}

#[test]
fn text_shows_size_and_kind() {
    let output = run(&mut inspect("knapsack.mps"), 0);
    assert_snapshot!(stdout(&output), @r"
    name         knapsack
    sense        maximize
    rows         1
    columns      3
      binaries   3
      integers   0
      continuous 0
    nonzeros     3
    ");
    assert_eq!(stderr(&output), "");
}

#[test]
fn text_shows_a_constant_and_a_missing_name() {
    let output = run(&mut inspect("constant.lp"), 0);
    assert_snapshot!(stdout(&output), @r"
    name         -
    sense        maximize
    rows         1
    columns      2
      binaries   0
      integers   2
      continuous 0
    nonzeros     2
    constant     100
    ");
}

#[test]
fn json_has_the_fields_of_the_contract() {
    let output = run(inspect("mixed.mps").args(["--format", "json"]), 0);
    assert_snapshot!(stdout(&output), @r#"
    {
      "name": "mixed",
      "rows": 2,
      "columns": 2,
      "binaries": 0,
      "integers": 1,
      "continuous": 1,
      "nonzeros": 3,
      "sense": "minimize",
      "objective_constant": 0.0
    }
    "#);
}

#[test]
fn an_lp_file_with_bracketed_names() {
    let shape = json(&run(inspect("routes.lp").args(["--format", "json"]), 0));
    assert_eq!(shape["columns"], 7);
    assert_eq!(shape["binaries"], 7);
    assert_eq!(shape["rows"], 5);
    assert_eq!(shape["nonzeros"], 11);
}

#[test]
fn a_gzipped_file_is_told_by_its_content() {
    use std::io::Write;
    let folder = folder();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let text = std::fs::read(data("knapsack.mps")).unwrap();
    encoder.write_all(&text).unwrap();
    let path = file(&folder, "model", encoder.finish().unwrap());
    let output = run(idpas().arg("inspect").arg(path), 0);
    assert!(stdout(&output).starts_with("name         knapsack\n"));
}
