//! The network: parameters, forward pass, gradients.

use idpas_graph::Bipartite;

use crate::attention::{self, Context, Gradients, Room, Seen, Stage};
use crate::layout::Start;
use crate::pages::fit;
use crate::random::Random;
use crate::workspace::Tape;
use crate::{Config, Layout, NnError, Real, Workspace, mlp};

/// A network: its shape and one flat vector of parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Network<T: Real = f32> {
    config: Config,
    layout: Layout,
    parameters: Vec<T>,
}

impl<T: Real> Network<T> {
    /// A network with random parameters, distributed as PyTorch would begin.
    pub fn new(config: Config, seed: u64) -> Result<Self, NnError> {
        config.validate()?;
        let layout = Layout::new(&config);
        let mut random = Random::new(seed);
        let mut parameters = Vec::with_capacity(layout.parameters());
        for entry in &layout {
            let fill = |_| match entry.start {
                Start::Zero => T::ZERO,
                Start::One => T::ONE,
                Start::Uniform(over, under) => {
                    T::from_f64(random.uniform((over as f64 / under as f64).sqrt()))
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

    /// The shape.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Where each tensor is in the parameters.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// All parameters.
    pub fn parameters(&self) -> &[T] {
        &self.parameters
    }

    /// All parameters, to change.
    pub fn parameters_mut(&mut self) -> &mut [T] {
        &mut self.parameters
    }

    /// A logit per variable.
    pub fn logits(
        &self,
        graph: &Bipartite,
        workspace: &mut Workspace<T>,
    ) -> Result<Vec<T>, NnError> {
        self.forward(graph, workspace, false)?;
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
        self.forward(graph, workspace, true)?;
        let count = graph.by_variable.nodes();
        let tape = &mut workspace.tape;
        let slopes = fit(&mut tape.logit_gradient, count);
        slopes.fill(T::ZERO);
        let value = loss(&tape.logits[..count], slopes);
        self.backward(graph, workspace, gradient);
        Ok(value)
    }

    fn forward(
        &self,
        graph: &Bipartite,
        workspace: &mut Workspace<T>,
        keep: bool,
    ) -> Result<(), NnError> {
        workspace.plan.prepare(graph, &self.config)?;
        let groups =
            (workspace.plan.variable_groups().len()).max(workspace.plan.row_groups().len());
        workspace.fit_scratch(groups, &self.config);
        let Workspace {
            threads,
            kernels,
            plan,
            head,
            scratch,
            tape,
            ..
        } = workspace;
        let context = Context {
            config: &self.config,
            kernels,
            threads: *threads,
        };
        let embedding = self.config.embedding;
        let variables = graph.by_variable.nodes() * embedding;
        let rows = graph.by_row.nodes() * embedding;
        let slots = &self.layout.slots;
        tape.fit(self.config.rounds);
        mlp::embed(
            &context,
            (&slots.variable, &self.parameters),
            (&graph.variables, plan.variable_groups()),
            fit(&mut tape.variables[0], variables),
            scratch,
        );
        mlp::embed(
            &context,
            (&slots.row, &self.parameters),
            (&graph.rows, plan.row_groups()),
            fit(&mut tape.rows[0], rows),
            scratch,
        );
        for (round, stages) in slots.rounds.iter().enumerate() {
            let [to_rows, to_variables] = stages;
            let (old, new) = tape.rows.split_at_mut(round + 1);
            let (row, new_row) = (&old[round][..rows], fit(&mut new[0], rows));
            let (old, new) = tape.variables.split_at_mut(round + 1);
            let variable = &old[round][..variables];
            let new_variable = fit(&mut new[0], variables);
            attention::forward(
                &context,
                &Stage::new(slots, to_rows, &self.parameters),
                &plan.to_rows(graph),
                (variable, row),
                new_row,
                (&mut tape.stages[2 * round], keep),
                &mut tape.projected,
                (head, scratch),
            );
            attention::forward(
                &context,
                &Stage::new(slots, to_variables, &self.parameters),
                &plan.to_variables(graph),
                (new_row, variable),
                new_variable,
                (&mut tape.stages[2 * round + 1], keep),
                &mut tape.projected,
                (head, scratch),
            );
        }
        mlp::output(
            &context,
            (&slots.output, &self.parameters),
            (&tape.variables[self.config.rounds], plan.variable_groups()),
            fit(&mut tape.logits, graph.by_variable.nodes()),
            scratch,
        );
        Ok(())
    }

    /// After [`forward`](Self::forward) on the same graph.
    fn backward(&self, graph: &Bipartite, workspace: &mut Workspace<T>, gradient: &mut [T]) {
        let Workspace {
            threads,
            kernels,
            plan,
            head,
            sums,
            scratch,
            tape,
        } = workspace;
        let context = Context {
            config: &self.config,
            kernels,
            threads: *threads,
        };
        let embedding = self.config.embedding;
        let variables = graph.by_variable.nodes() * embedding;
        let rows = graph.by_row.nodes() * embedding;
        let slots = &self.layout.slots;
        let parameters = &self.parameters[..];
        fit(&mut tape.spare, variables.max(rows));
        fit(&mut tape.row_gradient, variables.max(rows))[..rows].fill(T::ZERO);
        fit(&mut tape.variable_gradient, variables.max(rows));
        mlp::output_backward(
            &context,
            (&slots.output, parameters),
            (&tape.variables[self.config.rounds], plan.variable_groups()),
            (
                &tape.logit_gradient,
                &mut tape.variable_gradient[..variables],
            ),
            scratch,
            gradient,
        );
        for (round, [to_rows, to_variables]) in slots.rounds.iter().enumerate().rev() {
            attention::backward(
                &context,
                &Stage::new(slots, to_variables, parameters),
                &plan.to_variables(graph),
                &Seen {
                    sources: &tape.rows[round + 1],
                    targets: &tape.variables[round],
                    out: &tape.variables[round + 1],
                    tape: &tape.stages[2 * round + 1],
                },
                Gradients {
                    out: &mut tape.variable_gradient[..variables],
                    targets: &mut tape.spare[..variables],
                    sources: &mut tape.row_gradient[..rows],
                },
                Room {
                    pulled: &mut tape.projected,
                    scores: &mut tape.scores,
                    head,
                    sums,
                    scratch,
                },
                (slots, to_variables, gradient),
            );
            std::mem::swap(&mut tape.variable_gradient, &mut tape.spare);
            attention::backward(
                &context,
                &Stage::new(slots, to_rows, parameters),
                &plan.to_rows(graph),
                &Seen {
                    sources: &tape.variables[round],
                    targets: &tape.rows[round],
                    out: &tape.rows[round + 1],
                    tape: &tape.stages[2 * round],
                },
                Gradients {
                    out: &mut tape.row_gradient[..rows],
                    targets: &mut tape.spare[..rows],
                    sources: &mut tape.variable_gradient[..variables],
                },
                Room {
                    pulled: &mut tape.projected,
                    scores: &mut tape.scores,
                    head,
                    sums,
                    scratch,
                },
                (slots, to_rows, gradient),
            );
            std::mem::swap(&mut tape.row_gradient, &mut tape.spare);
        }
        mlp::embed_backward(
            &context,
            (&slots.row, parameters),
            (&graph.rows, plan.row_groups()),
            (&tape.rows[0], &mut tape.row_gradient[..rows]),
            scratch,
            gradient,
        );
        mlp::embed_backward(
            &context,
            (&slots.variable, parameters),
            (&graph.variables, plan.variable_groups()),
            (&tape.variables[0], &mut tape.variable_gradient[..variables]),
            scratch,
            gradient,
        );
    }
}

impl<T: Real> Tape<T> {
    fn fit(&mut self, rounds: usize) {
        if self.stages.len() < 2 * rounds {
            self.variables.resize_with(rounds + 1, Vec::new);
            self.rows.resize_with(rounds + 1, Vec::new);
            self.stages.resize_with(2 * rounds, Default::default);
        }
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
