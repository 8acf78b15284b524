//! Computes losses and gradients of several graphs.
//!
//! Small graphs are processed in parallel, one thread each; large ones one after the other, with all threads on each,
//! so that a batch needs the memory of one large graph. Either way gradients are added in the order of the batch.

use std::sync::{Mutex, PoisonError};

use idpas_base::random::Random;
use idpas_graph::{Bipartite, Standardisation, prior};
use idpas_nn::loss::binary_cross_entropy;
use idpas_nn::{Network, Threads, Workspace};
use rayon::prelude::*;

use super::graphs::{Graphs, Shown};
use super::settings::Targets;
use crate::metrics::{InstanceMetrics, measure};
use crate::truth::{Class, Truth};
use crate::{LearnError, sigmoid};

/// Graphs with at most this many edges count as small.
const SMALL: usize = 100_000;

/// What all graphs of a training share.
pub(super) struct Feed<'a> {
    pub(super) graphs: &'a Graphs,
    pub(super) standardisation: &'a Standardisation,
    pub(super) identity_bits: Option<usize>,
    /// Number of instances behind the zero rates from which logits start.
    pub(super) history: usize,
    pub(super) dropout: f64,
    pub(super) targets: Targets,
    pub(super) seed: u64,
    /// Workspaces that are not in use.
    pub(super) idle: Mutex<Vec<Workspace>>,
    /// Whether all graphs of this training are small.
    pub(super) small: bool,
}

/// The scores of a graph, with the values they should have.
pub(super) struct Judged {
    pub(super) loss: f64,
    pub(super) scores: Vec<f32>,
    pub(super) truth: Truth,
}

impl Judged {
    pub(super) fn measure(&self) -> InstanceMetrics {
        measure(&self.truth, &self.scores)
    }
}

/// Whether graphs with at most this many edges are processed in parallel.
pub(super) fn side_by_side(most_edges: usize) -> bool {
    most_edges <= SMALL
}

impl Feed<'_> {
    fn map<T: Send>(
        &self,
        names: &[&str],
        work: impl Fn(usize, &str, &mut Workspace) -> Result<T, LearnError> + Sync,
    ) -> Vec<Result<T, LearnError>> {
        let one = |(k, name): (usize, &&str)| {
            let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            let found = idle().pop();
            let threads = if self.small {
                Threads::One
            } else {
                Threads::Pool
            };
            let mut workspace = found.unwrap_or_else(|| Workspace::new(threads));
            let result = work(k, name, &mut workspace);
            idle().push(workspace);
            result
        };
        if self.small {
            names.par_iter().enumerate().map(one).collect()
        } else {
            names.iter().enumerate().map(one).collect()
        }
    }

    /// Adds `share` of the gradient of each graph to `gradient`, and returns their losses.
    pub(super) fn learn(
        &self,
        network: &Network,
        names: &[&str],
        share: f32,
        epoch: usize,
        gradient: &mut [f32],
    ) -> Result<Vec<f64>, LearnError> {
        let size = gradient.len();
        let mut losses = Vec::with_capacity(names.len());
        // Only a part of the batch at a time, because each graph that is processed needs a gradient of its own.
        let side_by_side = if self.small {
            rayon::current_num_threads().max(8)
        } else {
            1
        };
        for part in names.chunks(side_by_side) {
            let results = self.map(part, |_, name, workspace| {
                let (graph, truth) = self.read(name, |count| self.shown(name, epoch, count))?;
                let mut own = vec![0.0f32; size];
                let start = self.start(&graph);
                let loss = network.accumulate(
                    &graph,
                    |logits, slope| {
                        cross_entropy(&sum(logits, &start), &truth, self.targets, slope)
                    },
                    &mut own,
                    workspace,
                )?;
                Ok((loss, own))
            });
            for result in results {
                let (loss, own) = result?;
                losses.push(loss);
                for (sum, own) in gradient.iter_mut().zip(&own) {
                    *sum += share * own;
                }
            }
        }
        Ok(losses)
    }

    /// Computes scores of graphs, a few at a time, and passes them to `each` in order.
    pub(super) fn judge(
        &self,
        network: &Network,
        names: &[&str],
        with_identity: bool,
        mut each: impl FnMut(Judged),
    ) -> Result<(), LearnError> {
        for part in names.chunks(2 * rayon::current_num_threads()) {
            let results = self.map(part, |_, name, workspace| {
                let shown = |_| match with_identity {
                    true => Shown::All,
                    false => Shown::Nothing,
                };
                let (graph, truth) = self.read(name, shown)?;
                let logits = network.logits(&graph, workspace)?;
                let logits = sum(&logits, &self.start(&graph));
                let mut slope = vec![0.0; logits.len()];
                Ok(Judged {
                    loss: cross_entropy(&logits, &truth, self.targets, &mut slope),
                    scores: logits.into_iter().map(sigmoid).collect(),
                    truth,
                })
            });
            for judged in results {
                each(judged?);
            }
        }
        Ok(())
    }

    /// The logits from which the network's output starts: those of past solutions.
    fn start(&self, graph: &Bipartite) -> Vec<f32> {
        prior(graph, self.standardisation.set(), self.history)
    }

    fn read(
        &self,
        name: &str,
        shown: impl Fn(usize) -> Shown,
    ) -> Result<(Bipartite, Truth), LearnError> {
        let stored = self.graphs.read(name)?;
        let shown = shown(stored.identity.len());
        stored.ready(self.standardisation, self.identity_bits, shown)
    }

    /// Which identities of a graph the network sees in an epoch.
    fn shown(&self, name: &str, epoch: usize, variables: usize) -> Shown {
        if self.dropout == 0.0 || self.identity_bits.is_none() {
            return Shown::All;
        }
        let mut random = Random::new(self.seed, &format!("identities of {name}"), epoch as u64);
        if random.unit() < self.dropout {
            return Shown::Nothing;
        }
        let hidden = (0..variables).map(|_| random.unit() < self.dropout);
        Shown::Without(hidden.collect())
    }
}

fn sum(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// The mean cross-entropy of the variables that the loss is about; its derivatives are written to `slope`.
fn cross_entropy(logits: &[f32], truth: &Truth, targets: Targets, slope: &mut [f32]) -> f64 {
    let is_target = |class: &&Class| targets.include(**class);
    let count = truth.classes.iter().filter(is_target).count();
    let share = 1.0 / count.max(1) as f32;
    let weight = |class: &Class| if is_target(&class) { share } else { 0.0 };
    let weights: Vec<f32> = truth.classes.iter().map(weight).collect();
    binary_cross_entropy(logits, &truth.targets, &weights, slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loss_is_about_its_targets_alone() {
        let truth = Truth {
            targets: vec![0.0, 1.0, 0.0, 0.0],
            classes: vec![
                Class::Binary,
                Class::Integer,
                Class::Continuous,
                Class::Settled,
            ],
            best: vec![false, true, false, false],
        };
        let logits = [1.0, -2.0, 3.0, 0.5];
        let mut slope = [0.0; 4];
        let all = cross_entropy(&logits, &truth, Targets::Discrete, &mut slope);
        assert!(slope[1] != 0.0 && slope[2] == 0.0 && slope[3] != 0.0);
        let binaries = cross_entropy(&logits, &truth, Targets::Binaries, &mut slope);
        assert!(slope[0] > 0.0);
        assert_eq!(slope[1..], [0.0; 3]);
        // ln(1 + e) for the only binary, which should be zero and is taken for likely not.
        assert!((binaries - 1.0f64.exp().ln_1p()).abs() < 1e-6, "{binaries}");
        assert!(all != binaries);
    }
}
