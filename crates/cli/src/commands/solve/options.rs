//! The options of `idpas solve` that are about searching with a model.

use std::path::PathBuf;

use idpas::{
    Amounts, GivenSettings, History, KnownSolution, PlanError, Solve, SolveError, SolvePlan, Unfit,
    UnfitMethod,
};
use idpas_learn::Switch;
use idpas_search::{Amount, Method, SearchSettings, SettingsOrigin};

use crate::failure::Failure;

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Search with a model")]
pub(crate) struct SearchArgs {
    /// Trained model: search first where it expects good solutions
    #[arg(long, value_name = "MODEL")]
    pub(super) model: Option<PathBuf>,
    /// Method: idpas (the default with a model or a history), solver, warm-start, pas, pas+, id-pas+, zero-frequency,
    /// prop, nearest or oracle
    #[arg(long, value_name = "M")]
    method: Option<Method>,
    /// Folder of past solutions (.sol): the method `idpas` starts from them, and learns from them, also beside a model
    #[arg(long, value_name = "DIR")]
    history: Option<PathBuf>,
    /// Solution file to predict from: a perfect prediction, for the method `oracle`, or for the staged search with
    /// `--method idpas`
    #[arg(long, value_name = "SOL")]
    oracle: Option<PathBuf>,
    /// Binaries to take for zero: `90%` of them, or `n500` for a number
    #[arg(long, value_name = "AMOUNT")]
    k0b: Option<Amount>,
    /// General integers to take for zero
    #[arg(long, value_name = "AMOUNT")]
    k0i: Option<Amount>,
    /// Both of these, where they are not given themselves
    #[arg(long, value_name = "AMOUNT")]
    k0: Option<Amount>,
    /// Binaries to take for one (`pas` only)
    #[arg(long, value_name = "AMOUNT")]
    k1: Option<Amount>,
    /// How many of those taken may have another value after all
    #[arg(long, value_name = "AMOUNT")]
    delta: Option<Amount>,
    /// Whether to go on where the paper stops: wider regions, then the whole model [default: on]
    #[arg(long, value_name = "on|off")]
    completion: Option<Switch>,
    /// All settings of the search, as JSON; by default what `idpas tune` chose for the model
    #[arg(long, value_name = "FILE.json")]
    settings: Option<PathBuf>,
    /// Say what was fixed, how sure that was, and what became of it
    #[arg(long)]
    pub(super) explain: bool,
}

impl SearchArgs {
    /// Whether nothing asks for a search, so that the solver works alone.
    fn is_plain(&self) -> bool {
        self.method.is_none()
            && self.model.is_none()
            && self.oracle.is_none()
            && self.history.is_none()
            && self.settings.is_none()
    }

    /// Refuses options about a search where nothing asks for one.
    pub(super) fn refuse_idle(&self) -> Result<(), Failure> {
        let idle = self.amount().or(self.explain.then_some("--explain"));
        match idle.filter(|_| self.is_plain()) {
            Some(name) => Err(Failure::Usage(format!(
                "{name} is about searching with a model; add --model, or --method with what it needs"
            ))),
            None => Ok(()),
        }
    }

    /// The first option given that only methods of the paper go by.
    fn amount(&self) -> Option<&'static str> {
        let given = [
            ("--k0b", self.k0b.is_some()),
            ("--k0i", self.k0i.is_some()),
            ("--k0", self.k0.is_some()),
            ("--k1", self.k1.is_some()),
            ("--delta", self.delta.is_some()),
            ("--completion", self.completion.is_some()),
        ];
        let first = given.iter().find(|(_, given)| *given);
        first.map(|(name, _)| *name)
    }

    /// What these options say, in addition to `others`.
    pub(super) fn options(&self, others: Solve) -> Result<Solve, Failure> {
        let settings = self.settings.as_deref().map(GivenSettings::read);
        let settings = settings
            .transpose()
            .map_err(|error| Failure::Usage(error.to_string()))?;
        Ok(Solve {
            method: self.method,
            settings,
            amounts: Amounts {
                zero_binaries: self.k0b.or(self.k0),
                zero_integers: self.k0i.or(self.k0),
                one_binaries: self.k1,
                delta: self.delta,
                completion: self.completion.map(|switch| switch == Switch::On),
            },
            history: self.history.clone().map(History::Folder),
            oracle: self.oracle.clone().map(KnownSolution::File),
            ..others
        })
    }

    /// What is reported of a solve whose time was over before anything could be read.
    pub(super) fn plan_of_nothing(&self) -> SolvePlan {
        SolvePlan {
            settings: SearchSettings::of(self.method.unwrap_or(Method::Idpas)),
            origin: SettingsOrigin::Defaults,
            is_plain: self.is_plain(),
        }
    }

    /// Why these options do not fit together, in the words of the command line.
    pub(super) fn plan_failure(&self, error: PlanError) -> Failure {
        let PlanError::Method(UnfitMethod { method, why }) = error else {
            return Failure::from(SolveError::from(error));
        };
        let why = match why {
            Unfit::NoSolution => "needs a solution; add --oracle SOL".to_owned(),
            Unfit::Solution => "does not use --oracle".to_owned(),
            Unfit::History => "does not use --history".to_owned(),
            Unfit::Amounts => format!("does not use {}", self.amount().unwrap_or("amounts")),
            Unfit::NoGuide => "needs a trained model; add --model MODEL".to_owned(),
            other => other.to_string(),
        };
        Failure::Usage(format!("method `{method}`: {why}"))
    }
}
