//! Our readers against HiGHS's on the same bytes.
//!
//! The example `differences` counts what comes of it on folders of files. This is no target of the fuzzer: HiGHS's reader can
//! loop for ever, and would be found instead of ours.

use std::collections::BTreeMap;
use std::fmt::Debug;

use idpas_mip::files::{Format, Input};
use idpas_mip::{Model, lp, mps};
use idpas_solver::highs::read_text;

/// What a comparison came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Comparison {
    /// Both read the same model.
    Same,
    /// Neither reads a linear model.
    BothRefuse,
    /// Only we refuse it, or warn; the text says why.
    OnlyWe(String),
    /// Only HiGHS refuses it, warns, or sees no linear model.
    OnlyHighs(&'static str),
    /// The models differ.
    Differ(String),
}

/// Compares what we read with what HiGHS reads.
pub fn compare(bytes: &[u8], format: Format) -> Comparison {
    // HiGHS ends a text at a NUL, and decompresses what it is not asked to here.
    if bytes.contains(&0) || bytes.starts_with(&[0x1f, 0x8b]) {
        return Comparison::BothRefuse;
    }
    let ours = match format {
        Format::Mps => mps::read(&Input::bytes("a.mps", bytes)),
        Format::Lp => lp::read(&Input::bytes("a.lp", bytes)),
    };
    let extension = match format {
        Format::Mps => "mps",
        Format::Lp => "lp",
    };
    let theirs = match read_text(bytes, extension) {
        Err(_) => Err("refused"),
        Ok(peer) if peer.warned => Err("with a warning"),
        Ok(peer) => peer.model.ok_or("not linear, or names come twice"),
    };
    match (ours, theirs) {
        (Err(_), Err(_)) => Comparison::BothRefuse,
        (Err(error), Ok(_)) => Comparison::OnlyWe(kind(&error.problem)),
        (Ok(parsed), Ok(_)) if !parsed.warnings.is_empty() => {
            Comparison::OnlyWe("a warning".into())
        }
        (Ok(_), Err(why)) => Comparison::OnlyHighs(why),
        (Ok(parsed), Ok(theirs)) => match difference(&parsed.model, &theirs) {
            None => Comparison::Same,
            Some(how) => Comparison::Differ(how),
        },
    }
}

/// The first word of a problem's name in code, which is the same for all of its kind.
fn kind(problem: &impl Debug) -> String {
    let text = format!("{problem:?}");
    let end = text.find(|c: char| !c.is_alphanumeric());
    text[..end.unwrap_or(text.len())].to_owned()
}

/// The first difference of two models.
fn difference(ours: &Model, theirs: &Model) -> Option<String> {
    let objective = |m: &Model| (m.sense, m.objective_constant);
    let (ours_is, theirs_is) = (objective(ours), objective(theirs));
    if ours_is != theirs_is {
        return Some(format!("objective: ours {ours_is:?}, theirs {theirs_is:?}"));
    }
    differs("column", &columns(ours), &columns(theirs))
        .or_else(|| differs("row", &rows(ours), &rows(theirs)))
        .or_else(|| differs("entry", &entries(ours), &entries(theirs)))
}

fn differs<V: PartialEq + Debug>(
    what: &str,
    ours: &BTreeMap<String, V>,
    theirs: &BTreeMap<String, V>,
) -> Option<String> {
    let mut all = ours.keys().chain(theirs.keys());
    let key = all.find(|&key| ours.get(key) != theirs.get(key))?;
    let (ours, theirs) = (ours.get(key), theirs.get(key));
    Some(format!("{what} {key:?}: ours {ours:?}, theirs {theirs:?}"))
}

fn columns(model: &Model) -> BTreeMap<String, (f64, f64, bool, f64)> {
    let all = model.columns.names.iter().enumerate();
    let data = |j: usize| {
        let columns = &model.columns;
        let (lower, upper) = (columns.lower[j], columns.upper[j]);
        (lower, upper, model.is_integer(j), columns.cost[j])
    };
    all.map(|(j, name)| (name.to_owned(), data(j))).collect()
}

fn rows(model: &Model) -> BTreeMap<String, (f64, f64)> {
    let all = model.rows.names.iter().enumerate();
    all.map(|(i, name)| (name.to_owned(), (model.rows.lower[i], model.rows.upper[i])))
        .collect()
}

fn entries(model: &Model) -> BTreeMap<String, f64> {
    let mut entries = BTreeMap::new();
    for (j, column) in model.columns.names.iter().enumerate() {
        for (i, value) in model.matrix.entries(j) {
            // HiGHS keeps no zeros.
            if value != 0.0 {
                entries.insert(format!("{column} in {}", model.rows.names.get(i)), value);
            }
        }
    }
    entries
}
