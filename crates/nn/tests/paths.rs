//! One result on every path: precision, instructions, threads, order of the graph.

mod common;

use common::{Numbers, config, distance, gradient, graph, network, one, wide, widen};
use idpas_graph::{Adjacency, Bipartite, Table};
use idpas_nn::{Config, Network, NnError, Threads, Workspace};

fn shapes() -> Vec<Config> {
    let usual = Config {
        variable_width: 15,
        row_width: 4,
        edge_width: 1,
        ..Config::default()
    };
    vec![
        Config {
            rounds: 2,
            residual_norm: true,
            ..usual.clone()
        },
        Config {
            head_width: 24,
            embedding: 40,
            edge_width: 2,
            ..usual.clone()
        },
        Config {
            head_width: 72,
            edge_width: 3,
            heads: 2,
            ..usual.clone()
        },
        config(7, 2, 16, 3),
        config(16, 2, 8, 4),
        usual,
    ]
}

#[test]
fn both_precisions_and_both_paths_agree() {
    for (k, config) in shapes().iter().enumerate() {
        let narrow = network::<f32>(config, k as u64);
        let exact = widen(&narrow);
        let graph = graph(config, 300, 250, k as u64);
        let (_, truth) = gradient(&exact, &graph, &mut one());
        let logits = exact.logits(&graph, &mut one()).expect("logits");
        for mut workspace in [one(), Workspace::portable(Threads::One)] {
            let found = narrow.logits(&graph, &mut workspace).expect("logits");
            let error = distance(&logits, &wide(&found));
            assert!(error < 1e-5, "logits of shape {k}: {error}");
            let (_, found) = gradient(&narrow, &graph, &mut workspace);
            let error = distance(&truth, &wide(&found));
            assert!(error < 1e-5, "gradient of shape {k}: {error}");
            for entry in narrow.layout() {
                let range = entry.range.clone();
                let error = distance(&truth[range.clone()], &wide(&found[range]));
                assert!(error < 1e-4, "{} of shape {k}: {error}", entry.name);
            }
        }
    }
}

#[test]
fn threads_leave_every_bit_alone() {
    let config = &shapes()[0];
    let network = network::<f32>(config, 5);
    let graph = graph(config, 1500, 1100, 5);
    let (loss, gradients) = gradient(&network, &graph, &mut one());
    let logits = network.logits(&graph, &mut one()).expect("logits");
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("a pool").install(|| {
            let mut workspace = Workspace::new(Threads::Pool);
            let (other, others) = gradient(&network, &graph, &mut workspace);
            assert_eq!(loss.to_bits(), other.to_bits());
            assert!(gradients == others);
            assert!(logits == network.logits(&graph, &mut workspace).expect("logits"));
        });
    }
}

#[test]
fn a_used_workspace_is_as_good_as_a_new_one() {
    let mut workspace = one();
    for (k, config) in shapes().iter().enumerate() {
        let network = network::<f32>(config, k as u64);
        for (variables, rows) in [(400, 100), (20, 30), (100, 500)] {
            let graph = graph(config, variables, rows, k as u64);
            let (_, used) = gradient(&network, &graph, &mut workspace);
            let (_, new) = gradient(&network, &graph, &mut one());
            assert!(used == new, "shape {k}");
            let used = network.logits(&graph, &mut workspace).expect("logits");
            let new = network.logits(&graph, &mut one()).expect("logits");
            assert!(used == new, "logits of shape {k}");
        }
    }
}

#[test]
fn scoring_gives_the_bits_that_training_sees() {
    for (k, config) in shapes().iter().enumerate() {
        let network = network::<f32>(config, k as u64);
        let mut gradient = vec![0.0; network.parameters().len()];
        for (variables, rows) in [(300, 800), (800, 300)] {
            let graph = graph(config, variables, rows, k as u64);
            let mut seen = Vec::new();
            let look = |logits: &[f32], _: &mut [f32]| {
                seen = logits.to_vec();
                0.0
            };
            network
                .accumulate(&graph, look, &mut gradient, &mut one())
                .expect("a step");
            let scored = network.logits(&graph, &mut one()).expect("logits");
            assert!(seen == scored, "shape {k}");
        }
    }
}

