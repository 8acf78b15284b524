//! Small models by hand, and larger ones by chance.
#![allow(clippy::unwrap_used, dead_code)]

use idpas_graph::RawGraph;
use idpas_mip::{BasisStatus, Model, ModelBuilder, Relaxation, RowSides, Sense, VarKind};

const INF: f64 = f64::INFINITY;

/// Every kind of column and row once; `sign` −1 negates the objective.
pub(crate) fn example(sense: Sense, sign: f64) -> Model {
    let mut b = ModelBuilder::new("example", sense);
    let x = b
        .column("x", VarKind::Continuous, 0.0, INF, 3.0 * sign)
        .unwrap();
    let y = b.column("y", VarKind::Integer, 0.0, 1.0, 0.0).unwrap();
    let z = b
        .column("z", VarKind::Integer, -2.0, 5.0, -4.0 * sign)
        .unwrap();
    let w = b.column("w", VarKind::Continuous, -INF, INF, 0.0).unwrap();
    b.row("less", -INF, 4.0, [(y, 1.0), (x, 2.0)]).unwrap();
    b.row("range", 1.0, 9.0, [(x, 1.0), (z, -4.0)]).unwrap();
    b.row("equal", 1.0, 1.0, [(y, 1.0), (z, 1.0)]).unwrap();
    b.row("greater", 2.0, INF, [(w, 5.0)]).unwrap();
    b.row("free", -INF, INF, [(x, 1.0)]).unwrap();
    b.build().unwrap()
}

/// A relaxation of [`example`], made up.
pub(crate) fn relaxed() -> Relaxation {
    let sides = |lower, upper| RowSides { lower, upper };
    Relaxation {
        values: vec![1e-7, 0.4, 5.000_000_1, 0.5],
        reduced_costs: vec![1.5, 0.0, -2.5, 0.0],
        column_basis: vec![
            BasisStatus::Lower,
            BasisStatus::Basic,
            BasisStatus::Upper,
            BasisStatus::Zero,
        ],
        duals: vec![-0.5, 0.0, 0.25, 0.0, 0.0],
        row_sides: vec![
            sides(false, true),
            sides(false, false),
            sides(true, true),
            sides(true, false),
            sides(false, false),
        ],
        ..Relaxation::default()
    }
}

/// Integer columns with these names and one row over all of them.
pub(crate) fn named<S: AsRef<str>>(names: &[S]) -> Model {
    let mut b = ModelBuilder::new("named", Sense::Minimize);
    let columns: Vec<usize> = names
        .iter()
        .map(|name| {
            b.column(name.as_ref(), VarKind::Integer, 0.0, 1.0, 1.0)
                .unwrap()
        })
        .collect();
    b.row("all", -INF, 1.0, columns.into_iter().map(|j| (j, 1.0)))
        .unwrap();
    b.build().unwrap()
}

/// A reproducible sequence of numbers below `below`.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn below(&mut self, below: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % below
    }

    pub(crate) fn permutation(&mut self, n: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..n as u32).collect();
        for k in (1..n).rev() {
            order.swap(k, self.below(k + 1));
        }
        order
    }
}

/// A random sparse model with `per_column` entries drawn for each column.
pub(crate) fn random(seed: u64, columns: usize, rows: usize, per_column: usize) -> Model {
    let mut chance = Chance(seed);
    let mut b = ModelBuilder::new("random", Sense::Minimize);
    let mut entries: Vec<Vec<(usize, f64)>> = vec![Vec::new(); rows];
    for j in 0..columns {
        let kind = [VarKind::Continuous, VarKind::Integer][chance.below(2)];
        let upper = [1.0, 7.0, INF][chance.below(3)];
        let cost = chance.below(9) as f64 - 4.0;
        b.column(&format!("v{j}"), kind, 0.0, upper, cost).unwrap();
        for _ in 0..per_column.min(rows) {
            let i = chance.below(rows);
            if entries[i].last().is_none_or(|&(last, _)| last != j) {
                entries[i].push((j, chance.below(19) as f64 - 9.5));
            }
        }
    }
    for (i, entries) in entries.into_iter().enumerate() {
        let side = chance.below(5) as f64;
        let lower = [-INF, side][chance.below(2)];
        b.row(&format!("r{i}"), lower, side, entries).unwrap();
    }
    b.build().unwrap()
}

pub(crate) fn assert_close(found: &[f32], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (k, (&found, &expected)) in found.iter().zip(expected).enumerate() {
        let off = (f64::from(found) - expected).abs();
        assert!(
            off <= 1e-6 * expected.abs().max(1e-3),
            "{k}: {found} instead of {expected}"
        );
    }
}

/// Whether all numbers of a graph are finite.
pub(crate) fn is_finite(graph: &RawGraph) -> bool {
    [&graph.variables, &graph.rows, &graph.edges]
        .into_iter()
        .all(|table| table.data.iter().all(|x| x.is_finite()))
}
