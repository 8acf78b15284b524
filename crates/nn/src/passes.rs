//! The forward and the backward pass of the whole network.

use std::mem::{replace, swap, take};

use idpas_graph::Bipartite;

use crate::attention::{self, Context, Gradients, Stage, StageRecord};
use crate::pages::fit;
use crate::workspace::Tape;
use crate::{Network, NnError, Real, Workspace, embedding, output};

/// Computes the logits into the tape. With `keep`, the tape also keeps what [`backward`] needs.
pub(crate) fn forward<T: Real>(
    network: &Network<T>,
    graph: &Bipartite,
    workspace: &mut Workspace<T>,
    keep: bool,
) -> Result<(), NnError> {
    let config = network.config();
    workspace.plan.prepare(graph, config)?;
    workspace.fit(config);
    let Workspace {
        threads,
        kernels,
        plan,
        room,
        tape,
    } = workspace;
    let context = Context {
        config,
        kernels,
        threads: *threads,
    };
    let parameters = network.parameters();
    let variables = graph.by_variable.nodes() * config.embedding;
    let rows = graph.by_row.nodes() * config.embedding;
    let slots = &network.layout().slots;
    tape.fit(config.rounds);
    if !keep {
        // The three arrays change places, so each must be large enough for variables and for rows.
        let most = variables.max(rows);
        fit(&mut tape.variables[0], most);
        fit(&mut tape.rows[0], most);
        fit(&mut tape.spare, most);
    }
    embedding::forward(
        &context,
        (&slots.variable, parameters),
        (&graph.variables, plan.variable_groups()),
        fit(&mut tape.variables[0], variables),
        room,
    );
    embedding::forward(
        &context,
        (&slots.row, parameters),
        (&graph.rows, plan.row_groups()),
        fit(&mut tape.rows[0], rows),
        room,
    );
    for (round, [to_rows, to_variables]) in slots.rounds.iter().enumerate() {
        let (old, new) = if keep { (round, round + 1) } else { (0, 0) };
        let mut out = take_room(&mut tape.rows, &mut tape.spare, round, keep);
        attention::forward(
            &context,
            &Stage::new(slots, to_rows, parameters),
            &plan.to_rows(graph),
            (&tape.variables[old][..variables], &tape.rows[old][..rows]),
            fit(&mut out, rows),
            (&mut tape.stages[2 * old], keep),
            room,
        );
        put_back(&mut tape.rows, &mut tape.spare, round, keep, out);
        let mut out = take_room(&mut tape.variables, &mut tape.spare, round, keep);
        attention::forward(
            &context,
            &Stage::new(slots, to_variables, parameters),
            &plan.to_variables(graph),
            (&tape.rows[new][..rows], &tape.variables[old][..variables]),
            fit(&mut out, variables),
            (&mut tape.stages[2 * old + 1], keep),
            room,
        );
        put_back(&mut tape.variables, &mut tape.spare, round, keep, out);
    }
    let last = if keep { config.rounds } else { 0 };
    output::forward(
        &context,
        (&slots.output, parameters),
        (&tape.variables[last], plan.variable_groups()),
        fit(&mut tape.logits, graph.by_variable.nodes()),
        room,
    );
    Ok(())
}

/// Adds to the parameters' gradient. Must follow [`forward`] with `keep` on the same graph, with the logits' gradient
/// in the tape.
pub(crate) fn backward<T: Real>(
    network: &Network<T>,
    graph: &Bipartite,
    workspace: &mut Workspace<T>,
    gradient: &mut [T],
) {
    let Workspace {
        threads,
        kernels,
        plan,
        room,
        tape,
    } = workspace;
    let config = network.config();
    let context = Context {
        config,
        kernels,
        threads: *threads,
    };
    let parameters = network.parameters();
    let variables = graph.by_variable.nodes() * config.embedding;
    let rows = graph.by_row.nodes() * config.embedding;
    let slots = &network.layout().slots;
    // The spare array changes places with both others, so each must be large enough for variables and for rows.
    let most = variables.max(rows);
    fit(&mut tape.spare, most);
    fit(&mut tape.variable_gradient, most);
    fit(&mut tape.row_gradient, most)[..rows].fill(T::ZERO);
    output::backward(
        &context,
        (&slots.output, parameters),
        (&tape.variables[config.rounds], plan.variable_groups()),
        (
            &tape.logit_gradient,
            &mut tape.variable_gradient[..variables],
        ),
        room,
        gradient,
    );
    for (round, [to_rows, to_variables]) in slots.rounds.iter().enumerate().rev() {
        attention::backward(
            &context,
            &Stage::new(slots, to_variables, parameters),
            &plan.to_variables(graph),
            &StageRecord {
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
            room,
            (slots, to_variables, gradient),
        );
        swap(&mut tape.variable_gradient, &mut tape.spare);
        attention::backward(
            &context,
            &Stage::new(slots, to_rows, parameters),
            &plan.to_rows(graph),
            &StageRecord {
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
            room,
            (slots, to_rows, gradient),
        );
        swap(&mut tape.row_gradient, &mut tape.spare);
    }
    embedding::backward(
        &context,
        (&slots.row, parameters),
        (&graph.rows, plan.row_groups()),
        (&tape.rows[0], &mut tape.row_gradient[..rows]),
        room,
        gradient,
    );
    embedding::backward(
        &context,
        (&slots.variable, parameters),
        (&graph.variables, plan.variable_groups()),
        (&tape.variables[0], &mut tape.variable_gradient[..variables]),
        room,
        gradient,
    );
}

/// An array for the embeddings of one side after a round: its next place on the tape, or the spare one if nothing is
/// kept.
fn take_room<T>(side: &mut [Vec<T>], spare: &mut Vec<T>, round: usize, keep: bool) -> Vec<T> {
    take(if keep { &mut side[round + 1] } else { spare })
}

/// Puts embeddings back: on the tape, or in place of the old ones if nothing is kept.
fn put_back<T>(
    side: &mut [Vec<T>],
    spare: &mut Vec<T>,
    round: usize,
    keep: bool,
    embeddings: Vec<T>,
) {
    if keep {
        side[round + 1] = embeddings;
    } else {
        *spare = replace(&mut side[0], embeddings);
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
