//! A point that violates some rows, with the activities of all rows.

use idpas_mip::propagate::{Bounds, Propagator};
use idpas_mip::{Matrix, Model};

/// Violations up to this multiple of `max(1, |side|)` are none. The check accepts twice as much.
const TOLERANCE: f64 = 5e-7;

/// Values of all columns within their bounds, and which rows they violate.
pub(super) struct Point<'a> {
    pub(super) model: &'a Model,
    pub(super) by_row: &'a Matrix,
    pub(super) bounds: &'a Bounds,
    pub(super) values: Vec<f64>,
    activity: Vec<f64>,
    /// The violated rows, in no order.
    pub(super) violated: Vec<u32>,
    /// Where each row is in `violated`.
    place: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

impl<'a> Point<'a> {
    /// `values` must be within `bounds`.
    pub(super) fn new(
        propagator: &'a Propagator<'a>,
        bounds: &'a Bounds,
        values: Vec<f64>,
    ) -> Self {
        let model = propagator.model();
        let mut point = Point {
            model,
            by_row: propagator.by_row(),
            bounds,
            values,
            activity: Vec::new(),
            violated: Vec::new(),
            place: vec![NOWHERE; model.num_rows()],
        };
        point.sum_up();
        point
    }

    /// Finds activities and violated rows anew, without the rounding errors of many changes.
    pub(super) fn sum_up(&mut self) {
        self.activity = vec![0.0; self.model.num_rows()];
        for (j, &value) in self.values.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            for (i, a) in self.model.matrix.entries(j) {
                self.activity[i] += a * value;
            }
        }
        for i in 0..self.model.num_rows() {
            self.note(i);
        }
    }

    /// By how much the activity of row `i` must rise, or fall if negative; zero if the row holds.
    pub(super) fn need(&self, i: usize) -> f64 {
        self.need_at(i, self.activity[i])
    }

    /// The same after a change of the activity by `by`.
    pub(super) fn need_after(&self, i: usize, by: f64) -> f64 {
        self.need_at(i, self.activity[i] + by)
    }

    fn need_at(&self, i: usize, activity: f64) -> f64 {
        let (lower, upper) = (self.model.rows.lower[i], self.model.rows.upper[i]);
        if activity < lower - TOLERANCE * lower.abs().max(1.0) {
            lower - activity
        } else if activity > upper + TOLERANCE * upper.abs().max(1.0) {
            upper - activity
        } else {
            0.0
        }
    }

    pub(super) fn is_equality(&self, i: usize) -> bool {
        self.model.rows.lower[i] == self.model.rows.upper[i]
    }

    /// How far column `j` can go up, or down if `up` is false.
    pub(super) fn room(&self, j: usize, up: bool) -> f64 {
        match up {
            true => self.bounds.upper[j] - self.values[j],
            false => self.values[j] - self.bounds.lower[j],
        }
    }

    pub(super) fn shift(&mut self, j: usize, by: f64) {
        self.values[j] += by;
        let model = self.model;
        for (i, a) in model.matrix.entries(j) {
            self.activity[i] += a * by;
            self.note(i);
        }
    }

    fn note(&mut self, i: usize) {
        let violated = self.need(i) != 0.0;
        let place = self.place[i];
        if violated && place == NOWHERE {
            self.place[i] = self.violated.len() as u32;
            self.violated.push(i as u32);
        } else if !violated && place != NOWHERE {
            self.violated.swap_remove(place as usize);
            if let Some(&moved) = self.violated.get(place as usize) {
                self.place[moved as usize] = place;
            }
            self.place[i] = NOWHERE;
        }
    }
}
