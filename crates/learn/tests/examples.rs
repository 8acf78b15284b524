//! The examples, run as a reader would run them.

#[path = "../../mip/tests/example/mod.rs"]
mod example;

#[test]
fn learn_and_predict() {
    let text = example::run("learn_and_predict", &[]);
    for kind in ["ZeroFrequency", "Gnn"] {
        let line = text.lines().find(|line| line.starts_with(kind));
        let auc = line.and_then(|line| line.split(' ').next_back()?.parse().ok());
        let auc: f64 = auc.unwrap_or_else(|| panic!("no line for {kind} in {text}"));
        assert!(auc > 0.5 && auc <= 1.0, "{text}");
    }
    assert_eq!(text.matches("are almost surely zero").count(), 2, "{text}");
}
