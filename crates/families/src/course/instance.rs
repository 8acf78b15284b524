//! The model of one COURSE instance, in the authors' order and with their names.

use idpas_mip::{Model, ModelBuilder, ModelError, Sense, VarKind};

use super::Coefficients;

const MINUS: f64 = f64::NEG_INFINITY;
const PLUS: f64 = f64::INFINITY;

/// Index of the first column of each group. Blocks and slots are counted from 0 here and from 1 in names.
struct Layout {
    n: usize,
    y: usize,
    z: usize,
    slot_assignment: usize,
    b: usize,
    block_assigned: usize,
    diff: usize,
    diff_large: usize,
    counters: usize,
}

impl Layout {
    fn new(n: usize) -> Self {
        let y = n.pow(4);
        let z = y + n.pow(3);
        let slot_assignment = z + n.pow(4);
        let b = slot_assignment + n;
        let block_assigned = b + n * n;
        let diff = block_assigned + n;
        let diff_large = diff + n * n;
        let counters = diff_large + n * n;
        Self {
            n,
            y,
            z,
            slot_assignment,
            b,
            block_assigned,
            diff,
            diff_large,
            counters,
        }
    }

    fn x(&self, i: usize, j: usize, k: usize, s: usize) -> usize {
        ((i * self.n + j) * self.n + k) * self.n + s
    }

    fn y(&self, i: usize, j: usize, k: usize) -> usize {
        self.y + (i * self.n + j) * self.n + k
    }

    fn z(&self, i: usize, j: usize, k: usize, l: usize) -> usize {
        self.z + self.x(i, j, k, l)
    }

    /// All (i, j, k), in the order of the columns `y`.
    fn triples(&self) -> impl Iterator<Item = (usize, usize, usize)> + use<> {
        let n = self.n;
        (0..n).flat_map(move |i| (0..n).flat_map(move |j| (0..n).map(move |k| (i, j, k))))
    }

    /// All (i, j), in the order of the columns of pairs.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let n = self.n;
        (0..n).flat_map(move |i| (0..n).map(move |j| (i, j)))
    }
}

/// Whether a slot, counted from 0, is the first of the three of a day.
fn begins_day(slot: usize) -> bool {
    slot.is_multiple_of(3)
}

/// Whether a slot, counted from 0, is the last of the three of a day.
fn is_evening(slot: usize) -> bool {
    slot % 3 == 2
}

/// The model with these co-enrolments.
pub(super) fn model(c: &Coefficients) -> Result<Model, ModelError> {
    let mut building = Building {
        at: Layout::new(c.n),
        builder: ModelBuilder::new("Scheduler", Sense::Minimize),
        rows: 0,
    };
    building.columns()?;
    building.assignment()?;
    building.sequences()?;
    building.positions()?;
    building.penalties(c)?;
    building.builder.build()
}

struct Building {
    at: Layout,
    builder: ModelBuilder,
    rows: usize,
}

impl Building {
    /// Adds a row. One without a name is called `R` and its number, as in the files of the authors' tool.
    fn row(
        &mut self,
        name: Option<String>,
        lower: f64,
        upper: f64,
        entries: impl IntoIterator<Item = (usize, f64)>,
    ) -> Result<(), ModelError> {
        let name = name.unwrap_or_else(|| format!("R{}", self.rows));
        self.builder.row(&name, lower, upper, entries)?;
        self.rows += 1;
        Ok(())
    }

    fn columns(&mut self) -> Result<(), ModelError> {
        let n = self.at.n;
        let mut column = |name: &str, upper: f64, cost: f64| {
            self.builder
                .column(name, VarKind::Integer, 0.0, upper, cost)
                .map(|_| ())
        };
        for (i, j, k) in self.at.triples() {
            for s in 1..=n {
                column(&format!("x[{},{},{},{s}]", i + 1, j + 1, k + 1), 1.0, 0.0)?;
            }
        }
        for (i, j, k) in self.at.triples() {
            column(&format!("y[{},{},{}]", i + 1, j + 1, k + 1), 1.0, 0.0)?;
        }
        for (i, j, k) in self.at.triples() {
            for l in 1..=n {
                column(&format!("z[{},{},{},{l}]", i + 1, j + 1, k + 1), 1.0, 0.0)?;
            }
        }
        for s in 1..=n {
            column(&format!("slot_assignment[{s}]"), PLUS, 0.0)?;
        }
        for (i, s) in self.at.pairs() {
            column(&format!("b[{},{}]", i + 1, s + 1), 1.0, 0.0)?;
        }
        for i in 1..=n {
            column(&format!("block_assigned[{i}]"), PLUS, 0.0)?;
        }
        for (name, upper) in [("block_diff", PLUS), ("block_diff_large", 1.0)] {
            for (i, j) in self.at.pairs() {
                column(&format!("{name}[{},{}]", i + 1, j + 1), upper, 0.0)?;
            }
        }
        column("triple_in_day", PLUS, 10.0)?;
        column("triple_in_24hr", PLUS, 5.0)?;
        column("b2b_eveMorn", PLUS, 3.0)?;
        column("b2b_other", PLUS, 3.0)?;
        column("three_exams_four_slots", PLUS, 2.0)
    }

