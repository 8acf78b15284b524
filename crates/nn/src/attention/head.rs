//! The weights of one attention head, transposed and multiplied for the kernels.

use super::{Context, Stage};
use crate::Real;
use crate::kernels::{Onto, Product};
use crate::pages::fit;

/// The prepared weights of one head.
#[derive(Default)]
pub(crate) struct Head<T> {
    /// W_lᵀ and W_rᵀ: embedding × width.
    pub(super) left: Vec<T>,
    pub(super) right: Vec<T>,
    /// W_cᵀ: width × embedding.
    pub(super) combine: Vec<T>,
    /// U, a row per feature, and v.
    pub(super) projection: Vec<T>,
    pub(super) edge_bias: Vec<T>,
    /// b_r + v.
    pub(super) right_bias: Vec<T>,
    /// diag(a) W_l and diag(a) W_r.
    pub(super) left_scaled: Vec<T>,
    pub(super) right_scaled: Vec<T>,
    /// M = W_c W_l.
    pub(super) value: Vec<T>,
}

impl<T: Real> Head<T> {
    /// Prepares what the forward pass needs of head `h`.
    pub(super) fn prepare(&mut self, stage: &Stage<'_, T>, h: usize, context: &Context<'_, T>) {
        let config = context.config;
        let (embedding, width) = (config.embedding, config.head_width);
        let slice = h * width * embedding..(h + 1) * width * embedding;
        transpose(
            &stage.left.weight[slice.clone()],
            embedding,
            width,
            embedding,
            &mut self.left,
        );
        transpose(
            &stage.right.weight[slice.clone()],
            embedding,
            width,
            embedding,
            &mut self.right,
        );
        transpose(
            &stage.combine.weight[embedding + h * width..],
            embedding + stage.bias.len(),
            embedding,
            width,
            &mut self.combine,
        );
        let features = config.edge_width;
        self.projection.clear();
        self.projection.resize(features * width, T::ZERO);
        self.edge_bias.clear();
        self.right_bias.clear();
        let rows = stage.edge[slice].chunks_exact(embedding);
        for (c, row) in rows.enumerate() {
            for f in 0..features {
                let mut sum = T::ZERO;
                for (l, &weight) in row.iter().enumerate() {
                    sum += weight * stage.embedding.weight[l * features + f];
                }
                self.projection[f * width + c] = sum;
            }
            let mut sum = T::ZERO;
            for (&weight, &bias) in row.iter().zip(stage.embedding.bias) {
                sum += weight * bias;
            }
            self.edge_bias.push(sum);
            self.right_bias.push(stage.right.bias[h * width + c] + sum);
        }
    }

    /// Prepares what the backward pass needs of head `h` beyond [`prepare`](Self::prepare).
    pub(super) fn prepare_backward(
        &mut self,
        stage: &Stage<'_, T>,
        h: usize,
        context: &Context<'_, T>,
    ) {
        let config = context.config;
        let (embedding, width) = (config.embedding, config.head_width);
        let slice = h * width * embedding..(h + 1) * width * embedding;
        let att = &stage.att[h * width..][..width];
        let pairs = [
            (&mut self.left_scaled, stage.left.weight),
            (&mut self.right_scaled, stage.right.weight),
        ];
        for (scaled, weight) in pairs {
            scaled.clear();
            for (row, &att) in weight[slice.clone()].chunks_exact(embedding).zip(att) {
                scaled.extend(row.iter().map(|&weight| att * weight));
            }
        }
        self.value.clear();
        (context.kernels.product)(Product {
            rows: embedding,
            depth: width,
            columns: embedding,
            a: &stage.combine.weight[embedding + h * width..],
            a_strides: (embedding + stage.bias.len(), 1),
            b: &stage.left.weight[slice],
            c: fit(&mut self.value, embedding * embedding),
            onto: Onto::Zero,
        });
    }
}

/// The transpose of `rows` × `columns` numbers, `stride` from row to row.
pub(crate) fn transpose<T: Real>(
    from: &[T],
    stride: usize,
    rows: usize,
    columns: usize,
    to: &mut Vec<T>,
) {
    to.clear();
    to.resize(rows * columns, T::ZERO);
    for (r, row) in from.chunks(stride).take(rows).enumerate() {
        for (c, &value) in row[..columns].iter().enumerate() {
            to[c * rows + r] = value;
        }
    }
}
