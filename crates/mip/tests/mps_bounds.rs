//! Row sides from RHS and RANGES, and column bounds from BOUNDS.

mod common;

use common::{dump, parsed, warnings};

#[test]
fn ranges_and_infinite_sides() {
    for (row, rhs, range, sides) in [
        ("L", "8", "", "[-inf, 8]"),
        ("L", "8", "5", "[3, 8]"),
        ("L", "8", "-5", "[3, 8]"),
        ("G", "8", "5", "[8, 13]"),
        ("G", "8", "-5", "[8, 13]"),
        ("E", "8", "", "[8, 8]"),
        ("E", "8", "5", "[8, 13]"),
        ("E", "8", "-5", "[3, 8]"),
        ("E", "8", "0", "[8, 8]"),
        ("E", "", "2", "[0, 2]"),
        ("L", "", "", "[-inf, 0]"),
        ("L", "1e30", "", "[-inf, inf]"),
        ("G", "-1e20", "", "[-inf, inf]"),
        ("G", "-inf", "", "[-inf, inf]"),
        ("L", "8", "1e30", "[-inf, 8]"),
        (
            "L",
            "8",
            "5\n*sides cap 3.0000000000000004 8",
            "[3.0000000000000004, 8]",
        ),
        ("L", "8", "5\n*sides cap 2 8", "[3, 8]"),
        ("L", "8", "5\n*sides cap 3 8 or so", "[3, 8]"),
        ("L", "8", "5\n*sides cost 3 8", "[3, 8]"),
        ("L", "8", "5\n*sides nowhere 3 8", "[3, 8]"),
        ("L", "8", "5\n*sides cap NaN 8", "[3, 8]"),
    ] {
        let entry = |section: &str, value: &str| match value {
            "" => String::new(),
            _ => format!("{section}\n S cap {value}\n"),
        };
        let head = format!("ROWS\n N cost\n {row} cap\nCOLUMNS\n x cap 1\n");
        let (rhs, range) = (entry("RHS", rhs), entry("RANGES", range));
        for text in [
            format!("{head}{rhs}{range}ENDATA"),
            format!("{head}{range}{rhs}ENDATA"),
        ] {
            let expected = format!("min cost: cap {sides} x 1; | x [0, inf] 0;");
            assert_eq!(dump(&parsed(&text).model), expected, "{text}");
        }
    }
}

#[test]
fn bounds() {
    let x = |bounds: &str| (format!("x {bounds} 0; i int [0, 1] 0;"), vec![]);
    let i = |bounds: &str| (format!("x [0, inf] 0; i int {bounds} 0;"), vec![]);
    let odd = |(dump, _), line: usize, message: &str| (dump, vec![format!("{line}: {message}")]);
    let negative =
        "column `x`: a negative upper bound without a lower bound: the lower bound is -infinity";
    for (lines, (columns, oddities)) in [
        ("", x("[0, inf]")),
        (" UP B x 4", x("[0, 4]")),
        (" UP x 4", x("[0, 4]")),
        (" LO B x -4", x("[-4, inf]")),
        (" LO x 1.5", x("[1.5, inf]")),
        (" FX B x 4", x("[4, 4]")),
        (" FX x -4", x("[-4, -4]")),
        (" FR B x", x("[-inf, inf]")),
        (" FR x", x("[-inf, inf]")),
        (" FR B x 0", x("[-inf, inf]")),
        (" FR x 0", x("[-inf, inf]")),
        (" MI B x", x("[-inf, inf]")),
        (" MI x\n UP x 3", x("[-inf, 3]")),
        (" UP x 3\n MI x", x("[-inf, 3]")),
        (" PL B x", x("[0, inf]")),
        (" BV B x", x("int [0, 1]")),
        (" BV x 1", x("int [0, 1]")),
        (" BV B x 1", x("int [0, 1]")),
        (" LI B x 2", x("int [2, inf]")),
        (" UI x 7", x("int [0, 7]")),
        (" UP B x 1e30", x("[0, inf]")),
        (" LO B x -1e20", x("[-inf, inf]")),
        (" LO B x -Infinity\n UP B x +inf", x("[-inf, inf]")),
        (" UP B x 1.5D1 $ note", x("[0, 15]")),
        (" UP B x 0", x("[0, 0]")),
        // A negative upper bound frees the lower bound, unless that is stated before or after.
        (" UP B x -4", odd(x("[-inf, -4]"), 9, negative)),
        (" UP B x -4\n LO B x -9", x("[-9, -4]")),
        (" LO B x -9\n UP B x -4", x("[-9, -4]")),
        (" MI B x\n UP B x -4", x("[-inf, -4]")),
        (" UP B x -4\n MI B x", x("[-inf, -4]")),
        // Of two different ones the second counts.
        (
            " UP B x -4\n UP B x 4",
            odd(
                x("[0, 4]"),
                10,
                "column `x`: a second upper bound replaces the first",
            ),
        ),
        (
            " LO B x 1\n LO B x 2",
            odd(
                x("[2, inf]"),
                10,
                "column `x`: a second lower bound replaces the first",
            ),
        ),
        (" UP B x 4\n UP B x 4", x("[0, 4]")),
        // Integer columns are binary unless anything is said about their bounds.
        (" PL B i", i("[0, inf]")),
        (" LO B i 0", i("[0, inf]")),
        (" LO B i 3", i("[3, inf]")),
        (" UP B i 9", i("[0, 9]")),
        (" UP B i 1e30", i("[0, inf]")),
        (" FR B i", i("[-inf, inf]")),
        (" MI B i", i("[-inf, inf]")),
        (" FX B i 3", i("[3, 3]")),
    ] {
        let text = format!(
            "ROWS\n N o\nCOLUMNS\n x o 0\n M 'MARKER' 'INTORG'\n i o 0\n M 'MARKER' 'INTEND'\nBOUNDS\n{lines}\nENDATA\n"
        );
        let parsed = parsed(&text);
        assert_eq!(dump(&parsed.model), format!("min o: | {columns}"), "{text}");
        assert_eq!(warnings(&parsed), oddities, "{text}");
    }
}
