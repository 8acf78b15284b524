//! What MPS files say, by section and by corner case.

mod common;

use std::io::Write;

use common::{dump, parsed, warnings};
use idpas_mip::Sense;

const SMALL: &str = "NAME small\nROWS\n N cost\n L cap\n G need\nCOLUMNS\n x cost 1 cap 2\n x need 1\n \
                     y cost -3 cap 1\nRHS\n R cap 8 need 1\nBOUNDS\n UP B y 4\nENDATA\n";
const SMALL_DUMP: &str =
    "min cost: cap [-inf, 8] x 2 y 1; need [1, inf] x 1; | x [0, inf] 1; y [0, 4] -3;";

/// `SMALL` with pieces replaced.
fn small(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(SMALL.to_owned(), |text, (old, new)| {
        assert!(text.contains(old), "{old:?} is not in\n{text}");
        text.replace(old, new)
    })
}

#[test]
fn layouts_of_the_same_model() {
    let fixed = "NAME          small\nROWS\n N  cost\n L  cap\n G  need\nCOLUMNS\n\
        \x20   x         cost               1.0   cap                2.0\n    x         need               1.0\n\
        \x20   y         cost              -3.0   cap                1.0\nRHS\n\
        \x20   R         cap                8.0   need               1.0\nBOUNDS\n UP B         y                  4.0\nENDATA\n";
    let unindented = SMALL.replace("\n ", "\n");
    for (layout, text) in [
        ("free", SMALL.to_owned()),
        ("fixed", fixed.to_owned()),
        ("unindented", unindented.clone()),
        (
            "unindented, sets named as sections",
            unindented
                .replace("R cap", "RHS cap")
                .replace("UP B", "UP BOUNDS"),
        ),
        ("tabs", SMALL.replace(' ', "\t")),
        ("CRLF", SMALL.replace('\n', "\r\n")),
        ("form feeds", SMALL.replace("\n x", "\n\x0cx")),
        ("no newline at the end", SMALL.trim_end().to_owned()),
        (
            "text after the end",
            format!("{SMALL}* thanks for reading\nROWS\n"),
        ),
        ("byte order mark", format!("\u{feff}{SMALL}")),
        ("blank lines", SMALL.replace('\n', "\n\n   \n")),
        (
            "lower case",
            small(&[
                ("ROWS", "rows"),
                (" L", " l"),
                ("RHS", "rhs"),
                ("UP", "up"),
                ("ENDATA", "endata"),
            ]),
        ),
        ("comment lines", SMALL.replace('\n', "\n* NAME no\n")),
        (
            "comments after $",
            SMALL
                .replace("\n x", " $ note\n x")
                .replace(" 4\n", " 4 $ note\n"),
        ),
        (
            "comments after *",
            SMALL
                .replace("COLUMNS", "COLUMNS * a b")
                .replace("need 1\n", "need 1 * two words\n"),
        ),
        ("RHS without a set", small(&[(" R cap", " cap")])),
        (
            "RHS one a line, without a set",
            small(&[(" R cap 8 need 1", " cap 8\n need 1")]),
        ),
        ("bound without a set", small(&[("UP B y", "UP y")])),
        (
            "second N row",
            small(&[
                (" L cap", " N other\n L cap"),
                (" x need 1", " x need 1 other 5"),
            ]),
        ),
        (
            "Fortran exponents",
            small(&[(" 8", " 0.8D+1"), ("-3", "-30d-1")]),
        ),
        (
            "zero entries",
            small(&[(
                " y cost",
                " y need 0
 y cost",
            )]),
        ),
        (
            "OBJSENSE on the next line",
            small(&[("ROWS", "OBJSENSE\n    MIN\nROWS")]),
        ),
        (
            "OBJNAME",
            small(&[("ROWS\n", "OBJNAME\n  cost\nROWS\n N first\n")]),
        ),
        (
            "OBJNAME, unindented",
            small(&[("ROWS\n", "OBJNAME\ncost\nROWS\n N first\n")]),
        ),
        (
            "RHS of another N row",
            small(&[
                ("ROWS\n N cost", "ROWS\n N cost\n N other"),
                ("RHS\n", "RHS\n R other 7\n"),
            ]),
        ),
        (
            "the same RHS twice",
            small(&[("need 1\nBOUNDS", "need 1\n S need 1\nBOUNDS")]),
        ),
    ] {
        assert_eq!(dump(&parsed(&text).model), SMALL_DUMP, "{layout}:\n{text}");
    }
}

#[test]
fn a_column_that_is_not_indented_may_be_called_as_the_end() {
    let text =
        "ROWS\nN cost\nL cap\nCOLUMNS\nx cost 1 cap 2\nENDATA cost 3 cap 4\ny cost 5\nENDATA\n";
    let columns = parsed(text).model.columns;
    assert_eq!(
        columns.names.iter().collect::<Vec<_>>(),
        ["x", "ENDATA", "y"]
    );
    assert_eq!(columns.cost, [1.0, 3.0, 5.0]);
}

#[test]
fn names_of_the_model() {
    for (line, name) in [
        ("NAME small", "small"),
        ("NAME", ""),
        ("NAME          two  words ", "two  words"),
        ("NAME small FREE", "small"),
        ("NAME FREE", ""),
        ("NAME FREE FREE", "FREE"),
        ("NAME CAREFREE", "CAREFREE"),
        ("* no name", ""),
    ] {
        let model = parsed(small(&[("NAME small", line)])).model;
        assert_eq!(model.name, name, "{line}");
        assert_eq!(dump(&model), SMALL_DUMP, "{line}");
    }
}