    /// Rows: each block is first, second and third in one triple of slots; each slot begins one triple; no block comes
    /// twice.
    fn assignment(&mut self) -> Result<(), ModelError> {
        let n = self.at.n;
        for part in 0..4 {
            let name = ["each_i", "each_j", "each_k", "each_slot"][part];
            for fixed in 0..n {
                let mut entries = Vec::with_capacity(n.pow(3));
                for (i, j, k) in self.at.triples() {
                    for s in 0..n {
                        if [i, j, k, s][part] == fixed {
                            entries.push((self.at.x(i, j, k, s), 1.0));
                        }
                    }
                }
                self.row(Some(format!("{name}[{}]", fixed + 1)), 1.0, 1.0, entries)?;
            }
        }
        for (a, c, s) in self.at.triples() {
            let x = self.at.x(a, a, c, s);
            self.row(
                Some(format!("no_ii[{},{},{}]", a + 1, c + 1, s + 1)),
                0.0,
                0.0,
                [(x, 1.0)],
            )?;
        }
        for (a, c, s) in self.at.triples() {
            let x = self.at.x(a, c, a, s);
            self.row(
                Some(format!("no_ik[{},{},{}]", a + 1, c + 1, s + 1)),
                0.0,
                0.0,
                [(x, 1.0)],
            )?;
        }
        for (a, c, s) in self.at.triples() {
            let x = self.at.x(a, c, c, s);
            self.row(
                Some(format!("no_jj[{},{},{}]", a + 1, c + 1, s + 1)),
                0.0,
                0.0,
                [(x, 1.0)],
            )?;
        }
        Ok(())
    }

    /// Rows that join each triple to the next one, and that define y and z.
    fn sequences(&mut self) -> Result<(), ModelError> {
        let n = self.at.n;
        for (j, k, s) in self.at.triples() {
            let before = (0..n).map(|i| (self.at.x(i, j, k, s), 1.0));
            let after = (0..n).map(|l| (self.at.x(j, k, l, (s + 1) % n), -1.0));
            let entries: Vec<(usize, f64)> = before.chain(after).collect();
            self.row(
                Some(format!("continuity[{},{},{}]", j + 1, k + 1, s + 1)),
                0.0,
                0.0,
                entries,
            )?;
        }
        for (i, j, k) in self.at.triples() {
            let slots = (0..n - 2).map(|s| (self.at.x(i, j, k, s), -1.0));
            let entries: Vec<(usize, f64)> = slots.chain([(self.at.y(i, j, k), 1.0)]).collect();
            self.row(None, 0.0, 0.0, entries)?;
        }
        for (i, j, k) in self.at.triples() {
            for l in 0..n {
                let (first, second) = (self.at.y(i, j, k), self.at.y(j, k, l));
                let z = (self.at.z(i, j, k, l), 1.0);
                match first == second {
                    true => self.row(None, -1.0, PLUS, [(first, -2.0), z])?,
                    false => self.row(None, -1.0, PLUS, [(first, -1.0), (second, -1.0), z])?,
                }
            }
        }
        Ok(())
    }

