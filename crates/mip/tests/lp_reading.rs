//! LP files as the known tools write them, and files that are wrong.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

use std::fmt::Write;
use std::path::{Path, PathBuf};

use idpas_mip::files::Input;
use idpas_mip::{Model, Parsed, ReadError, lp};
use idpas_testing::shared_data;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/lp")
        .join(name)
}

fn read(text: &str) -> Result<Parsed, ReadError> {
    lp::read(&Input::bytes("m.lp", text.as_bytes()))
}

fn model(text: &str) -> Model {
    let model = read(text).unwrap_or_else(|e| panic!("{e}\n{text}")).model;
    model.validate().unwrap();
    model
}

fn error(text: &str) -> String {
    match read(text) {
        Ok(parsed) => panic!("read {text:?} as\n{}", dump(&parsed.model)),
        Err(error) => error.to_string(),
    }
}

/// Everything a model says, in a form that is quick to compare by eye.
fn dump(model: &Model) -> String {
    let mut out = String::new();
    let (name, sense, objective) = (&model.name, model.sense.as_str(), &model.objective_name);
    writeln!(
        out,
        "{name}: {sense} {objective} {:+}",
        model.objective_constant
    )
    .unwrap();
    let columns = &model.columns;
    for j in 0..model.num_columns() {
        let kind = if model.is_integer(j) { " int" } else { "" };
        let (lower, upper) = (columns.lower[j], columns.upper[j]);
        writeln!(
            out,
            "{}{kind} [{lower}, {upper}] {:+}",
            columns.names.get(j),
            columns.cost[j]
        )
        .unwrap();
    }
    let by_row = model.matrix.transposed(model.num_rows());
    for i in 0..model.num_rows() {
        let (lower, upper) = (model.rows.lower[i], model.rows.upper[i]);
        write!(out, "{}: [{lower}, {upper}]", model.rows.names.get(i)).unwrap();
        for (j, value) in by_row.entries(i) {
            write!(out, " {value:+} {}", columns.names.get(j)).unwrap();
        }
        out.push('\n');
    }
    out
}

/// The rows and columns of `dump`, for a model given by its constraints and what follows them.
fn rows(constraints: &str) -> String {
    let text = dump(&model(&format!("min\n obj:\nst\n{constraints}\nend\n")));
    text.split_once('\n')
        .unwrap()
        .1
        .trim_end()
        .replace('\n', "; ")
}

