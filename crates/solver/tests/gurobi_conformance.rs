//! Gurobi passes the suite that every backend must pass, where it is installed with a licence. The Python package runs the
//! suite through gurobipy, which brings one.

mod common;

use idpas_solver::SolverError;
use idpas_solver::gurobi::Gurobi;

#[test]
fn gurobi_conforms() {
    match Gurobi::new() {
        Ok(gurobi) => common::expect_conforming(&gurobi),
        Err(error @ (SolverError::NotInstalled { .. } | SolverError::Backend { .. })) => {
            idpas_testing::skip(&error.to_string());
        }
        Err(error) => panic!("{error}"),
    }
}
