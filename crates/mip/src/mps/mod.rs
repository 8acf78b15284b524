//! MPS files, fixed and free form.
//!
//! What is read: NAME, OBJSENSE, OBJNAME, ROWS, COLUMNS with integer markers, RHS (an entry of the objective
//! row is minus its constant), RANGES, BOUNDS of every linear kind, ENDATA. Where tools differ, we read
//! as HiGHS does, except that doubtful input is an error here and not dropped:
//!
//! - the first N row is the objective; further N rows are left out, with a warning;
//! - an integer column of a marker block without any bound is binary;
//! - a negative upper bound without a lower bound makes the lower bound −∞, with a warning
//!   (the rule of CPLEX and Gurobi);
//! - of two different bounds the second counts, with a warning; two different right-hand sides or ranges of a row
//!   are refused;
//! - free form is tried first; names with blanks are found by reading again in fixed form;
//! - a `$` or `*` where an optional field would begin starts a comment.
//!
//! Two row sides whose difference is not a double cannot be said by RANGES; the writer adds a comment
//! `*sides NAME LOWER UPPER` to such a file, which the reader understands and other tools skip.

mod data;
mod fields;
mod finish;
mod read;
mod write;

pub use read::read;
pub(crate) use read::read_lines;
pub use write::write;

/// Starts a comment that gives both sides of a row exactly; see the module's documentation.
const EXACT_SIDES: &str = "*sides ";

/// The sections of an MPS file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Name,
    ObjSense,
    ObjName,
    Rows,
    Columns,
    Rhs,
    Ranges,
    Bounds,
    End,
    /// Known, but not part of a linear model.
    Refused,
}

/// The section that a header word opens.
fn section(word: &str) -> Option<Section> {
    Some(match word.to_ascii_uppercase().as_str() {
        "NAME" => Section::Name,
        "OBJSENSE" | "OBJSENSE:" => Section::ObjSense,
        "OBJNAME" | "OBJECT" => Section::ObjName,
        "ROWS" => Section::Rows,
        "COLUMNS" => Section::Columns,
        "RHS" => Section::Rhs,
        "RANGES" => Section::Ranges,
        "BOUNDS" => Section::Bounds,
        "ENDATA" => Section::End,
        "QUADOBJ" | "QMATRIX" | "QSECTION" | "QCMATRIX" | "CSECTION" | "SOS" | "SOS1" | "SOS2"
        | "SETS" | "INDICATORS" | "GENCONS" | "PWLOBJ" | "PWLNAM" | "PWLCON" | "LAZYCONS"
        | "DELAYEDROWS" | "MODELCUTS" | "USERCUTS" | "SCENARIOS" | "MULTIOBJ" => Section::Refused,
        _ => return None,
    })
}

/// Whether a word opens a section of an MPS file.
pub(crate) fn is_section(word: &str) -> bool {
    section(word).is_some()
}
