//! The `idpas` program: runs a command and turns its end into an exit code.

fn main() {
    let code = idpas_cli::main();
    // Without the C++ library's clean-up: a solver that was left behind at its time limit may still be running on
    // another thread. Everything is written by now, stdout is flushed, and files are whole.
    signal_hook::low_level::exit(i32::from(code))
}
