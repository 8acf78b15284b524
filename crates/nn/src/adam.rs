//! The Adam optimiser (Kingma and Ba), optionally with decoupled weight decay.

use serde::{Deserialize, Serialize};

/// The optimiser and its state: with this value and the parameters, training can be resumed exactly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Adam {
    /// Decay of the running mean of gradients, between 0 and 1.
    pub beta1: f64,
    /// Decay of the running mean of squared gradients, between 0 and 1.
    pub beta2: f64,
    /// Added to the square root of the mean square, against division by zero.
    pub epsilon: f64,
    /// Weight decay: a step reduces each parameter by `rate · weight_decay` of itself; 0 for plain Adam.
    pub weight_decay: f64,
    /// Number of steps done.
    pub step: u64,
    /// Running mean of gradients.
    pub first: Vec<f32>,
    /// Running mean of squared gradients.
    pub second: Vec<f32>,
}

impl Adam {
    /// An optimiser with PyTorch's defaults for this many parameters.
    pub fn new(parameters: usize) -> Self {
        Adam {
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
            weight_decay: 0.0,
            step: 0,
            first: vec![0.0; parameters],
            second: vec![0.0; parameters],
        }
    }

    /// One step against the gradient. Panics if the vectors differ in length.
    pub fn step(&mut self, parameters: &mut [f32], gradient: &[f32], rate: f64) {
        assert_eq!(parameters.len(), self.first.len(), "a moment per parameter");
        assert_eq!(
            parameters.len(),
            self.second.len(),
            "a moment per parameter"
        );
        assert_eq!(parameters.len(), gradient.len(), "a slope per parameter");
        self.step += 1;
        let keep = (1.0 - rate * self.weight_decay) as f32;
        let stride = (rate / (1.0 - power(self.beta1, self.step))) as f32;
        let root = (1.0 - power(self.beta2, self.step)).sqrt() as f32;
        let (beta1, beta2) = (self.beta1 as f32, self.beta2 as f32);
        let (rest1, rest2) = ((1.0 - self.beta1) as f32, (1.0 - self.beta2) as f32);
        let epsilon = self.epsilon as f32;
        let moments = self.first.iter_mut().zip(&mut self.second);
        for ((parameter, &slope), (first, second)) in
            parameters.iter_mut().zip(gradient).zip(moments)
        {
            *first = beta1 * *first + rest1 * slope;
            *second = beta2 * *second + rest2 * slope * slope;
            *parameter = *parameter * keep - stride * *first / (second.sqrt() / root + epsilon);
        }
    }
}

/// A power by repeated squaring, with the same result on every machine.
fn power(base: f64, mut exponent: u64) -> f64 {
    let (mut result, mut square) = (1.0, base);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result *= square;
        }
        square *= square;
        exponent >>= 1;
    }
    result
}

/// Scales a gradient down to a Euclidean norm of `most` if it is longer; returns the norm before.
pub fn clip_norm(gradient: &mut [f32], most: f64) -> f64 {
    let square: f64 = gradient.iter().map(|&g| f64::from(g) * f64::from(g)).sum();
    let norm = square.sqrt();
    if norm > most {
        let scale = (most / norm) as f32;
        gradient.iter_mut().for_each(|g| *g *= scale);
    }
    norm
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_steps_are_those_of_the_paper() {
        let mut adam = Adam::new(2);
        let mut parameters = [1.0, -1.0];
        adam.step(&mut parameters, &[0.5, -3.0], 0.1);
        // After bias correction the first step has the length of the rate, whatever the slope.
        assert!((parameters[0] - 0.9).abs() < 1e-6 && (parameters[1] + 0.9).abs() < 1e-6);
        // m = 0.09·0.5 − 0.1·0.25… by hand for a second slope of −0.25.
        adam.step(&mut parameters, &[-0.25, 0.0], 0.1);
        let m = (0.9 * 0.05 - 0.1 * 0.25) / (1.0 - 0.81);
        let v = (0.999 * 0.00025 + 0.001 * 0.0625) / (1.0 - 0.998001);
        let expected = 0.9 - 0.1 * m / (f64::sqrt(v) + 1e-8);
        assert!((f64::from(parameters[0]) - expected).abs() < 1e-6);
    }

    #[test]
    fn decay_and_clipping() {
        let mut adam = Adam::new(1);
        adam.weight_decay = 0.5;
        let mut parameters = [2.0];
        adam.step(&mut parameters, &[0.0], 0.1);
        assert!((parameters[0] - 1.9).abs() < 1e-6);
        let mut gradient = [3.0, 4.0];
        assert_eq!(clip_norm(&mut gradient, 10.0), 5.0);
        assert_eq!(gradient, [3.0, 4.0]);
        assert_eq!(clip_norm(&mut gradient, 1.0), 5.0);
        assert!((gradient[0] - 0.6).abs() < 1e-6 && (gradient[1] - 0.8).abs() < 1e-6);
    }
}
