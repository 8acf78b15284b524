//! `idpas convert`: writes a model in another format.

use idpas_mip::write_model;

use crate::args::{ConvertArgs, Verbosity};
use crate::failure::{Done, Failure};
use crate::output::read_with_warnings;
use crate::target::refuse_unwritable;

pub(crate) fn run(args: &ConvertArgs, verbosity: Verbosity) -> Result<Done, Failure> {
    refuse_unwritable([&args.out], &args.file)?;
    let model = read_with_warnings(&args.file, verbosity)?;
    write_model(&model, &args.out)?;
    Ok(Done::text(format!("{}\n", args.out.display())))
}
