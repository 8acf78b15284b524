//! Repair by chains: what one equality has too much of is passed on until it reaches one that has too little.
//!
//! Single moves repair balances of flow badly: each column that mends one row breaks the next. So a cheapest chain of
//! columns is found, each of them in at most two equalities, that begins at a violated row and ends at one that is
//! violated the other way, or at a column that is in one equality only. Inequalities must stay as they are, except
//! those that a column outside all equalities can loosen: these are left to [`jump`](super::jump).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Clock;
use super::point::Point;

/// Length that a link has beside its cost, as a share of the mean cost: of equal chains the shorter one is taken.
const LINK: f64 = 0.1;
/// Price of a link that violates an inequality, as a multiple of the mean cost.
const CROSSING: f64 = 100.0;
/// Rows that may be reached in one search.
const REACH: usize = 200_000;

/// A row on a chain: how it was reached.
#[derive(Clone, Copy)]
struct Reached {
    /// The search in which this is valid.
    search: u32,
    length: f64,
    /// The sign by which the row's activity must change, so that it is what it was before the chain.
    short: f64,
    /// The column by which it was reached, how that moves for each unit of the chain, and from which row.
    column: u32,
    by: f64,
    from: u32,
}

/// Finds chains of columns in one point.
pub(super) struct Chains {
    /// For each inequality, what the cheapest column outside all equalities that may loosen it costs; NaN if there is
    /// none.
    soft: Vec<f64>,
    reached: Vec<Reached>,
    search: u32,
    link: f64,
    /// What a link that violates an inequality without such a column costs; NaN if it is not allowed.
    crossing: f64,
}

impl Chains {
    pub(super) fn new(point: &Point<'_>, cost: &[f64]) -> Self {
        let rows = point.model.num_rows();
        let mut soft = vec![f64::NAN; rows];
        for (j, own) in cost.iter().enumerate() {
            let mut entries = point.model.matrix.entries(j);
            if !entries.any(|(i, _)| point.is_equality(i)) {
                for (i, _) in point.model.matrix.entries(j) {
                    soft[i] = soft[i].min(own.abs());
                }
            }
        }
        let total: f64 = cost.iter().map(|c| c.abs()).sum();
        let never = Reached {
            search: 0,
            length: 0.0,
            short: 0.0,
            column: 0,
            by: 0.0,
            from: 0,
        };
        Chains {
            soft,
            reached: vec![never; rows],
            search: 0,
            crossing: f64::NAN,
            link: (LINK * total / cost.len().max(1) as f64).max(1e-6),
        }
    }

    /// Mends as many violated equalities as chains can.
    pub(super) fn mend(&mut self, point: &mut Point<'_>, cost: &[f64], clock: &Clock<'_>) {
        // A chain may cross an inequality at its side there and back again. That is found where single links may violate
        // it at a price, which is tried for what is left.
        self.crossing = f64::NAN;
        self.pass(point, cost, clock);
        self.crossing = self.link / LINK * CROSSING;
        self.pass(point, cost, clock);
    }

    fn pass(&mut self, point: &mut Point<'_>, cost: &[f64], clock: &Clock<'_>) {
        for row in point.violated.clone() {
            let row = row as usize;
            while point.is_equality(row) && point.need(row) != 0.0 {
                if clock.is_over() {
                    return;
                }
                let end = self.find(point, cost, row);
                if !end.is_some_and(|end| self.apply(point, row, &end)) {
                    break;
                }
            }
        }
    }

