//! LP files as the known tools write them, and every spelling of their parts.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

mod lp_common;

use idpas_mip::files::Input;
use idpas_mip::{Parsed, lp};
use idpas_testing::shared_data;
use lp_common::{UNSUPPORTED, data, dump, model, read};

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
