//! Writing solutions: the exact text of every format, and that what is written is what is read.

#![allow(clippy::unwrap_used)] // the helpers are tests too

use idpas_mip::files::Input;
use idpas_mip::solution::{Dialect, Solution, SolutionFormat, read, write, write_file};
use idpas_mip::{Model, ModelBuilder, Sense, VarKind, WriteError};
use proptest::prelude::*;

fn model() -> Model {
    let mut b = ModelBuilder::new("demo", Sense::Minimize);
    b.objective("cost", 0.5);
    let x = b.column("x", VarKind::Integer, 0.0, 10.0, 1.0).unwrap();
    let y = b.column("y", VarKind::Continuous, -1.0, 1.0, 0.0).unwrap();
    let z = b
        .column("z z", VarKind::Continuous, 0.0, 1e9, -2.5)
        .unwrap();
    b.row("c1", 1.0, 10.0, [(x, 1.0), (y, 1.0)]).unwrap();
    b.row("c2", f64::NEG_INFINITY, 1e9, [(z, 1e7)]).unwrap();
    b.build().unwrap()
}

fn written(
    model: &Model,
    solution: &Solution,
    format: SolutionFormat,
) -> Result<String, WriteError> {
    let mut out = Vec::new();
    write(model, solution, format, "out.sol", &mut out)?;
    Ok(String::from_utf8(out).unwrap())
}

#[test]
fn every_format_looks_as_its_solver_writes_it() {
    let solution = Solution {
        values: vec![3.0, -0.0, 1e-7],
        objective: Some(99.0),
        status: Some("Optimal".into()),
    };
    let text = |format| written(&model(), &solution, format).unwrap();
    assert_eq!(
        text(SolutionFormat::Highs),
        "Model status\nOptimal\n\n# Primal solution values\nFeasible\nObjective 3.49999975\n\
         # Columns 3\nx 3\ny 0\nz z 1e-7\n# Rows 2\nc1 3\nc2 1\n\n# Dual solution values\nNone\n\n\
         # Basis\nHiGHS_basis_file v2\nNone\n"
    );
    assert_eq!(
        text(SolutionFormat::Scip),
        "solution status: Optimal\nobjective value: 3.49999975\nx 3 \t(obj:1)\nz z 1e-7 \t(obj:-2.5)\n"
    );
    assert_eq!(
        text(SolutionFormat::Miplib),
        "=obj= 3.49999975\nx 3\nz z 1e-7\n"
    );
    assert_eq!(
        text(SolutionFormat::Gurobi),
        "# Solution for model demo\n# Objective value = 3.49999975\nx 3\ny 0\nz z 1e-7\n"
    );
    assert_eq!(SolutionFormat::default(), SolutionFormat::Highs);
}

#[test]
fn highs_is_told_whether_the_values_are_feasible() {
    let text = written(
        &model(),
        &Solution::new(vec![99.0, 0.0, 0.0]),
        SolutionFormat::Highs,
    )
    .unwrap();
    assert!(text.starts_with("Model status\nUnknown\n\n# Primal solution values\nInfeasible\n"));
}

#[test]
fn what_no_reader_could_use_is_refused() {
    let refused = |x: &[f64]| {
        let solution = Solution::new(x.to_vec());
        written(&model(), &solution, SolutionFormat::Miplib)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        refused(&[1.0]),
        "out.sol: the solution has 1 values where the model has 3 columns"
    );
    assert_eq!(
        refused(&[1.0, f64::NAN, 0.0]),
        "out.sol: the value of column `y` is NaN, not a finite number"
    );
    for (name, format, reason) in [
        ("a\nb", SolutionFormat::Highs, "it has a control character"),
        (
            " a",
            SolutionFormat::Scip,
            "it is empty, or begins or ends with a space",
        ),
        ("#a", SolutionFormat::Gurobi, "`#` begins a comment"),
    ] {
        let mut b = ModelBuilder::new("", Sense::Minimize);
        b.column(name, VarKind::Continuous, 0.0, 1.0, 0.0).unwrap();
        let message = written(&b.build().unwrap(), &Solution::new(vec![0.0]), format)
            .unwrap_err()
            .to_string();
        let format = format.as_str();
        let expected =
            format!("column name `{name}` cannot be written in {format} format: {reason}");
        assert_eq!(message, expected);
    }
}

