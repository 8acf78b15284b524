//! The known differences between our readers and HiGHS's are differences, each of its own.

use std::path::Path;

use idpas_hostile::{Comparison, compare, known_differences};
use idpas_mip::files::Format;

#[test]
fn every_known_difference_is_needed() {
    let mut wrong = Vec::new();
    for (format, folder) in [(Format::Mps, "mps-peer"), (Format::Lp, "lp-peer")] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../fuzz/regressions")
            .join(folder);
        for name in known_differences(format) {
            let bytes =
                std::fs::read(folder.join(name)).unwrap_or_else(|_| panic!("no file {name}"));
            match compare(&bytes, format) {
                Comparison::Differ { explained, .. } if explained == [name] => {}
                other => wrong.push(format!("{name}: {other:?}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
