//! Training as a whole, on something tiny.

mod common;

use common::{config, graph, targets};
use idpas_nn::{Adam, Network, Threads, Workspace, loss};

#[test]
fn the_loss_falls_to_the_entropy_of_the_targets() {
    let config = config(16, 2, 16, 1);
    let mut network = Network::<f32>::new(config.clone(), 4).expect("a valid configuration");
    let graph = graph(&config, 24, 18, 4);
    let (targets, weights) = targets(&graph, 4);
    let entropy: f64 = targets
        .iter()
        .zip(&weights)
        .map(|(&t, &w)| {
            let t = f64::from(t);
            -f64::from(w) * (t * t.ln() + (1.0 - t) * (1.0 - t).ln())
        })
        .sum();
    let mut adam = Adam::new(network.parameters().len());
    let mut workspace = Workspace::new(Threads::One);
    let mut last = f64::INFINITY;
    for _ in 0..600 {
        let mut gradient = vec![0.0; network.parameters().len()];
        last = network
            .accumulate(
                &graph,
                |logits, slopes| loss::binary_cross_entropy(logits, &targets, &weights, slopes),
                &mut gradient,
                &mut workspace,
            )
            .expect("a graph that fits");
        adam.step(network.parameters_mut(), &gradient, 3e-3);
    }
    assert!(last - entropy < 0.02, "{last} against {entropy}");
    assert!(last > entropy - 1e-6);
}
