//! What `idpas solve` is told about searching with a model.

use std::path::PathBuf;

use idpas_search::{Amount, Method, SearchSettings};

use super::decide::Origin;
use crate::commands::train::Switch;
use crate::failure::Failure;

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Search with a model")]
pub(crate) struct SearchArgs {
    /// Trained model: search first where it expects good solutions
    #[arg(long, value_name = "MODEL")]
    pub(super) model: Option<PathBuf>,
    /// Method: idpas (the default with a model or a history), solver, pas, pas+, id-pas+, zero-frequency, prop,
    /// nearest or oracle
    #[arg(long, value_name = "M")]
    pub(super) method: Option<Method>,
    /// Folder of past solutions (.sol): the method `idpas` starts from them, and learns from them without a model
    #[arg(long, value_name = "DIR")]
    pub(super) history: Option<PathBuf>,
    /// Solution file to predict from, for the method `oracle`
    #[arg(long, value_name = "SOL")]
    pub(super) oracle: Option<PathBuf>,
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
    pub(super) settings: Option<PathBuf>,
    /// Say what was fixed, how sure that was, and what became of it
    #[arg(long)]
    pub(super) explain: bool,
}

impl SearchArgs {
    /// Whether nothing is said about a search, so that the solver works alone.
    pub(super) fn is_plain(&self) -> Result<bool, Failure> {
        let guided = self.model.is_some()
            || self.method.is_some()
            || self.oracle.is_some()
            || self.history.is_some()
            || self.settings.is_some();
        let idle = self.amount().or(self.explain.then_some("--explain"));
        match idle.filter(|_| !guided) {
            Some(name) => Err(Failure::Usage(format!(
                "{name} is about searching with a model; add --model, or --method with what it needs"
            ))),
            None => Ok(!guided),
        }
    }

    /// The first option given that only methods of the paper go by.
    pub(super) fn amount(&self) -> Option<&'static str> {
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

    /// Changes what the options say.
    pub(super) fn adjust(&self, settings: &mut SearchSettings, from: Origin) {
        let selection = &mut settings.selection;
        let changes = [
            (&mut selection.k0_binaries, self.k0b.or(self.k0)),
            (&mut selection.k0_integers, self.k0i.or(self.k0)),
            (&mut selection.k1_binaries, self.k1),
            (&mut selection.delta, self.delta),
        ];
        for (amount, new) in changes {
            *amount = new.unwrap_or(*amount);
        }
        if let Some(switch) = self.completion {
            settings.completion = switch == Switch::On;
        }
        // Who asks for amounts, or for the paper's search, wants them whole.
        let amounts = self.k0b.is_some() || self.k0i.is_some() || self.k0.is_some();
        if from == Origin::Defaults && (amounts || !settings.completion) {
            settings.selection.max_score = None;
        }
    }
}
