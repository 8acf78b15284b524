//! The examples, run as a reader would run them.

#[path = "../../mip/tests/example/mod.rs"]
mod example;

#[test]
fn generate_and_compare() {
    let text = example::run("generate_and_compare", &[]);
    assert!(text.starts_with("mmcnp: what varies is "), "{text}");
    assert!(text.contains("inst_0002.mps.gz: "), "{text}");
    assert!(text.contains(" differences, the first: "), "{text}");
}

#[test]
fn own_family() {
    let text = example::run("own_family", &[]);
    assert_eq!(text, "5 instances of warehouses\n");
}
