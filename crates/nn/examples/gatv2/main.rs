//! Measures the network, alone and for comparison with PyTorch Geometric
//! (`benches/peers/gatv2/run.sh`).
//!
//! ```text
//!   gatv2 export SIZE DIR        a graph, weights, and our logits and gradients, as safetensors
//!   gatv2 measure SIZE SECONDS   best times and added memory, as JSON
//!   gatv2 linear MAX_EDGES PLOT  times from ten thousand edges on, as CSV and an SVG plot
//! ```
//!
//! `SIZE` is `mmcnp`, `slap` or `course`: the counts of variables, rows and edges of those families.

mod export;
mod graphs;
mod linear;
mod measure;

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[&str]) -> Result<(), Box<dyn Error>> {
    match *arguments {
        ["export", size, folder] => export::export(size, folder.as_ref()),
        ["measure", size, seconds] => measure::measure(size, seconds.parse()?),
        ["linear", edges, plot] => linear::linear(edges.parse()?, plot.as_ref()),
        _ => {
            Err("expected `export SIZE DIR`, `measure SIZE SECONDS` or `linear EDGES PLOT`".into())
        }
    }
}
