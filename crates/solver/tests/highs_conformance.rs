//! HiGHS passes the suite that every backend must pass.

mod common;

#[test]
fn highs_conforms() {
    common::expect_conforming(&idpas_solver::highs::Highs);
}