#[test]
fn reads_what_each_tool_writes() {
    for (file, expected) in [
        (
            "gurobi.lp",
            "plant: minimize obj +0
x[1,1] int [0, 40] +3
x[1,2] [-5, 5] +2
y(b) [-inf, inf] -1
open[VND-03] int [0, 1] +4
Constant [1, 1] +10
idle [0, inf] +0
RgR2 [0, 7] +0
demand[1]: [2, inf] +1 x[1,1] +1 x[1,2] +1 y(b)
demand[2]: [-inf, 4] +1 x[1,1] -1 x[1,2]
R2: [8, 8] +1 x[1,1] +15 open[VND-03] +1 RgR2
nothing: [-3, inf]
",
        ),
        (
            "cplex.lp",
            "plant: minimize obj1 +10
x1 int [0, 40] +3
x2 [-5, 5] +2
y [-inf, inf] -1
open#3 int [0, 1] +4
Rgc3 [0, 7] +0
y2 [2, inf] +0
c1: [2, inf] +1 x1 +1 x2 +1 y
c2: [-inf, 4] +1 x1 -1 x2
c3: [1, 1] +1 x1 +15 open#3 -1 Rgc3
c4: [-inf, 100] +1 x1 +1 x2
",
        ),
        (
            "scip.lp",
            "plant.cip: minimize Obj +10
t_x1 int [0, 40] +3
t_x2 [-5, 5] +2
t_y [-inf, inf] -1
t_open int [0, 1] +4
demand: [2, inf] +1 t_x1 +1 t_x2 +1 t_y
c2: [-inf, 4] +1 t_x1 -1 t_x2
c3_lhs: [1, inf] +1 t_x1 +15 t_open
c3_rhs: [-inf, 8] +1 t_x1 +15 t_open
both: [-3, inf] +1 t_x1 +1 t_x2
",
        ),
        (
            "highs.lp",
            ": maximize obj +10
x1 int [0, 40] +3
x2 [-5, 5] +2
y [-inf, inf] -1
open int [0, 1] +4
shut int [0, 0] +0
low [-inf, -2] +0
demand: [2, inf] +1 x1 +1 x2 +1 y
c2: [-inf, 4] +1 x1 -1 x2
c3lo: [1, inf] +1 x1 +15 open
c3up: [-inf, 8] +1 x1 +15 open
none: [-inf, 5]
",
        ),
        (
            "pyomo.lp",
            ": minimize cost +0
x(1) int [0, 40] +3
x(2) [-5, inf] +2
y [-inf, inf] -1
ONE_VAR_CONSTANT [0, inf] +10
c_l_demand_: [2, inf] +1 x(1) +1 x(2) +1 y
r_l_c3_: [1, inf] +1 x(1) -15 x(2)
c_e_ONE_VAR_CONSTANT: [1, 1] +1 ONE_VAR_CONSTANT
",
        ),
        (
            "pulp.lp",
            ": maximize OBJ +0
x_0 int [0, 4] -1
x_1 [-5, inf] +3
__dummy [0, 0] +0
_C1: [-inf, 7] +2 x_0 +1 x_1
_C2: [-inf, inf] +1 x_0 -1 __dummy
",
        ),
    ] {
        let model = lp::read(&Input::path(data(file))).unwrap().model;
        model.validate().unwrap();
        assert_eq!(dump(&model), expected, "{file}");
    }
}

#[test]
fn reads_the_spellings_of_terms() {
    for (text, coefficients) in [
        ("3 x + y", [3.0, 1.0]),
        ("3x+y", [3.0, 1.0]),
        ("3 * x + 1*y", [3.0, 1.0]),
        ("+ - 3 x - -3 y", [-3.0, 3.0]),
        ("+-+3x--+-y", [-3.0, -1.0]),
        ("- x + 2\n\n y", [-1.0, 2.0]),
        ("3\\ three\nx\\ x\n+\ny", [3.0, 1.0]),
        ("1.5e2x 2e-1 y", [150.0, 0.2]),
        ("2 x 3 y", [2.0, 3.0]),
        (".5 x + 5. y", [0.5, 5.0]),
        ("0 x + y", [0.0, 1.0]),
    ] {
        let model = model(&format!("Minimize obj: {text}\nEnd"));
        assert_eq!(model.columns.cost, coefficients, "{text}");
        assert_eq!(model.objective_constant, 0.0, "{text}");
    }
}

#[test]
fn reads_objectives_without_terms_and_with_constants() {
    for (text, name, constant) in [
        ("Minimize\n obj:\nSubject To\nEnd", "obj", 0.0),
        ("min\nst\nend", "obj", 0.0),
        ("MAXIMUM profit : 5\nend", "profit", 5.0),
        ("max: 5 - 2 + 1\nend", "obj", 4.0),
        ("minimise x - 2.5 + 1\ns.t.\nend", "obj", -1.5),
        ("\u{feff}min 0 end", "obj", 0.0),
    ] {
        let model = model(text);
        assert_eq!(
            (model.objective_name.as_str(), model.objective_constant),
            (name, constant),
            "{text}"
        );
    }
}

