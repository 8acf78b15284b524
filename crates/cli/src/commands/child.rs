//! `idpas child`: runs another command of this program, optionally bound to some processors, and ends when its parent
//! does. Other commands start it; it is not meant for users.

use std::ffi::OsString;

use clap::Parser;
use idpas_evaluate::cores;

use crate::args::Args;
use crate::failure::{Done, Failure};
use crate::processes::end_with_parent;

#[derive(Debug, clap::Args)]
pub(crate) struct ChildArgs {
    /// Processors to run on; all by default
    #[arg(long, value_delimiter = ',')]
    cores: Vec<usize>,
    /// The command
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    command: Vec<OsString>,
}

pub(crate) fn run(args: &ChildArgs) -> Result<Done, Failure> {
    if !args.cores.is_empty() && !cores::pin(&args.cores) {
        return Err(Failure::Internal(format!(
            "cannot run on processors {:?}",
            args.cores
        )));
    }
    let words = std::iter::once(OsString::from("idpas")).chain(args.command.iter().cloned());
    let inner = Args::try_parse_from(words).map_err(|error| Failure::Usage(error.to_string()))?;
    std::thread::spawn(end_with_parent);
    crate::run(&inner)
}
