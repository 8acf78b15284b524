//! Which method a search takes, with which settings, and whether its model fits.

use std::path::{Path, PathBuf};

use idpas_learn::{PredictorKind, TrainedModel};
use idpas_search::{Method, SearchError, SearchSettings};
use serde::Deserialize;
use serde_json::Value;

use super::options::SearchArgs;
use crate::failure::Failure;

/// Where the settings of a search are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Origin {
    /// The file given.
    File,
    /// What was tuned for the model.
    Tuned,
    /// The defaults.
    Defaults,
}

/// A search that was decided on.
pub(super) struct Decided {
    pub(super) trained: Option<TrainedModel>,
    pub(super) settings: SearchSettings,
    pub(super) from: Origin,
    pub(super) warnings: Vec<String>,
}

/// Where `idpas tune` puts what it chose for a model.
pub(crate) fn sidecar(model: &Path) -> PathBuf {
    model.with_extension("tune.json")
}

/// What a search needs of such a file.
#[derive(Deserialize)]
struct Tuned {
    settings: SearchSettings,
    model_sha256: String,
}

impl SearchArgs {
    /// Reads what is named and decides what to do.
    pub(super) fn decide(&self) -> Result<Decided, Failure> {
        let model = self.model.as_deref();
        let (trained, sha256) = model.map(TrainedModel::read_hashed).transpose()?.unzip();
        let given = self.settings.as_deref().map(read_settings).transpose()?;
        let told = given.as_ref().and_then(|(_, method)| *method);
        let mut warnings = Vec::new();
        let tuned = match given {
            Some(_) => None,
            None => self.tuned(sha256.as_deref(), &mut warnings),
        };
        let fitting = || trained.as_ref().map(fitting_method);
        let method = (self.method)
            .or(self.oracle.is_some().then_some(Method::Oracle))
            .or(told)
            // Who asks for amounts wants a method that goes by them.
            .or_else(|| self.amount().and_then(|_| fitting()))
            .or(tuned.as_ref().map(|tuned| tuned.method))
            .unwrap_or(Method::Idpas);
        self.refuse_unfit(method, trained.as_ref())?;
        let (mut settings, from) = match (given, tuned) {
            (Some((settings, _)), _) => (settings, Origin::File),
            (None, Some(settings)) if settings.method == method => (settings, Origin::Tuned),
            _ => (SearchSettings::of(method), Origin::Defaults),
        };
        settings.method = method;
        self.adjust(&mut settings, from);
        settings.validate().map_err(search_failure)?;
        Ok(Decided {
            trained,
            settings,
            from,
            warnings,
        })
    }

    /// What was tuned for the model, whose file has this hash. That it cannot be read is no reason not to solve.
    fn tuned(
        &self,
        model_sha256: Option<&str>,
        warnings: &mut Vec<String>,
    ) -> Option<SearchSettings> {
        let model = self.model.as_deref()?;
        let path = sidecar(model);
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
            Err(error) => {
                warnings.push(format!("{}: {error}; using defaults", path.display()));
                return None;
            }
        };
        match serde_json::from_slice::<Tuned>(&text) {
            Ok(tuned) => {
                if model_sha256.is_some_and(|now| now != tuned.model_sha256) {
                    let path = path.display();
                    warnings.push(format!(
                        "{path}: the model has changed since; `idpas tune` again may find better settings"
                    ));
                }
                Some(tuned.settings)
            }
            Err(error) => {
                warnings.push(format!("{}: {error}; using defaults", path.display()));
                None
            }
        }
    }

    fn refuse_unfit(&self, method: Method, trained: Option<&TrainedModel>) -> Result<(), Failure> {
        let refuse = |why: String| Err(Failure::Usage(format!("method `{method}`: {why}")));
        match (method, &self.oracle) {
            (Method::Oracle, None) => return refuse("needs a solution; add --oracle SOL".into()),
            (Method::Oracle, _) => return Ok(()),
            (_, Some(_)) => return refuse("does not use --oracle".into()),
            (Method::Idpas, None) => {
                return match self.amount() {
                    Some(name) => refuse(format!("does not use {name}")),
                    None => Ok(()),
                };
            }
            _ if self.history.is_some() => return refuse("does not use --history".into()),
            (Method::Solver, None) => return Ok(()),
            _ => {}
        }
        match trained {
            Some(trained) => refuse_unfit_model(method, trained),
            None => refuse("needs a trained model; add --model MODEL".into()),
        }
    }
}

/// Refuses a model of a kind that a method cannot use.
pub(crate) fn refuse_unfit_model(method: Method, trained: &TrainedModel) -> Result<(), Failure> {
    let refuse = |why: String| Err(Failure::Usage(format!("method `{method}`: {why}")));
    let kind = trained.predictor.kind();
    let expected = match method {
        Method::Idpas => kind,
        Method::Pas | Method::PasPlus | Method::IdPasPlus => PredictorKind::Gnn,
        Method::Prop => PredictorKind::Prop,
        Method::Nearest => PredictorKind::Nearest,
        // A network's file knows how often variables were zero, too.
        _ if kind == PredictorKind::Gnn => kind,
        _ => PredictorKind::ZeroFrequency,
    };
    if kind != expected {
        let (expected, found) = (expected.as_str(), kind.as_str());
        return refuse(format!(
            "needs a model of the kind `{expected}`, but this one is `{found}`"
        ));
    }
    if method == Method::IdPasPlus && !is_identity_aware(trained) {
        return refuse(
            "needs a network with identities, but this one was trained without; `pas+` fits it"
                .into(),
        );
    }
    Ok(())
}

/// Whether the network, if it is one, was trained with identities.
pub(super) fn is_identity_aware(trained: &TrainedModel) -> bool {
    trained.training.settings["identity"] != Value::Bool(false)
}

/// The method of the paper that a model was trained for.
pub(crate) fn fitting_method(trained: &TrainedModel) -> Method {
    match trained.predictor.kind() {
        PredictorKind::Gnn if is_identity_aware(trained) => Method::IdPasPlus,
        PredictorKind::Gnn => Method::PasPlus,
        PredictorKind::Prop => Method::Prop,
        PredictorKind::ZeroFrequency => Method::ZeroFrequency,
        PredictorKind::Nearest => Method::Nearest,
    }
}

/// Settings from a file, alone or as `idpas tune` writes them, and the method if the file says one.
fn read_settings(path: &Path) -> Result<(SearchSettings, Option<Method>), Failure> {
    let wrong = |why: String| Failure::Usage(format!("{}: {why}", path.display()));
    let text = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let mut value: Value = serde_json::from_slice(&text)
        .map_err(|error| wrong(format!("no settings of a search: {error}")))?;
    if value.get("model_sha256").is_some() {
        value = value["settings"].take();
    }
    let told = value.get("method").is_some();
    let settings: SearchSettings = serde_json::from_value(value)
        .map_err(|error| wrong(format!("no settings of a search: {error}")))?;
    let method = told.then_some(settings.method);
    Ok((settings, method))
}

/// An error of the search as the command line knows it.
pub(super) fn search_failure(error: SearchError) -> Failure {
    match error {
        SearchError::Solver(error) => Failure::Solver(error),
        SearchError::Setting { .. } => Failure::Usage(error.to_string()),
        other => Failure::Internal(other.to_string()),
    }
}
