//! The examples, run as a reader would run them.

#[path = "../../mip/tests/example/mod.rs"]
mod example;
mod family;

#[test]
fn three_calls() {
    let folder = tempfile::tempdir().expect("a folder");
    let instances = family::instances(folder.path(), 8);
    let next = instances.join("inst_0008.mps.gz");
    let text = example::run(
        "three_calls",
        &[
            instances.to_str().expect("a path in UTF-8"),
            next.to_str().expect("a path in UTF-8"),
        ],
    );
    let objective = text.trim().rsplit(' ').next().map(str::parse::<f64>);
    assert!(matches!(objective, Some(Ok(_))), "{text}");
}
