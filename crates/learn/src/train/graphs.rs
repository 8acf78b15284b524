//! Graphs of the training and validation set: made once, kept on disk, read back one at a time.
//!
//! So memory does not grow with the number of instances; what fits stays in the operating system's cache.

use std::path::{Path, PathBuf};

use idpas_base::container::{self, Kind, tensor};
use idpas_graph::{
    Adjacency, Bipartite, FeatureSet, IdentityColumns, IdentityInput, RawGraph, Standardisation,
    Standardiser, Table, Widths, assemble,
};
use idpas_mip::files::save_bytes;
use safetensors::SafeTensors;
use serde::{Deserialize, Serialize};

use crate::LearnError;
use crate::truth::{Class, Truth};

const KIND: Kind = Kind {
    key: "graph",
    format: "idpas-graph",
    version: 1,
};

/// A folder of graphs on disk.
#[derive(Clone, Debug)]
pub(super) struct Graphs {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Header {
    features: FeatureSet,
    widths: [usize; 3],
}

/// A graph on disk: raw features, identities, and the targets of training.
pub(super) struct StoredGraph {
    pub(super) raw: RawGraph,
    pub(super) identity: Vec<Option<u32>>,
    pub(super) truth: Truth,
}

/// Stands for an unknown identity in files.
const UNKNOWN: u32 = u32::MAX;

impl Graphs {
    /// Uses a folder, which is created if needed.
    pub(super) fn open(folder: PathBuf) -> Result<Self, LearnError> {
        std::fs::create_dir_all(&folder).map_err(|e| LearnError::io(&folder, e))?;
        Ok(Graphs { folder })
    }

    /// Uses a folder in which another process has put graphs.
    pub(super) fn of_others(folder: PathBuf) -> Self {
        Graphs { folder }
    }

    /// Whether the folder has a graph.
    pub(super) fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.graph"))
    }

    /// Writes a graph to disk.
    pub(super) fn write(&self, name: &str, graph: &StoredGraph) -> Result<(), LearnError> {
        let StoredGraph {
            raw,
            identity,
            truth,
        } = graph;
        let identity: Vec<u32> = identity.iter().map(|i| i.unwrap_or(UNKNOWN)).collect();
        let best: Vec<u8> = truth.best.iter().map(|best| u8::from(*best)).collect();
        let classes: Vec<u8> = truth.classes.iter().map(|class| *class as u8).collect();
        let tensors = [
            tensor::f32s("variables", &raw.variables.data),
            tensor::f32s("rows", &raw.rows.data),
            tensor::f32s("edges", &raw.edges.data),
            tensor::u32s("starts", &raw.by_row.starts),
            tensor::u32s("neighbours", &raw.by_row.neighbours),
            tensor::u32s("identity", &identity),
            tensor::f32s("target", &truth.targets),
            tensor::u8s("class", &classes),
            tensor::u8s("best", &best),
        ];
        let header = Header {
            features: raw.set,
            widths: [raw.variables.width, raw.rows.width, raw.edges.width],
        };
        let path = self.path(name);
        let bytes = container::encode(KIND, &header, &tensors).map_err(|why| fault(&path, why))?;
        Ok(save_bytes(&path, &bytes)?)
    }

    /// Reads a graph from disk.
    pub(super) fn read(&self, name: &str) -> Result<StoredGraph, LearnError> {
        let path = self.path(name);
        let bytes = std::fs::read(&path).map_err(|e| LearnError::io(&path, e))?;
        StoredGraph::from_bytes(&bytes, &path)
    }
}

impl StoredGraph {
    /// Reads a graph from the content of its file; `path` is for messages.
    pub(super) fn from_bytes(bytes: &[u8], path: &Path) -> Result<Self, LearnError> {
        let (header, file) =
            container::decode::<Header>(KIND, bytes).map_err(|f| f.at(KIND, path))?;
        let graph = Self::restore(&header, &file).and_then(|graph| graph.checked());
        graph.map_err(|why| fault(path, why))
    }

