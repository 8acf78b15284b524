//! What a study must say beyond its form.

use std::collections::BTreeSet;

use idpas_families::Size;
use idpas_search::tuned::Grid;

use super::{Benchmark, ModelKind, Study, slug};

/// Folders beside those of benchmarks.
const OUR_FOLDERS: [&str; 2] = ["shards", crate::cluster::FOLDER];

/// What is wrong, and a text in the file near which it is.
pub(super) struct Fault {
    pub(super) message: String,
    pub(super) find: Option<String>,
}

fn fault(message: impl Into<String>, find: impl Into<String>) -> Fault {
    Fault {
        message: message.into(),
        find: Some(find.into()),
    }
}

impl Study {
    pub(super) fn validate(&self) -> Result<(), Fault> {
        let positive = |name: &str, value: Option<f64>| match value {
            Some(value) if !(value > 0.0 && value.is_finite()) => {
                let message = format!("{name} = {value}; expected seconds above 0");
                Err(fault(message, name))
            }
            _ => Ok(()),
        };
        positive("time_limit", Some(self.time_limit))?;
        positive("reference_time", self.reference_time)?;
        positive("time_limit", self.collect.time_limit)?;
        positive("time_limit", self.tune.time_limit)?;
        if self.threads == 0 {
            return Err(fault("threads = 0; expected at least 1", "threads"));
        }
        if self.seeds.is_empty() {
            return Err(fault("seeds: expected at least one", "seeds"));
        }
        let seeds: BTreeSet<u32> = self.seeds.iter().copied().collect();
        if seeds.len() < self.seeds.len() || seeds.last().is_some_and(|s| *s > 2_147_483_647) {
            let message = "seeds: expected different numbers up to 2147483647";
            return Err(fault(message, "seeds"));
        }
        if !(self.gap >= 0.0 && self.gap.is_finite()) {
            return Err(fault(
                format!("gap = {}; expected 0 or more", self.gap),
                "gap",
            ));
        }
        self.check_methods()?;
        (self.cluster.validate()).map_err(|error| fault(error.to_string(), "[cluster]"))?;
        if self.benchmarks.is_empty() {
            return Err(fault("there is no [[benchmark]]", "benchmark"));
        }
        let mut names = BTreeSet::new();
        for benchmark in &self.benchmarks {
            if !names.insert(slug(&benchmark.name)) {
                let message = format!("two benchmarks are called `{}`", benchmark.name);
                return Err(fault(message, &benchmark.name));
            }
            if OUR_FOLDERS.contains(&slug(&benchmark.name).as_str()) {
                let message = format!(
                    "benchmark `{}`: a folder of the results has this name; give it another",
                    benchmark.name
                );
                return Err(fault(message, &benchmark.name));
            }
            positive("time_limit", benchmark.time_limit)?;
            self.check_benchmark(benchmark).map_err(|message| {
                fault(
                    format!("benchmark `{}`: {message}", benchmark.name),
                    &benchmark.name,
                )
            })?;
        }
        Ok(())
    }

    fn check_methods(&self) -> Result<(), Fault> {
        let entries = self.entries();
        if entries.is_empty() {
            return Err(fault("methods: expected at least one", "methods"));
        }
        let mut labels = BTreeSet::new();
        for entry in &entries {
            let solver = self.solver_of(entry);
            if !idpas_solver::NAMES.contains(&solver) {
                let known = idpas_solver::NAMES.join(", ");
                let message = format!("unknown solver `{solver}`; known: {known}");
                return Err(fault(message, format!("\"{solver}\"")));
            }
            if entry.model.is_some() != ModelKind::of(entry.method).is_some() {
                let message = format!("method `{}` uses no model", entry.method);
                return Err(fault(message, &entry.label));
            }
            let of = entry.settings_of.as_ref();
            let is_tuned = |of: &String| {
                let mut others = entries.iter();
                others.any(|other| other.label == *of && other.is_tuned())
            };
            if let Some(of) = of.filter(|of| !is_tuned(of)) {
                let message =
                    format!("settings_of: no method with tuned settings is called `{of}`");
                return Err(fault(message, &entry.label));
            }
            if !labels.insert(slug(&entry.label)) || entry.label == "reference" {
                let message = format!(
                    "two methods are called `{}`; give one another label",
                    entry.label
                );
                return Err(fault(message, &entry.label));
            }
        }
        let Some(subject) = &self.subject else {
            return Ok(());
        };
        match entries.iter().any(|entry| entry.label == *subject) {
            true => Ok(()),
            false => Err(fault(
                format!("subject `{subject}` is none of the methods"),
                "subject",
            )),
        }
    }

    fn check_benchmark(&self, benchmark: &Benchmark) -> Result<(), String> {
        match (&benchmark.family, &benchmark.size) {
            (Some(_), None) => return Err("expected a size: tiny, small, large or hard".into()),
            (Some(_), Some(size)) => {
                size.parse::<Size>().map_err(|error| error.to_string())?;
                if benchmark.instances.is_some() || benchmark.test_instances.is_some() {
                    return Err("expected either a family or instances, not both".into());
                }
            }
            (None, Some(_)) => return Err("size: is for a family only".into()),
            (None, None) => {}
        }
        if benchmark.test == 0 {
            return Err("test = 0; expected at least one test instance".into());
        }
        let labels: Vec<String> = self
            .entries()
            .into_iter()
            .map(|entry| entry.label)
            .collect();
        for label in benchmark.omit.iter().chain(benchmark.models.keys()) {
            if !labels.contains(label) {
                return Err(format!("`{label}` is none of the methods"));
            }
        }
        let learns = self.entries().iter().any(|entry| {
            let needs = entry.model.is_some();
            needs
                && !benchmark.omit.contains(&entry.label)
                && !benchmark.models.contains_key(&entry.label)
        });
        if learns && benchmark.train == 0 {
            return Err(
                "train = 0, but there are methods that learn; expected at least one".into(),
            );
        }
        let tunes = self.entries().iter().any(|entry| {
            let grid = entry
                .tune
                .or(&self.tune_of(benchmark))
                .grid
                .unwrap_or_default();
            grid != Grid::Off && entry.is_tuned()
        });
        if learns && tunes && benchmark.validation == 0 {
            return Err("validation = 0, but settings are tuned; expected at least one, or [tune] grid = \"off\"".into());
        }
        for entry in self.entries() {
            let grid = entry.tune.or(&self.tune_of(benchmark)).grid;
            let omitted = benchmark.omit.contains(&entry.label);
            let has_points = grid.unwrap_or_default().is_about(entry.method);
            if !has_points && entry.is_tuned() && !omitted {
                return Err(format!(
                    "`{}` is not in the paper's grid, or not in what it calls best; \
                     give it tune = {{ grid = \"race\" }} in a [[method]]",
                    entry.label
                ));
            }
        }
        let alone = benchmark.omit.len() >= labels.len();
        if alone {
            return Err("omit: nothing is left to run".into());
        }
        Ok(())
    }
}
