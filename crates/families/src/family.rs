//! The trait of families: one fixed infrastructure, and instances that differ in a few parameters.

use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;

use idpas_mip::{Model, ModelError};

use crate::FamilyError;

/// A family of related instances.
///
/// Everything must be a pure function of the family's own settings and the instance's number, so that any instance can
/// be made again alone. All instances of a family have rows and columns with the same names, because a variable is
/// recognised in another instance by its name.
///
/// The [crate's documentation](crate#a-family-of-your-own) shows a complete family in one file.
pub trait InstanceFamily: Sync {
    /// A short name for files and messages.
    fn name(&self) -> &str;

    /// The name of this size of the family; `custom` unless the family comes in sizes.
    fn size(&self) -> &str {
        "custom"
    }

    /// The seed from which the infrastructure was drawn.
    fn seed(&self) -> u64;

    /// One line that says what differs between instances.
    fn varies(&self) -> &str;

    /// Writes the infrastructure (topology, costs, reference parameters) as JSON.
    fn write_reference(&self, out: &mut dyn Write) -> io::Result<()>;

    /// Makes the instance with this number.
    fn instance(&self, number: u64) -> Result<Instance, FamilyError>;

    /// A feasible point of the instance with this number, in the order of its columns; `None` if the family cannot
    /// construct one. It proves feasibility and need not be good.
    fn feasible_point(&self, number: u64) -> Result<Option<Vec<f64>>, FamilyError> {
        let _ = number;
        Ok(None)
    }

    /// The files from which the family was made; empty if it needs none.
    fn inputs(&self) -> Vec<InputFile> {
        Vec::new()
    }
}

/// One instance.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The model.
    pub model: Model,
    /// What had to be changed to keep the instance feasible or sound, one line for each change.
    pub repairs: Vec<String>,
}

impl From<Model> for Instance {
    fn from(model: Model) -> Self {
        Self {
            model,
            repairs: Vec::new(),
        }
    }
}

/// A file that a family was made from.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct InputFile {
    /// Its name, without folders.
    pub name: String,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
}

/// The size of a family's instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Solved to optimality in seconds, for tests.
    Tiny,
    /// For studies of minutes.
    Small,
    /// The paper's first setting.
    Large,
    /// The paper's second setting.
    Hard,
}

impl Size {
    /// Every size, from small to big.
    pub const ALL: [Size; 4] = [Size::Tiny, Size::Small, Size::Large, Size::Hard];

    /// `tiny`, `small`, `large` or `hard`.
    pub fn as_str(self) -> &'static str {
        match self {
            Size::Tiny => "tiny",
            Size::Small => "small",
            Size::Large => "large",
            Size::Hard => "hard",
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Size {
    type Err = FamilyError;

    fn from_str(text: &str) -> Result<Self, FamilyError> {
        Size::ALL
            .into_iter()
            .find(|size| size.as_str() == text)
            .ok_or_else(|| FamilyError::UnknownSize { found: text.into() })
    }
}

/// Adds the name of the family and the number of the instance to a model's error.
pub(crate) fn placed<T>(
    family: &str,
    number: u64,
    result: Result<T, ModelError>,
) -> Result<T, FamilyError> {
    result.map_err(|source| FamilyError::Model {
        family: family.into(),
        number,
        source,
    })
}
