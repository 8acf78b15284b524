//! The examples, run as a reader would run them.

mod example;

#[test]
fn read_and_check() {
    let text = example::run("read_and_check", &[]);
    assert!(text.starts_with("van: Shape {"), "{text}");
    let good = "[0.0, 1.0, 1.0] is feasible and worth 11\n";
    let bad =
        "[1.0, 1.0, 0.0] is not feasible: the activity of row `weight` is 11, must be at most 10";
    assert!(text.contains(good) && text.contains(bad), "{text}");
}
