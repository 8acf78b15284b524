//! A small network learns which variables of a random graph are marked.
//!
//! `cargo run --release -p idpas-nn --example train_network`
#![allow(clippy::print_stdout)]

use std::error::Error;

use idpas_graph::{Adjacency, Bipartite, Table};
use idpas_nn::{Adam, Config, Network, Threads, Workspace, loss};

const VARIABLES: usize = 30;
const ROWS: usize = 10;

/// A random graph: each row holds six variables; variables, rows and edges have one feature each.
fn graph() -> Result<Bipartite, Box<dyn Error>> {
    let table = |rows: usize, value: fn(usize) -> f32| Table {
        width: 1,
        data: (0..rows).map(value).collect(),
    };
    let neighbours: Vec<u32> = (0..ROWS * 6).map(|e| (e * 7 % VARIABLES) as u32).collect();
    let by_row = Adjacency {
        starts: (0..=ROWS).map(|row| 6 * row as u32).collect(),
        neighbours,
    };
    Ok(Bipartite::new(
        table(VARIABLES, |j| (j as f32 * 1.7).sin()),
        table(ROWS, |i| (i as f32 * 0.9).cos()),
        table(ROWS * 6, |_| 1.0),
        by_row,
    )?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let graph = graph()?;
    let config = Config {
        variable_width: 1,
        row_width: 1,
        edge_width: 1,
        embedding: 16,
        heads: 2,
        head_width: 8,
        ..Config::default()
    };
    let mut network = Network::<f32>::new(config, 1)?;
    let mut workspace = Workspace::new(Threads::Pool);
    println!("{} parameters", network.parameters().len());

    // The marked variables are those whose feature is positive; all variables have the same weight in the loss.
    let feature = &graph.variables.data;
    let targets: Vec<f32> = feature
        .iter()
        .map(|&x| f32::from(u8::from(x > 0.0)))
        .collect();
    let weights = vec![1.0 / VARIABLES as f32; VARIABLES];
    let mut adam = Adam::new(network.parameters().len());
    for step in 0..=60 {
        // Gradients add up, so a batch consists of several calls before one step.
        let mut gradient = vec![0.0; network.parameters().len()];
        let entropy = |logits: &[f32], slopes: &mut [f32]| {
            loss::binary_cross_entropy(logits, &targets, &weights, slopes)
        };
        let value = network.accumulate(&graph, entropy, &mut gradient, &mut workspace)?;
        adam.step(network.parameters_mut(), &gradient, 0.01);
        if step % 20 == 0 {
            println!("step {step}: loss {value:.3}");
        }
    }

    let logits = network.logits(&graph, &mut workspace)?;
    let right = logits.iter().zip(&targets);
    let right = right.filter(|(logit, target)| (**logit > 0.0) == (**target > 0.5));
    println!("{} of {VARIABLES} variables are right", right.count());
    Ok(())
}
