//! SCIP passes the suite that every backend must pass, where it is installed.

mod common;

#[test]
fn scip_conforms() {
    if let Some(solver) = common::installed("scip") {
        common::expect_conforming(&*solver);
    }
}
