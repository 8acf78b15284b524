//! The examples, run as a reader would run them.

#[path = "../../mip/tests/example/mod.rs"]
mod example;

#[test]
fn model_to_graph() {
    let text = example::run("model_to_graph", &[]);
    let identities = |order: &str| format!("3 edges; identities [{order}]");
    assert!(
        text.contains(&identities("Some(0), Some(1), Some(2)")),
        "{text}"
    );
    // The second model has its columns in another order.
    assert!(
        text.contains(&identities("Some(2), Some(0), Some(1)")),
        "{text}"
    );
    assert!(
        text.contains("lamp was zero in a share of Some(0.0)"),
        "{text}"
    );
}
