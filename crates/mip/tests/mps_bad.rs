//! Files that are wrong, and what is said about them.

mod common;

use common::error;

const SMALL: &str = "NAME small\nROWS\n N cost\n L cap\nCOLUMNS\n x cost 1 cap 2\n y cost 3\nRHS\n R cap 8\n\
                     BOUNDS\n UP B x 4\nENDATA\n";
const SECTIONS: &str = "expected NAME, OBJSENSE, ROWS, COLUMNS, RHS, RANGES, BOUNDS or ENDATA";

/// The error of `SMALL` with `old` replaced by `new`.
fn error_with(old: &str, new: &str) -> String {
    assert!(SMALL.contains(old), "{old:?}");
    error(SMALL.replacen(old, new, 1))
}

#[test]
fn sections_that_are_not_linear() {
    for section in [
        "QUADOBJ",
        "QMATRIX",
        "QSECTION",
        "QCMATRIX",
        "CSECTION",
        "SOS",
        "SOS1",
        "SOS2",
        "SETS",
        "INDICATORS",
        "GENCONS",
        "PWLOBJ",
        "PWLNAM",
        "PWLCON",
        "LAZYCONS",
        "USERCUTS",
        "DELAYEDROWS",
        "MODELCUTS",
        "MULTIOBJ",
    ] {
        let expected = format!(
            "test.mps:12: section {section} is not supported: only linear models with continuous and integer variables are"
        );
        assert_eq!(
            error_with("ENDATA", &format!("{section}\n x x 1\nENDATA")),
            expected
        );
    }
    assert_eq!(
        error_with("ENDATA", "QCMATRIX cap\n x x 1\nENDATA"),
        "test.mps:12: section QCMATRIX is not supported: only linear models with continuous and integer variables are"
    );
    assert_eq!(
        error_with(" x cost", " M 'MARKER' 'SOSORG'\n x cost"),
        "test.mps:6: marker 'SOSORG' is not supported: only linear models with continuous and integer variables are"
    );
    for kind in ["SC", "SI", "SB"] {
        let expected = format!(
            "test.mps:11: bound type {kind} (a semi-continuous variable) is not supported: \
             only linear models with continuous and integer variables are"
        );
        assert_eq!(error_with("UP B", &format!("{kind} B")), expected);
    }
}

#[test]
fn sections_out_of_place() {
    for (old, new, expected) in [
        (
            "RHS\n",
            "RIGHT\n",
            format!("8: unknown section `RIGHT`; {SECTIONS}"),
        ),
        (
            "NAME small\n",
            "NAME small\nOBJECTIVE\n",
            format!("2: unknown section `OBJECTIVE`; {SECTIONS}"),
        ),
        (
            "NAME small\n",
            "NAME small\n x cost 1\n",
            format!("2: data before the first section; {SECTIONS}"),
        ),
        (
            "ROWS\n N cost\n L cap\n",
            "",
            "2: section COLUMNS before ROWS".into(),
        ),
        (
            "COLUMNS",
            "RHS\n R cap 1\nCOLUMNS",
            "5: section RHS before COLUMNS".into(),
        ),
        (
            "COLUMNS\n x cost 1 cap 2\n y cost 3\nRHS\n R cap 8\n",
            "",
            "5: section BOUNDS before COLUMNS".into(),
        ),
        (
            "ROWS",
            "RANGES\nROWS",
            "2: section RANGES before COLUMNS".into(),
        ),
        (
            "ROWS",
            "ENDATA\nROWS",
            "2: section ENDATA before COLUMNS".into(),
        ),
        (
            "RHS\n",
            "ROWS\n L late\n*sides late 1 2\nRHS\n",
            "8: section ROWS after COLUMNS".into(),
        ),
        (
            "RHS\n",
            "OBJNAME\n cap\nRHS\n",
            "8: section OBJNAME after COLUMNS".into(),
        ),
        (
            "BOUNDS\n",
            "COLUMNS\n z cost 1\nBOUNDS\n",
            "10: section COLUMNS for the second time".into(),
        ),
        (
            "COLUMNS",
            "ROWS\n L more\nCOLUMNS",
            "5: section ROWS for the second time".into(),
        ),
        (
            "RHS\n",
            "NAME cost 1\nRHS\n",
            "8: section NAME after ROWS".into(),
        ),
        (
            "ENDATA\n",
            "ENDATA at last\n",
            "12: unexpected `at last` after the section name ENDATA".into(),
        ),
        (
            "RHS\n",
            "RHS R\n",
            "8: unexpected `R` after the section name RHS".into(),
        ),
        (
            "ROWS\n",
            "ROWS N cost\n",
            "2: unexpected `N cost` after the section name ROWS".into(),
        ),
        (
            "ENDATA\n",
            "",
            "11: the file ends before ENDATA: it was cut short".into(),
        ),
        (
            "ENDATA\n",
            "ENDAT",
            format!("12: unknown section `ENDAT`; {SECTIONS}"),
        ),
        (
            "ROWS\n",
            "OBJSENSE\n  UP\nROWS\n",
            "3: OBJSENSE is `UP`; expected MIN or MAX".into(),
        ),
        (
            "ROWS\n",
            "OBJSENSE MAYBE\nROWS\n",
            "2: OBJSENSE is `MAYBE`; expected MIN or MAX".into(),
        ),
        (
            "ROWS\n",
            "OBJNAME\n gain\nROWS\n",
            "7: unknown objective row `gain`".into(),
        ),
        (
            "ROWS\n",
            "OBJNAME cap\nROWS\n",
            "6: unknown objective row `cap`".into(),
        ),
    ] {
        assert_eq!(error_with(old, new), format!("test.mps:{expected}"));
    }
}

