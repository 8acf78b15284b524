//! The examples, run as a reader would run them.

#[path = "../../mip/tests/example/mod.rs"]
mod example;

#[test]
fn drive_idpas() {
    let text = example::run("drive_idpas", &[]);
    assert!(text.starts_with("pools: 6 of 6\n"), "{text}");
    let objective = |line: &str| line.rsplit(' ').next().map(str::to_owned);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[2].starts_with("checked: feasible is true"), "{text}");
    assert_eq!(objective(lines[1]), objective(lines[2]), "{text}");
}