#[test]
fn reads_the_spellings_of_rows() {
    for (text, expected) in [
        (
            "x + y <= 5",
            "x [0, inf] +0; y [0, inf] +0; c1: [-inf, 5] +1 x +1 y",
        ),
        (
            "a: x < 5 b: x => 2\nc: x =< 3 d: x == 1",
            "x [0, inf] +0; a: [-inf, 5] +1 x; b: [2, inf] +1 x; c: [-inf, 3] +1 x; d: [1, 1] +1 x",
        ),
        (
            "r: -5 <= x + y <= 5",
            "x [0, inf] +0; y [0, inf] +0; r: [-5, 5] +1 x +1 y",
        ),
        ("8 >= x >= -inf", "x [0, inf] +0; c1: [-inf, 8] +1 x"),
        (
            "-1e30 <= 2 x\n - 3\n y <=\n +infinity",
            "x [0, inf] +0; y [0, inf] +0; c1: [-inf, inf] +2 x -3 y",
        ),
        (
            "3 <= x\n4 <= y",
            "x [0, inf] +0; y [0, inf] +0; c1: [3, inf] +1 x; c2: [4, inf] +1 y",
        ),
        (
            "x <= 5\n2 y >= 0\n-x >= -3\n+ y <= 2",
            "x [0, inf] +0; y [0, inf] +0; c1: [-inf, 5] +1 x; c2: [0, inf] +2 y; c3: [-3, inf] -1 x; c4: [-inf, 2] +1 y",
        ),
        (
            "x <= 2 y + 4",
            "x [0, inf] +0; y [0, inf] +0; c1: [-inf, 4] +1 x -2 y",
        ),
        (
            "x - 1 <= y\n - 3 x",
            "x [0, inf] +0; y [0, inf] +0; c1: [-inf, 1] +4 x -1 y",
        ),
        ("c: 0 x >= -3", "x [0, inf] +0; c: [-3, inf]"),
        (
            "c: 2 x - 2 x + y >= 1",
            "x [0, inf] +0; y [0, inf] +0; c: [1, inf] +1 y",
        ),
        ("c: 0 >= -3", "c: [-3, inf]"),
        ("c:\n >= -3", "c: [-3, inf]"),
        (
            "c:\n\n  x\n  =\n  -\n  3",
            "x [0, inf] +0; c: [-3, -3] +1 x",
        ),
        (
            "12: x >= 1\n end: x >= 2\n x[a:b]: x >= 3",
            "x [0, inf] +0; 12: [1, inf] +1 x; end: [2, inf] +1 x; x[a:b]: [3, inf] +1 x",
        ),
        (
            "max >= 3\n c: x + end\n + bin <= 1",
            "max [0, inf] +0; x [0, inf] +0; end [0, inf] +0; bin [0, inf] +0; c1: [3, inf] +1 max; c: [-inf, 1] +1 x +1 end +1 bin",
        ),
        ("y[A>B]>=1", "y[A>B] [0, inf] +0; c1: [1, inf] +1 y[A>B]"),
        (
            "x >= 1\n c1: x >= 2",
            "x [0, inf] +0; c1_1: [1, inf] +1 x; c1: [2, inf] +1 x",
        ),
        (
            "3 e1 + 3e1x >= 2e1",
            "e1 [0, inf] +0; x [0, inf] +0; c1: [20, inf] +3 e1 +30 x",
        ),
    ] {
        assert_eq!(rows(text), expected, "{text}");
    }
}

#[test]
fn puts_the_two_sides_of_a_written_range_together() {
    let mark = "\n\\ The row above is a range with the upper side\n";
    for (text, expected) in [
        (
            format!("r: x >= 1{mark} r_up: x <= 4\n s: x >= 0"),
            "x [0, inf] +0; r: [1, 4] +1 x; s: [0, inf] +1 x",
        ),
        (
            format!("r: x >= 1{mark} x <= 4\n x >= 0"),
            "x [0, inf] +0; r: [1, 4] +1 x; c2: [0, inf] +1 x",
        ),
        // Whatever else follows the comment is a row of its own.
        (
            format!("r: x >= 1{mark} s: 2 x <= 4"),
            "x [0, inf] +0; r: [1, inf] +1 x; s: [-inf, 4] +2 x",
        ),
        (
            format!("r: x >= 1{mark} s: x >= 4"),
            "x [0, inf] +0; r: [1, inf] +1 x; s: [4, inf] +1 x",
        ),
        (
            format!("{mark} s: x >= 4"),
            "x [0, inf] +0; s: [4, inf] +1 x",
        ),
    ] {
        assert_eq!(rows(&text), expected, "{text}");
    }
}

