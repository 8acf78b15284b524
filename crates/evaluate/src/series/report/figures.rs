//! The figures of the page about a series.

use idpas_base::svg::{Axis, Figure};

use super::super::{InstanceScore, SeriesSummary};
use crate::report::csv::Csv;
use crate::report::figures::{colour, figure, headed, legend};

/// Fewest numbers on the horizontal axis, so that the marks beside it are whole numbers.
const LEAST_INSTANCES: usize = 6;

/// The score of each instance, and the mean score of the instances so far.
pub(super) fn along(summary: &SeriesSummary) -> String {
    let each = Curves::new(&summary.instances);
    let so_far = each.running_means();
    format!(
        "<div class=\"grid\">{}{}</div>",
        each.draw(
            "Score of each instance",
            "score",
            "Lower is better. A score of 1 or more: not solved.",
            "scores"
        ),
        so_far.draw(
            "Mean score of the instances so far",
            "mean score",
            "At each instance, the mean over it and all before it. Lower is better.",
            "mean-scores"
        )
    )
}

/// A number at each instance, of the series' own run and, where there is one, of the default solver's.
struct Curves<'a> {
    instances: &'a [InstanceScore],
    ours: Vec<(f64, f64)>,
    solver: Vec<(f64, f64)>,
}

impl<'a> Curves<'a> {
    fn new(instances: &'a [InstanceScore]) -> Self {
        let at = |instance: &InstanceScore| instance.number as f64;
        let ours = instances.iter().map(|i| (at(i), i.ours.total));
        let solver = instances.iter();
        let solver = solver.filter_map(|i| Some((at(i), i.solver.as_ref()?.total)));
        Curves {
            instances,
            ours: ours.collect(),
            solver: solver.collect(),
        }
    }

    /// The means of these numbers from the first instance to each. If the default solver was run on some instances
    /// only, both means are over those, so that they can be compared.
    fn running_means(&self) -> Curves<'a> {
        let both = |point: &&(f64, f64)| {
            self.solver.is_empty() || self.solver.iter().any(|other| other.0 == point.0)
        };
        let means = |points: Vec<(f64, f64)>| {
            let mut sum = 0.0;
            let mean = |(at, (x, y)): (usize, (f64, f64))| {
                sum += y;
                (x, sum / (at + 1) as f64)
            };
            points.into_iter().enumerate().map(mean).collect()
        };
        Curves {
            instances: self.instances,
            ours: means(self.ours.iter().filter(both).copied().collect()),
            solver: means(self.solver.clone()),
        }
    }

    fn draw(&self, heading: &str, what: &str, caption: &str, name: &str) -> String {
        let values = self.ours.iter().chain(&self.solver).map(|point| point.1);
        let highest = values.fold(1.0, f64::max);
        let last = self.instances.len().max(LEAST_INSTANCES) as f64;
        let mut drawn = Figure::new(
            heading,
            Axis::linear(1.0, last, "instance"),
            Axis::linear(0.0, 1.05 * highest, what),
        );
        let mut csv = Csv::new(&["number", "instance", "method", what]);
        let methods = [
            ("solver", "default solver", &self.solver),
            ("idpas", "this series", &self.ours),
        ];
        let methods: Vec<_> = methods
            .into_iter()
            .filter(|(_, _, points)| !points.is_empty())
            .collect();
        for (method, label, points) in &methods {
            drawn.line(points, colour(method));
            for (x, y) in points.iter() {
                let instance = self
                    .instances
                    .iter()
                    .find(|instance| instance.number as f64 == *x);
                let instance = instance.map_or("", |instance| instance.name.as_str());
                drawn.dot(
                    *x,
                    *y,
                    colour(method),
                    &format!("{x} {instance}: {y:.3} ({label})"),
                );
                csv.row([
                    x.to_string(),
                    instance.to_owned(),
                    (*label).to_owned(),
                    y.to_string(),
                ]);
            }
        }
        let entries = methods
            .iter()
            .map(|(method, label, _)| (*label, colour(method)));
        let above = format!("<h3>{heading}</h3>{}", legend(entries));
        headed(&above, &figure(&drawn.svg(), caption, &csv, name))
    }
}
