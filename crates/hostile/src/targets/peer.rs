//! Our readers against HiGHS's on the same bytes.
//!
//! The targets of the fuzzer ask HiGHS only about what we read without a word: such a file must not be another model for
//! HiGHS, unless the difference is [explained](super::explained). What HiGHS reads and we do not is no fault, since we
//! refuse on purpose what is doubtful; the example `differences` counts it on folders of files.

use std::collections::BTreeMap;
use std::fmt::Debug;

use idpas_mip::files::{Format, Input, Parsed};
use idpas_mip::{Model, ReadError, lp, mps};
use idpas_solver::highs::read_text;

use super::explained::{self, Case};

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
    Differ {
        /// The first difference.
        how: String,
        /// The names of the known differences that explain it.
        explained: Vec<&'static str>,
    },
}

pub(super) fn mps(bytes: &[u8]) {
    agrees(bytes, Format::Mps);
}

pub(super) fn lp(bytes: &[u8]) {
    agrees(bytes, Format::Lp);
}

/// Panics if we read a model without a word, and HiGHS another one, for no known reason.
fn agrees(bytes: &[u8], format: Format) {
    let Some(Ok(ours)) = ours(bytes, format) else {
        return;
    };
    if !ours.warnings.is_empty() {
        return;
    }
    if let Ok(theirs) = theirs(bytes, format)
        && let Comparison::Differ { how, explained } = models(bytes, format, &ours.model, &theirs)
    {
        assert!(!explained.is_empty(), "{how}");
    }
}

/// The names of the known differences in files of a format.
pub fn known_differences(format: Format) -> impl Iterator<Item = &'static str> {
    explained::rules(format).iter().map(|rule| rule.name)
}

/// Compares what we read with what HiGHS reads.
pub fn compare(bytes: &[u8], format: Format) -> Comparison {
    let Some(ours) = ours(bytes, format) else {
        return Comparison::BothRefuse;
    };
    match (ours, theirs(bytes, format)) {
        (Err(_), Err(_)) => Comparison::BothRefuse,
        (Err(error), Ok(_)) => Comparison::OnlyWe(kind(&error.problem)),
        (Ok(parsed), Ok(_)) if !parsed.warnings.is_empty() => {
            Comparison::OnlyWe("a warning".into())
        }
        (Ok(_), Err(why)) => Comparison::OnlyHighs(why),
        (Ok(parsed), Ok(theirs)) => models(bytes, format, &parsed.model, &theirs),
    }
}

/// What we read; `None` for what is not compared: HiGHS ends a text at a NUL, and decompresses what it is not asked to
/// here.
fn ours(bytes: &[u8], format: Format) -> Option<Result<Parsed, ReadError>> {
    if bytes.contains(&0) || bytes.starts_with(&[0x1f, 0x8b]) {
        return None;
    }
    Some(match format {
        Format::Mps => mps::read(&Input::bytes("a.mps", bytes)),
        Format::Lp => lp::read(&Input::bytes("a.lp", bytes)),
    })
}

/// What HiGHS reads without a word.
fn theirs(bytes: &[u8], format: Format) -> Result<Model, &'static str> {
    let extension = match format {
        Format::Mps => "mps",
        Format::Lp => "lp",
    };
    let text = match format {
        Format::Mps => without_empty_lines(bytes).ok_or("not asked")?,
        Format::Lp => bytes.to_vec(),
    };
    match read_text(&text, extension) {
        Err(_) => Err("refused"),
        Ok(peer) if peer.warned => Err("with a warning"),
        Ok(peer) => peer.model.ok_or("not linear, or names come twice"),
    }
}

/// A file of MPS as HiGHS can take it. Its reader of fixed form, which comes next where free form fails, never ends at an
/// empty line or behind one that fills its buffer of 127 bytes: `None` for these. Empty lines mean nothing in MPS.
fn without_empty_lines(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|&b| b == b'\n') {
        let length = line.strip_suffix(b"\n").unwrap_or(line).len();
        if length == 0 {
            continue;
        }
        if length % 127 == 0 {
            return None;
        }
        text.extend_from_slice(line);
    }
    Some(text)
}

fn models(bytes: &[u8], format: Format, ours: &Model, theirs: &Model) -> Comparison {
    let Some(how) = difference(ours, theirs) else {
        return Comparison::Same;
    };
    let text = String::from_utf8_lossy(bytes);
    let theirs = &explained::with_our_names(ours, theirs);
    let case = Case {
        text: &text,
        ours,
        theirs,
    };
    let rules = explained::rules(format).iter();
    let explained = rules
        .filter(|rule| (rule.explains)(&case))
        .map(|rule| rule.name)
        .collect();
    Comparison::Differ { how, explained }
}

/// The first word of a problem's name in code, which is the same for all of its kind.
fn kind(problem: &impl Debug) -> String {
    let text = format!("{problem:?}");
    let end = text.find(|c: char| !c.is_alphanumeric());
    text[..end.unwrap_or(text.len())].to_owned()
}

/// The first difference of two models.
pub(super) fn difference(ours: &Model, theirs: &Model) -> Option<String> {
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
