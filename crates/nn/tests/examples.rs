//! The examples, run as a reader would run them.

#[path = "../../mip/tests/example/mod.rs"]
mod example;

#[test]
fn train_network() {
    let text = example::run("train_network", &[]);
    let loss = |step: usize| -> f64 {
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(&format!("step {step}: loss ")));
        line.and_then(|loss| loss.parse().ok()).expect("a loss")
    };
    assert!(loss(60) < 0.5 * loss(0), "{text}");
    assert!(text.contains(" of 30 variables are right"), "{text}");
}

#[test]
fn gatv2() {
    let text = example::run("gatv2", &["measure", "mmcnp", "0.1"]);
    let measured: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert!(measured.is_object(), "{text}");
}
