//! How a pool is made.

use serde::{Deserialize, Serialize};

use crate::PoolError;

/// Changes whenever the same settings give other pools, so that old pools are noticed.
const ALGORITHM: u32 = 1;

/// Everything that decides what is in a pool. Pools remember it, and a changed setting is noticed by its hash.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Seconds for an instance, relaxation and all solves together.
    pub time_limit: f64,
    /// Keep at most this many solutions.
    pub pool: usize,
    /// Share of the time after which the first solve gives way to re-solves that fill the pool. It goes on
    /// longer if it has no solution by then, and ends sooner if it proves its solution optimal.
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
    /// on how fast the machine is.
    pub nodes: Option<u64>,
    /// At most this many re-solves.
    pub rounds: Option<usize>,
    /// Stop after this many re-solves in a row that changed nothing.
    pub patience: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
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
        }
    }
}

impl Settings {
    /// The hash by which settings are compared.
    pub fn hash(&self) -> String {
        // A structure of numbers and texts always has a JSON form.
        let text = serde_json::to_string(&(ALGORITHM, self)).unwrap_or_default();
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
    pub fn differences(&self, new: &Settings) -> Vec<String> {
        let fields = |settings: &Settings| match serde_json::to_value(settings) {
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
        let base = Settings::default();
        let other = Settings {
            keep_gap: 0.1,
            nodes: Some(3),
            ..base.clone()
        };
        assert_ne!(base.hash(), other.hash());
        assert_eq!(base.hash(), Settings::default().hash());
        let differences = base.differences(&other);
        assert_eq!(differences, ["keep_gap 0.05 → 0.1", "nodes null → 3"]);
        let bad = Settings {
            first_share: 0.0,
            ..base
        };
        assert_eq!(
            bad.validate().unwrap_err().to_string(),
            "first share: 0; expected above 0 and at most 1"
        );
    }
}
