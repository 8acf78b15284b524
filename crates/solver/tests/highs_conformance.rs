//! HiGHS passes the suite that every backend must pass.

#[test]
fn highs_conforms() {
    let outcomes = idpas_solver::conformance::run(&idpas_solver::highs::Highs);
    let mut failed = 0;
    for outcome in &outcomes {
        match &outcome.failure {
            None => println!("ok      {}", outcome.name),
            Some(why) => {
                failed += 1;
                println!("FAILED  {}: {why}", outcome.name);
            }
        }
    }
    assert!(outcomes.len() > 30);
    assert_eq!(
        failed,
        0,
        "{failed} of {} cases failed; see above",
        outcomes.len()
    );
}
