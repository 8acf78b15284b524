//! The CPLEX LP format, as Gurobi, CPLEX, SCIP, HiGHS, PuLP, Pyomo and OR-Tools write it.
//!
//! The format has no standard, so this is what [`read()`] makes of it:
//!
//! **Names** may hold anything but blanks, `\` and the operators `+ - * / ^ : < > =`, and begin with
//! neither a digit nor a square bracket. Inside square brackets that belong to a name and
//! are closed before the next blank, as in `x[-1,a:b]` or `y[A>B]`, operators are plain characters:
//! Gurobi writes such names, and nothing else can be meant. A row's label may also
//! begin with a digit.
//!
//! **Numbers** are as long as they can be, and the rest begins a name: `2x` is 2·x, `2e3x` is 2000·x,
//! `3e` is 3·e, while `3 e1` is 3·e1. `inf`, `infinity` and `nan` are numbers, never names.
//!
//! **Expressions** are terms `3 x`, `3x`, `3 * x`, `x` with any number of signs before them. The sign
//! may be missing before a number (HiGHS leaves out `+`), but neither between two numbers nor between
//! two names: `2 3 x` and `x y` are errors. A name that comes twice has its coefficients added, with a
//! warning. Terms on the right of a comparison move to the left; constants on the left move to the
//! right, with a warning. Zero coefficients are left out, but the name becomes a column.
//!
//! **Line ends** do not matter, except that a right-hand side ends with its line unless an operator
//! says otherwise; else a next row without a label could not be told from it.
//!
//! **Rows** without a label are called `c` and their position from 1, as in CPLEX; if another row
//! has that name, `_1`, `_2`, … is added. An objective without a label is called `obj`.
//!
//! **Columns** are numbered in the order in which they first appear. Every column is in [0, ∞) unless
//! `Bounds` says otherwise, so a negative upper bound alone is an error (crossed bounds).
//! `Binaries` narrows whatever bounds a column has to [0, 1].
//!
//! **Sections** are recognised in any case and anywhere but before `:`, `<`, `>` or `=`, or behind an
//! operator on the same line. `End` is required: without it a file cut short could pass for a whole one.
//!
//! Quadratic terms, semi-continuous variables, SOS, indicators, piecewise-linear and multiple
//! objectives, general and lazy constraints and user cuts are refused, unless their section is empty.
//!
//! What [`write()`] writes, [`read()`] reads back as the same model (an objective without a name is called
//! `obj` then). Ranges `a <= … <= b` are read, but not written: SCIP refuses them, and HiGHS takes them
//! for something else. They are written as two rows, with a comment between them that makes [`read()`]
//! put them together again. Besides this reader only Gurobi reads names with square brackets; for other tools, write
//! MPS.

mod bounds;
mod draft;
mod keywords;
mod lex;
mod names;
mod read;
mod row_names;
mod rows;
mod terms;
mod token;
mod warnings;
mod write;

pub(crate) use keywords::is_objective_keyword;
pub use read::read;
pub(crate) use read::read_lines;
pub use write::write;
