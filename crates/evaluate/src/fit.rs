//! Which methods a trained model can be used for.

use idpas_learn::{PredictorKind, TrainedModel};
use idpas_search::Method;

/// A model that a method cannot use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Misfit {
    /// The model is of another kind than the method needs.
    #[error(
        "method `{method}`: needs a model of the kind `{}`, but this one is `{}`", expected.as_str(), found.as_str()
    )]
    Kind {
        /// The method.
        method: Method,
        /// The kind of model that it needs.
        expected: PredictorKind,
        /// The kind of this model.
        found: PredictorKind,
    },
    /// The method goes by identities, and the network was trained without them.
    #[error(
        "method `{method}`: needs a network with identities, but this one was trained without; `pas+` fits it"
    )]
    NoIdentities {
        /// The method.
        method: Method,
    },
}

/// Refuses a model of a kind that a method cannot use.
pub fn refuse_misfit(method: Method, trained: &TrainedModel) -> Result<(), Misfit> {
    let found = trained.predictor.kind();
    let expected = match method {
        Method::Idpas => found,
        Method::Pas | Method::PasPlus | Method::IdPasPlus => PredictorKind::Gnn,
        Method::Prop => PredictorKind::Prop,
        Method::Nearest => PredictorKind::Nearest,
        // A network's file knows how often variables were zero, too.
        _ if found == PredictorKind::Gnn => found,
        _ => PredictorKind::ZeroFrequency,
    };
    if found != expected {
        return Err(Misfit::Kind {
            method,
            expected,
            found,
        });
    }
    if method == Method::IdPasPlus && !is_identity_aware(trained) {
        return Err(Misfit::NoIdentities { method });
    }
    Ok(())
}

/// Whether the network, if it is one, was trained with identities.
pub fn is_identity_aware(trained: &TrainedModel) -> bool {
    trained.training.settings["identity"] != serde_json::Value::Bool(false)
}

/// The method of the paper that a model was trained for.
pub fn fitting_method(trained: &TrainedModel) -> Method {
    match trained.predictor.kind() {
        PredictorKind::Gnn if is_identity_aware(trained) => Method::IdPasPlus,
        PredictorKind::Gnn => Method::PasPlus,
        PredictorKind::Prop => Method::Prop,
        PredictorKind::ZeroFrequency => Method::ZeroFrequency,
        PredictorKind::Nearest => Method::Nearest,
    }
}
