//! The `idpas` program: runs a command and turns its end into an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    idpas::main()
}
