//! Bad solution files: each is refused with the line, what was found and what was expected.

#![allow(clippy::unwrap_used)] // the helpers are tests too

use idpas_mip::files::Input;
use idpas_mip::solution::read;
use idpas_mip::{Model, ModelBuilder, Sense, VarKind};

fn model() -> Model {
    let mut b = ModelBuilder::new("", Sense::Minimize);
    for name in ["x", "y"] {
        b.column(name, VarKind::Integer, 0.0, 9.0, 1.0).unwrap();
    }
    b.build().unwrap()
}

fn message(content: &str) -> String {
    let input = Input::bytes("bad.sol", content.as_bytes());
    match read(&input, &model()) {
        Ok(file) => panic!("read as {:?}: {content}", file.solution),
        Err(error) => error.to_string(),
    }
}

/// A HiGHS file up to its columns, which begin at line 8.
fn highs(rest: &str) -> String {
    format!("Model status\nOptimal\n\n# Primal solution values\nFeasible\nObjective 3\n{rest}")
}

#[test]
fn lists() {
    let unknown = "not a file in a known format: it begins as no solution of HiGHS, SCIP, MIPLIB, CPLEX \
                   or Gurobi does, nor with a name and a value";
    for (content, expected) in [
        ("", "bad.sol: the file is empty"),
        ("\n \n", "bad.sol: the file is empty"),
        ("NAME test\nROWS\n", &format!("bad.sol:1: {unknown}")),
        ("\nhello\n", &format!("bad.sol:2: {unknown}")),
        (
            "x 1\nw 2\n",
            "bad.sol:2: the model has no column `w`: is this a solution of another model?",
        ),
        (
            "=obj= 1\nquadobjvar 2\n",
            "bad.sol:2: the model has no column `quadobjvar`: is this a solution of another model?",
        ),
        ("x 1\n\nx 2\n", "bad.sol:3: duplicate column name `x`"),
        (
            "x 1\ny\n",
            "bad.sol:2: expected a column's name and its value, found `y`",
        ),
        (
            "x 1\ny one\n",
            "bad.sol:2: `one` is not a number (the value of column `y`)",
        ),
        (
            "x 1\ny nan\n",
            "bad.sol:2: the value of column `y` is NaN, not a finite number",
        ),
        (
            "=obj= 1\ny 1e999\n",
            "bad.sol:2: the value of column `y` is inf, not a finite number",
        ),
        (
            "=obj= one\nx 1\n",
            "bad.sol:1: `one` is not a number (the objective value)",
        ),
        (
            "=obj= nan\nx 1\n",
            "bad.sol:1: the objective value is NaN, not a finite number",
        ),
        (
            "=best= 1\n",
            "bad.sol:1: expected `=obj=` and the objective value, found `=best= 1`",
        ),
        (
            "=infeas=\n",
            "bad.sol:1: the file holds no solution: it says `=infeas=`",
        ),
        (
            "=unkn=\n",
            "bad.sol:1: the file holds no solution: it says `=unkn=`",
        ),
        (
            "no solution available\n",
            "bad.sol:1: the file holds no solution: it says `no solution available`",
        ),
        (
            "solution status: infeasible\nno solution available\n",
            "bad.sol:2: the file holds no solution: it says `no solution available`",
        ),
        (
            "solution status: x\nobjective value: 1\nx +infinity \t(obj:1)\n",
            "bad.sol:3: the value of column `x` is inf, not a finite number",
        ),
        (
            "objective value: 1\nx unknown \t(obj:1)\n",
            "bad.sol:2: `unknown` is not a number (the value of column `x`)",
        ),
        (
            "# Solution for model demo\n",
            "bad.sol: the file gives no column a value",
        ),
        (
            "x 1\ny\0 2\n",
            "bad.sol:2: this is not UTF-8 text: found byte 0x00 (a binary file?)",
        ),
    ] {
        assert_eq!(message(content), expected, "{content:?}");
    }
}