#[test]
fn lines_that_cannot_be_read() {
    let long = "z".repeat(100);
    let short = "z".repeat(60);
    for (old, new, expected) in [
        (" L cap", " L", "4: row `L` does not have the form TYPE NAME".into()),
        (" L cap", " L cap 8", "4: row `L cap 8` does not have the form TYPE NAME".into()),
        (" L cap", " X cap", "4: row type `X`; expected N, L, G or E".into()),
        (" L cap", " L cost", "4: duplicate row name `cost`".into()),
        (" y cost 3", " y cost", "7: column entry `y cost` does not have the form COLUMN ROW VALUE [ROW VALUE]".into()),
        (" y cost 3", " y cost 3 cap", "7: column entry `y cost 3 cap` does not have the form COLUMN ROW VALUE [ROW VALUE]".into()),
        (" y cost 3", " y cost 3 cap 1 2 3 4", "7: column entry `y cost 3 cap 1 2` does not have the form COLUMN ROW VALUE [ROW VALUE]".into()),
        (" y cost 3", " y gain 3", "7: unknown row `gain`".into()),
        (" y cost 3", &format!(" y {long} 3"), format!("7: unknown row `{short}…`")),
        (" y cost 3", " y cost 3\n y cost 3", "8: column `y` has two entries in row `cost`".into()),
        (" x cost 1 cap 2", " x cap 1 cap 2", "6: column `x` has two entries in row `cap`".into()),
        (" y cost 3", " y cost 3\n x cost 3", "8: duplicate column name `x`".into()),
        (" y cost 3", " y cost three", "7: `three` is not a number (the coefficient of column `y` in row `cost`)".into()),
        (" y cost 3", " y cost 3,5", "7: `3,5` is not a number (the coefficient of column `y` in row `cost`)".into()),
        (" y cost 3", " y cost 0x3", "7: `0x3` is not a number (the coefficient of column `y` in row `cost`)".into()),
        (" y cost 3", " y cost nan", "7: the coefficient of column `y` in row `cost` is NaN, not a finite number".into()),
        ("cap 2", "cap Inf", "6: the coefficient of column `x` in row `cap` is inf, not a finite number".into()),
        ("cap 2", "cap -1e999", "6: the coefficient of column `x` in row `cap` is -inf, not a finite number".into()),
        (" y cost 3", " M 'MARKER'", "7: `` after 'MARKER'; expected 'INTORG' or 'INTEND'".into()),
        (" y cost 3", " M 'MARKER' INTORG", "7: `INTORG` after 'MARKER'; expected 'INTORG' or 'INTEND'".into()),
        (" R cap 8", " cap", "9: entry `cap` does not have the form [SET] ROW VALUE [ROW VALUE]".into()),
        (" R cap 8", " R cap 8 cost 1 2", "9: entry `R cap 8 cost 1 2` does not have the form [SET] ROW VALUE [ROW VALUE]".into()),
        (" R cap 8", " R gain 8", "9: unknown row `gain`".into()),
        (" R cap 8", " R cap eight", "9: `eight` is not a number (the right-hand side of row `cap`)".into()),
        (" R cap 8", " R cap NaN", "9: the right-hand side of row `cap` is NaN, not a finite number".into()),
        (" R cap 8", " R cost inf", "9: the right-hand side of row `cost` is inf, not a finite number".into()),
        (" R cap 8", " R cap -inf", "9: row `cap` has bounds [-inf, -inf], which no value can satisfy".into()),
        (" R cap 8", " R cap 8\n S cap 9", "10: row `cap` has two right-hand sides: 8 and 9".into()),
        ("BOUNDS", "RANGES\n S cap x\nBOUNDS", "11: `x` is not a number (the range of row `cap`)".into()),
        ("BOUNDS", "RANGES\n S cap nan\nBOUNDS", "11: the range of row `cap` is NaN, not a finite number".into()),
        ("BOUNDS", "RANGES\n S cap 1\n S cap 2\nBOUNDS", "12: row `cap` has two ranges: 1 and 2".into()),
    ] {
        assert_eq!(error_with(old, new), format!("test.mps:{expected}"));
    }
}

