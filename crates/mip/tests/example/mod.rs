//! Runs an example of the crate under test. The tests of every crate share this file.

use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

fn modified(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|data| data.modified()).ok()
}

/// Runs the built example `name` in an empty folder and gives what it printed. `cargo test` builds examples before it
/// runs tests; where only one test was asked for, so that the program is missing or old, this fails and says so.
pub(crate) fn run(name: &str, arguments: &[&str]) -> String {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let sources = [format!("{name}.rs"), format!("{name}/main.rs")].map(|file| examples.join(file));
    let source = sources.iter().find(|source| source.exists());
    let source = source.unwrap_or_else(|| panic!("there is no example {name}"));
    // The test is TARGET/release/deps/NAME-HASH, the example TARGET/release/examples/NAME.
    let test = std::env::current_exe().expect("the path of this test");
    let target = test.ancestors().nth(2).expect("a target folder");
    let program = target.join(format!("examples/{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(
        modified(&program) >= modified(source),
        "{} is missing or older than its source: run `cargo build --release -p {} --examples`",
        program.display(),
        env!("CARGO_PKG_NAME")
    );
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("example-{name}"));
    // What an earlier run left behind, if there was one.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("an empty folder");
    let mut command = Command::new(&program);
    let output = command.args(arguments).current_dir(&folder).output();
    let output = output.expect("a program that runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} failed: {said}");
    String::from_utf8(output.stdout).expect("text on stdout")
}