#[test]
fn reads_the_spellings_of_bounds() {
    for (text, expected) in [
        ("x free", "[-inf, inf]"),
        ("x FREE", "[-inf, inf]"),
        ("x <= 4", "[0, 4]"),
        ("x >= 2", "[2, inf]"),
        ("x < 4 x > 2", "[2, 4]"),
        ("2 <= x <= 4", "[2, 4]"),
        ("4 >= x >= 2", "[2, 4]"),
        ("4 >= x\n2 <= x", "[2, 4]"),
        ("x = 3", "[3, 3]"),
        ("3 = x", "[3, 3]"),
        ("x = -3", "[-3, -3]"),
        ("-inf <= x <= 5", "[-inf, 5]"),
        ("x >= -infinity", "[-inf, inf]"),
        ("- 1e30 <= x <= 1e20", "[-inf, inf]"),
        ("x <= -1\nx >= -5", "[-5, -1]"),
        ("-5 <= x\n\n<= - +4", "[-5, -4]"),
        ("x >= 1 x <= 2 Generals x", "int [1, 2]"),
        ("Generals\n x", "int [0, inf]"),
        ("Binaries\n x", "int [0, 1]"),
        ("x = 0\nBinaries\n x", "int [0, 0]"),
        ("bin\n x\nbounds\n x >= 1", "int [1, 1]"),
        ("x free\nbin\n x", "int [0, 1]"),
        ("x <= 5\nbin\n x\ngen x", "int [0, 1]"),
    ] {
        let text = format!("min x\nst\nbounds\n{text}\nend");
        let dump = dump(&model(&text));
        let column = dump.lines().nth(1).unwrap();
        assert_eq!(column, format!("x {expected} +1"), "{text}");
    }
}

#[test]
fn sections_may_be_spelled_in_many_ways() {
    let rows = ["subject to", "Such That", "ST", "s.t.", "st."];
    let (bounds, integers) = (
        ["bounds", "Bound"],
        ["general", "GENERALS", "gen", "integer", "Integers", "int"],
    );
    let binaries = ["binary", "Binaries", "BIN"];
    for i in 0..6 {
        let text = format!(
            "minimum x + y {} c: x + y >= 1\n{} x <= 3\n{} x\n{} y\nsemi\nSEMI-continuous\nsos1\nSOS2\nEND",
            rows[i % 5],
            bounds[i % 2],
            integers[i],
            binaries[i % 3]
        );
        let expected =
            ": minimize obj +0\nx int [0, 3] +1\ny int [0, 1] +1\nc: [1, inf] +1 x +1 y\n";
        assert_eq!(dump(&model(&text)), expected, "{text}");
    }
}

#[test]
fn warns_of_what_is_odd() {
    for (text, expected) in [
        (
            "min x + x\nend",
            "1: variable `x` is in the objective more than once: its coefficients are added",
        ),
        (
            "min\nst\n c: x + y\n - x >= 1\nend",
            "4: variable `x` is in row `c` more than once: its coefficients are added",
        ),
        (
            "min\nst\n c: x + 3 >= 1\nend",
            "3: row `c` has the constant 3 among its variables: it is moved to the other side",
        ),
        (
            "min\nst\n 1 <= x + 3 <= 4\nend",
            "3: constraint number 1 has the constant 3 among its variables: it is moved to the other side",
        ),
        (
            "min x\nst\nbounds\n x <= 3\n x <= 4\nend",
            "5: the upper bound of `x` is given again: the last one counts",
        ),
        (
            "min x\nst\ngen\n y\nend",
            "4: variable `y` is in neither the objective nor a constraint",
        ),
        (
            "min x\nst\nbounds\n x <= 2\nbin\n x\nend",
            "4: the bounds [0, 2] of the binary variable `x` are narrowed to 0 and 1",
        ),
        ("min x\nend\n\\ fine\nmore", "4: text after End is ignored"),
    ] {
        let warnings = read(text).unwrap().warnings;
        let [warning] = &warnings[..] else {
            panic!("{text}: {warnings:?}")
        };
        assert_eq!(
            format!("{}: {}", warning.line.unwrap(), warning.message),
            expected,
            "{text}"
        );
    }
}

