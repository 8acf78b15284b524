//! The examples, run as a reader would run them.

#[path = "../../mip/tests/example/mod.rs"]
mod example;

#[test]
fn draw_a_chart() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("walk.svg");
    example::run("draw_a_chart", &[path.to_str().expect("a path in UTF-8")]);
    let svg = std::fs::read_to_string(path).expect("the chart");
    assert!(svg.starts_with("<svg") && svg.contains("A random walk"));
}
