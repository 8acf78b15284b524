//! Finds the numbers that vary: a first pass over the training instances finds them, a second one reads them.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use idpas_graph::Registry;
use idpas_pools::split::Part;

use super::number::{Key, visit};
use super::{Number, ParameterSettings, ParameterSpace, components, merge};
use crate::{LearnError, Source, Watch};

/// What the first pass keeps of a number of the model.
struct Seen {
    /// Its value in the first instance that has it.
    first: f64,
    /// Number of instances that have it.
    count: u32,
    /// Whether two instances have different values.
    varies: bool,
    /// Whether it is finite in some instances and infinite in others.
    mixed: bool,
}

/// The values of the numbers that vary, in all training instances.
pub(super) struct Training {
    pub(super) numbers: Vec<Number>,
    pub(super) instances: usize,
    /// Standardised values: those of the first number in all instances, then of the next.
    pub(super) values: Vec<f32>,
}

impl Training {
    /// The values of number `p` in all instances.
    pub(super) fn of(&self, p: usize) -> &[f32] {
        &self.values[p * self.instances..(p + 1) * self.instances]
    }

    /// Keeps only these numbers, given in ascending order.
    fn keep(&mut self, kept: &[usize]) {
        let n = self.instances;
        for (to, &from) in kept.iter().enumerate() {
            self.values.copy_within(from * n..(from + 1) * n, to * n);
            self.numbers[to] = self.numbers[from];
        }
        self.values.truncate(kept.len() * n);
        self.numbers.truncate(kept.len());
    }
}

impl ParameterSpace {
    /// Learns from the training set. Memory holds one model at a time, and the numbers that vary.
    pub fn learn(
        source: &dyn Source,
        registry: &Registry,
        settings: &ParameterSettings,
        watch: Watch,
    ) -> Result<Self, LearnError> {
        settings.validate()?;
        let names = source.names(Part::Train);
        let mut seen = HashMap::default();
        for name in &names {
            watch.check()?;
            let example = source.load(name)?;
            let model = &example.model;
            let identities = registry.identify(model);
            visit(model, &identities, registry, |key, value| {
                look(&mut seen, key, value, settings.tolerance);
            });
        }
        let mut training = read(varying(seen, names.len()), &names, source, registry, watch)?;
        let count = training.numbers.len();
        let kept = merge::distinct(&training, settings.merge_tolerance);
        training.keep(&kept);
        let most = settings.max_dimensions;
        if training.numbers.len() <= most {
            let spread = vec![1.0; training.numbers.len()];
            return Ok(ParameterSpace::new(training.numbers, None, spread, count));
        }
        let (table, spread) = components::principal(&training, most);
        Ok(ParameterSpace::new(
            training.numbers,
            Some(table),
            spread,
            count,
        ))
    }
}

fn look(seen: &mut HashMap<Key, Seen, FixedState>, key: Key, value: f64, tolerance: f64) {
    let old = seen.entry(key).or_insert(Seen {
        first: value,
        count: 0,
        varies: false,
        mixed: false,
    });
    old.count += 1;
    if old.first.is_finite() != value.is_finite() {
        old.mixed = true;
    } else if value.is_finite() {
        let size = old.first.abs().max(value.abs());
        old.varies |= (value - old.first).abs() > tolerance * size;
    }
}

/// The numbers that vary, not yet standardised: as the mean they have their first value.
fn varying(seen: HashMap<Key, Seen, FixedState>, instances: usize) -> Vec<Number> {
    let mut numbers: Vec<Number> = seen
        .into_iter()
        .filter_map(|(key, seen)| {
            let comes_and_goes = key.is_entry() && (seen.count as usize) < instances;
            (seen.varies || seen.mixed || comes_and_goes).then_some(Number {
                key,
                flag: seen.mixed,
                absent: comes_and_goes.then_some(0.0),
                mean: if seen.mixed { 0.0 } else { seen.first },
                deviation: 1.0,
            })
        })
        .collect();
    numbers.sort_by_key(|number| number.key);
    numbers
}

/// Reads the numbers that vary from all instances and standardises them.
fn read(
    mut numbers: Vec<Number>,
    names: &[&str],
    source: &dyn Source,
    registry: &Registry,
    watch: Watch,
) -> Result<Training, LearnError> {
    let instances = names.len();
    let slots: HashMap<Key, usize, FixedState> = numbers.iter().map(|n| n.key).zip(0..).collect();
    let mut values = vec![f32::NAN; numbers.len() * instances];
    for (n, name) in names.iter().enumerate() {
        watch.check()?;
        let example = source.load(name)?;
        let model = &example.model;
        let identities = registry.identify(model);
        visit(model, &identities, registry, |key, value| {
            if let Some(&slot) = slots.get(&key) {
                let number = &numbers[slot];
                let value = match number.flag {
                    true => f64::from(u8::from(value.is_infinite())),
                    false => value - number.mean,
                };
                // Differences from the first value are small, so single precision is enough for them.
                values[slot * instances + n] = value as f32;
            }
        });
    }
    for (number, values) in numbers.iter_mut().zip(values.chunks_mut(instances.max(1))) {
        standardise(number, values);
    }
    let mut training = Training {
        numbers,
        instances,
        values,
    };
    // Leaves out numbers that overflowed, or that differ by less than single precision can represent.
    let fine = |number: &Number| number.deviation.is_finite() && number.deviation > 0.0;
    let kept = (0..training.numbers.len()).filter(|&p| fine(&training.numbers[p]));
    let kept: Vec<usize> = kept.collect();
    training.keep(&kept);
    Ok(training)
}

/// Standardises the differences from the number's preliminary mean, and sets the true mean.
fn standardise(number: &mut Number, values: &mut [f32]) {
    if let Some(absent) = number.absent {
        let value = (absent - number.mean) as f32;
        values
            .iter_mut()
            .filter(|v| v.is_nan())
            .for_each(|v| *v = value);
    }
    let there = || values.iter().filter(|v| !v.is_nan()).map(|&v| f64::from(v));
    let count = there().count().max(1) as f64;
    let mean = there().sum::<f64>() / count;
    let variance = there().map(|v| (v - mean).powi(2)).sum::<f64>() / count;
    number.mean += mean;
    number.deviation = variance.sqrt();
    for value in values {
        let z = (f64::from(*value) - mean) / number.deviation;
        *value = if z.is_finite() { z as f32 } else { 0.0 };
    }
}