    fn restore(header: &Header, file: &SafeTensors) -> Result<Self, String> {
        let table = |name: &str, width: usize| -> Result<Table, String> {
            let data = tensor::take_f32s(file, name)?;
            Ok(Table { width, data })
        };
        let [variables, rows, edges] = header.widths;
        let class =
            |code: u8| Class::from_code(code).ok_or_else(|| format!("there is no class {code}"));
        let known = |index: u32| (index != UNKNOWN).then_some(index);
        Ok(StoredGraph {
            raw: RawGraph {
                set: header.features,
                variables: table("variables", variables)?,
                rows: table("rows", rows)?,
                edges: table("edges", edges)?,
                by_row: Adjacency {
                    starts: tensor::take_u32s(file, "starts")?,
                    neighbours: tensor::take_u32s(file, "neighbours")?,
                },
            },
            identity: tensor::take_u32s(file, "identity")?
                .into_iter()
                .map(known)
                .collect(),
            truth: Truth {
                targets: tensor::take_f32s(file, "target")?,
                classes: tensor::take_u8s(file, "class")?
                    .into_iter()
                    .map(class)
                    .collect::<Result<_, _>>()?,
                best: tensor::take_u8s(file, "best")?
                    .into_iter()
                    .map(|best| best != 0)
                    .collect(),
            },
        })
    }

    /// The graph itself if its arrays fit its features and each other: whoever works on it takes that for granted.
    fn checked(self) -> Result<Self, String> {
        let raw = &self.raw;
        let widths = Widths::new(raw.set, None);
        let tables = [
            ("variables", &raw.variables, widths.variable),
            ("rows", &raw.rows, widths.row),
            ("edges", &raw.edges, widths.edge),
        ];
        for (name, table, width) in tables {
            if table.width != width || table.data.len() % width != 0 {
                return Err(format!("`{name}` are not {width} numbers each"));
            }
        }
        let (variables, edges) = (raw.variables.rows(), raw.by_row.neighbours.len());
        let lengths = [
            ("identity", self.identity.len(), variables),
            ("target", self.truth.targets.len(), variables),
            ("class", self.truth.classes.len(), variables),
            ("best", self.truth.best.len(), variables),
            ("neighbours", edges, raw.edges.rows()),
            ("starts", raw.by_row.starts.len(), raw.rows.rows() + 1),
        ];
        for (name, found, expected) in lengths {
            if found != expected {
                return Err(format!("`{name}` has {found} entries; expected {expected}"));
            }
        }
        let outside = |&j: &u32| j as usize >= variables;
        if raw.by_row.neighbours.iter().any(outside) {
            return Err("an edge leads to a variable that is not there".into());
        }
        Ok(self)
    }
}

/// Reads the content of a file in which training keeps a graph, and makes of it what the network reads. For tests of what
/// such a file may hold; training itself reads its own folder.
#[doc(hidden)]
pub fn read_graph(bytes: &[u8]) -> Result<Bipartite, LearnError> {
    let graph = StoredGraph::from_bytes(bytes, Path::new("graph"))?;
    let standardisation = Standardiser::new(graph.raw.set).finish();
    let shown = Shown::All;
    Ok(graph.ready(&standardisation, Some(32), shown)?.0)
}

fn fault(path: &Path, why: String) -> LearnError {
    LearnError::File {
        path: path.display().to_string(),
        what: "graph",
        why,
    }
}

/// Which identities of a graph a network sees.
pub(super) enum Shown {
    /// All that are known.
    All,
    /// None of them.
    Nothing,
    /// All that are known except those marked `true`.
    Without(Vec<bool>),
}

impl StoredGraph {
    /// The graph that the network reads, and the targets of training.
    pub(super) fn ready(
        mut self,
        standardisation: &Standardisation,
        identity_bits: Option<usize>,
        shown: Shown,
    ) -> Result<(Bipartite, Truth), LearnError> {
        standardisation.apply(&mut self.raw)?;
        let columns = |bits| IdentityColumns {
            index: &self.identity,
            bits,
        };
        let identity = match (identity_bits, &shown) {
            (None, _) => IdentityInput::Off,
            (Some(bits), Shown::Nothing) => IdentityInput::Unknown { bits },
            (Some(bits), Shown::All) => IdentityInput::All(columns(bits)),
            (Some(bits), Shown::Without(dropped)) => IdentityInput::Dropped {
                identity: columns(bits),
                dropped,
            },
        };
        Ok((assemble(self.raw, identity)?, self.truth))
    }
}
