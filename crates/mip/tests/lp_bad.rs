//! LP files that are wrong or not linear, and what is said about them.

mod lp_common;

use lp_common::{UNSUPPORTED, error};

/// Compares the error of each text with what is expected after `m.lp:`.
fn assert_refused(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(error(text), format!("m.lp:{expected}"), "{text}");
    }
}

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
fn says_what_is_wrong_with_the_whole_file() {
    let sections = "expected Subject To, Bounds, Generals, Binaries or End";
    let unknown_foo = format!("2: unknown section `Foo`; {sections}");
    let unknown_foo_4 = format!("4: unknown section `Foo`; {sections}");
    assert_refused(&[
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
    ]);
}

#[test]
fn says_what_is_wrong_in_expressions() {
    assert_refused(&[
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
    ]);
}

#[test]
fn says_what_is_wrong_in_rows() {
    assert_refused(&[
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
    ]);
}

#[test]
fn says_what_is_wrong_in_bounds_and_lists() {
    assert_refused(&[
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
    ]);
}
