//! Linear programs solved exactly: the simplex method on big integers, by Bland's rule, which always ends.
//!
//! All entries of the tableau are whole numbers over one common denominator, the last pivot. So a step needs one exact
//! division for each entry and no fraction is ever reduced.

use num_bigint::{BigInt, Sign};

use super::number::{Fraction, Number};

/// A column of a linear program.
#[derive(Clone, Debug)]
pub struct Range {
    pub lower: Option<Number>,
    pub upper: Option<Number>,
}

/// `lower ≤ Σ coefficient·x ≤ upper`, with a coefficient for each column.
#[derive(Clone, Debug)]
pub struct Row {
    pub coefficients: Vec<Number>,
    pub sides: Range,
}

/// A linear program: the least of `cost·x`.
#[derive(Clone, Debug)]
pub struct Program {
    pub cost: Vec<Number>,
    pub columns: Vec<Range>,
    pub rows: Vec<Row>,
}

/// What is true of a linear program.
#[derive(Clone, Debug)]
pub enum Answer {
    Infeasible,
    Unbounded,
    /// The least value, and a point that has it.
    Optimal(Fraction, Vec<Fraction>),
}

/// How a column is made of columns that are at least zero.
enum Origin {
    /// `start + y`, or `start − y`.
    Shifted { at: usize, start: Number, up: bool },
    /// `y − z`, with z behind y.
    Free { at: usize },
}

impl Program {
    pub fn solve(&self) -> Answer {
        let (origins, width) = self.origins();
        let mut tableau = Tableau::new(width);
        for (column, origin) in self.columns.iter().zip(&origins) {
            if let (Some(lower), Some(upper), Origin::Shifted { at, .. }) =
                (&column.lower, &column.upper, origin)
            {
                let mut entries = vec![Number::zero(); width];
                entries[*at] = Number::from(1.0);
                tableau.add(&entries, &upper.minus(lower), Kind::AtMost);
            }
        }
        for row in &self.rows {
            let (entries, shift) = substitute(&row.coefficients, &origins, width);
            let side = |side: &Number| side.minus(&shift);
            match (&row.sides.lower, &row.sides.upper) {
                (Some(l), Some(u)) if l.compare(u).is_eq() => {
                    tableau.add(&entries, &side(l), Kind::Equal);
                }
                (lower, upper) => {
                    if let Some(upper) = upper {
                        tableau.add(&entries, &side(upper), Kind::AtMost);
                    }
                    if let Some(lower) = lower {
                        let negated: Vec<Number> = entries.iter().map(Number::negated).collect();
                        tableau.add(&negated, &side(lower).negated(), Kind::AtMost);
                    }
                }
            }
        }
        let (cost, constant) = substitute(&self.cost, &origins, width);
        match tableau.minimise(&cost) {
            Ended::Infeasible => Answer::Infeasible,
            Ended::Unbounded => Answer::Unbounded,
            Ended::Optimal(value, y) => {
                let value = value.plus(&Fraction::of(&constant));
                Answer::Optimal(value, origins.iter().map(|o| o.value(&y)).collect())
            }
        }
    }

    fn origins(&self) -> (Vec<Origin>, usize) {
        let mut width = 0;
        let mut origins = Vec::new();
        for column in &self.columns {
            let at = width;
            let shifted = |start: &Number, up| Origin::Shifted {
                at,
                start: start.clone(),
                up,
            };
            let origin = match (&column.lower, &column.upper) {
                (Some(lower), _) => shifted(lower, true),
                (None, Some(upper)) => shifted(upper, false),
                (None, None) => Origin::Free { at },
            };
            width += match origin {
                Origin::Free { .. } => 2,
                Origin::Shifted { .. } => 1,
            };
            origins.push(origin);
        }
        (origins, width)
    }
}

impl Origin {
    fn value(&self, y: &[Fraction]) -> Fraction {
        match self {
            Origin::Free { at } => y[*at].minus(&y[at + 1]),
            Origin::Shifted { at, start, up } => match up {
                true => Fraction::of(start).plus(&y[*at]),
                false => Fraction::of(start).minus(&y[*at]),
            },
        }
    }
}

/// A linear function of the columns as one of the columns that are at least zero, and a constant.
fn substitute(coefficients: &[Number], origins: &[Origin], width: usize) -> (Vec<Number>, Number) {
    let mut entries = vec![Number::zero(); width];
    let mut constant = Number::zero();
    for (coefficient, origin) in coefficients.iter().zip(origins) {
        match origin {
            Origin::Free { at } => {
                entries[*at] = coefficient.clone();
                entries[at + 1] = coefficient.negated();
            }
            Origin::Shifted { at, start, up } => {
                constant = constant.plus(&coefficient.times(start));
                entries[*at] = match up {
                    true => coefficient.clone(),
                    false => coefficient.negated(),
                };
            }
        }
    }
    (entries, constant)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    AtMost,
    Equal,
}

