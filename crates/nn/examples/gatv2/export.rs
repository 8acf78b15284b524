//! Writes a graph, weights and our results on them, so that another program can compare its own.

use std::error::Error;
use std::path::Path;

use idpas_nn::{Threads, Workspace};
use safetensors::tensor::{Dtype, TensorView};

use crate::graphs::{case, network, size};

/// Tensors collected for one file.
#[derive(Default)]
struct File(Vec<(String, Dtype, Vec<usize>, Vec<u8>)>);

impl File {
    fn floats(&mut self, name: &str, shape: &[usize], values: &[f32]) {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.0
            .push((name.into(), Dtype::F32, shape.to_vec(), bytes));
    }

    fn integers(&mut self, name: &str, values: impl Iterator<Item = usize>) {
        let bytes: Vec<u8> = values.flat_map(|v| (v as i64).to_le_bytes()).collect();
        let shape = vec![bytes.len() / 8];
        self.0.push((name.into(), Dtype::I64, shape, bytes));
    }

    fn write(self, path: &Path) -> Result<(), Box<dyn Error>> {
        let mut views = Vec::new();
        for (name, dtype, shape, bytes) in &self.0 {
            views.push((name, TensorView::new(*dtype, shape.clone(), bytes)?));
        }
        safetensors::serialize_to_file(views, None, path)?;
        Ok(())
    }
}

/// Writes `graph.safetensors`, `weights.safetensors` and `ours.safetensors` into a folder.
pub(crate) fn export(name: &str, folder: &Path) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(folder)?;
    let case = case(size(name)?)?;
    let network = network()?;
    let graph = &case.graph;
    let mut file = File::default();
    let tables = [
        ("variables", &graph.variables),
        ("rows", &graph.rows),
        ("edges", &graph.edges),
    ];
    for (name, table) in tables {
        file.floats(name, &[table.rows(), table.width], &table.data);
    }
    let neighbours = graph.by_row.neighbours.iter();
    file.integers("edge_variables", neighbours.map(|&j| j as usize));
    let rows = 0..graph.by_row.nodes();
    file.integers(
        "edge_rows",
        rows.flat_map(|i| graph.by_row.range(i).map(move |_| i)),
    );
    file.floats("targets", &[case.targets.len()], &case.targets);
    file.floats("weights", &[case.weights.len()], &case.weights);
    file.write(&folder.join("graph.safetensors"))?;

    let mut workspace = Workspace::new(Threads::Pool);
    let logits = network.logits(graph, &mut workspace)?;
    let mut gradient = vec![0.0; network.parameters().len()];
    case.step(&network, &mut gradient, &mut workspace)?;
    let (mut weights, mut ours) = (File::default(), File::default());
    for entry in network.layout() {
        let range = entry.range.clone();
        weights.floats(
            &entry.name,
            &entry.shape,
            &network.parameters()[range.clone()],
        );
        ours.floats(&entry.name, &entry.shape, &gradient[range]);
    }
    ours.floats("logits", &[logits.len()], &logits);
    weights.write(&folder.join("weights.safetensors"))?;
    ours.write(&folder.join("ours.safetensors"))
}