#[test]
fn highs_files() {
    let cut = "the file ends before all columns that `# Columns` announces: it was cut short";
    let head = |lines: usize| {
        let all = highs("");
        all.lines().take(lines).collect::<Vec<_>>().join("\n")
    };
    for (content, expected) in [
        (
            head(1),
            "bad.sol:1: the file ends before `# Primal solution values`: it was cut short",
        ),
        (
            head(2),
            "bad.sol:2: the file ends before `# Primal solution values`: it was cut short",
        ),
        (
            head(4),
            "bad.sol:4: the file ends before whether the values are feasible: it was cut short",
        ),
        (
            head(5),
            "bad.sol:5: the file ends before `Objective`: it was cut short",
        ),
        (
            head(6),
            "bad.sol:6: the file ends before `# Columns`: it was cut short",
        ),
        (highs("# Columns 2\nx 1\n"), &format!("bad.sol:8: {cut}")),
        (
            highs("# Columns 2\nx 1\n# Rows 1\nc 0\n"),
            &format!("bad.sol:9: {cut}"),
        ),
        (highs("# Columns -2\nx 1 0\n"), &format!("bad.sol:8: {cut}")),
        (
            highs("# Columns many\n"),
            "bad.sol:7: expected `# Columns`, found `# Columns many`",
        ),
        (
            highs("# Rows 2\n"),
            "bad.sol:7: expected `# Columns`, found `# Rows 2`",
        ),
        (
            highs("# Columns 2\nx 1\n\ny 2\n"),
            "bad.sol:9: expected a column's name and its value, found ``",
        ),
        (
            highs("# Columns 2\nx 1\nx 2\n"),
            "bad.sol:9: duplicate column name `x`",
        ),
        (
            highs("# Columns 2\nx 1\nw 2\n"),
            "bad.sol:9: the model has no column `w`: is this a solution of another model?",
        ),
        (
            highs("# Columns -2\nx 1 0\ny 1\n"),
            "bad.sol:9: expected a column's name and its value, found `y`",
        ),
        (
            "Model status\nInfeasible\n\n# Primal solution values\nNone\n".into(),
            "bad.sol:5: the file holds no solution: it says `# Primal solution values: None`",
        ),
        (
            "Model status\nOptimal\nFeasible\n".into(),
            "bad.sol:3: expected `# Primal solution values`, found `Feasible`",
        ),
        (
            "Model status\nOptimal\n\n# Primal solution values\nMaybe\n".into(),
            "bad.sol:5: expected `Feasible`, found `Maybe`",
        ),
    ] {
        assert_eq!(message(&content), expected, "{content:?}");
    }
}

#[test]
fn highs_tables() {
    let head = "Columns\n    Index Status        Lower        Upper       Primal         Dual  Type        Name\n";
    let x = "        0                   0            9            1               Integer     x\n";
    let blank =
        "        0                   0            9                            Integer     x\n";
    for (rest, expected) in [
        (
            x,
            "bad.sol:3: the file ends before `Model status:`: it was cut short",
        ),
        (
            blank,
            "bad.sol:3: the file holds no solution: it says `no primal values in the table`",
        ),
        (
            "   0   1\n",
            "bad.sol:3: expected a line of HiGHS's table, found `0   1`",
        ),
    ] {
        assert_eq!(message(&format!("{head}{rest}")), expected);
    }
    assert_eq!(
        message("Columns\nx 1\n"),
        "bad.sol:2: expected the head of HiGHS's table of columns, found `x 1`"
    );
}

#[test]
fn cplex_files() {
    let head = "<CPLEXSolution version=\"1.2\">\n";
    for (rest, expected) in [
        (
            "<variable name=\"x\" value=\"1\"/>\n",
            "bad.sol:2: the file ends before `</CPLEXSolution>`: it was cut short",
        ),
        (
            "<variable name=\"x\"\n value=\"",
            "bad.sol:3: the file ends before `</CPLEXSolution>`: it was cut short",
        ),
        (
            "<variable name=\"x\"/>\n",
            "bad.sol:2: expected a variable's name and value, found `<variable name=\"x\"/>`",
        ),
        (
            "<variable\n name=\"x\"\n value=\"a\"/>\n",
            "bad.sol:4: `a` is not a number (the value of column `x`)",
        ),
        (
            "<variable name=\"&lt;&amp;&bad;\" value=\"1\"/>\n",
            "bad.sol:2: the model has no column `<&&bad;`: is this a solution of another model?",
        ),
    ] {
        assert_eq!(message(&format!("{head}{rest}")), expected);
    }
}
