//! The models that the cases use.

use idpas_mip::{Model, ModelBuilder, Sense, VarKind};

use crate::{Control, LoadedModel, Params, SolveResult, Solver, Start};

pub(super) const INF: f64 = f64::INFINITY;

/// A column: kind, lower bound, upper bound, cost.
type Column = (VarKind, f64, f64, f64);
/// A row: lower side, upper side, entries as (column, value).
type Row<'a> = (f64, f64, &'a [(usize, f64)]);

/// A model written as a table.
pub(super) struct Spec<'a> {
    pub(super) sense: Sense,
    pub(super) constant: f64,
    pub(super) columns: &'a [Column],
    pub(super) rows: &'a [Row<'a>],
}

impl Spec<'_> {
    pub(super) fn build(&self) -> Result<Model, String> {
        let text = |e: idpas_mip::ModelError| e.to_string();
        let mut b = ModelBuilder::new("case", self.sense);
        b.objective("obj", self.constant);
        for (j, &(kind, lower, upper, cost)) in self.columns.iter().enumerate() {
            b.column(&format!("x{j}"), kind, lower, upper, cost)
                .map_err(text)?;
        }
        for (i, &(lower, upper, entries)) in self.rows.iter().enumerate() {
            b.row(&format!("r{i}"), lower, upper, entries.iter().copied())
                .map_err(text)?;
        }
        b.build().map_err(text)
    }
}

/// max 5a + 4b + 3c, 2a + 3b + c ≤ 5, 4a + b + 2c ≤ 11, 3a + 4b + 2c ≤ 8, integers: 13 at (2, 0, 1).
pub(super) fn three_products() -> Result<Model, String> {
    let integer = VarKind::Integer;
    Spec {
        sense: Sense::Maximize,
        constant: 0.0,
        columns: &[
            (integer, 0.0, 9.0, 5.0),
            (integer, 0.0, 9.0, 4.0),
            (integer, 0.0, 9.0, 3.0),
        ],
        rows: &[
            (-INF, 5.0, &[(0, 2.0), (1, 3.0), (2, 1.0)]),
            (-INF, 11.0, &[(0, 4.0), (1, 1.0), (2, 2.0)]),
            (-INF, 8.0, &[(0, 3.0), (1, 4.0), (2, 2.0)]),
        ],
    }
    .build()
}

/// A sequence of numbers that look random and are the same everywhere.
struct Sequence(u64);

impl Sequence {
    fn below(&mut self, n: u64) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((self.0 >> 33) % n) as f64
    }
}

/// A market-split model: rows with equal sums, which no solver solves in seconds. With `slack` every assignment is
/// feasible and the distance from equality is minimised.
pub(super) fn market_split(rows: usize, columns: usize, slack: bool) -> Result<Model, String> {
    let text = |e: idpas_mip::ModelError| e.to_string();
    let mut random = Sequence(7);
    let mut b = ModelBuilder::new("market split", Sense::Minimize);
    for j in 0..columns {
        b.column(&format!("x{j}"), VarKind::Integer, 0.0, 1.0, 0.0)
            .map_err(text)?;
    }
    for i in 0..rows {
        let mut entries: Vec<(usize, f64)> = (0..columns).map(|j| (j, random.below(100))).collect();
        let half = (entries.iter().map(|e| e.1).sum::<f64>() / 2.0).floor();
        if slack {
            for (name, sign) in [("over", -1.0), ("under", 1.0)] {
                let name = format!("{name}{i}");
                let j = b
                    .column(&name, VarKind::Continuous, 0.0, INF, 1.0)
                    .map_err(text)?;
                entries.push((j, sign));
            }
        }
        b.row(&format!("r{i}"), half, half, entries).map_err(text)?;
    }
    b.build().map_err(text)
}

/// A knapsack with several good solutions, which is solved quickly, but not at the root without a search.
pub(super) fn knapsack(columns: usize) -> Result<Model, String> {
    let text = |e: idpas_mip::ModelError| e.to_string();
    let mut random = Sequence(11);
    let mut b = ModelBuilder::new("knapsack", Sense::Maximize);
    let mut rows: Vec<Vec<(usize, f64)>> = vec![Vec::new(); 5];
    for j in 0..columns {
        let worth = 20.0 + random.below(80);
        b.column(&format!("x{j}"), VarKind::Integer, 0.0, 1.0, worth)
            .map_err(text)?;
        for row in &mut rows {
            row.push((j, 10.0 + random.below(90)));
        }
    }
    for (i, row) in rows.into_iter().enumerate() {
        let room = (row.iter().map(|e| e.1).sum::<f64>() / 3.0).floor();
        b.row(&format!("r{i}"), -INF, room, row).map_err(text)?;
    }
    b.build().map_err(text)
}

/// A knapsack whose items have almost the same worth, so that good solutions differ by little. Few enough to try all.
pub(super) fn close_worths(columns: usize) -> Result<Model, String> {
    let text = |e: idpas_mip::ModelError| e.to_string();
    let mut b = ModelBuilder::new("close worths", Sense::Maximize);
    let mut entries = Vec::new();
    for j in 0..columns {
        let worth = 100.0 + (j * 37 % 101) as f64 * 1e-5;
        let x = b
            .column(&format!("x{j}"), VarKind::Integer, 0.0, 1.0, worth)
            .map_err(text)?;
        entries.push((x, 10.0 + (j * 53 % 17) as f64));
    }
    let room = (entries.iter().map(|e| e.1).sum::<f64>() / 2.0).floor() + 0.5;
    b.row("weight", -INF, room, entries).map_err(text)?;
    b.build().map_err(text)
}

pub(super) fn load(solver: &dyn Solver, model: &Model) -> Result<Box<dyn LoadedModel>, String> {
    solver.load(model).or_else(super::fail)
}

/// Loads a model and solves it with these parameters.
pub(super) fn solve(
    solver: &dyn Solver,
    model: &Model,
    params: &Params,
) -> Result<SolveResult, String> {
    solve_from(solver, model, params, None)
}

/// Loads a model and solves it from a start.
pub(super) fn solve_from(
    solver: &dyn Solver,
    model: &Model,
    params: &Params,
    start: Option<&Start>,
) -> Result<SolveResult, String> {
    load(solver, model)?
        .solve(params, start, &mut Control::default())
        .or_else(super::fail)
}
