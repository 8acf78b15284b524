//! Names in LP files.
//!
//! Our names tell arcs as `VND03>FC2`, and LP format cannot hold `>`. In an LP file it is written as `~`,
//! which is legal in LP and occurs in no name of ours, so the mapping can be undone: [`lp_name`] and
//! [`name_of_lp`] are inverse. MPS files hold the names as they are.

use idpas_mip::{Model, Names};

use crate::FamilyError;

/// A name as it stands in an LP file.
///
/// ```
/// use idpas_families::{lp_name, name_of_lp};
/// assert_eq!(lp_name("y[VND03>FC2]"), "y[VND03~FC2]");
/// assert_eq!(name_of_lp("y[VND03~FC2]"), "y[VND03>FC2]");
/// ```
pub fn lp_name(name: &str) -> String {
    name.replace('>', "~")
}

/// The name that an LP file's name stands for.
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

/// Renames rows and columns for an LP file, if any name needs it.
pub(crate) fn for_lp(model: &mut Model) -> Result<(), FamilyError> {
    let needs = |names: &Names| names.iter().any(|name| name.contains('>'));
    if needs(&model.rows.names) || needs(&model.columns.names) {
        model.rows.names = renamed(&model.rows.names)?;
        model.columns.names = renamed(&model.columns.names)?;
    }
    Ok(())
}
