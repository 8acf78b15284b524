//! The examples, run as a reader would run them.

#[path = "../../mip/tests/example/mod.rs"]
mod example;

#[test]
fn search_with_scores() {
    let text = example::run("search_with_scores", &[]);
    assert!(text.contains("yesterday: optimal with cost "), "{text}");
    assert!(text.contains("today: optimal with cost "), "{text}");
    assert!(text.contains(" of 410 columns"), "{text}");
    assert!(text.contains("the first solution was "), "{text}");
}
