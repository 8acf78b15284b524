//! The options of a solve.

use std::path::{Path, PathBuf};

use idpas_base::sealed;
use idpas_learn::History;
use idpas_search::{Amount, Method, Preparation, SearchSettings};
use idpas_solver::Params;

/// How to solve. With a guide and nothing else said, the staged search with what was tuned for the guide; without a guide,
/// the plain solver.
#[derive(Clone, Debug)]
pub struct Solve {
    /// The method. By default the one of the settings, the one that the guide was tuned for, or the staged search.
    pub method: Option<Method>,
    /// All settings of the search; by default what was tuned for the guide, or the method's defaults.
    pub settings: Option<GivenSettings>,
    /// Single settings of the paper's methods, on top of the others.
    pub amounts: Amounts,
    /// Seconds after which the solve ends with the best solution found, counted from the clock of the control.
    pub time_limit: Option<f64>,
    /// The solve may end when the relative gap between solution and bound is at most this.
    pub gap: f64,
    /// Threads of the solver and of the network.
    pub threads: usize,
    /// Seed of the solver and of the search.
    pub seed: u32,
    /// Nodes after which the solver stops; none by default.
    pub node_limit: Option<u64>,
    /// Name of the solver.
    pub solver: String,
    /// Options by the solver's own names, handed over as they are.
    pub solver_options: Vec<(String, String)>,
    /// Solutions to start from, tried in this order: one value per column, NaN where none is known.
    pub starts: Vec<Vec<f64>>,
    /// Past solutions, for the staged search: it starts from them, and learns from them, beside the guide if there is one.
    pub history: Option<History>,
    /// The solution to predict from, for the method `oracle`; with the method `idpas`, the staged search has it as its set of
    /// scores instead of what a guide says at once.
    pub oracle: Option<KnownSolution>,
    /// When guide and model had been read, in seconds of the control's clock: for the account of where time went.
    pub read: Preparation,
}

/// A solution that is given.
#[derive(Clone, Debug, PartialEq)]
pub enum KnownSolution {
    /// In a solution file.
    File(PathBuf),
    /// In memory, one value per column.
    Values(Vec<f64>),
}

/// Settings of a search that the caller gives.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenSettings {
    /// The settings.
    pub settings: SearchSettings,
    /// Whether they also decide the method; else their method counts for nothing.
    pub decides_method: bool,
}

/// A file that holds no settings of a search.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {why}")]
pub struct SettingsFileError {
    /// The file.
    pub path: String,
    /// What was found instead.
    pub why: String,
}

impl GivenSettings {
    /// Reads settings from a JSON file that holds them alone, or as tuning writes them. They decide the method if the file
    /// says one.
    pub fn read(path: &Path) -> Result<Self, SettingsFileError> {
        let wrong = |why: String| SettingsFileError {
            path: path.display().to_string(),
            why,
        };
        let text = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
        Self::from_bytes(&text, path)
    }

    /// Reads settings from the content of a file, as [`read`](Self::read) does; `path` is for messages.
    pub fn from_bytes(text: &[u8], path: &Path) -> Result<Self, SettingsFileError> {
        let none = |error: serde_json::Error| SettingsFileError {
            path: path.display().to_string(),
            why: format!("no settings of a search: {error}"),
        };
        let mut value: serde_json::Value = sealed::from_slice(text).map_err(none)?;
        if value.get("model_sha256").is_some() {
            value = value["settings"].take();
        }
        let decides_method = value.get("method").is_some();
        let settings = serde_json::from_value(value).map_err(none)?;
        Ok(GivenSettings {
            settings,
            decides_method,
        })
    }
}

/// Single settings of the paper's methods. What is not given stays as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Amounts {
    /// Binaries to take for zero.
    pub zero_binaries: Option<Amount>,
    /// General integers to take for zero.
    pub zero_integers: Option<Amount>,
    /// Binaries to take for one, for the method `pas`.
    pub one_binaries: Option<Amount>,
    /// Δ: how many of those taken may have another value after all.
    pub delta: Option<Amount>,
    /// Whether to go on where the paper stops: wider regions, then the whole model.
    pub completion: Option<bool>,
}

impl Default for Solve {
    fn default() -> Self {
        let params = Params::default();
        Solve {
            method: None,
            settings: None,
            amounts: Amounts::default(),
            time_limit: None,
            gap: params.relative_gap,
            threads: params.threads,
            seed: params.seed,
            node_limit: None,
            solver: "highs".into(),
            solver_options: Vec::new(),
            starts: Vec::new(),
            history: None,
            oracle: None,
            read: Preparation::default(),
        }
    }
}

impl Solve {
    /// The defaults with a time limit in seconds.
    pub fn with_time_limit(seconds: f64) -> Self {
        Solve {
            time_limit: Some(seconds),
            ..Solve::default()
        }
    }

    /// The parameters of the solver.
    pub(super) fn params(&self) -> Params {
        Params {
            time_limit: self.time_limit,
            relative_gap: self.gap,
            threads: self.threads,
            seed: self.seed,
            node_limit: self.node_limit,
            raw: self.solver_options.clone(),
            ..Params::default()
        }
    }
}

impl Amounts {
    /// Whether any is given.
    pub fn is_given(&self) -> bool {
        *self != Amounts::default()
    }

    /// Puts what is given into `settings`. `untuned` says that the settings are a method's defaults: whoever asks for
    /// amounts, or for the paper's search, wants them whole, so the limit on scores is lifted there.
    pub fn apply(&self, settings: &mut SearchSettings, untuned: bool) {
        let selection = &mut settings.selection;
        let changes = [
            (&mut selection.k0_binaries, self.zero_binaries),
            (&mut selection.k0_integers, self.zero_integers),
            (&mut selection.k1_binaries, self.one_binaries),
            (&mut selection.delta, self.delta),
        ];
        for (amount, new) in changes {
            *amount = new.unwrap_or(*amount);
        }
        settings.completion = self.completion.unwrap_or(settings.completion);
        let zeros = self.zero_binaries.is_some() || self.zero_integers.is_some();
        if untuned && (zeros || !settings.completion) {
            settings.selection.max_score = None;
        }
    }
}
