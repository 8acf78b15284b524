//! What a solve is given besides the model.

use crate::SolverError;

/// Limits and settings that every backend knows, and a raw list for those that only one does.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// Time limit in seconds; `None` for no limit.
    pub time_limit: Option<f64>,
    /// Stop when |objective − bound| is at most this share of |objective|.
    pub relative_gap: f64,
    /// Stop when |objective − bound| is at most this.
    pub absolute_gap: f64,
    /// Threads the solver may use; the same number gives the same result.
    pub threads: usize,
    /// Seed of the solver's random choices.
    pub seed: u32,
    /// Stop after this many nodes of the search tree.
    pub node_limit: Option<u64>,
    /// Keep at most this many distinct solutions, the best ones.
    pub keep_solutions: usize,
    /// Look for several good solutions, and not only for the best one, where the backend can
    /// ([`Abilities::pools`](crate::Abilities)).
    pub pool: Option<PoolSearch>,
    /// Options of the backend by its own names, applied last.
    pub raw: Vec<(String, String)>,
}

/// Which solutions one solve looks for beside the best one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoolSearch {
    /// The best so many; the solve goes on after the optimum until it has them.
    pub solutions: usize,
    /// Only those within this relative distance of the best.
    pub gap: f64,
}

impl Default for Params {
    fn default() -> Self {
        Params {
            time_limit: None,
            relative_gap: 1e-4,
            absolute_gap: 1e-6,
            threads: 1,
            seed: 0,
            node_limit: None,
            keep_solutions: 1000,
            pool: None,
            raw: Vec::new(),
        }
    }
}

impl Params {
    /// The defaults with a time limit in seconds.
    pub fn with_time_limit(seconds: f64) -> Self {
        Params {
            time_limit: Some(seconds),
            ..Params::default()
        }
    }

    /// Refuses values that mean nothing.
    pub fn validate(&self) -> Result<(), SolverError> {
        let wrong = |name: &str, message: String| {
            Err(SolverError::Parameter {
                name: name.to_owned(),
                message,
            })
        };
        if let Some(limit) = self.time_limit
            && (limit.is_nan() || limit < 0.0)
        {
            return wrong("time_limit", format!("{limit} is not a number of seconds"));
        }
        for (name, gap) in [
            ("relative_gap", self.relative_gap),
            ("absolute_gap", self.absolute_gap),
        ] {
            if gap.is_nan() || gap < 0.0 {
                return wrong(name, format!("{gap} is not a gap; expected 0 or more"));
            }
        }
        if self.threads == 0 || self.threads > 1024 {
            return wrong("threads", format!("{}; expected 1 to 1024", self.threads));
        }
        if self.seed > i32::MAX as u32 {
            return wrong(
                "seed",
                format!("{}; expected at most {}", self.seed, i32::MAX),
            );
        }
        Ok(())
    }
}

/// A solution to start from.
#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    /// A value for every column.
    Complete(Vec<f64>),
    /// Values for some columns; the solver finds the others, if it can.
    Partial(Vec<(usize, f64)>),
}