    /// The row or, for a column in one equality only, the last row of a cheapest chain from `start`.
    fn find(&mut self, point: &Point<'_>, cost: &[f64], start: usize) -> Option<End> {
        self.search += 1;
        let mut heap = BinaryHeap::new();
        self.reached[start] = Reached {
            search: self.search,
            length: 0.0,
            short: point.need(start).signum(),
            column: 0,
            by: 0.0,
            from: start as u32,
        };
        heap.push(Reverse((Length(0.0), start as u32, None)));
        let mut visited = 0;
        while let Some(Reverse((Length(length), row, last))) = heap.pop() {
            let row = row as usize;
            if let Some(link) = last {
                let (column, by): (u32, i8) = link;
                return Some(End {
                    row,
                    last: Some((column as usize, f64::from(by))),
                });
            }
            if length > self.reached[row].length {
                continue;
            }
            let short = self.reached[row].short;
            if row != start && point.need(row) * short < 0.0 {
                return Some(End { row, last: None });
            }
            visited += 1;
            if visited > REACH {
                return None;
            }
            for (j, a) in point.by_row.entries(row) {
                let by = short / a;
                if a.abs() != 1.0 || point.room(j, by > 0.0) < 1.0 {
                    continue;
                }
                let Some((next, price)) = self.next(point, j, by, row) else {
                    continue;
                };
                let length = length + (cost[j] * by).max(0.0) + price + self.link;
                match next {
                    Next::Nowhere => {
                        let last = Some((j as u32, by as i8));
                        heap.push(Reverse((Length(length), row as u32, last)));
                    }
                    Next::Row(next, a) => {
                        let known = &mut self.reached[next];
                        if known.search == self.search && known.length <= length {
                            continue;
                        }
                        *known = Reached {
                            search: self.search,
                            length,
                            short: -a * by,
                            column: j as u32,
                            by,
                            from: row as u32,
                        };
                        heap.push(Reverse((Length(length), next as u32, None)));
                    }
                }
            }
        }
        None
    }

    /// Moves the columns of a chain as far as they go, or by one if that breaks an inequality. Says whether it could.
    fn apply(&self, point: &mut Point<'_>, start: usize, end: &End) -> bool {
        let mut links: Vec<(usize, f64)> = end.last.into_iter().collect();
        let mut row = end.row;
        while row != start && links.len() <= self.reached.len() {
            let reached = &self.reached[row];
            links.push((reached.column as usize, reached.by));
            row = reached.from as usize;
        }
        let mut amount = point.need(start).abs();
        if end.last.is_none() {
            amount = amount.min(point.need(end.row).abs());
        }
        for &(j, by) in &links {
            amount = amount.min(point.room(j, by > 0.0));
        }
        for amount in [amount.floor(), 1.0] {
            if amount < 1.0 {
                return false;
            }
            let broken = |point: &Point<'_>| {
                let rows = links
                    .iter()
                    .flat_map(|&(j, _)| point.model.matrix.entries(j));
                rows.filter(|&(i, _)| !point.is_equality(i) && self.soft[i].is_nan())
                    .filter(|&(i, _)| point.need(i) != 0.0)
                    .count()
            };
            let before = broken(point);
            for &(j, by) in &links {
                point.shift(j, by * amount);
            }
            if broken(point) <= before {
                return true;
            }
            for &(j, by) in &links {
                point.shift(j, -by * amount);
            }
        }
        false
    }

    /// Where a move of column `j` leads from `row`, and what columns that must make room for it cost; if it is allowed.
    fn next(&self, point: &Point<'_>, j: usize, by: f64, row: usize) -> Option<(Next, f64)> {
        let mut next = Next::Nowhere;
        let mut price = 0.0;
        for (i, a) in point.model.matrix.entries(j) {
            if i == row {
                continue;
            }
            if point.is_equality(i) {
                if matches!(next, Next::Row(..)) || a.abs() != 1.0 {
                    return None;
                }
                next = Next::Row(i, a);
            } else if point.need_after(i, a * by).abs() > point.need(i).abs() {
                let own = match self.soft[i].is_nan() {
                    true => self.crossing,
                    false => self.soft[i],
                };
                if own.is_nan() {
                    return None;
                }
                price += own;
            }
        }
        Some((next, price))
    }
}

enum Next {
    /// The other equality, and the column's coefficient in it.
    Row(usize, f64),
    /// The column is in no other equality.
    Nowhere,
}

struct End {
    row: usize,
    last: Option<(usize, f64)>,
}

/// A length in a heap.
#[derive(PartialEq)]
struct Length(f64);

impl Eq for Length {}

impl PartialOrd for Length {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Length {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}