    /// Rows for the slot of each block, the block of each slot, and the distances between blocks.
    fn positions(&mut self) -> Result<(), ModelError> {
        let n = self.at.n;
        for s in 0..n {
            let mut entries = vec![(self.at.slot_assignment + s, 1.0)];
            for (i, j, k) in self.at.triples() {
                entries.push((self.at.x(i, j, k, s), -(i as f64 + 1.0)));
            }
            self.row(None, 0.0, 0.0, entries)?;
        }
        for (i, s) in self.at.pairs() {
            let mut entries = vec![(self.at.b + i * n + s, 1.0)];
            for (j, k) in self.at.pairs() {
                entries.push((self.at.x(i, j, k, s), -1.0));
            }
            self.row(None, 0.0, 0.0, entries)?;
        }
        for i in 0..n {
            let slots = (0..n).map(|s| (self.at.b + i * n + s, -(s as f64 + 1.0)));
            let entries: Vec<(usize, f64)> =
                slots.chain([(self.at.block_assigned + i, 1.0)]).collect();
            self.row(None, 0.0, 0.0, entries)?;
        }
        for sign in [1.0, -1.0] {
            for (i, j) in self.at.pairs() {
                let (a, b) = (self.at.block_assigned + i, self.at.block_assigned + j);
                let far = (self.at.diff + i * n + j, 1.0);
                match i == j {
                    true => self.row(None, 0.0, PLUS, [far])?,
                    false => self.row(None, 0.0, PLUS, [far, (a, -sign), (b, sign)])?,
                }
            }
        }
        for (lower, upper, factor) in [(0.0, PLUS, -16.0), (MINUS, 15.0, -20.0)] {
            for pair in 0..n * n {
                let entries = [
                    (self.at.diff + pair, 1.0),
                    (self.at.diff_large + pair, factor),
                ];
                self.row(None, lower, upper, entries)?;
            }
        }
        Ok(())
    }

    /// Rows for the five counters of students.
    fn penalties(&mut self, c: &Coefficients) -> Result<(), ModelError> {
        let n = self.at.n;
        let t = |i: usize, j: usize, k: usize| c.triples[(i * n + j) * n + k];
        // The first slots of those triples and pairs that the counters count.
        let in_day = |s: usize| s + 2 < n && begins_day(s);
        let in_24_hours = |s: usize| s + 2 < n && !begins_day(s);
        let overnight = |s: usize| s + 1 < n && is_evening(s);
        let same_day = |s: usize| s + 1 < n && !is_evening(s);
        // The entries of the row that defines a counter, from triples or from pairs of blocks.
        let sum = |at: &Layout, counter: usize, by_triple: bool, counts: &dyn Fn(usize) -> bool| {
            let mut entries = vec![(at.counters + counter, -1.0)];
            for (i, j, k) in at.triples() {
                let students = if by_triple {
                    t(i, j, k)
                } else {
                    c.pairs[i * n + j]
                };
                entries.extend(
                    (0..n)
                        .filter(|&s| counts(s))
                        .map(|s| (at.x(i, j, k, s), students)),
                );
            }
            entries
        };
        let entries = sum(&self.at, 0, true, &in_day);
        self.row(Some("pen1".into()), 0.0, 0.0, entries)?;
        let entries = sum(&self.at, 1, true, &in_24_hours);
        self.row(Some("pen2".into()), 0.0, 0.0, entries)?;
        let mut entries = vec![(self.at.counters + 4, -1.0)];
        for (i, j, k) in self.at.triples() {
            entries.extend((0..n).map(|l| (self.at.z(i, j, k, l), t(i, j, l) + t(i, k, l))));
        }
        self.row(Some("pen3".into()), 0.0, 0.0, entries)?;
        let entries = sum(&self.at, 2, false, &overnight);
        self.row(Some("pen4".into()), 0.0, 0.0, entries)?;
        let entries = sum(&self.at, 3, false, &same_day);
        self.row(Some("pen5".into()), 0.0, 0.0, entries)
    }
}

/// A feasible solution: block s is in slot s.
pub(super) fn point(c: &Coefficients) -> Vec<f64> {
    let n = c.n;
    let at = Layout::new(n);
    let t = |i: usize, j: usize, k: usize| c.triples[(i * n + j) * n + k];
    let mut point = vec![0.0; at.counters + 5];
    for s in 0..n {
        let [i, j, k, l] = [s, (s + 1) % n, (s + 2) % n, (s + 3) % n];
        point[at.x(i, j, k, s)] = 1.0;
        point[at.slot_assignment + s] = s as f64 + 1.0;
        point[at.b + s * n + s] = 1.0;
        point[at.block_assigned + s] = s as f64 + 1.0;
        if s + 2 < n {
            point[at.y(i, j, k)] = 1.0;
            point[at.counters + usize::from(!begins_day(s))] += t(i, j, k);
        }
        if s + 3 < n {
            point[at.z(i, j, k, l)] = 1.0;
            point[at.counters + 4] += t(i, j, l) + t(i, k, l);
        }
        if s + 1 < n {
            point[at.counters + 2 + usize::from(!is_evening(s))] += c.pairs[i * n + j];
        }
    }
    for (i, j) in at.pairs() {
        let far = i.abs_diff(j);
        point[at.diff + i * n + j] = far as f64;
        point[at.diff_large + i * n + j] = f64::from(u8::from(far >= 16));
    }
    point
}
