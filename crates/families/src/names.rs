//! Names in LP files.
//!
//! Names of ours write arcs as `VND03>FC2`, and LP format cannot hold `>`. In an LP file it is written as `~`, which
//! is legal in LP and occurs in none of our names, so the change can be undone: [`lp_name`] and [`name_of_lp`] are
//! inverse. MPS files hold the names unchanged.

use idpas_mip::{Model, Names};

use crate::FamilyError;

/// A name as it is written in an LP file.
///
/// ```
/// use idpas_families::{lp_name, name_of_lp};
/// assert_eq!(lp_name("y[VND03>FC2]"), "y[VND03~FC2]");
/// assert_eq!(name_of_lp("y[VND03~FC2]"), "y[VND03>FC2]");
/// ```
pub fn lp_name(name: &str) -> String {
    name.replace('>', "~")
}

/// The original of a name that was read from an LP file.
pub fn name_of_lp(name: &str) -> String {
    name.replace('~', ">")
}

fn renamed(names: &Names) -> Result<Names, FamilyError> {
    let mut out = Names::new();
    for name in names.iter() {
        let clash = || FamilyError::LpName { name: name.into() };
        if name.contains('~') {
            return Err(clash());
        }
        out.push(&lp_name(name)).map_err(|_| clash())?;
    }
    Ok(out)
}

/// Changes the names of rows and columns to those for an LP file, where any need it.
pub(crate) fn for_lp(model: &mut Model) -> Result<(), FamilyError> {
    let needs = |names: &Names| names.iter().any(|name| name.contains('>'));
    if needs(&model.rows.names) || needs(&model.columns.names) {
        model.rows.names = renamed(&model.rows.names)?;
        model.columns.names = renamed(&model.columns.names)?;
    }
    Ok(())
}
