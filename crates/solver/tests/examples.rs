//! The examples, run as a reader would run them.

#[path = "../../mip/tests/example/mod.rs"]
mod example;

/// The number at the end of the line with this beginning.
fn number(text: &str, beginning: &str) -> f64 {
    let line = text.lines().find(|line| line.starts_with(beginning));
    let words = line.and_then(|line| line.split(' ').next_back());
    let number = words.and_then(|word| word.parse().ok());
    number.unwrap_or_else(|| panic!("no number after `{beginning}` in {text}"))
}

#[test]
fn solve_and_watch() {
    let text = example::run("solve_and_watch", &[]);
    let best = number(&text, "Optimal with cost");
    assert!(number(&text, "a solution of cost") >= best);
    assert!(number(&text, "with open[") >= best);
}
