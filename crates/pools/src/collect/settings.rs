//! How a pool is made.

use serde::{Deserialize, Serialize};

use crate::PoolError;

/// Changes whenever the same settings give other pools, so that old pools are noticed.
const ALGORITHM: u32 = 2;

/// How pools are made. Pools remember it, and a changed setting is noticed by its hash.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CollectSettings {
    /// Seconds for an instance on average, relaxation and all solves together. A family that is collected with more
    /// later goes on with the pools it has.
    pub time_limit: f64,
    /// Keep at most this many solutions.
    pub pool: usize,
    /// Share of the time after which the first solve gives way to re-solves that fill the pool, where an instance is
    /// collected by itself: without siblings, with `nodes`, and by [`fill_pool`](super::fill_pool). It goes on longer if it has no
    /// solution by then, and ends sooner if it proves its solution optimal.
    pub first_share: f64,
    /// Drop solutions further from the best than this, relative to the best.
    pub keep_gap: f64,
    /// Seed of all random choices; each instance draws from it and its own name.
    pub seed: u64,
    /// Threads of each solve.
    pub threads: usize,
    /// Name of the solver.
    pub solver: String,
    /// Nodes after which any solve stops. With it, and a time limit that is not reached, pools do not depend
    /// on how fast the machine is: every instance has one turn, in which a single solve takes the place of the search,
    /// and starts from the solutions of the instances before it.
    pub nodes: Option<u64>,
    /// At most this many re-solves.
    pub rounds: Option<usize>,
    /// Stop after this many re-solves in a row that changed nothing.
    pub patience: usize,
    /// Whether instances learn from each other.
    #[serde(skip_serializing_if = "Siblings::are_used")]
    pub siblings: Siblings,
}

/// Whether the instances of a family learn from each other while they are collected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Siblings {
    /// They do.
    #[default]
    Use,
    /// Each is collected by itself, in one turn: a base to compare with.
    Ignore,
}

impl Siblings {
    /// Whether they are used; as `serde` asks it.
    #[allow(clippy::trivially_copy_pass_by_ref)]
    fn are_used(&self) -> bool {
        *self == Siblings::Use
    }
}

impl std::fmt::Display for Siblings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Siblings::Use => "use",
            Siblings::Ignore => "ignore",
        })
    }
}

impl Default for CollectSettings {
    fn default() -> Self {
        CollectSettings {
            time_limit: 3600.0,
            pool: 50,
            first_share: 0.5,
            keep_gap: 0.05,
            seed: 0,
            threads: 1,
            solver: "highs".into(),
            nodes: None,
            rounds: None,
            patience: 50,
            siblings: Siblings::default(),
        }
    }
}

impl CollectSettings {
    /// The hash by which settings are compared. How long the work may take is not part of it: what was found in less
    /// time counts as well.
    pub fn hash(&self) -> String {
        let settings = CollectSettings {
            time_limit: 0.0,
            ..self.clone()
        };
        // A structure of numbers and texts always has a JSON form.
        let text = serde_json::to_string(&(ALGORITHM, settings)).unwrap_or_default();
        idpas_base::hash::bytes_hash(text.as_bytes())
    }

    /// Refuses values that mean nothing.
    pub fn validate(&self) -> Result<(), PoolError> {
        let wrong = |name, message: String| Err(PoolError::Setting { name, message });
        if !(self.time_limit > 0.0 && self.time_limit.is_finite()) {
            let found = self.time_limit;
            return wrong("time limit", format!("{found}; expected seconds above 0"));
        }
        if self.pool == 0 {
            return wrong("pool", "0; expected at least 1".into());
        }
        if !(self.first_share > 0.0 && self.first_share <= 1.0) {
            let found = self.first_share;
            return wrong(
                "first share",
                format!("{found}; expected above 0 and at most 1"),
            );
        }
        if !(self.keep_gap >= 0.0 && self.keep_gap.is_finite()) {
            return wrong("keep gap", format!("{}; expected 0 or more", self.keep_gap));
        }
        if self.threads == 0 || self.threads > 1024 {
            return wrong("threads", format!("{}; expected 1 to 1024", self.threads));
        }
        match idpas_solver::by_name(&self.solver) {
            Ok(_) => Ok(()),
            Err(error) => wrong("solver", error.to_string()),
        }
    }

    /// What differs between two settings, one line each: `time_limit 30 → 60`.
    pub fn differences(&self, new: &CollectSettings) -> Vec<String> {
        let fields = |settings: &CollectSettings| match serde_json::to_value(settings) {
            Ok(serde_json::Value::Object(map)) => map,
            _ => serde_json::Map::new(),
        };
        let (old, new) = (fields(self), fields(new));
        let changed = old
            .iter()
            .filter(|(name, value)| new.get(*name) != Some(value));
        let line = |(name, value): (&String, &serde_json::Value)| {
            let now = new.get(name).cloned().unwrap_or_default();
            format!("{name} {value} → {now}")
        };
        changed.map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_counts() {
        let base = CollectSettings::default();
        let other = CollectSettings {
            keep_gap: 0.1,
            nodes: Some(3),
            ..base.clone()
        };
        assert_ne!(base.hash(), other.hash());
        assert_eq!(base.hash(), CollectSettings::default().hash());
        let longer = CollectSettings {
            time_limit: 7200.0,
            ..base.clone()
        };
        assert_eq!(base.hash(), longer.hash(), "more time goes on");
        let differences = base.differences(&other);
        assert_eq!(differences, ["keep_gap 0.05 → 0.1", "nodes null → 3"]);
        let bad = CollectSettings {
            first_share: 0.0,
            ..base
        };
        assert_eq!(
            bad.validate().unwrap_err().to_string(),
            "first share: 0; expected above 0 and at most 1"
        );
    }
}
