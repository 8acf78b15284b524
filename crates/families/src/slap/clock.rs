//! The hours at which stations have nodes: near the hours when trains call, and as many as the size asks for.

use super::network::{Node, Station};
use super::schedule::{self, Map, Train, WEEK};

/// The most nodes of a terminal in a week. So trains that call there within six hours share a node.
const TERMINAL_NODES: usize = 28;

/// The hours at which each station has nodes.
pub(super) struct Clock {
    /// For each station, the hours of the week of its nodes, ascending.
    hours: Vec<Vec<i64>>,
    /// For each station, the index of its first node.
    first: Vec<usize>,
}

impl Clock {
    /// Gives stations nodes in proportion to the trains that call there, at the hours when they do.
    pub(super) fn new(map: &Map, trains: &[Train], nodes: usize) -> Self {
        let mut calls = vec![Vec::new(); map.points.len()];
        for train in trains {
            let mut hour = train.departure;
            let mut last = train.stops[0];
            for &stop in &train.stops {
                if stop != last {
                    hour = (hour + schedule::train_hours(map, last, stop)) % WEEK;
                }
                calls[stop].push(hour);
                last = stop;
            }
        }
        let weights: Vec<f64> = calls.iter().map(|calls| calls.len() as f64).collect();
        let most = |s: usize| {
            if s < map.terminals {
                TERMINAL_NODES
            } else {
                WEEK as usize
            }
        };
        let shares = apportion(&weights, nodes, 2, &most);
        let hours: Vec<Vec<i64>> = calls
            .into_iter()
            .zip(shares)
            .map(|(calls, share)| representatives(calls, share))
            .collect();
        let mut first = Vec::with_capacity(hours.len());
        let mut total = 0;
        for hours in &hours {
            first.push(total);
            total += hours.len();
        }
        Self { hours, first }
    }

    /// The first node of `station` at or after `hour`, and its hour, counted in the same week as `hour`.
    pub(super) fn arrival(&self, station: usize, hour: i64) -> (usize, i64) {
        let hours = &self.hours[station];
        let at = hours.partition_point(|&h| h < hour % WEEK) % hours.len();
        let wait = (hours[at] - hour).rem_euclid(WEEK);
        (self.first[station] + at, hour + wait)
    }

    pub(super) fn nodes(&self, stations: &[Station]) -> Vec<Node> {
        const DAYS: [&str; 7] = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"];
        let mut nodes = Vec::new();
        for (s, hours) in self.hours.iter().enumerate() {
            for (i, &hour) in hours.iter().enumerate() {
                let day = DAYS[(hour / 24) as usize % 7];
                nodes.push(Node {
                    name: format!("{}@{day}{:02}", stations[s].name, hour % 24),
                    station: s,
                    hour,
                    next: self.first[s] + (i + 1) % hours.len(),
                });
            }
        }
        nodes
    }
}

/// Whole numbers that sum up to `total`, in proportion to `weights`, each within `least..=most`.
fn apportion(
    weights: &[f64],
    total: usize,
    least: usize,
    most: &dyn Fn(usize) -> usize,
) -> Vec<usize> {
    let mut shares = vec![least; weights.len()];
    let mut left = total.saturating_sub(least * weights.len());
    // Each unit goes to the entry with the highest weight per unit so far (D'Hondt's method).
    let mut heap: std::collections::BinaryHeap<(u64, usize)> = std::collections::BinaryHeap::new();
    let claim = |weight: f64, share: usize| ((weight + 0.1) / (share + 1) as f64).to_bits();
    for (s, &weight) in weights.iter().enumerate() {
        heap.push((claim(weight, shares[s]), s));
    }
    while left > 0
        && let Some((_, s)) = heap.pop()
    {
        if shares[s] < most(s) {
            shares[s] += 1;
            left -= 1;
            heap.push((claim(weights[s], shares[s]), s));
        }
    }
    shares
}

/// `count` distinct hours: all hours of `calls` and others between them, or, if `calls` has too many, the last hour of
/// each of `count` groups of equal size.
fn representatives(calls: Vec<i64>, count: usize) -> Vec<i64> {
    let mut hours = calls;
    hours.sort_unstable();
    hours.dedup();
    if hours.len() > count {
        return (1..=count)
            .map(|i| hours[i * hours.len() / count - 1])
            .collect();
    }
    while hours.len() < count {
        // Halve the widest gap.
        let n = hours.len();
        let gap = |i: usize| match n {
            0 => WEEK,
            _ if i + 1 < n => hours[i + 1] - hours[i],
            _ => hours[0] + WEEK - hours[i],
        };
        let widest = (0..n.max(1))
            .max_by_key(|&i| (gap(i), std::cmp::Reverse(i)))
            .unwrap_or(0);
        let start = hours.get(widest).copied().unwrap_or(0);
        hours.push((start + gap(widest) / 2) % WEEK);
        hours.sort_unstable();
        hours.dedup();
    }
    hours
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_and_keep_their_limits() {
        let shares = apportion(&[100.0, 10.0, 0.0], 40, 2, &|_| 30);
        assert_eq!(shares.iter().sum::<usize>(), 40);
        assert_eq!(shares[0], 30);
        assert!(shares[2] >= 2);
    }

    #[test]
    fn hours_are_those_of_the_calls_and_distinct() {
        assert_eq!(representatives(vec![5, 5, 9], 2), [5, 9]);
        assert_eq!(representatives(vec![1, 2, 3, 4], 2), [2, 4]);
        for count in [1, 2, 7, 168] {
            let hours = representatives(vec![], count);
            assert_eq!(hours.len(), count);
            assert!(hours.is_sorted_by(|a, b| a < b));
        }
        assert_eq!(representatives((0..100).collect(), 168).len(), 168);
    }
}
