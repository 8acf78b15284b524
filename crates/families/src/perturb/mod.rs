//! Makes a family out of any model: the file is the reference, and a specification says what varies.
//!
//! ```toml
//! # Which right-hand sides, bounds, objective coefficients or matrix entries vary, and how.
//! [[vary]]
//! what = "rhs"                  # rhs, lower, upper, bounds, objective, coefficient
//! rows = "demand*"              # `*` any characters, `?` one; a list of such patterns is fine too
//! distribution = { kind = "normal", relative_sd = 0.1, min_factor = 0.5, max_factor = 1.5 }
//! round = "integer"             # or "none", the default
//!
//! [[vary]]
//! what = "coefficient"
//! rows = ["capacity*"]
//! columns = "x[*]"
//! distribution = { kind = "uniform", min_factor = 0.9, max_factor = 1.1 }
//! draw = "row"                  # one draw for each row; also "column", "once", and "each", the default
//! ```
//!
//! | distribution | the new value |
//! | --- | --- |
//! | `normal` | value · clip(1 + relative_sd·N(0, 1), min_factor, max_factor) |
//! | `uniform` | value · U(min_factor, max_factor) |
//! | `uniform_integer` | value + U{min, …, max} |
//! | `choice` | value · one of `factors`, or one of `values` |
//!
//! Zeros stay zero unless `keep_zero = false`, infinite bounds and sides stay infinite, and a matrix entry
//! never becomes zero, since that would change the model's pattern. Where a draw would cross two bounds or two sides,
//! the one that varies is clamped to the other, and the repair is reported. Whether an instance is feasible
//! depends on the model; that is for the user to see.
//!
//! A pattern that matches nothing that can vary is an error.

mod apply;
mod spec;

use std::io::{self, Write};
use std::path::Path;

use idpas_mip::Model;
use idpas_mip::files::{Input, read_model_from};
use serde::Serialize;
pub use spec::{Distribution, Draw, Patterns, Rounding, Spec, Vary, What};

use crate::family::{InputFile, Instance, InstanceFamily};
use crate::{FamilyError, diff};
use idpas_base::hash::bytes_hash;
use idpas_base::random::Random;

/// The family of a model and a specification of what varies in it.
#[derive(Clone, Debug)]
pub struct Perturb {
    model: Model,
    spec: Spec,
    /// For each entry of the specification, the numbers that it varies.
    targets: Vec<apply::Targets>,
    seed: u64,
    inputs: Vec<InputFile>,
    varies: String,
}

/// The content of `reference.json`.
#[derive(Serialize)]
struct Reference<'a> {
    family: &'static str,
    seed: u64,
    inputs: &'a [InputFile],
    spec: &'a Spec,
    /// How many numbers each entry of the specification varies.
    matched: Vec<usize>,
}

impl Perturb {
    /// Reads a model and a specification. `seed` replaces the one in the specification.
    pub fn read(model: &Path, spec: &Path, seed: Option<u64>) -> Result<Self, FamilyError> {
        let text = std::fs::read_to_string(spec).map_err(|e| FamilyError::io(spec, e))?;
        let parsed = Spec::parse(&text, &spec.display().to_string())?;
        let content = std::fs::read(model).map_err(|e| FamilyError::io(model, e))?;
        let hashes = [&content, text.as_bytes()].map(bytes_hash);
        let read = read_model_from(&Input::bytes(model.display().to_string(), content))?;
        let mut family = Self::new(read.model, parsed, &spec.display().to_string(), seed)?;
        for (path, sha256) in [model, spec].into_iter().zip(hashes) {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            family.inputs.push(InputFile { name, sha256 });
        }
        Ok(family)
    }

    /// A family from a model and a specification in memory; `file` is the specification's name in errors.
    pub fn new(
        model: Model,
        spec: Spec,
        file: &str,
        seed: Option<u64>,
    ) -> Result<Self, FamilyError> {
        let targets = spec
            .vary
            .iter()
            .enumerate()
            .map(|(i, vary)| {
                apply::Targets::find(&model, vary).map_err(|message| FamilyError::Spec {
                    file: file.into(),
                    message: format!("entry {} of `vary`: {message}", i + 1),
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        let varied: Vec<String> = spec.vary.iter().map(Vary::to_string).collect();
        Ok(Self {
            model,
            seed: seed.or(spec.seed).unwrap_or(1),
            spec,
            targets,
            inputs: Vec::new(),
            varies: varied.join("; "),
        })
    }

    /// The model that is varied.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// How many numbers each entry of the specification varies.
    pub fn matched(&self) -> Vec<usize> {
        self.targets.iter().map(apply::Targets::len).collect()
    }

    /// The differences between the reference and the instance with this number.
    pub fn changes(&self, number: u64) -> Result<Vec<diff::Change>, FamilyError> {
        Ok(diff::compare(&self.model, &self.instance(number)?.model))
    }
}

impl InstanceFamily for Perturb {
    fn name(&self) -> &str {
        "perturb"
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn varies(&self) -> &str {
        &self.varies
    }

    fn write_reference(&self, out: &mut dyn Write) -> io::Result<()> {
        let reference = Reference {
            family: "perturb",
            seed: self.seed,
            inputs: &self.inputs,
            spec: &self.spec,
            matched: self.matched(),
        };
        Ok(serde_json::to_writer_pretty(out, &reference)?)
    }

    fn instance(&self, number: u64) -> Result<Instance, FamilyError> {
        let mut model = self.model.clone();
        let mut repairs = Vec::new();
        for (i, (vary, targets)) in self.spec.vary.iter().zip(&self.targets).enumerate() {
            let mut random = Random::new(self.seed, &format!("perturb {i}"), number);
            targets.apply(&mut model, vary, &mut random, &mut repairs);
        }
        crate::family::placed(self.name(), number, model.validate())?;
        Ok(Instance { model, repairs })
    }

    fn inputs(&self) -> Vec<InputFile> {
        self.inputs.clone()
    }
}
