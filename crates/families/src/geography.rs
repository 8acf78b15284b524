//! Points on a map and the miles between them.

use serde::Serialize;

use idpas_base::random::Random;

/// A place, in miles from the map's south-west corner.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

impl Point {
    /// Distance in a straight line.
    pub(crate) fn distance(self, other: Point) -> f64 {
        let (dx, dy) = (self.x - other.x, self.y - other.y);
        (dx * dx + dy * dy).sqrt()
    }

    /// Distance in whole miles, at least one.
    pub(crate) fn miles(self, other: Point) -> f64 {
        self.distance(other).round().max(1.0)
    }

    /// A random point, uniform in the rectangle.
    pub(crate) fn draw(random: &mut Random, x: (f64, f64), y: (f64, f64)) -> Self {
        Point {
            x: random.uniform(x.0, x.1),
            y: random.uniform(y.0, y.1),
        }
    }

    /// Random points that keep away from each other: each is the candidate, out of ten, farthest from those before.
    pub(crate) fn spread(
        random: &mut Random,
        count: usize,
        x: (f64, f64),
        y: (f64, f64),
    ) -> Vec<Self> {
        let mut points: Vec<Point> = Vec::with_capacity(count);
        for _ in 0..count {
            let mut best = Point::draw(random, x, y);
            let mut best_gap = gap(best, &points);
            for _ in 1..10 {
                let candidate = Point::draw(random, x, y);
                let candidate_gap = gap(candidate, &points);
                if candidate_gap > best_gap {
                    (best, best_gap) = (candidate, candidate_gap);
                }
            }
            points.push(best);
        }
        points
    }
}

fn gap(point: Point, others: &[Point]) -> f64 {
    others
        .iter()
        .map(|&other| point.distance(other))
        .fold(f64::INFINITY, f64::min)
}

/// A number rounded to this many decimals, so that files stay short.
pub(crate) fn rounded(value: f64, decimals: usize) -> f64 {
    let scale = [1.0, 10.0, 100.0, 1_000.0][decimals];
    (value * scale).round() / scale
}
