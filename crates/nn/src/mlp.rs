//! Two linear layers with a ReLU between them, which both the embedding of nodes and the output use.

use crate::Real;
use crate::attention::{Sums, transpose};
use crate::layout::MlpSlots;
use crate::workspace::padded;

/// The weights of both layers, transposed for the kernels.
pub(crate) struct Layers<'a, T> {
    pub(crate) first: Vec<T>,
    pub(crate) first_bias: &'a [T],
    pub(crate) second: Vec<T>,
    pub(crate) second_bias: &'a [T],
}

impl<'a, T: Real> Layers<'a, T> {
    /// Transposes the weights; the first layer's get zero rows, so that inputs are whole vectors.
    pub(crate) fn new(slots: &MlpSlots, parameters: &'a [T], inputs: usize) -> Self {
        let first_bias = &parameters[slots.first.bias.clone()];
        let second_bias = &parameters[slots.second.bias.clone()];
        let width = first_bias.len();
        let (mut first, mut second) = (Vec::new(), Vec::new());
        let weight = &parameters[slots.first.weight.clone()];
        transpose(weight, inputs, width, inputs, &mut first);
        first.resize(padded(inputs) * width, T::ZERO);
        let weight = &parameters[slots.second.weight.clone()];
        transpose(weight, width, second_bias.len(), width, &mut second);
        Layers {
            first,
            first_bias,
            second,
            second_bias,
        }
    }
}

/// Sets negative numbers to zero.
pub(crate) fn relu<T: Real>(values: &mut [T]) {
    for value in values {
        *value = if *value > T::ZERO { *value } else { T::ZERO };
    }
}

/// Clears those sums of a stage that two layers use instead: `value` and `all` for the weights and biases of the first
/// layer, `own` and `reached` for those of the second.
pub(crate) fn clear<T: Real>(sums: &mut Sums<T>, lengths: [usize; 4]) {
    let fields = [
        &mut sums.value,
        &mut sums.all,
        &mut sums.own,
        &mut sums.reached,
    ];
    for (vector, length) in fields.into_iter().zip(lengths) {
        vector.clear();
        vector.resize(length, T::ZERO);
    }
}