enum Ended {
    Infeasible,
    Unbounded,
    Optimal(Fraction, Vec<Fraction>),
}

/// Rows of whole numbers; every entry stands for itself divided by `denominator`. The right-hand side is the last one.
struct Tableau {
    width: usize,
    /// Entries of the columns, whether there is a slack, and the right-hand side.
    given: Vec<(Vec<BigInt>, Kind, BigInt)>,
    rows: Vec<Vec<BigInt>>,
    basis: Vec<usize>,
    denominator: BigInt,
}

impl Tableau {
    fn new(width: usize) -> Self {
        Tableau {
            width,
            given: Vec::new(),
            rows: Vec::new(),
            basis: Vec::new(),
            denominator: BigInt::from(1),
        }
    }

    fn add(&mut self, entries: &[Number], side: &Number, kind: Kind) {
        let shift = entries.iter().map(|n| n.shift).max().unwrap_or(0);
        let shift = shift.max(side.shift);
        let entries = entries.iter().map(|n| n.scaled(shift)).collect();
        self.given.push((entries, kind, side.scaled(shift)));
    }

    /// Columns: those of the program, a slack for each row that has one, an artificial one for each row.
    fn minimise(mut self, cost: &[Number]) -> Ended {
        let slacks = self.given.len();
        let artificial = self.width + slacks;
        let last = artificial + slacks;
        for (i, (entries, kind, side)) in std::mem::take(&mut self.given).into_iter().enumerate() {
            let mut row = entries;
            row.resize(last + 1, BigInt::ZERO);
            row[self.width + i] = BigInt::from(i32::from(kind == Kind::AtMost));
            row[last] = side;
            let has_slack = kind == Kind::AtMost && row[last].sign() != Sign::Minus;
            if row[last].sign() == Sign::Minus {
                row.iter_mut().for_each(|entry| *entry = -&*entry);
            }
            self.basis.push(match has_slack {
                true => self.width + i,
                false => artificial + i,
            });
            row[artificial + i] = BigInt::from(1);
            self.rows.push(row);
        }
        // The price of what is artificial and in the basis is subtracted, so that the basis has reduced costs of zero.
        let mut price = vec![BigInt::ZERO; last + 1];
        for (row, &basic) in self.rows.iter().zip(&self.basis) {
            if basic >= artificial {
                for (entry, of_row) in price.iter_mut().zip(&row[..artificial]) {
                    *entry -= of_row;
                }
                price[last] -= &row[last];
            }
        }
        self.rows.push(price);
        // Artificial columns never come back, so the first phase cannot be unbounded.
        self.walk(artificial);
        let left = self.rows.pop().unwrap_or_default();
        if left[last].sign() != Sign::NoSign {
            return Ended::Infeasible;
        }
        self.drop_artificial(artificial);
        let shift = cost.iter().map(|n| n.shift).max().unwrap_or(0);
        let mut reduced: Vec<BigInt> = cost.iter().map(|n| n.scaled(shift)).collect();
        reduced.resize(last + 1, BigInt::ZERO);
        let whole = reduced.clone();
        reduced.iter_mut().for_each(|c| *c *= &self.denominator);
        for (row, &basic) in self.rows.iter().zip(&self.basis) {
            for (entry, of_row) in reduced.iter_mut().zip(row) {
                *entry -= &whole[basic] * of_row;
            }
        }
        self.rows.push(reduced);
        if !self.walk(artificial) {
            return Ended::Unbounded;
        }
        let value = -&self.rows[self.basis.len()][last];
        let value = Fraction::new(value, &self.denominator << shift);
        let mut point = vec![Fraction::of(&Number::zero()); self.width];
        for (row, &basic) in self.rows.iter().zip(&self.basis) {
            if basic < self.width {
                point[basic] = Fraction::new(row[last].clone(), self.denominator.clone());
            }
        }
        Ended::Optimal(value, point)
    }

    /// Goes to the optimum of the last row by the columns before `until`; false if there is none.
    fn walk(&mut self, until: usize) -> bool {
        loop {
            let costs = &self.rows[self.basis.len()];
            let Some(enters) = (0..until).find(|&j| costs[j].sign() == Sign::Minus) else {
                return true;
            };
            let Some(leaves) = self.leaving(enters) else {
                return false;
            };
            self.pivot(leaves, enters);
        }
    }

