//! Which method a solve takes, with which settings, and whether the guide serves it.

use idpas_learn::{Guide, UnfitModel};
use idpas_search::{Method, SearchError, SearchSettings, SettingsOrigin};

use super::Solve;

/// What a solve will do.
#[derive(Clone, Debug, PartialEq)]
pub struct SolvePlan {
    /// The settings of the search, its method among them.
    pub settings: SearchSettings,
    /// Where the settings are from.
    pub origin: SettingsOrigin,
    /// Whether nothing is said about a search, so that the solver works alone.
    pub is_plain: bool,
}

/// A method together with something that it cannot use, or without something that it needs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("method `{method}`: {why}")]
pub struct UnfitMethod {
    /// The method.
    pub method: Method,
    /// What does not fit.
    pub why: Unfit,
}

/// What does not fit a method.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unfit {
    /// It predicts from a solution, and none was given.
    #[error("needs a solution to predict from")]
    NoSolution,
    /// A solution to predict from was given, and it does not use one.
    #[error("does not use a solution to predict from")]
    Solution,
    /// Past solutions were given, and it does not use them.
    #[error("does not use past solutions")]
    History,
    /// Amounts were given, and it does not go by them.
    #[error("does not use amounts of the paper's methods")]
    Amounts,
    /// It needs a trained model, and none was given.
    #[error("needs a trained model")]
    NoGuide,
    /// The trained model is of a kind that it cannot use.
    #[error(transparent)]
    Model(#[from] UnfitModel),
}

/// A plan that cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The method does not fit what it was given.
    #[error(transparent)]
    Method(#[from] UnfitMethod),
    /// A setting is out of its range.
    #[error(transparent)]
    Setting(#[from] SearchError),
}

impl Solve {
    /// What will be done with this guide.
    pub fn plan(&self, guide: Option<&Guide>) -> Result<SolvePlan, PlanError> {
        let is_plain = guide.is_none()
            && self.method.is_none()
            && self.oracle.is_none()
            && self.history.is_none()
            && self.settings.is_none();
        let given = self.settings.as_ref();
        let tuned = guide.and_then(Guide::tuned).filter(|_| given.is_none());
        let method = self
            .method
            .or(is_plain.then_some(Method::Solver))
            .or(self.oracle.is_some().then_some(Method::Oracle))
            .or(given.and_then(|given| given.decides_method.then_some(given.settings.method)))
            // Who asks for amounts wants a method that goes by them.
            .or_else(|| {
                let amounts = guide.filter(|_| self.amounts.is_given());
                amounts.map(|guide| guide.trained().paper_method())
            })
            .or(tuned.map(|tuned| tuned.method))
            .unwrap_or(Method::Idpas);
        self.check_method(method, guide)
            .map_err(|why| UnfitMethod { method, why })?;
        let (mut settings, origin) = match (given, tuned) {
            (Some(given), _) => (given.settings.clone(), SettingsOrigin::File),
            (None, Some(tuned)) if tuned.method == method => (tuned.clone(), SettingsOrigin::Tuned),
            _ => (SearchSettings::of(method), SettingsOrigin::Defaults),
        };
        settings.method = method;
        self.amounts
            .apply(&mut settings, origin == SettingsOrigin::Defaults);
        settings.validate()?;
        Ok(SolvePlan {
            settings,
            origin,
            is_plain,
        })
    }

    /// Refuses what a method cannot use, and a method without what it needs.
    fn check_method(&self, method: Method, guide: Option<&Guide>) -> Result<(), Unfit> {
        match (method, &self.oracle) {
            (Method::Oracle, None) => return Err(Unfit::NoSolution),
            (Method::Oracle, _) => return Ok(()),
            (Method::Idpas, _) if self.amounts.is_given() => return Err(Unfit::Amounts),
            (Method::Idpas, _) => return Ok(()),
            (_, Some(_)) => return Err(Unfit::Solution),
            _ if self.history.is_some() => return Err(Unfit::History),
            (Method::Solver, None) => return Ok(()),
            _ => {}
        }
        let guide = guide.ok_or(Unfit::NoGuide)?;
        Ok(guide.trained().check_method(method)?)
    }
}
