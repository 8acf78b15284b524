//! Names of any length are copied out of HiGHS whole: its C interface writes them without asking for room.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use idpas_solver::highs::read_file;
use tempfile::TempDir;

/// Longer than the 512 bytes that HiGHS's header speaks of, by far.
const LENGTH: usize = 50_000;

fn write(folder: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn names(path: &Path) -> (String, String) {
    let model = read_file(path, true).unwrap().model.unwrap();
    let name = |names: &idpas_mip::Names| names.iter().next().unwrap().to_owned();
    (name(&model.columns.names), name(&model.rows.names))
}

#[test]
fn of_an_mps_file() {
    let folder = tempfile::tempdir().unwrap();
    let (x, r) = ("x".repeat(LENGTH), "r".repeat(LENGTH));
    let text = format!(
        "NAME long\nROWS\n N obj\n L {r}\nCOLUMNS\n {x} obj -1 {r} 2\nRHS\n RHS {r} 5\nENDATA\n"
    );
    assert_eq!(names(&write(&folder, "long.mps", &text)), (x, r));
}

#[test]
fn of_an_lp_file() {
    let folder = tempfile::tempdir().unwrap();
    let (x, r) = ("x".repeat(LENGTH), "r".repeat(LENGTH));
    let text = format!("max\n obj: {x}\nst\n {r}: 2 {x} <= 5\nend\n");
    assert_eq!(names(&write(&folder, "long.lp", &text)), (x, r));
}

/// A compressed file can hold names longer than itself.
#[test]
fn of_a_compressed_file_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.mps.gz");
    let mut builder = idpas_mip::ModelBuilder::new("small", idpas_mip::Sense::Minimize);
    builder
        .column("x", idpas_mip::VarKind::Continuous, 0.0, 1.0, 1.0)
        .unwrap();
    idpas_mip::files::write_model(&builder.build().unwrap(), &path).unwrap();
    let refused = read_file(&path, true).unwrap_err().to_string();
    assert!(refused.contains("compressed"), "{refused}");
}