const UNSUPPORTED: &str =
    "is not supported: only linear models with continuous and integer variables are";

#[test]
fn refuses_what_is_not_linear() {
    for (text, line, feature) in [
        (
            "min [ x^2 ] / 2\nend",
            1,
            "a quadratic expression (`[ … ]`)",
        ),
        ("min x^2\nend", 1, "a power (`^`)"),
        ("min\n x * y\nend", 2, "a product of variables (`*`)"),
        (
            "min x\nst\n c: b = 1 -> x <= 3\nend",
            3,
            "an indicator constraint (`->`)",
        ),
        (
            "min x\nst\n c: b = 1 <-> x <= 3\nend",
            3,
            "an indicator constraint (`->`)",
        ),
        (
            "min x\nsemi-continuous\n x\nend",
            3,
            "a semi-continuous variable (`x`)",
        ),
        (
            "min x\nSemis\n x\nend",
            3,
            "a semi-continuous variable (`x`)",
        ),
        (
            "min x\nSOS\ns1: S1:: x:1 y:2\nend",
            3,
            "a special ordered set (SOS) (`s1`)",
        ),
        (
            "min x\nSOS2\ns1: x:1 y:2\nend",
            3,
            "a special ordered set (SOS) (`s1`)",
        ),
        (
            "min x\nPWLObj\n x: (0, 1)\nend",
            3,
            "a piecewise-linear objective (`x`)",
        ),
        (
            "min x\nGeneral Constraints\n g: x = MAX ( y , z )\nend",
            3,
            "a general constraint (`g`)",
        ),
        (
            "min x\nLazy Constraints\n l: x >= 1\nend",
            3,
            "a lazy constraint (`l`)",
        ),
        ("min x\nUser Cuts\n l: x >= 1\nend", 3, "a user cut (`l`)"),
        (
            "min multi-objectives\n OBJ0: Priority=2\nend",
            2,
            "more than one objective (`OBJ0`)",
        ),
        ("min x\nmax y\nend", 2, "a second objective (`max`)"),
    ] {
        assert_eq!(
            error(text),
            format!("m.lp:{line}: {feature} {UNSUPPORTED}"),
            "{text}"
        );
    }
}