    /// The row with the least ratio; among equals the one whose basic column comes first.
    fn leaving(&self, enters: usize) -> Option<usize> {
        let mut best: Option<usize> = None;
        for i in 0..self.basis.len() {
            let row = &self.rows[i];
            if row[enters].sign() != Sign::Plus {
                continue;
            }
            let is_less = best.is_none_or(|b| {
                let other = &self.rows[b];
                let (side, other_side) = (&row[row.len() - 1], &other[other.len() - 1]);
                let order = (side * &other[enters]).cmp(&(other_side * &row[enters]));
                order.then(self.basis[i].cmp(&self.basis[b])).is_lt()
            });
            if is_less {
                best = Some(i);
            }
        }
        best
    }

    fn pivot(&mut self, leaves: usize, enters: usize) {
        let chosen = self.rows[leaves].clone();
        let pivot = chosen[enters].clone();
        for (i, row) in self.rows.iter_mut().enumerate() {
            if i == leaves {
                continue;
            }
            let factor = row[enters].clone();
            for (entry, of_chosen) in row.iter_mut().zip(&chosen) {
                *entry = (&*entry * &pivot - &factor * of_chosen) / &self.denominator;
            }
        }
        self.basis[leaves] = enters;
        self.denominator = pivot;
    }

    /// Takes artificial columns out of the basis, where they are zero; rows without anything else are redundant.
    fn drop_artificial(&mut self, artificial: usize) {
        let mut i = 0;
        while i < self.basis.len() {
            if self.basis[i] < artificial {
                i += 1;
                continue;
            }
            match (0..artificial).find(|&j| self.rows[i][j].sign() != Sign::NoSign) {
                Some(enters) => {
                    if self.rows[i][enters].sign() == Sign::Minus {
                        self.rows[i].iter_mut().for_each(|entry| *entry = -&*entry);
                    }
                    self.pivot(i, enters);
                    i += 1;
                }
                None => {
                    self.rows.remove(i);
                    self.basis.remove(i);
                }
            }
        }
    }
}

#[test]
fn programs_with_known_answers() {
    const INF: f64 = f64::INFINITY;
    let range = |lower: f64, upper: f64| {
        let finite = |x: f64| x.is_finite().then(|| Number::from(x));
        Range {
            lower: finite(lower),
            upper: finite(upper),
        }
    };
    let numbers = |xs: &[f64]| xs.iter().map(|&x| Number::from(x)).collect::<Vec<Number>>();
    let solve = |cost: &[f64], columns: &[(f64, f64)], rows: &[(f64, f64, &[f64])]| {
        let row = |&(lower, upper, coefficients): &(f64, f64, &[f64])| Row {
            coefficients: numbers(coefficients),
            sides: range(lower, upper),
        };
        let program = Program {
            cost: numbers(cost),
            columns: columns.iter().map(|&(l, u)| range(l, u)).collect(),
            rows: rows.iter().map(row).collect(),
        };
        match program.solve() {
            Answer::Infeasible => "infeasible".to_owned(),
            Answer::Unbounded => "unbounded".to_owned(),
            Answer::Optimal(value, point) => {
                let point: Vec<f64> = point.iter().map(Fraction::approximate).collect();
                format!("{} at {point:?}", value.approximate())
            }
        }
    };
    // The most of x + y.
    let quadrant = [(0.0, INF), (0.0, INF)];
    let rows: [(f64, f64, &[f64]); 2] = [(-INF, 4.0, &[2.0, 1.0]), (-INF, 6.5, &[1.0, 3.0])];
    assert_eq!(solve(&[-1.0, -1.0], &quadrant, &rows), "-2.9 at [1.1, 1.8]");
    assert_eq!(solve(&[-1.0, -1.0], &quadrant, &rows[..0]), "unbounded");
    let more: (f64, f64, &[f64]) = (4.5, INF, &[2.0, 1.0]);
    assert_eq!(
        solve(&[0.0, 0.0], &quadrant, &[rows[0], more]),
        "infeasible"
    );
    // A free column, a column with an upper bound alone, and an equality.
    let columns = [(-INF, INF), (-INF, 3.0), (-1.0, 1.0)];
    let equal: (f64, f64, &[f64]) = (2.0, 2.0, &[1.0, 1.0, 1.0]);
    assert_eq!(
        solve(&[1.0, 0.0, 0.0], &columns, &[equal]),
        "-2 at [-2.0, 3.0, 1.0]"
    );
    assert_eq!(solve(&[1.0, 2.0, 0.0], &columns, &[equal]), "unbounded");
    // Rows that say the same twice leave an artificial column in the basis.
    assert_eq!(
        solve(&[1.0, 0.0, 0.0], &columns, &[equal, equal]),
        "-2 at [-2.0, 3.0, 1.0]"
    );
    // Bounds that cross, and no columns that could help a row.
    assert_eq!(solve(&[1.0], &[(2.0, 1.0)], &[]), "infeasible");
    assert_eq!(solve(&[], &[], &[(1.0, 2.0, &[])]), "infeasible");
    assert_eq!(solve(&[], &[], &[(-1.0, 2.0, &[])]), "0 at []");
}
