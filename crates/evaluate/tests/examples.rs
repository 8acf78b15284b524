//! The examples, run as a reader would run them.

#[path = "../../mip/tests/example/mod.rs"]
mod example;

#[test]
fn compare_methods() {
    let text = example::run("compare_methods", &[]);
    assert!(
        text.starts_with("depots (by hand; 3 instances, 10 s)\n"),
        "{text}"
    );
    let row = |method: &str| {
        let line = text.lines().find(|line| line.starts_with(method));
        let words = line.unwrap_or_default().split_whitespace();
        words.map(str::to_owned).collect::<Vec<String>>()
    };
    // Gaps of 4, 10 and 1 %, and none.
    assert_eq!(row("solver")[1..3], ["5.00", "%"], "{text}");
    assert_eq!(row("idpas")[1..3], ["0.00", "%"], "{text}");
    assert!(text.contains("the page has "), "{text}");
}
