//! Random graphs and settings for the tests.
#![allow(dead_code)]

use idpas_graph::{Adjacency, Bipartite, Table};
use idpas_nn::{Config, Network, Real, Threads, Workspace, loss};

/// A small deterministic generator.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Between -1 and 1.
    pub(crate) fn signed(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    pub(crate) fn table(&mut self, rows: usize, width: usize) -> Table {
        Table {
            width,
            data: (0..rows * width).map(|_| self.signed()).collect(),
        }
    }
}

/// A graph whose first row and first variable have no edges and whose second row has one.
pub(crate) fn graph(config: &Config, variables: usize, rows: usize, seed: u64) -> Bipartite {
    let mut numbers = Numbers::new(seed);
    let (mut starts, mut neighbours) = (vec![0], Vec::new());
    for i in 0..rows {
        let degree = match i {
            0 => 0,
            1 => 1,
            _ => numbers.below(6),
        };
        for _ in 0..degree {
            neighbours.push(1 + numbers.below(variables - 1) as u32);
        }
        starts.push(neighbours.len() as u32);
    }
    let edges = neighbours.len();
    Bipartite::new(
        numbers.table(variables, config.variable_width),
        numbers.table(rows, config.row_width),
        numbers.table(edges, config.edge_width),
        Adjacency { starts, neighbours },
    )
    .expect("a consistent graph")
}

/// Targets and weights for the loss: soft targets, and some variables that do not count.
pub(crate) fn targets(graph: &Bipartite, seed: u64) -> (Vec<f32>, Vec<f32>) {
    let mut numbers = Numbers::new(seed + 99);
    let count = graph.by_variable.nodes();
    let targets = (0..count).map(|_| numbers.signed() * 0.5 + 0.5).collect();
    let weight = |j: usize| if j % 5 == 3 { 0.0 } else { 1.0 / count as f32 };
    (targets, (0..count).map(weight).collect())
}

/// Small widths.
pub(crate) fn config(
    embedding: usize,
    heads: usize,
    head_width: usize,
    edge_width: usize,
) -> Config {
    Config {
        variable_width: 5,
        row_width: 3,
        edge_width,
        embedding,
        heads,
        head_width,
        ..Config::default()
    }
}

/// A network whose biases are not zero, so that every gradient is put to the test.
pub(crate) fn network<T: Real>(config: &Config, seed: u64) -> Network<T> {
    let mut network = Network::<T>::new(config.clone(), seed).expect("a valid configuration");
    let mut numbers = Numbers::new(seed + 7);
    let biases: Vec<_> = network
        .layout()
        .iter()
        .filter(|entry| entry.shape.len() == 1)
        .map(|entry| entry.range.clone())
        .collect();
    for range in biases {
        for value in &mut network.parameters_mut()[range] {
            *value += T::from_f32(0.25 * numbers.signed());
        }
    }
    network
}

/// The same network in the other precision.
pub(crate) fn widen(network: &Network<f32>) -> Network<f64> {
    let parameters = network.parameters().iter().map(|&p| f64::from(p)).collect();
    Network::from_parameters(network.config().clone(), parameters).expect("the same layout")
}

/// Loss and gradient.
pub(crate) fn gradient<T: Real>(
    network: &Network<T>,
    graph: &Bipartite,
    workspace: &mut Workspace<T>,
) -> (f64, Vec<T>) {
    let (targets, weights) = targets(graph, 1);
    let mut gradient = vec![T::ZERO; network.parameters().len()];
    let loss = network
        .accumulate(
            graph,
            |logits, slopes| loss::binary_cross_entropy(logits, &targets, &weights, slopes),
            &mut gradient,
            workspace,
        )
        .expect("a graph that fits");
    (loss, gradient)
}

pub(crate) fn one<T: Real>() -> Workspace<T> {
    Workspace::new(Threads::One)
}

/// The largest difference, relative to the largest number.
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let most = a.iter().fold(1e-30f64, |most, x| most.max(x.abs()));
    let pairs = a.iter().zip(b);
    pairs.fold(0.0f64, |worst, (x, y)| worst.max((x - y).abs())) / most
}

pub(crate) fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&value| f64::from(value)).collect()
}
