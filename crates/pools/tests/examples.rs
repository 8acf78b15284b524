//! The examples, run as a reader would run them.

#[path = "../../mip/tests/example/mod.rs"]
mod example;

#[test]
fn fill_pools() {
    let text = example::run("fill_pools", &[]);
    for (day, line) in (1..).zip(text.lines()) {
        assert!(line.starts_with(&format!("day_{day}: ")), "{text}");
        assert!(
            line.ends_with("variables are zero in all of them"),
            "{text}"
        );
    }
    assert_eq!(text.lines().count(), 3);
}