#[test]
fn files_are_whole_compressed_by_ending_or_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let solution = Solution::new(vec![1.0, 0.25, 2.0]);
    for name in ["a.sol", "a.sol.gz"] {
        let path = folder.path().join(name);
        write_file(&model(), &solution, SolutionFormat::default(), &path).unwrap();
        let gzip = std::fs::read(&path).unwrap().starts_with(&[0x1f, 0x8b]);
        assert_eq!(gzip, name.ends_with(".gz"));
        let back = read(&Input::path(&path), &model()).unwrap();
        assert_eq!(back.solution.values, solution.values);
    }
    let bad = Solution::new(vec![f64::INFINITY; 3]);
    let path = folder.path().join("b.sol");
    assert!(write_file(&model(), &bad, SolutionFormat::Gurobi, &path).is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

fn finite() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<u64>()
            .prop_map(f64::from_bits)
            .prop_filter("finite", |x| x.is_finite()),
        (-5i8..5).prop_map(f64::from),
        -1e6..1e6f64,
        Just(-0.0),
    ]
}

proptest! {
    #[test]
    fn what_is_written_is_read_back_bit_by_bit(
        columns in prop::collection::btree_map("[!-~]([ -~]{0,8}[!-~])?", finite(), 1..12),
        cost in finite(),
    ) {
        let mut b = ModelBuilder::new("m", Sense::Maximize);
        for name in columns.keys() {
            b.column(name, VarKind::Continuous, f64::NEG_INFINITY, f64::INFINITY, cost).unwrap();
        }
        let model = b.build().unwrap();
        let solution = Solution::new(columns.values().copied().collect());
        for format in SolutionFormat::ALL {
            let text = match written(&model, &solution, format) {
                Err(WriteError::Name { reason: "`#` begins a comment", .. }) => continue,
                text => text.unwrap(),
            };
            let back = read(&Input::bytes("a.sol", text.as_bytes()), &model).unwrap();
            let expected = match format {
                SolutionFormat::Highs => Dialect::Highs,
                SolutionFormat::Scip => Dialect::Scip,
                SolutionFormat::Miplib => Dialect::Miplib,
                _ => Dialect::Gurobi,
            };
            prop_assert_eq!(back.dialect, expected);
            for (read, wrote) in back.solution.values.iter().zip(&solution.values) {
                prop_assert_eq!(read.to_bits(), (wrote + 0.0).to_bits(), "{}", text);
            }
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(
        head in prop::sample::select(vec![
            "", "=obj= 1\n", "solution status: x\n", "# \n", "Columns\n Index Status Lower Upper Primal Dual Type Name\n",
            "<CPLEXSolution>\n", "Model status\n\n# Primal solution values\nFeasible\nObjective 1\n# Columns 2\n",
        ]),
        rest in "([xyz0-9 #<>&;='\"/\n\té]|name=|value=|variable|\\(obj:){0,60}",
    ) {
        let _ = read(&Input::bytes("a.sol", format!("{head}{rest}").as_bytes()), &model());
    }
}

#[test]
fn a_status_is_no_heading() {
    let model = model();
    let mut solution = Solution::new(vec![1.0, 0.5, 0.0]);
    solution.status = Some("# Primal solution values".into());
    let text = written(&model, &solution, SolutionFormat::Highs).unwrap();
    let again = read(&Input::bytes("a.sol", text.into_bytes()), &model).unwrap();
    assert_eq!(again.solution.values, solution.values);
}
