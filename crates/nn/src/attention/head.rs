//! The weights of one head as the products want them, and the sums its backward pass collects.

use super::{Context, Stage};
use crate::Real;
use crate::kernels::{Onto, Product};
use crate::pages::fit;

/// One head's weights, made ready.
#[derive(Default)]
pub(crate) struct Head<T> {
    /// W_lᵀ and W_rᵀ: embedding × width.
    pub(super) left: Vec<T>,
    pub(super) right: Vec<T>,
    /// W_cᵀ: width × embedding.
    pub(super) combine: Vec<T>,
    /// W_ownᵀ, and W_own itself for the backward pass.
    pub(super) own: Vec<T>,
    /// U, a row per feature, and v.
    pub(super) projection: Vec<T>,
    pub(super) edge_bias: Vec<T>,
    /// b_r + v.
    pub(super) right_bias: Vec<T>,
    /// b_c + Σ W_c b, once per stage.
    pub(super) constant: Vec<T>,
    /// diag(a) W_l and diag(a) W_r.
    pub(super) left_scaled: Vec<T>,
    pub(super) right_scaled: Vec<T>,
    /// M = W_c W_l.
    pub(super) value: Vec<T>,
    /// Room for a product of embedding × width.
    pub(super) room: Vec<T>,
}

/// Sums over nodes of one head; `own`, `all`, `reached` and the norm's are for a whole stage.
#[derive(Default)]
pub(crate) struct Sums<T> {
    /// ∂M, Cᵀ X of targets, C'ᵀ X of sources.
    pub(crate) value: Vec<T>,
    pub(crate) right: Vec<T>,
    pub(crate) left: Vec<T>,
    /// Σ C, and Σ e c, a row per feature.
    pub(crate) slopes: Vec<T>,
    pub(crate) features: Vec<T>,
    /// ∂W_own; the sums of g over all targets and over those with edges.
    pub(crate) own: Vec<T>,
    pub(crate) all: Vec<T>,
    pub(crate) reached: Vec<T>,
    /// ∂ of the norm's weight and bias.
    pub(crate) norm_weight: Vec<T>,
    pub(crate) norm_bias: Vec<T>,
}

/// Which of the sums a sweep collects.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Own,
    Targets,
    Sources,
}

impl<T: Real> Sums<T> {
    fn fields(
        &mut self,
        part: Part,
        embedding: usize,
        width: usize,
        features: usize,
    ) -> Fields<'_, T> {
        let square = embedding * embedding;
        let wide = width * embedding;
        match part {
            Part::Own => vec![
                (&mut self.own, square),
                (&mut self.all, embedding),
                (&mut self.reached, embedding),
                (&mut self.norm_weight, embedding),
                (&mut self.norm_bias, embedding),
            ],
            Part::Targets => vec![
                (&mut self.value, square),
                (&mut self.right, wide),
                (&mut self.slopes, width),
                (&mut self.features, features * width),
            ],
            Part::Sources => vec![(&mut self.left, wide)],
        }
    }

    /// Sets a part to zero.
    pub(super) fn clear(&mut self, part: Part, context: &Context<'_, T>) {
        let config = context.config;
        for (vector, length) in
            self.fields(part, config.embedding, config.head_width, config.edge_width)
        {
            fit(vector, length).fill(T::ZERO);
            vector.truncate(length);
        }
    }

    /// Adds a part of another's sums.
    pub(super) fn add(&mut self, part: Part, other: &mut Sums<T>, context: &Context<'_, T>) {
        let config = context.config;
        let widths = (config.embedding, config.head_width, config.edge_width);
        let mine = self.fields(part, widths.0, widths.1, widths.2);
        let theirs = other.fields(part, widths.0, widths.1, widths.2);
        for ((mine, _), (theirs, _)) in mine.into_iter().zip(theirs) {
            add(mine, theirs);
        }
    }
}

type Fields<'a, T> = Vec<(&'a mut Vec<T>, usize)>;

/// `to += from`.
pub(crate) fn add<T: Real>(to: &mut [T], from: &[T]) {
    for (to, &from) in to.iter_mut().zip(from) {
        *to += from;
    }
}

impl<T: Real> Head<T> {
    /// What a whole stage shares.
    pub(super) fn prepare_stage(&mut self, stage: &Stage<'_, T>, context: &Context<'_, T>) {
        let embedding = context.config.embedding;
        let all = stage.bias.len();
        let combine = stage.combine.weight;
        self.constant.clear();
        for (row, &bias) in combine
            .chunks_exact(embedding + all)
            .zip(stage.combine.bias)
        {
            let mut sum = bias;
            for (&weight, &bias) in row[embedding..].iter().zip(stage.bias) {
                sum += weight * bias;
            }
            self.constant.push(sum);
        }
        transpose(
            combine,
            embedding + all,
            embedding,
            embedding,
            &mut self.own,
        );
    }

    /// What the forward pass needs of head `h`.
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

    /// What the backward pass needs of head `h` beyond [`prepare`](Self::prepare).
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
