//! Writes a model so that [`read`](super::read()) and the common solvers read the same one.

use std::io::{self, Write};

use super::names;
use super::read::RANGE_COMMENT;
use crate::{Matrix, Model, Names, Sense, WriteError, numbers};

/// Longest line in bytes. Old readers stop at 255.
const WIDTH: usize = 200;

/// Writes a model in LP format. `file` is its name in messages. Names are checked before anything is
/// written.
pub fn write(model: &Model, file: &str, out: &mut dyn Write) -> Result<(), WriteError> {
    names::check(model)?;
    let by_row = model.matrix.transposed(model.num_rows());
    let mut writer = Writer {
        model,
        out,
        line: Vec::new(),
        piece: Vec::new(),
    };
    writer.all(&by_row).map_err(|source| WriteError::Io {
        file: file.into(),
        source,
    })
}

struct Writer<'a> {
    model: &'a Model,
    out: &'a mut dyn Write,
    /// The line under construction.
    line: Vec<u8>,
    /// Text that is added to the line next and never broken over two.
    piece: Vec<u8>,
}

impl Writer<'_> {
    fn all(&mut self, by_row: &Matrix) -> io::Result<()> {
        let model = self.model;
        if !model.name.is_empty() {
            self.heading(&format!("\\Problem name: {}", model.name))?;
        }
        self.heading(match model.sense {
            Sense::Minimize => "Minimize",
            Sense::Maximize => "Maximize",
        })?;
        self.objective(first_columns(model, by_row))?;
        self.heading("Subject To")?;
        for row in 0..model.num_rows() {
            self.row(row, by_row)?;
        }
        self.bounds()?;
        self.list("Generals", |j| {
            model.is_integer(j) && !is_plain_binary(model, j)
        })?;
        self.list("Binaries", |j| is_plain_binary(model, j))?;
        self.heading("End")
    }

    fn heading(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())?;
        self.out.write_all(b"\n")
    }

    /// Adds the piece to the line, or to a new line if it would get too long.
    fn add(&mut self) -> io::Result<()> {
        if self.line.len() + self.piece.len() > WIDTH && self.line.len() > 1 {
            self.end_line()?;
            self.line.extend_from_slice(b"  ");
        }
        self.line.append(&mut self.piece);
        Ok(())
    }

    fn text(&mut self, text: &str) {
        self.piece.extend_from_slice(text.as_bytes());
    }

    fn number(&mut self, value: f64) {
        numbers::push(&mut self.piece, value);
    }

    fn end_line(&mut self) -> io::Result<()> {
        self.line.push(b'\n');
        self.out.write_all(&self.line)?;
        self.line.clear();
        Ok(())
    }

    /// A sign, which the first term has only if it is negative.
    fn sign(&mut self, value: f64, first: bool) {
        match (value < 0.0, first) {
            (true, _) => self.text(" -"),
            (false, false) => self.text(" +"),
            (false, true) => {}
        }
    }

    fn term(&mut self, column: usize, value: f64, first: bool) -> io::Result<()> {
        self.sign(value, first);
        if value.abs() != 1.0 {
            self.text(" ");
            self.number(value.abs());
        }
        self.text(" ");
        self.text(self.model.columns.names.get(column));
        self.add()
    }

    fn label(&mut self, name: &str) -> io::Result<()> {
        self.text(" ");
        if !name.is_empty() {
            self.text(name);
            self.text(":");
        }
        self.add()
    }

    /// The objective, in which the first `listed` columns appear even if their coefficient is zero.
    fn objective(&mut self, listed: usize) -> io::Result<()> {
        let model = self.model;
        self.label(&model.objective_name)?;
        for column in 0..listed {
            self.term(column, model.columns.cost[column], column == 0)?;
        }
        let constant = model.objective_constant;
        if constant != 0.0 {
            self.sign(constant, listed == 0);
            self.text(" ");
            self.number(constant.abs());
            self.add()?;
        }
        self.end_line()
    }

    fn row(&mut self, row: usize, by_row: &Matrix) -> io::Result<()> {
        let rows = &self.model.rows;
        let (lower, upper) = (rows.lower[row], rows.upper[row]);
        self.label(rows.names.get(row))?;
        self.entries(row, by_row)?;
        match (lower.is_finite(), upper.is_finite()) {
            (true, true) if same(lower, upper) => self.side(" = ", lower),
            (true, true) => {
                self.side(" >= ", lower)?;
                self.heading(RANGE_COMMENT)?;
                self.label(&upper_name(&rows.names, row))?;
                self.entries(row, by_row)?;
                self.side(" <= ", upper)
            }
            (false, true) => self.side(" <= ", upper),
            (true, false) => self.side(" >= ", lower),
            // A row without finite sides: −1e30 is infinite to every reader.
            (false, false) => self.side(" >= ", -1e30),
        }
    }

    fn entries(&mut self, row: usize, by_row: &Matrix) -> io::Result<()> {
        let mut first = true;
        for (column, value) in by_row.entries(row) {
            self.term(column, value, first)?;
            first = false;
        }
        if first && self.model.num_columns() > 0 {
            self.term(0, 0.0, true)?;
        } else if first {
            self.text(" 0");
            self.add()?;
        }
        Ok(())
    }

    fn side(&mut self, relation: &str, value: f64) -> io::Result<()> {
        self.text(relation);
        self.number(value);
        self.add()?;
        self.end_line()
    }

    fn bounds(&mut self) -> io::Result<()> {
        let columns = &self.model.columns;
        let mut begun = false;
        for column in 0..self.model.num_columns() {
            let (lower, upper) = (columns.lower[column], columns.upper[column]);
            let default_lower = same(lower, 0.0);
            if is_plain_binary(self.model, column) || (default_lower && upper == f64::INFINITY) {
                continue;
            }
            if !std::mem::replace(&mut begun, true) {
                self.heading("Bounds")?;
            }
            let name = columns.names.get(column);
            self.text(" ");
            match (lower.is_finite(), upper.is_finite()) {
                (false, false) => {
                    self.text(name);
                    self.text(" free");
                }
                (true, true) if same(lower, upper) => self.bound(name, " = ", lower),
                (true, true) if default_lower => self.bound(name, " <= ", upper),
                (true, false) => self.bound(name, " >= ", lower),
                (_, true) => {
                    self.number(lower);
                    self.text(" <= ");
                    self.bound(name, " <= ", upper);
                }
            }
            self.add()?;
            self.end_line()?;
        }
        Ok(())
    }

    fn bound(&mut self, name: &str, relation: &str, value: f64) {
        self.text(name);
        self.text(relation);
        self.number(value);
    }

    fn list(&mut self, heading: &str, belongs: impl Fn(usize) -> bool) -> io::Result<()> {
        let mut columns = (0..self.model.num_columns())
            .filter(|&j| belongs(j))
            .peekable();
        if columns.peek().is_none() {
            return Ok(());
        }
        self.heading(heading)?;
        for column in columns {
            self.text(" ");
            self.text(self.model.columns.names.get(column));
            self.add()?;
        }
        self.end_line()
    }
}