#[test]
fn says_what_is_wrong_and_where() {
    let sections = "expected Subject To, Bounds, Generals, Binaries or End";
    let unknown_foo = format!("2: unknown section `Foo`; {sections}");
    let unknown_foo_4 = format!("4: unknown section `Foo`; {sections}");
    for (text, expected) in [
        // The whole.
        (
            "\\ only\n",
            "1: the file ends before Minimize or Maximize: it was cut short",
        ),
        (
            "min x\nst\n c: x >= 1\n",
            "3: the file ends before End: it was cut short",
        ),
        (
            "min x\nst\n c: x >=",
            "3: the file ends before End: it was cut short",
        ),
        (
            "hello world\n",
            "1: unknown section `hello`; expected Minimize or Maximize",
        ),
        (
            "st\n c: x >= 1\nend",
            "1: unknown section `st`; expected Minimize or Maximize",
        ),
        (
            "3 x\n",
            "1: found the number 3; expected Minimize or Maximize",
        ),
        ("min x\nFoo\nst\nend", unknown_foo.as_str()),
        (
            "min x\nst\n c: x >= 1\nFoo\n y >= 1\nend",
            unknown_foo_4.as_str(),
        ),
        (
            "min x\nst\nbounds\nFoo\n x >= 1\nend",
            unknown_foo_4.as_str(),
        ),
        // Expressions.
        (
            "min 2 3 x\nend",
            "1: found the number 3 after the number 2; expected an operator or a name between them",
        ),
        (
            "min 2 x y\nend",
            "1: found `y` right after another name; expected an operator between them",
        ),
        (
            "min x +\nst\nend",
            "2: nothing follows the sign before the next section; expected a number or a name",
        ),
        (
            "min 2 * 3 x\nend",
            "1: found the number 3; expected a number or a name",
        ),
        ("min * x\nend", "1: found `*`; expected a number or a name"),
        (
            "min x c: y\nend",
            "1: found the label `c:` in the objective; expected Subject To before the first constraint",
        ),
        (
            "min x\n x >= 2\nend",
            "2: found `x` right after another name; expected an operator between them",
        ),
        (
            "min x / 2\nend",
            "1: unexpected `/`; expected a number, a name or an operator",
        ),
        (
            "min nan x\nend",
            "1: the coefficient of `x` in the objective is NaN, not a finite number",
        ),
        (
            "min 1e999 x\nend",
            "1: the coefficient of `x` in the objective is inf, not a finite number",
        ),
        (
            "min x + inf\nst\nend",
            "2: the objective constant is inf, not a finite number",
        ),
        // Rows.
        (
            "min x\nst\n c: x\n - inf y >= 1\nend",
            "4: the coefficient of `y` in row `c` is -inf, not a finite number",
        ),
        (
            "min x\nst\n c: 1e308 x + 1e308 x >= 1\nend",
            "3: the coefficient of `x` in row `c` is inf, not a finite number",
        ),
        (
            "min x\nst\n c: x >= 1\n c: x >= 2\nend",
            "4: duplicate row name `c`",
        ),
        (
            "min x\nst\n c: x + y\n d: x >= 1\nend",
            "4: found the label `d:` in row `c`; expected a comparison first",
        ),
        (
            "min x\nst\n c: x >=\n d: x >= 1\nend",
            "4: found the label `d:` in row `c`; expected a right-hand side first",
        ),
        (
            "min x\nst\n c: x + y\nbounds\nend",
            "4: found the section `bounds` in row `c`; expected a comparison first",
        ),
        (
            "min x\nst\n c:\nend",
            "4: found the section `end` in row `c`; expected a comparison first",
        ),
        (
            "min x\nst\n x 3\nend",
            "4: found the section `end` in constraint number 1; expected a comparison first",
        ),
        (
            "min x\nst\n c: 5 <= x <= 3\nend",
            "3: row `c` has crossed bounds: lower 5 is above upper 3",
        ),
        (
            "min x\nst\n c: x >= inf\nend",
            "3: row `c` has bounds [inf, inf], which no value can satisfy",
        ),
        (
            "min x\nst\n c: x = -1e30\nend",
            "3: row `c` has bounds [-inf, -inf], which no value can satisfy",
        ),
        (
            "min x\nst\n c: x >= nan\nend",
            "3: row `c` has bounds [NaN, inf], which no value can satisfy",
        ),
        (
            "min x\nst\n c: x + inf >= 1\nend",
            "3: the constant among the variables of row `c` is inf, not a finite number",
        ),
        (
            "min x\nst\n c: 1 <= x >= 3\nend",
            "3: the comparisons of row `c` do not make a range; expected `a <= … <= b` or `b >= … >= a`",
        ),
        (
            "min x\nst\n c: 1 <= x <= y\nend",
            "3: found variables behind the second comparison of row `c`; expected a number",
        ),
        (
            "min x\nst\n c: x <= y <= 3\nend",
            "3: found a second comparison, but the first has variables on its left, in row `c`",
        ),
        (
            "min x\nst\n c: 1 <= x <= 2 <= 3\nend",
            "3: found a third comparison in row `c`",
        ),
        (
            "min x\nst\n c: x <= >= 3\nend",
            "3: found two comparisons with nothing between them in row `c`",
        ),
        (
            "min x\nst\n c: y[A >B] >= 1\nend",
            "3: found a second comparison, but the first has variables on its left, in row `c`",
        ),
        // Bounds and lists.
        (
            "min x\nbounds\n x <= -1\nend",
            "3: column `x` (whose lower bound is 0 unless given) has crossed bounds: lower 0 is above upper -1",
        ),
        (
            "min x\nbounds\n 3 <= x\n x <= 2\nend",
            "4: column `x` has crossed bounds: lower 3 is above upper 2",
        ),
        (
            "min x\nbounds\n x >= 2\nbin\n x\nend",
            "3: column `x` has crossed bounds: lower 2 is above upper 1",
        ),
        (
            "min x\nbounds\n x >= inf\nend",
            "3: column `x` has bounds [inf, inf], which no value can satisfy",
        ),
        (
            "min x\nbounds\n x = nan\nend",
            "3: the bound of `x` is NaN, not a finite number",
        ),
        (
            "min x\nbounds\n 2 x <= 8\nend",
            "3: found `x` in `Bounds`; expected a comparison",
        ),
        (
            "min x\nbounds\n x y\nend",
            "3: found `y` in `Bounds`; expected a comparison or `free`",
        ),
        (
            "min x\nbounds\n x <= y\nend",
            "3: found `y` in `Bounds`; expected a number",
        ),
        (
            "min x\nbounds\n x <= - y\nend",
            "3: found `y` after a sign in `Bounds`; expected a number",
        ),
        (
            "min x\nbounds\n 1 <= x >= 0\nend",
            "3: the comparisons around `x` do not make a range; expected `a <= x <= b`",
        ),
        (
            "min x\nbounds\n x <=\n\nend",
            "3: the last bound is incomplete; expected `x <= 4`, `2 <= x <= 4` or `x free`",
        ),
        (
            "min x\nbounds\n 3\n\nend",
            "3: the last bound is incomplete; expected `x <= 4`, `2 <= x <= 4` or `x free`",
        ),
        (
            "min x\nbounds\n b: x <= 1\nend",
            "3: found the label `b:` in `Bounds`; expected a variable or a number",
        ),
        (
            "min x\ngen\n x + y\nend",
            "3: found `+` in `Generals`; expected the name of a variable",
        ),
        (
            "min x\nbin\n x 3\nend",
            "3: found the number 3 in `Binaries`; expected the name of a variable",
        ),
    ] {
        assert_eq!(error(text), format!("m.lp:{expected}"), "{text}");
    }
}

