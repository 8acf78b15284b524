//! Which methods a trained model can serve.

use idpas_search::Method;

use crate::{PredictorKind, TrainedModel};

/// Why a trained model cannot serve a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnfitModel {
    /// The method needs a predictor of another kind.
    #[error(
        "needs a model of the kind `{}`, but this one is `{}`",
        expected.as_str(),
        found.as_str()
    )]
    Kind {
        /// The kind that the method needs.
        expected: PredictorKind,
        /// The kind that the model is.
        found: PredictorKind,
    },
    /// The method needs past solutions, and the file holds none.
    #[error(
        "needs past solutions, which a network with identities and the kind `nearest` keep, but this model, `{}`, holds \
         none; train one anew",
        found.as_str()
    )]
    NoPastSolutions {
        /// The kind that the model is.
        found: PredictorKind,
    },
    /// The method needs a network that was trained with identities.
    #[error("needs a network with identities, but this one was trained without; `pas+` fits it")]
    NoIdentities,
}

impl TrainedModel {
    /// Refuses a method that this kind of model cannot serve.
    pub fn check_method(&self, method: Method) -> Result<(), UnfitModel> {
        let found = self.predictor.kind();
        let expected = match method {
            Method::Idpas => found,
            // Whatever kind of file holds past solutions will do.
            Method::Nearest | Method::WarmStart if self.past_solutions().is_some() => found,
            Method::WarmStart => return Err(UnfitModel::NoPastSolutions { found }),
            Method::Nearest if found == PredictorKind::Gnn => {
                return Err(UnfitModel::NoPastSolutions { found });
            }
            Method::Pas | Method::PasPlus | Method::IdPasPlus => PredictorKind::Gnn,
            Method::Prop => PredictorKind::Prop,
            Method::Nearest => PredictorKind::Nearest,
            // A network's file knows how often variables were zero, too.
            _ if found == PredictorKind::Gnn => found,
            _ => PredictorKind::ZeroFrequency,
        };
        if found != expected {
            return Err(UnfitModel::Kind { expected, found });
        }
        if method == Method::IdPasPlus && !self.predictor.is_identity_aware() {
            return Err(UnfitModel::NoIdentities);
        }
        Ok(())
    }

    /// The method of the paper that this kind of model was trained for.
    pub fn paper_method(&self) -> Method {
        match self.predictor.kind() {
            PredictorKind::Gnn if self.predictor.is_identity_aware() => Method::IdPasPlus,
            PredictorKind::Gnn => Method::PasPlus,
            PredictorKind::Prop => Method::Prop,
            PredictorKind::ZeroFrequency => Method::ZeroFrequency,
            PredictorKind::Nearest => Method::Nearest,
        }
    }
}
