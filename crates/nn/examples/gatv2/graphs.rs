//! Random graphs of given size, and a loss on them.

use std::error::Error;

use idpas_graph::{Adjacency, Bipartite, Table};
use idpas_nn::{Config, Network, NnError, Workspace, loss};

/// Numbers of variables, rows and edges.
pub(crate) type Size = (usize, usize, usize);

/// The size with this name.
pub(crate) fn size(name: &str) -> Result<Size, Box<dyn Error>> {
    match name {
        "mmcnp" => Ok((2_897, 643, 15_000)),
        "slap" => Ok((78_000, 81_000, 300_000)),
        "course" => Ok((80_000, 53_000, 500_000)),
        _ => Err(format!("no size `{name}`: mmcnp, slap or course").into()),
    }
}

/// The network that is measured: the usual shape, with the feature widths of the paper's set.
pub(crate) fn network() -> Result<Network, NnError> {
    let config = Config {
        variable_width: 15,
        row_width: 4,
        edge_width: 1,
        ..Config::default()
    };
    Network::new(config, 1)
}

/// A graph, targets and weights for the loss.
pub(crate) struct Case {
    pub(crate) graph: Bipartite,
    pub(crate) targets: Vec<f32>,
    pub(crate) weights: Vec<f32>,
}

struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }

    fn table(&mut self, rows: usize, width: usize) -> Table {
        Table {
            width,
            data: (0..rows * width).map(|_| 2.0 * self.unit() - 1.0).collect(),
        }
    }
}

/// A graph whose edges join a random variable and a random row each.
pub(crate) fn case((variables, rows, edges): Size) -> Result<Case, Box<dyn Error>> {
    let mut numbers = Numbers(7);
    let mut below = |end: usize| (numbers.next() % end as u64) as u32;
    let mut ends: Vec<(u32, u32)> = (0..edges)
        .map(|_| (below(rows), below(variables)))
        .collect();
    ends.sort_unstable();
    let mut starts = vec![0u32; rows + 1];
    for &(row, _) in &ends {
        starts[row as usize + 1] += 1;
    }
    for row in 0..rows {
        starts[row + 1] += starts[row];
    }
    let neighbours = ends.iter().map(|&(_, variable)| variable).collect();
    let graph = Bipartite::new(
        numbers.table(variables, 15),
        numbers.table(rows, 4),
        numbers.table(edges, 1),
        Adjacency { starts, neighbours },
    )?;
    Ok(Case {
        graph,
        targets: (0..variables).map(|_| numbers.unit()).collect(),
        weights: vec![1.0 / variables as f32; variables],
    })
}

impl Case {
    /// Computes the loss and adds its gradient: a training step without the optimiser.
    pub(crate) fn step(
        &self,
        network: &Network,
        gradient: &mut [f32],
        workspace: &mut Workspace,
    ) -> Result<f64, NnError> {
        gradient.fill(0.0);
        network.accumulate(
            &self.graph,
            |logits, slopes| {
                loss::binary_cross_entropy(logits, &self.targets, &self.weights, slopes)
            },
            gradient,
            workspace,
        )
    }
}