/// A name that no row has, for the upper side of a range.
fn upper_name(names: &Names, row: usize) -> String {
    let mut name = format!("{}_up", names.get(row));
    while names.find(&name).is_some() {
        name.push('_');
    }
    name
}

/// Whether two numbers have the same bits; 0 and −0 do not.
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits()
}

/// Whether listing a column under `Binaries` gives its type and bounds completely.
fn is_plain_binary(model: &Model, column: usize) -> bool {
    let (lower, upper) = (model.columns.lower[column], model.columns.upper[column]);
    model.is_integer(column) && same(lower, 0.0) && upper == 1.0
}

/// How many columns the objective must list so that numbering columns by first appearance gives the model's order: all
/// up to the last one with a cost, and up to the last one that the rows mention out of order or never.
fn first_columns(model: &Model, by_row: &Matrix) -> usize {
    let never = usize::MAX;
    let mut first_seen = vec![never; model.num_columns()];
    for (position, &column) in by_row.indices().iter().enumerate() {
        let seen = &mut first_seen[column as usize];
        *seen = position.min(*seen);
    }
    let mut natural = first_seen.len();
    let mut next = never;
    while natural > 0 && first_seen[natural - 1] < next {
        natural -= 1;
        next = first_seen[natural];
    }
    let last_cost = model.columns.cost.iter().rposition(|&cost| cost != 0.0);
    natural.max(last_cost.map_or(0, |column| column + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ModelBuilder, VarKind};

    const INF: f64 = f64::INFINITY;

    fn written(model: &Model) -> String {
        let mut out = Vec::new();
        write(model, "test.lp", &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn writes_every_kind_of_row_and_bound() {
        let mut b = ModelBuilder::new("all kinds", Sense::Maximize);
        b.objective("profit", -2.5);
        let x = b.column("x", VarKind::Continuous, 0.0, INF, 3.0).unwrap();
        let y = b.column("y", VarKind::Integer, 0.0, 1.0, 0.0).unwrap();
        let z = b.column("z", VarKind::Integer, -5.0, 1e6, -1.0).unwrap();
        let free = b.column("f", VarKind::Continuous, -INF, INF, 0.0).unwrap();
        b.column("below", VarKind::Continuous, -INF, -1.0, 0.0)
            .unwrap();
        b.column("fixed", VarKind::Integer, 0.0, 0.0, 0.0).unwrap();
        b.row("range", -1.0, 4.0, [(x, 1.0), (y, -2.0)]).unwrap();
        b.row("range_up", 1.0, INF, [(x, 1.0)]).unwrap();
        b.row("equal", 0.5, 0.5, [(z, 0.1), (free, 1.0)]).unwrap();
        b.row("empty", -INF, 3.0, []).unwrap();
        b.row("any", -INF, INF, [(x, 1.0)]).unwrap();
        let expected = "\\Problem name: all kinds
Maximize
 profit: 3 x + 0 y - z + 0 f + 0 below + 0 fixed - 2.5
Subject To
 range: x - 2 y >= -1
\\ The row above is a range with the upper side
 range_up_: x - 2 y <= 4
 range_up: x >= 1
 equal: 0.1 z + f = 0.5
 empty: 0 x <= 3
 any: x >= -1e30
Bounds
 -5 <= z <= 1000000
 f free
 -inf <= below <= -1
 fixed = 0
Generals
 z fixed
Binaries
 y
End
";
        assert_eq!(written(&b.build().unwrap()), expected);
    }

    #[test]
    fn lists_columns_in_the_objective_only_where_their_order_needs_it() {
        let mut b = ModelBuilder::new("", Sense::Minimize);
        let columns: Vec<_> = ["a", "b", "c", "d"]
            .map(|name| b.column(name, VarKind::Continuous, 0.0, INF, 0.0).unwrap())
            .into();
        b.row("r", 1.0, INF, [(columns[1], 1.0)]).unwrap();
        b.row(
            "s",
            1.0,
            INF,
            [(columns[0], 1.0), (columns[2], 1.0), (columns[3], 1.0)],
        )
        .unwrap();
        assert!(written(&b.build().unwrap()).contains("\n obj: 0 a\n"));
    }

    #[test]
    fn breaks_long_lines() {
        let mut b = ModelBuilder::new("", Sense::Minimize);
        let columns: Vec<_> = (0..500)
            .map(|i| {
                b.column(&format!("x[{i}]"), VarKind::Integer, 0.0, INF, 1.0 / 3.0)
                    .unwrap()
            })
            .collect();
        b.row("all", 1.0, 2.0, columns.iter().map(|&j| (j, -1.0)))
            .unwrap();
        let text = written(&b.build().unwrap());
        assert!(text.lines().all(|line| line.len() <= WIDTH));
        assert!(text.lines().count() < 200);
    }

    #[test]
    fn refuses_names_before_writing() {
        let mut b = ModelBuilder::new("", Sense::Minimize);
        b.column("a b", VarKind::Continuous, 0.0, INF, 0.0).unwrap();
        let mut out = Vec::new();
        let error = write(&b.build().unwrap(), "test.lp", &mut out).unwrap_err();
        let expected = "column name `a b` cannot be written in LP format: it contains a blank or a control character";
        assert_eq!(error.to_string(), expected);
        assert!(out.is_empty());
    }
}
