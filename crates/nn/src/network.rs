//! The network: parameters, forward pass, gradients.

use idpas_base::random::Random;
use idpas_graph::Bipartite;

use crate::layout::Start;
use crate::pages::fit;
use crate::parallel::inside;
use crate::passes::{backward, forward};
use crate::{Config, Layout, NnError, Real, Workspace};

/// A network: its shape and one flat vector of parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Network<T: Real = f32> {
    config: Config,
    layout: Layout,
    parameters: Vec<T>,
}

impl<T: Real> Network<T> {
    /// A network with random parameters, distributed as in PyTorch.
    pub fn new(config: Config, seed: u64) -> Result<Self, NnError> {
        config.validate()?;
        let layout = Layout::new(&config);
        let mut random = Random::seeded(seed);
        let mut parameters = Vec::with_capacity(layout.parameters());
        for entry in &layout {
            let fill = |_| match entry.start {
                Start::Zero => T::ZERO,
                Start::One => T::ONE,
                Start::Uniform(over, under) => {
                    let bound = (over as f64 / under as f64).sqrt();
                    T::from_f64((2.0 * random.unit() - 1.0) * bound)
                }
            };
            parameters.extend(entry.range.clone().map(fill));
        }
        Ok(Network {
            config,
            layout,
            parameters,
        })
    }

    /// A network with given parameters, in the order of its [`layout`](Self::layout).
    pub fn from_parameters(config: Config, parameters: Vec<T>) -> Result<Self, NnError> {
        config.validate()?;
        let layout = Layout::new(&config);
        length("the vector of parameters", parameters.len(), &layout)?;
        Ok(Network {
            config,
            layout,
            parameters,
        })
    }

    /// The shape of the network.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The position of each tensor in the parameters.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// All parameters.
    pub fn parameters(&self) -> &[T] {
        &self.parameters
    }

    /// All parameters, to be changed.
    pub fn parameters_mut(&mut self) -> &mut [T] {
        &mut self.parameters
    }

    /// The logit of each variable.
    pub fn logits(
        &self,
        graph: &Bipartite,
        workspace: &mut Workspace<T>,
    ) -> Result<Vec<T>, NnError> {
        inside(workspace.threads, || forward(self, graph, workspace, false))?;
        Ok(workspace.tape.logits[..graph.by_variable.nodes()].to_vec())
    }

    /// Adds the gradient of a loss to `gradient` and returns the loss. `loss` is given the logits
    /// and writes the derivative by each of them into its second argument, which begins as zeros.
    pub fn accumulate(
        &self,
        graph: &Bipartite,
        loss: impl FnOnce(&[T], &mut [T]) -> f64,
        gradient: &mut [T],
        workspace: &mut Workspace<T>,
    ) -> Result<f64, NnError> {
        length("the gradient", gradient.len(), &self.layout)?;
        inside(workspace.threads, || forward(self, graph, workspace, true))?;
        let count = graph.by_variable.nodes();
        let tape = &mut workspace.tape;
        let slopes = fit(&mut tape.logit_gradient, count);
        slopes.fill(T::ZERO);
        let value = loss(&tape.logits[..count], slopes);
        inside(workspace.threads, || {
            backward(self, graph, workspace, gradient);
        });
        Ok(value)
    }
}

fn length(what: &'static str, found: usize, layout: &Layout) -> Result<(), NnError> {
    let expected = layout.parameters();
    if found == expected {
        return Ok(());
    }
    Err(NnError::Length {
        what,
        found,
        expected,
    })
}
