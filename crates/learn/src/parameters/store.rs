//! A parameter space as arrays for a file, and back, with everything checked.

use idpas_base::container::{Tensor, tensor};
use safetensors::SafeTensors;

use super::number::Key;
use super::{Number, ParameterSpace};

/// Bit of a number's kind: see [`Number::flag`].
const FLAG: u8 = 1;
const COMES_AND_GOES: u8 = 2;

impl ParameterSpace {
    /// The space as arrays whose names begin with `prefix`.
    pub fn to_tensors(&self, prefix: &str) -> Vec<Tensor> {
        let count = self.numbers.len();
        let name = |what: &str| format!("{prefix}.parameters.{what}");
        let keys = self.numbers.iter().flat_map(|n| [n.key.row, n.key.column]);
        let kind =
            |n: &Number| u8::from(n.flag) * FLAG + u8::from(n.absent.is_some()) * COMES_AND_GOES;
        let kinds: Vec<u8> = self.numbers.iter().map(kind).collect();
        let means: Vec<f64> = self.numbers.iter().map(|n| n.mean).collect();
        let deviations: Vec<f64> = self.numbers.iter().map(|n| n.deviation).collect();
        let mut tensors = vec![
            tensor::u32s(name("keys"), &keys.collect::<Vec<_>>()).shaped(&[count, 2]),
            tensor::u8s(name("kinds"), &kinds),
            tensor::f64s(name("means"), &means),
            tensor::f64s(name("deviations"), &deviations),
            tensor::f64s(name("spread"), &self.spread),
            tensor::u32s(name("varying"), &[self.varying as u32]),
        ];
        if let Some(components) = &self.components {
            let shape = [self.spread.len(), count];
            tensors.push(tensor::f32s(name("components"), components).shaped(&shape));
        }
        tensors
    }

    /// Restores a space from what [`to_tensors`](Self::to_tensors) returned.
    pub fn from_tensors(prefix: &str, file: &SafeTensors) -> Result<Self, String> {
        let name = |what: &str| format!("{prefix}.parameters.{what}");
        let keys = tensor::take_u32s(file, &name("keys"))?;
        let kinds = tensor::take_u8s(file, &name("kinds"))?;
        let means = tensor::take_f64s(file, &name("means"))?;
        let deviations = tensor::take_f64s(file, &name("deviations"))?;
        let spread = tensor::take_f64s(file, &name("spread"))?;
        let varying = tensor::take_u32s(file, &name("varying"))?;
        let count = kinds.len();
        if keys.len() != 2 * count || means.len() != count || deviations.len() != count {
            return Err(format!(
                "the parameters' arrays are not all of length {count}"
            ));
        }
        let mut numbers = Vec::with_capacity(count);
        for (p, key) in keys.as_chunks().0.iter().enumerate() {
            let &[row, column] = key;
            let number = Number {
                key: Key { row, column },
                flag: kinds[p] & FLAG != 0,
                absent: (kinds[p] & COMES_AND_GOES != 0).then_some(0.0),
                mean: means[p],
                deviation: deviations[p],
            };
            let fine = number.mean.is_finite() && number.deviation.is_finite();
            if !fine || number.deviation <= 0.0 || kinds[p] > (FLAG | COMES_AND_GOES) {
                return Err(format!("parameter {p} is not a number with a deviation"));
            }
            numbers.push(number);
        }
        if !numbers.is_sorted_by(|a, b| a.key < b.key) {
            return Err("the parameters are not in order".into());
        }
        if !spread.iter().all(|s| s.is_finite() && *s > 0.0) {
            return Err("the parameters' spread is not positive".into());
        }
        let components = match file.tensor(&name("components")) {
            Ok(_) => Some(tensor::take_f32s(file, &name("components"))?),
            Err(_) => None,
        };
        let fits = match &components {
            // Without numbers nothing is there to be combined.
            Some(table) => count > 0 && Some(table.len()) == count.checked_mul(spread.len()),
            None => spread.len() == count,
        };
        if !fits || components.iter().flatten().any(|c| !c.is_finite()) {
            return Err("the parameters' components do not fit their numbers".into());
        }
        let &[varying] = varying.as_slice() else {
            return Err("the count of varying parameters is not one number".into());
        };
        Ok(ParameterSpace::new(
            numbers,
            components,
            spread,
            varying as usize,
        ))
    }
}
