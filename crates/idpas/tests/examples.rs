//! The examples, run as a reader would run them.

#[path = "../../mip/tests/example/mod.rs"]
mod example;
mod family;

#[test]
fn three_calls() {
    let folder = tempfile::tempdir().expect("a folder");
    let instances = family::instances(folder.path(), 8);
    let next = instances.join("inst_0008.mps.gz");
    let paths = [instances, next].map(|path| path.display().to_string());
    let text = example::run("three_calls", &[&paths[0], &paths[1]]);
    let objective = text.trim().rsplit(' ').next().map(str::parse::<f64>);
    assert!(matches!(objective, Some(Ok(_))), "{text}");
}
