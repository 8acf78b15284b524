//! From models to the graph that a network reads: identities by name, features, standardisation.
//!
//! `cargo run --release -p idpas-graph --example model_to_graph`
#![allow(clippy::print_stdout)]

use std::error::Error;

use idpas_graph::{FeatureSet, IdentityInput, Registry, Standardiser, assemble, build};
use idpas_mip::{Model, ModelBuilder, ModelError, Sense, VarKind};

/// A knapsack whose prices differ from day to day. Its columns come in different orders; names tell which is which.
fn knapsack(items: &[(&str, f64, f64)]) -> Result<Model, ModelError> {
    let mut builder = ModelBuilder::new("knapsack", Sense::Maximize);
    let mut weights = Vec::new();
    for (name, price, weight) in items {
        let column = builder.column(name, VarKind::Integer, 0.0, 1.0, *price)?;
        weights.push((column, *weight));
    }
    builder.row("weight", f64::NEG_INFINITY, 10.0, weights)?;
    builder.build()
}

fn main() -> Result<(), Box<dyn Error>> {
    let days = [
        knapsack(&[("books", 9.0, 7.0), ("lamp", 6.0, 4.0), ("tent", 5.0, 5.0)])?,
        knapsack(&[("tent", 8.0, 5.0), ("books", 9.0, 7.0), ("lamp", 3.0, 4.0)])?,
    ];

    // First pass over the training instances: which variables there are, and how often each is not zero.
    let mut registry = Registry::new();
    for (day, used) in days.iter().zip([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]]) {
        registry.add_instance(day);
        let identities = registry.identify(day);
        registry.add_targets(&identities.index, &used)?;
    }

    // Second pass: means and scales of the features.
    let set = FeatureSet::Light;
    let mut standardiser = Standardiser::new(set);
    let mut graphs = Vec::new();
    for day in &days {
        let history = registry.history(&registry.identify(day));
        let graph = build(day, None, set, Some(&history))?;
        standardiser.observe(&graph)?;
        graphs.push(graph);
    }

    // A network reads standardised features, followed by the bits of each variable's identity.
    let standardisation = standardiser.finish();
    for (day, mut raw) in days.iter().zip(graphs) {
        standardisation.apply(&mut raw)?;
        let identities = registry.identify(day);
        let graph = assemble(raw, IdentityInput::All(identities.columns(registry.bits())))?;
        println!(
            "{} variables with {} numbers each, {} edges; identities {:?}",
            graph.variables.rows(),
            graph.variables.width,
            graph.num_edges(),
            identities.index
        );
    }
    let lamp = registry.index("lamp").ok_or("an unknown name")?;
    println!("lamp was zero in a share of {:?}", registry.zero_rate(lamp));
    Ok(())
}
