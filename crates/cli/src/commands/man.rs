//! `idpas man`: writes manual pages, one for each command.

use std::path::Path;

use clap::CommandFactory;

use crate::args::Args;
use crate::failure::{Done, Failure};

pub(crate) fn run(out: &Path) -> Result<Done, Failure> {
    std::fs::create_dir_all(out)
        .and_then(|()| clap_mangen::generate_to(Args::command(), out))
        .map_err(|e| Failure::Usage(format!("{}: {e}", out.display())))?;
    Ok(Done::text(format!("{}\n", out.display())))
}
