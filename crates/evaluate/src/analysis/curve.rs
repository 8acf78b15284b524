//! The mean primal gap over time.

use serde::Serialize;

use super::{Runs, Setting};
use crate::results::Record;
use crate::statistics::{Spread, mean};

/// Number of points at equal distances.
const EVEN: usize = 160;
/// Number of additional points at equal ratios near the beginning, where most happens.
const EARLY: usize = 60;

/// The mean primal gap over all instances at one time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CurvePoint {
    /// Time in seconds.
    pub time: f64,
    /// The mean gap, a share between 0 and 1.
    pub mean: f64,
    /// The standard error of the mean.
    pub error: f64,
}

/// The times in seconds at which gaps are computed, from 0 to the limit.
pub(super) fn times(limit: f64) -> Vec<f64> {
    let even = (0..=EVEN).map(|k| limit * k as f64 / EVEN as f64);
    let early = (0..EARLY).map(|k| limit * 1e-3f64.powf(1.0 - k as f64 / EARLY as f64));
    let mut times: Vec<f64> = even.chain(early).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

pub(super) fn mean_gap(setting: &Setting<'_>, runs: &Runs<'_>) -> Vec<CurvePoint> {
    let limit = setting.outline.time_limit;
    let gap_at = |record: &Record, best: Option<f64>, time: f64| {
        super::gap_at(&setting.clock.trajectory(record), time, limit, best)
    };
    let mut curve = Vec::new();
    for time in times(limit) {
        let gaps: Vec<f64> = setting
            .complete(runs)
            .filter_map(|(_, records, best)| {
                let gaps: Vec<f64> = records
                    .iter()
                    .map(|record| gap_at(record, best, time))
                    .collect();
                mean(&gaps)
            })
            .collect();
        if let Some(spread) = Spread::of(&gaps) {
            curve.push(CurvePoint {
                time,
                mean: spread.mean,
                error: spread.error(),
            });
        }
    }
    curve
}
