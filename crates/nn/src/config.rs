//! The shape of a network.

use serde::{Deserialize, Serialize};

use crate::NnError;

/// The shape of a network. Together with a vector of parameters it is the whole model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Config {
    /// Number of features of a variable.
    pub variable_width: usize,
    /// Number of features of a row.
    pub row_width: usize,
    /// Number of features of an edge.
    pub edge_width: usize,
    /// Width of the node embeddings.
    #[serde(default = "sixty_four")]
    pub embedding: usize,
    /// Number of attention heads.
    #[serde(default = "eight")]
    pub heads: usize,
    /// Width of a head. Multiples of 8 up to 64 are fast.
    #[serde(default = "sixty_four")]
    pub head_width: usize,
    /// Number of times that messages go from variables to rows and back, each time with parameters of its own.
    #[serde(default = "one")]
    pub rounds: usize,
    /// Whether a node's own embedding is added to its update and the sum normalised.
    #[serde(default)]
    pub residual_norm: bool,
}

fn sixty_four() -> usize {
    64
}

fn eight() -> usize {
    8
}

fn one() -> usize {
    1
}

impl Default for Config {
    /// The usual shape; the three feature widths are 0 and must be filled in.
    fn default() -> Self {
        Config {
            variable_width: 0,
            row_width: 0,
            edge_width: 0,
            embedding: sixty_four(),
            heads: eight(),
            head_width: sixty_four(),
            rounds: one(),
            residual_norm: false,
        }
    }
}

impl Config {
    /// Checks that every setting is in its range.
    pub fn validate(&self) -> Result<(), NnError> {
        let settings = [
            ("variable_width", self.variable_width, 4096),
            ("row_width", self.row_width, 4096),
            ("edge_width", self.edge_width, 4096),
            ("embedding", self.embedding, 4096),
            ("heads", self.heads, 256),
            ("head_width", self.head_width, 4096),
            ("rounds", self.rounds, 64),
        ];
        for (setting, value, most) in settings {
            if value == 0 || value > most {
                let problem = format!("{value} found, 1 to {most} expected");
                return Err(NnError::Config { setting, problem });
            }
        }
        Ok(())
    }
}