#[test]
fn senses_and_constants() {
    for (section, sense) in [
        ("OBJSENSE\n    MAX\n", Sense::Maximize),
        ("OBJSENSE\nMAX\n", Sense::Maximize),
        ("OBJSENSE MAX\n", Sense::Maximize),
        ("OBJSENSE\n  MAXIMIZE\n", Sense::Maximize),
        ("OBJSENSE: maximise\n", Sense::Maximize),
        ("OBJSENSE\n    MIN\n", Sense::Minimize),
        ("OBJSENSE MINIMIZE\n", Sense::Minimize),
        ("", Sense::Minimize),
    ] {
        let text = small(&[("ROWS", &format!("{section}ROWS"))]);
        assert_eq!(parsed(text).model.sense, sense, "{section:?}");
    }
    // The right-hand side of the objective row is minus its constant.
    for (rhs, constant) in [("-12.5", 12.5), ("3", -3.0), ("1e25", -1e25), ("0", 0.0)] {
        let model = parsed(small(&[("RHS\n", &format!("RHS\n R cost {rhs}\n"))])).model;
        assert_eq!(model.objective_constant, constant, "{rhs}");
    }
}

#[test]
fn fixed_form_with_blanks_in_names() {
    let text = "NAME          MY MODEL\nROWS\n N  MY COST\n L  ROW 1\n E  ROW 2\nCOLUMNS\n\
        \x20   COL A     MY COST            1.0   ROW 1              2.0\n\
        \x20   MARKER                 'MARKER'                 'INTORG'\n\
        \x20   COL B     ROW 1              1.0   ROW 2             -1.0\n\
        \x20   MARKER    'MARKER'                 'INTEND'\nRHS\n\
        \x20   THE RHS   ROW 1              4.0   MY COST           -2.5\n\
        \x20             ROW 2              1.0\nRANGES\n    THE RNG   ROW 1              3.0\nBOUNDS\n\
        \x20UP THE BND   COL A              7.5\n PL           COL B\nENDATA\n";
    let model = parsed(text).model;
    assert_eq!(model.name, "MY MODEL");
    assert_eq!(
        dump(&model),
        "min MY COST +2.5: ROW 1 [1, 4] COL A 2 COL B 1; ROW 2 [1, 1] COL B -1; \
         | COL A [0, 7.5] 1; COL B int [0, inf] 0;"
    );
}

#[test]
fn models_of_little() {
    for (text, expected) in [
        ("ROWS\nCOLUMNS\nENDATA", "min obj: |"),
        ("ROWS\n N c\nCOLUMNS\nRHS\nBOUNDS\nENDATA", "min c: |"),
        (
            "ROWS\n L r\nCOLUMNS\n x r 1\nENDATA",
            "min obj: r [-inf, 0] x 1; | x [0, inf] 0;",
        ),
        (
            "ROWS\n N c\n G r\nCOLUMNS\n x r 0\n y c 0\nENDATA",
            "min c: r [0, inf]; | x [0, inf] 0; y [0, inf] 0;",
        ),
        (
            "ROWS\n N RHS\n E ROWS\nCOLUMNS\n NAME RHS 1 ROWS 2\nENDATA",
            "min RHS: ROWS [0, 0] NAME 2; | NAME [0, inf] 1;",
        ),
        (
            "ROWS\n N 1\n E $r\nCOLUMNS\n 2 1 1\n 2 $r 2\nRHS\n $r 5\nENDATA",
            "min 1: $r [5, 5] 2 2; | 2 [0, inf] 1;",
        ),
        (
            "ROWS\n N kosten\n L größe\nCOLUMNS\n ж größe 2\nENDATA",
            "min kosten: größe [-inf, 0] ж 2; | ж [0, inf] 0;",
        ),
    ] {
        assert_eq!(dump(&parsed(text).model), expected, "{text}");
    }
}

#[test]
fn oddities_are_told() {
    let one = parsed(small(&[(" N cost", " N cost\n N more")]));
    assert_eq!(
        warnings(&one),
        ["7: 1 free row (type N) beside the objective is left out"]
    );
    let two = parsed(small(&[
        (" N cost", " N cost\n N more"),
        (" G need", " N need"),
    ]));
    assert_eq!(
        warnings(&two),
        ["7: 2 free rows (type N) beside the objective are left out"]
    );
    let chosen = parsed(small(&[("ROWS", "OBJNAME other\nROWS\n N other")])).model;
    assert_eq!(
        (chosen.objective_name.as_str(), chosen.columns.cost),
        ("other", vec![0.0, 0.0])
    );

    let columns: String = (0..30).map(|j| format!(" x{j} c 1\n")).collect();
    let bounds: String = (0..30).map(|j| format!(" UP x{j} -1\n")).collect();
    let many = parsed(format!(
        "ROWS\n N c\nCOLUMNS\n{columns}BOUNDS\n{bounds}ENDATA"
    ));
    assert_eq!(many.warnings.len(), 21);
    assert_eq!(warnings(&many)[20], "-: 10 more warnings are not shown");
}

#[test]
fn gzip_is_told_by_content() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(SMALL.as_bytes()).unwrap();
    assert_eq!(dump(&parsed(gzip.finish().unwrap()).model), SMALL_DUMP);
}
