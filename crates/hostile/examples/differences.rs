//! Compares our readers with HiGHS's on all files of some folders, and counts what came of it, with a file for each.
//! Usage: differences mps|lp FOLDER…

use std::collections::BTreeMap;
use std::io::Write;

use idpas_hostile::{Comparison, compare};
use idpas_mip::files::Format;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let format = match arguments.next().as_deref() {
        Some("mps") => Format::Mps,
        Some("lp") => Format::Lp,
        _ => return Err("usage: differences mps|lp FOLDER…".into()),
    };
    let mut counts: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for folder in arguments {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let outcome = match compare(&std::fs::read(&path)?, format) {
                Comparison::Differ { how, explained } if explained.is_empty() => {
                    format!("Differ {}", how.split(' ').next().unwrap_or(""))
                }
                Comparison::Differ { explained, .. } => {
                    format!("Differ, explained: {}", explained.join(", "))
                }
                other => format!("{other:?}"),
            };
            let one = counts
                .entry(outcome)
                .or_insert_with(|| (0, path.display().to_string()));
            one.0 += 1;
        }
    }
    let mut out = std::io::stdout();
    for (outcome, (count, file)) in counts {
        writeln!(out, "{count:7}  {outcome}  {file}")?;
    }
    Ok(())
}
