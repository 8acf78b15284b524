//! The fused network against a textbook one and against finite differences, in `f64`.

mod common;
mod naive;

use common::{config, distance, gradient, graph, network, one};
use idpas_nn::{Config, loss};

/// Shapes that take different ways through the code.
fn shapes() -> Vec<Config> {
    let plain = config(8, 2, 8, 1);
    vec![
        config(8, 2, 8, 2),
        config(6, 3, 5, 1),
        config(5, 1, 12, 3),
        Config {
            rounds: 2,
            ..plain.clone()
        },
        Config {
            residual_norm: true,
            ..plain.clone()
        },
        Config {
            rounds: 2,
            residual_norm: true,
            ..config(7, 2, 3, 2)
        },
        plain,
    ]
}

#[test]
fn logits_are_those_of_the_textbook() {
    for (k, config) in shapes().iter().enumerate() {
        let network = network::<f64>(config, k as u64);
        for (variables, rows) in [(11, 7), (2, 3), (9, 1), (230, 120)] {
            let graph = graph(config, variables, rows, k as u64);
            let fused = network.logits(&graph, &mut one()).expect("logits");
            let naive = naive::logits(&network, &graph);
            let error = distance(&naive, &fused);
            assert!(error < 1e-12, "shape {k}, {variables} × {rows}: {error}");
        }
    }
}

#[test]
fn gradients_are_those_of_finite_differences() {
    for (k, config) in shapes().iter().enumerate() {
        let mut network = network::<f64>(config, 10 + k as u64);
        let graph = graph(config, 11, 9, k as u64);
        let mut workspace = one();
        let (_, exact) = gradient(&network, &graph, &mut workspace);
        let (targets, weights) = common::targets(&graph, 1);
        let mut slopes = vec![0.0; targets.len()];
        let scale = exact.iter().fold(0.0f64, |most, g| most.max(g.abs()));
        let mut names = Vec::new();
        for entry in network.layout() {
            names.extend(entry.range.clone().map(|_| entry.name.clone()));
        }
        for (p, (&exact, name)) in exact.iter().zip(&names).enumerate() {
            let before = network.parameters()[p];
            let step = 1e-6;
            let mut value = |at: f64| {
                network.parameters_mut()[p] = at;
                let logits = network.logits(&graph, &mut workspace).expect("logits");
                loss::binary_cross_entropy(&logits, &targets, &weights, &mut slopes)
            };
            let difference = (value(before + step) - value(before - step)) / (2.0 * step);
            value(before);
            let error = (exact - difference).abs() / scale;
            assert!(error < 1e-7, "shape {k}, {name}: {exact} and {difference}");
        }
    }
}

#[test]
fn gradients_add_up() {
    let config = config(8, 2, 8, 1);
    let network = network::<f64>(&config, 3);
    let (first, second) = (graph(&config, 30, 20, 1), graph(&config, 150, 210, 2));
    let mut workspace = one();
    let (_, a) = gradient(&network, &first, &mut workspace);
    let (_, b) = gradient(&network, &second, &mut workspace);
    let mut both = a.clone();
    let (targets, weights) = common::targets(&second, 1);
    network
        .accumulate(
            &second,
            |logits, slopes| loss::binary_cross_entropy(logits, &targets, &weights, slopes),
            &mut both,
            &mut workspace,
        )
        .expect("a graph that fits");
    let sum: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    assert!(distance(&sum, &both) < 1e-14);
}