/// Breaks lines between words where they would be longer than Gurobi's.
fn wrapped(words: &[String]) -> String {
    let mut text = String::new();
    let mut length = 0;
    for word in words {
        if length + 1 + word.len() > 78 {
            text.push_str("\n  ");
            length = 2;
        }
        text.push(' ');
        text.push_str(word);
        length += 1 + word.len();
    }
    text.push('\n');
    text
}

/// Thousands of rows in the layout that Gurobi writes, with the numbers in them known by a rule.
#[test]
fn reads_a_large_file_in_the_layout_of_gurobi() {
    const SLOTS: usize = 60;
    let x = |i: usize, s: usize| format!("x[{i},{s}]");
    let cost = |i: usize, s: usize| ((7 * i + 3 * s) % 11) as f64;
    let mut text =
        String::from("\\ Model Scheduler\n\\ LP format - for model browsing.\nMinimize\n");
    text.push_str(&wrapped(&["  10 late".into(), "+ 2.5 early".into()]));
    text.push_str("Subject To\n");
    for i in 1..=SLOTS {
        let mut words = vec![format!("each_i[{i}]:"), x(i, 1)];
        words.extend((2..=SLOTS).map(|s| format!("+ {}", x(i, s))));
        words.push("= 1".into());
        text.push_str(&wrapped(&words));
    }
    for i in 1..=SLOTS {
        for s in 1..=SLOTS {
            let words = [
                format!("R{}:", SLOTS * i + s),
                format!("- {} {}", 2 * s, x(i, s)),
                "+ early".into(),
                ">= -1e+02".into(),
            ];
            text.push_str(&wrapped(&words));
        }
    }
    let mut words = vec!["pen1:".to_owned(), "- late".into()];
    for i in 1..=SLOTS {
        for s in (1..=SLOTS).filter(|&s| cost(i, s) != 0.0) {
            words.push(format!("+ {} {}", cost(i, s), x(i, s)));
        }
    }
    words.push("= 0".into());
    text.push_str(&wrapped(&words));
    let all = (1..=SLOTS).flat_map(|i| (1..=SLOTS).map(move |s| x(i, s)));
    let names = wrapped(&all.collect::<Vec<String>>());
    text.push_str(&format!(
        "Bounds\nBinaries\n{names}Generals\n late early\nEnd\n"
    ));

    let Parsed { model, warnings } = read(&text).unwrap();
    model.validate().unwrap();
    assert_eq!((model.name.as_str(), warnings.len()), ("Scheduler", 0));
    let shape = model.shape();
    assert_eq!(shape.rows, SLOTS + SLOTS * SLOTS + 1);
    assert_eq!((shape.binaries, shape.integers), (SLOTS * SLOTS, 2));
    assert_eq!(model.columns.names.get(0), "late");
    assert_eq!(model.columns.cost[..3], [10.0, 2.5, 0.0]);
    let row = |name: &str| model.rows.names.find(name).unwrap();
    let penalty = row("pen1");
    for i in 1..=SLOTS {
        for s in 1..=SLOTS {
            let j = model.columns.names.find(&x(i, s)).unwrap();
            let mut entries: Vec<(usize, f64)> = model.matrix.entries(j).collect();
            let mut expected = vec![
                (row(&format!("each_i[{i}]")), 1.0),
                (row(&format!("R{}", SLOTS * i + s)), -2.0 * s as f64),
                (penalty, cost(i, s)),
            ];
            expected.retain(|(_, value)| *value != 0.0);
            entries.sort_by_key(|(i, _)| *i);
            assert_eq!(entries, expected, "{}", x(i, s));
        }
    }
}