#[test]
fn bounds_that_cannot_be() {
    for (line, expected) in [
        (
            "UP",
            "11: bound `UP ` does not have the form TYPE [SET] COLUMN [VALUE]",
        ),
        (
            "UP B",
            "11: bound `UP B` does not have the form TYPE [SET] COLUMN [VALUE]",
        ),
        (
            "UP B x 4 5",
            "11: bound `UP B x 4 5` does not have the form TYPE [SET] COLUMN [VALUE]",
        ),
        (
            "XX B x 4",
            "11: bound type `XX`; expected UP, LO, FX, FR, MI, PL, BV, UI or LI",
        ),
        ("UP B z 4", "11: unknown column `z`"),
        ("FR B z", "11: unknown column `z`"),
        ("FR z", "11: unknown column `z`"),
        (
            "UP B x four",
            "11: `four` is not a number (the UP bound of column `x`)",
        ),
        (
            "UP B x nan",
            "11: the UP bound of column `x` is NaN, not a finite number",
        ),
        (
            "LO B x 1e30",
            "11: the LO bound of column `x` is inf, not a finite number",
        ),
        (
            "UP B x -1e30",
            "11: the UP bound of column `x` is -inf, not a finite number",
        ),
        (
            "FX B x inf",
            "11: the FX bound of column `x` is inf, not a finite number",
        ),
        (
            "UP B x 4\n LO B x 5",
            "12: column `x` has crossed bounds: lower 5 is above upper 4",
        ),
        (
            "LO B x 5\n UP B y 1\n UP B x 4\n UP B y 2",
            "13: column `x` has crossed bounds: lower 5 is above upper 4",
        ),
        (
            "LO B x -1\n UP B x -2",
            "12: column `x` has crossed bounds: lower -1 is above upper -2",
        ),
        (
            "BV B x\n LO B x 2",
            "12: column `x` has crossed bounds: lower 2 is above upper 1",
        ),
        (
            "LI B x 3\n UI B x 2",
            "12: column `x` has crossed bounds: lower 3 is above upper 2",
        ),
    ] {
        assert_eq!(error_with("UP B x 4", line), format!("test.mps:{expected}"));
    }
}

#[test]
fn a_fixed_form_file_is_told_about_its_own_mistake() {
    let text = "ROWS\n N  MY COST\n L  ROW 1\nCOLUMNS\n    COL A     MY COST            1.0   ROW 3              2.0\nENDATA\n";
    assert_eq!(error(text), "test.mps:5: unknown row `ROW 3`");
    let text =
        "ROWS\n N  MY COST\nCOLUMNS\n    COL A     MY COST            1.0  too far right\nENDATA\n";
    assert_eq!(
        error(text),
        "test.mps:4: text between the fields of fixed form"
    );
}
