//! `idpas convert` and `idpas relax`.

mod common;

use common::{data, folder, idpas, json, run, stderr, stdout, without_time};
use insta::assert_snapshot;

#[test]
fn a_model_survives_every_format() {
    let folder = folder();
    for name in ["knapsack.mps", "routes.lp", "constant.lp", "mixed.mps"] {
        let shape = |path: &std::path::Path| {
            let mut command = idpas();
            command.args(["inspect", "--format", "json"]).arg(path);
            json(&run(&mut command, 0))
        };
        let original = shape(&data(name));
        let mut from = data(name);
        for ending in ["lp", "mps", "lp.gz", "mps.gz"] {
            let to = folder.path().join(format!("{name}.{ending}"));
            let output = run(idpas().arg("convert").arg(&from).arg(&to), 0);
            assert_eq!(stdout(&output), format!("{}\n", to.display()));
            let mut found = shape(&to);
            found["name"] = original["name"].clone();
            assert_eq!(found, original, "{name} as {ending}");
            from = to;
        }
    }
}

#[test]
fn convert_refuses_what_it_cannot_write() {
    let folder = folder();
    let model = data("knapsack.mps");
    for (out, why) in [
        ("out.xyz", "cannot tell the format"),
        ("missing/out.mps", "there is no folder"),
        (".", "is a folder"),
    ] {
        let path = folder.path().join(out);
        let output = run(idpas().arg("convert").arg(&model).arg(path), 2);
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
        assert_eq!(stdout(&output), "");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn relax_in_text_and_json() {
    let output = run(idpas().arg("relax").arg(data("mixed.mps")), 0);
    let text = without_time(&output);
    let lines: Vec<&str> = text.lines().filter(|l| !l.starts_with("iter")).collect();
    assert_snapshot!(lines.join("\n"), @r"
    status       optimal
    objective    26
    time         [time]
    ");
    let mut command = idpas();
    command.arg("relax").arg(data("mixed.mps"));
    let report = json(&run(command.args(["--format", "json"]), 0));
    assert_eq!(report["status"], "optimal");
    assert_eq!(report["objective"], 26.0);
    assert!(report["iterations"].is_u64() && report["time"].is_number());
}

#[test]
fn relax_writes_tables_with_quoted_names() {
    let folder = folder();
    let (columns, rows) = (folder.path().join("c.csv"), folder.path().join("r.csv"));
    let mut command = idpas();
    command.arg("relax").arg(data("routes.lp"));
    command.arg("--columns").arg(&columns);
    command.arg("--rows").arg(&rows);
    run(&mut command, 0);
    let columns = std::fs::read_to_string(columns).unwrap();
    assert_eq!(
        columns.lines().next(),
        Some("name,value,reduced_cost,basis")
    );
    assert_eq!(columns.lines().count(), 8);
    assert!(columns.contains("\n\"x[1,2,1]\","));
    let rows = std::fs::read_to_string(rows).unwrap();
    assert_eq!(rows.lines().next(), Some("name,activity,dual,basis"));
    assert!(rows.contains("\nsend[1],1,"));
}

#[test]
fn relax_of_what_has_no_optimum_exits_with_1() {
    for (name, status) in [
        ("infeasible.lp", "infeasible"),
        ("unbounded.lp", "unbounded"),
    ] {
        let mut command = idpas();
        command.arg("relax").arg(data(name));
        let report = json(&run(command.args(["--format", "json"]), 1));
        // Presolve may not tell the two apart.
        let found = report["status"].as_str().unwrap();
        assert!(found.contains(status), "{found}");
        assert!(report["objective"].is_null());
    }
}

#[test]
fn relax_refuses_a_missing_folder_first() {
    let folder = folder();
    let mut command = idpas();
    command.args(["relax", "missing.mps", "--rows"]);
    let output = run(command.arg(folder.path().join("no/r.csv")), 2);
    assert!(stderr(&output).contains("there is no folder"));
}
