//! A small family of instances as files.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use idpas_families::mmcnp::Mmcnp;
use idpas_families::{GenerateOptions, Size, generate};

/// Writes `count` instances into a folder in `folder`, and gives the folder.
pub(crate) fn instances(folder: &Path, count: u64) -> PathBuf {
    let out = folder.join("instances");
    let family = Mmcnp::new(Size::Tiny, 1).expect("a family");
    let options = GenerateOptions::new(&out, count);
    generate(&family, &options, &|_| ControlFlow::Continue(())).expect("instances");
    out
}
