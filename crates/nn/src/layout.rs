//! The position of each parameter in the flat vector, under the name that PyTorch would give it.

use std::ops::Range;

use crate::{Config, NnError};

/// One tensor of the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name, as in a PyTorch state dictionary.
    pub name: String,
    /// The shape; weights are `[out, in]`.
    pub shape: Vec<usize>,
    /// Its range in the flat vector.
    pub range: Range<usize>,
    pub(crate) start: Start,
}

/// How a tensor is filled in a new network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// Uniform between ±√(first / second). Kept as a fraction so that it is exact.
    Uniform(usize, usize),
    Zero,
    One,
}

/// All tensors of a network, in the order of the flat vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    entries: Vec<Entry>,
    pub(crate) slots: Slots,
}

/// The ranges of tensors in the flat vector, by their role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Slots {
    pub(crate) variable: MlpSlots,
    pub(crate) row: MlpSlots,
    pub(crate) edge: LinearSlots,
    /// For each round: the stage from variables to rows, then the stage from rows to variables.
    pub(crate) rounds: Vec<[StageSlots; 2]>,
    pub(crate) output: MlpSlots,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinearSlots {
    pub(crate) weight: Range<usize>,
    pub(crate) bias: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MlpSlots {
    pub(crate) first: LinearSlots,
    pub(crate) second: LinearSlots,
}

/// The ranges of a stage: attention, then the combination with the node's own embedding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StageSlots {
    pub(crate) att: Range<usize>,
    pub(crate) bias: Range<usize>,
    pub(crate) left: LinearSlots,
    pub(crate) right: LinearSlots,
    pub(crate) edge: Range<usize>,
    pub(crate) combine: LinearSlots,
    pub(crate) norm: Option<LinearSlots>,
}

impl Layout {
    /// The layout of a network of this shape, whose parameters need not be there: a file's header can name a shape that
    /// no memory holds.
    pub fn of(config: &Config) -> Result<Self, NnError> {
        config.validate()?;
        Ok(Layout::new(config))
    }

    pub(crate) fn new(config: &Config) -> Self {
        let mut entries = Entries(Vec::new());
        let width = config.embedding;
        let slots = Slots {
            variable: entries.mlp("variable_embedding", config.variable_width, width, width),
            row: entries.mlp("row_embedding", config.row_width, width, width),
            edge: entries.linear("edge_embedding", config.edge_width, width),
            rounds: (0..config.rounds)
                .map(|round| {
                    ["to_rows", "to_variables"]
                        .map(|to| entries.stage(&format!("rounds.{round}.{to}"), config))
                })
                .collect(),
            output: entries.mlp("output", width, width, 1),
        };
        Layout {
            entries: entries.0,
            slots,
        }
    }

    /// The tensors, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Entry> {
        self.entries.iter()
    }

    /// The tensor with this name.
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// Number of parameters of all tensors.
    pub fn parameters(&self) -> usize {
        self.entries.last().map_or(0, |entry| entry.range.end)
    }
}

impl<'a> IntoIterator for &'a Layout {
    type Item = &'a Entry;
    type IntoIter = std::slice::Iter<'a, Entry>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Collects tensors one after the other.
struct Entries(Vec<Entry>);

impl Entries {
    fn add(&mut self, name: String, shape: &[usize], start: Start) -> Range<usize> {
        let begin = self.0.last().map_or(0, |entry| entry.range.end);
        let range = begin..begin + shape.iter().product::<usize>();
        self.0.push(Entry {
            name,
            shape: shape.to_vec(),
            range: range.clone(),
            start,
        });
        range
    }

    /// A linear layer that starts as `torch.nn.Linear` does: uniform within ±1/√inputs.
    fn linear(&mut self, name: &str, inputs: usize, outputs: usize) -> LinearSlots {
        let start = Start::Uniform(1, inputs);
        LinearSlots {
            weight: self.add(format!("{name}.weight"), &[outputs, inputs], start),
            bias: self.add(format!("{name}.bias"), &[outputs], start),
        }
    }

    fn mlp(&mut self, name: &str, inputs: usize, width: usize, outputs: usize) -> MlpSlots {
        MlpSlots {
            first: self.linear(&format!("{name}.0"), inputs, width),
            second: self.linear(&format!("{name}.2"), width, outputs),
        }
    }

    /// A linear layer that starts as in PyTorch Geometric: Glorot for weights, biases as in any linear layer.
    fn glorot(&mut self, name: &str, inputs: usize, outputs: usize) -> LinearSlots {
        let start = Start::Uniform(6, inputs + outputs);
        LinearSlots {
            weight: self.add(format!("{name}.weight"), &[outputs, inputs], start),
            bias: self.add(
                format!("{name}.bias"),
                &[outputs],
                Start::Uniform(1, inputs),
            ),
        }
    }

    fn stage(&mut self, name: &str, config: &Config) -> StageSlots {
        let (width, heads, head) = (config.embedding, config.heads, config.head_width);
        let all = heads * head;
        let within = format!("{name}.attention");
        StageSlots {
            att: self.add(
                format!("{within}.att"),
                &[1, heads, head],
                Start::Uniform(6, heads + head),
            ),
            bias: self.add(format!("{within}.bias"), &[all], Start::Zero),
            left: self.glorot(&format!("{within}.lin_l"), width, all),
            right: self.glorot(&format!("{within}.lin_r"), width, all),
            edge: self.add(
                format!("{within}.lin_edge.weight"),
                &[all, width],
                Start::Uniform(6, width + all),
            ),
            combine: self.linear(&format!("{name}.combine"), width + all, width),
            norm: config.residual_norm.then(|| LinearSlots {
                weight: self.add(format!("{name}.norm.weight"), &[width], Start::One),
                bias: self.add(format!("{name}.norm.bias"), &[width], Start::Zero),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_a_state_dictionary() {
        let config = Config {
            variable_width: 15,
            row_width: 4,
            edge_width: 1,
            residual_norm: true,
            ..Config::default()
        };
        let layout = Layout::new(&config);
        let shape = |name: &str| layout.get(name).map(|entry| entry.shape.clone());
        assert_eq!(shape("variable_embedding.0.weight"), Some(vec![64, 15]));
        assert_eq!(shape("edge_embedding.weight"), Some(vec![64, 1]));
        let left = "rounds.0.to_rows.attention.lin_l.weight";
        assert_eq!(shape(left), Some(vec![512, 64]));
        let att = "rounds.0.to_variables.attention.att";
        assert_eq!(shape(att), Some(vec![1, 8, 64]));
        assert_eq!(
            shape("rounds.0.to_rows.combine.weight"),
            Some(vec![64, 576])
        );
        assert_eq!(shape("rounds.0.to_rows.norm.weight"), Some(vec![64]));
        assert_eq!(shape("output.2.bias"), Some(vec![1]));
        let mut end = 0;
        for entry in &layout {
            assert_eq!(entry.range.start, end);
            assert_eq!(entry.range.len(), entry.shape.iter().product::<usize>());
            end = entry.range.end;
        }
        assert_eq!(end, layout.parameters());
    }
}
