//! Known differences between our readers and HiGHS's, in models that both read without a word.
//!
//! Each is a rule with a name. The file of that name in `fuzz/regressions` has this difference and no other, which a test
//! of the crate goes over: a rule that is no longer needed is noticed.

mod lp;
mod mps;

use idpas_mip::files::Format;
use idpas_mip::{Model, Names};

/// A file that both read, as different models.
pub(super) struct Case<'a> {
    pub(super) text: &'a str,
    pub(super) ours: &'a Model,
    /// With our names for the rows that have none in the file, so that the rules need not know that difference.
    pub(super) theirs: &'a Model,
}

/// HiGHS's model, with our names in place of those that HiGHS made up for rows.
pub(super) fn with_our_names(ours: &Model, theirs: &Model) -> Model {
    let mut named = theirs.clone();
    let mut names = Names::new();
    for (i, name) in theirs.rows.names.iter().enumerate() {
        let made_up = i < ours.rows.names.len() && *name == format!("HiGHS_R{i}");
        let name = if made_up {
            ours.rows.names.get(i)
        } else {
            name
        };
        if names.push(name).is_err() {
            return named;
        }
    }
    named.rows.names = names;
    named
}

/// A known difference.
pub(super) struct Rule {
    pub(super) name: &'static str,
    /// Whether the models of this file may differ in this way.
    pub(super) explains: fn(&Case) -> bool,
}

/// The known differences for files of a format.
pub(super) fn rules(format: Format) -> &'static [Rule] {
    match format {
        Format::Mps => mps::RULES,
        Format::Lp => lp::RULES,
    }
}