/// Files of the kind that other people's collections test readers with.
#[test]
fn reads_small_corner_cases() {
    let read = |name: &str| lp::read(&Input::path(data("../corner").join(name)));
    assert_eq!(
        dump(&read("held_binary.lp").unwrap().model),
        ": maximize gain +0\na int [0, 0] +4\nb int [0, inf] +1\none: [-inf, 2] +1 a +1 b\n"
    );
    assert_eq!(
        dump(&read("no_newline.lp").unwrap().model),
        ": minimize obj +0\nu [0, inf] +1\nv [0, inf] +2\npair: [3, inf] +1 u +1 v\n"
    );
    let error = read("semi_continuous.lp").unwrap_err().to_string();
    assert!(
        error.ends_with(&format!(
            "semi_continuous.lp:10: a semi-continuous variable (`x`) {UNSUPPORTED}"
        )),
        "{error}"
    );
    let error = read("noise.lp").unwrap_err().to_string();
    assert!(error.contains("noise.lp:2: "), "{error}");
}

#[test]
fn reads_a_large_file_written_by_gurobi() {
    let Some(path) = shared_data("course/blockseq_n200_seed42.lp.gz") else {
        return;
    };
    let Parsed { model, warnings } = lp::read(&Input::path(path)).unwrap();
    model.validate().unwrap();
    assert_eq!(model.name, "Scheduler");
    let shape = model.shape();
    assert_eq!((shape.rows, warnings.len()), (15_565, 0));
    assert_eq!(model.columns.names.get(0), "triple_in_day");
}

#[test]
fn reads_the_shared_small_files() {
    let Some(folder) = shared_data("mps") else {
        return;
    };
    let read_shared = |name: &str| lp::read(&Input::path(folder.join(name)));
    assert_eq!(
        dump(&read_shared("fixed-binary.lp").unwrap().model),
        ": minimize obj +0\nx1 int [0, 0] -1\n"
    );
    assert_eq!(
        dump(&read_shared("no-newline-eof.lp").unwrap().model),
        ": minimize obj +0\nx0 [0, inf] +1\nx1 [0, inf] +1\nc1: [-inf, 1] +1 x0 +1 x1\n"
    );
    let error = read_shared("semi-continuous.lp").unwrap_err().to_string();
    assert!(error.ends_with(&format!(
        "semi-continuous.lp:12: a semi-continuous variable (`x3`) {UNSUPPORTED}"
    )));
    let error = read_shared("garbage.lp").unwrap_err().to_string();
    assert!(
        error.contains("garbage.lp:2: unknown section `dvhfalk"),
        "{error}"
    );
}
