//! Market-split models: rows to be halved at once, which no solver finishes.

use std::path::{Path, PathBuf};

use idpas_mip::{Model, ModelBuilder, Sense, VarKind, write_model};

/// Every choice of the `columns` binaries is feasible; the distance from equal halves is minimised.
pub(crate) fn model(rows: usize, columns: usize) -> Model {
    let mut state = 7u64;
    let mut below_100 = move || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((state >> 33) % 100) as f64
    };
    let mut b = ModelBuilder::new("split", Sense::Minimize);
    for j in 0..columns {
        b.column(&format!("x{j}"), VarKind::Integer, 0.0, 1.0, 0.0)
            .expect("a column");
    }
    for i in 0..rows {
        let mut entries: Vec<(usize, f64)> = (0..columns).map(|j| (j, below_100())).collect();
        let half = (entries.iter().map(|entry| entry.1).sum::<f64>() / 2.0).floor();
        for (name, sign) in [("over", -1.0), ("under", 1.0)] {
            let name = format!("{name}{i}");
            let slack = b
                .column(&name, VarKind::Continuous, 0.0, f64::INFINITY, 1.0)
                .expect("a column");
            entries.push((slack, sign));
        }
        b.row(&format!("r{i}"), half, half, entries).expect("a row");
    }
    b.build().expect("a model")
}

/// One that runs until it is stopped, as a file in `folder`.
pub(crate) fn endless(folder: &Path) -> PathBuf {
    let path = folder.join("endless.mps");
    write_model(&model(6, 60), &path).expect("a written model");
    path
}