/// A random order.
fn order(count: usize, numbers: &mut Numbers) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for k in (1..count).rev() {
        order.swap(k, numbers.below(k + 1));
    }
    order
}

fn reorder(table: &Table, order: &[usize]) -> Table {
    let rows = order.iter().flat_map(|&i| table.row(i).to_vec());
    Table {
        width: table.width,
        data: rows.collect(),
    }
}

#[test]
fn the_order_of_the_graph_does_not_matter() {
    let config = &shapes()[0];
    let network = network::<f32>(config, 6);
    let graph = graph(config, 200, 150, 6);
    let mut numbers = Numbers::new(6);
    let variables = order(200, &mut numbers);
    let rows = order(150, &mut numbers);
    let mut place = vec![0; 200];
    for (new, &old) in variables.iter().enumerate() {
        place[old] = new as u32;
    }
    let (mut starts, mut neighbours, mut edges) = (vec![0], Vec::new(), Vec::new());
    for &i in &rows {
        let range = graph.by_row.range(i);
        for k in order(range.len(), &mut numbers) {
            edges.push(range.start + k);
            neighbours.push(place[graph.by_row.neighbours[range.start + k] as usize]);
        }
        starts.push(neighbours.len() as u32);
    }
    let shuffled = Bipartite::new(
        reorder(&graph.variables, &variables),
        reorder(&graph.rows, &rows),
        reorder(&graph.edges, &edges),
        Adjacency { starts, neighbours },
    )
    .expect("a consistent graph");
    let logits = wide(&network.logits(&graph, &mut one()).expect("logits"));
    let found = wide(&network.logits(&shuffled, &mut one()).expect("logits"));
    let expected: Vec<f64> = variables.iter().map(|&old| logits[old]).collect();
    assert!(distance(&expected, &found) < 1e-5);
}

#[test]
fn graphs_that_do_not_fit_are_errors() {
    let config = config(8, 2, 8, 1);
    let network = network::<f32>(&config, 0);
    let mut workspace = one();
    let good = graph(&config, 6, 5, 0);
    let other = common::config(8, 2, 8, 2);
    let wrong = graph(&other, 6, 5, 0);
    let error = network.logits(&wrong, &mut workspace).expect_err("edges");
    assert_eq!(
        error.to_string(),
        "the graph has 2 features per edge, the network expects 1"
    );
    let mut broken = good.clone();
    broken.by_row.neighbours[0] = 77;
    let error = network.logits(&broken, &mut workspace);
    assert!(matches!(error, Err(NnError::Graph { .. })));
    let mut broken = good.clone();
    broken.edge_of.pop();
    assert!(network.logits(&broken, &mut workspace).is_err());
    let short = network.accumulate(&good, |_, _| 0.0, &mut [0.0; 3], &mut workspace);
    assert!(matches!(short, Err(NnError::Length { found: 3, .. })));
    assert!(Network::<f32>::from_parameters(config.clone(), vec![0.0; 3]).is_err());
    let empty = Config { heads: 0, ..config };
    let error = Network::<f32>::new(empty, 0).expect_err("no heads");
    assert_eq!(
        error.to_string(),
        "network setting `heads`: 0 found, 1 to 256 expected"
    );
}

#[test]
fn empty_graphs_have_no_logits() {
    let config = config(8, 2, 8, 1);
    let network = network::<f32>(&config, 0);
    // A table without rows may not know its width.
    let table = |rows: usize, width: usize| Table::zeros(rows, if rows == 0 { 0 } else { width });
    for (variables, rows) in [(0, 0), (0, 4), (4, 0), (3, 3)] {
        let graph = Bipartite::new(
            table(variables, 5),
            table(rows, 3),
            table(0, 1),
            Adjacency {
                starts: vec![0; rows + 1],
                neighbours: Vec::new(),
            },
        )
        .expect("a graph without edges");
        let (_, slopes) = gradient(&network, &graph, &mut one());
        assert!(slopes.iter().all(|slope| slope.is_finite()));
        let logits = network.logits(&graph, &mut one()).expect("logits");
        assert_eq!(logits.len(), variables);
    }
}
