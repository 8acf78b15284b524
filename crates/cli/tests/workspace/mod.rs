//! The workspace as cargo sees it, for tests of the project itself.

// Each test file is a crate of its own and uses some of these.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    folder.canonicalize().expect("the folder of the workspace")
}

pub(crate) fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Runs cargo in the workspace. Says what it wrote to stdout, or to stderr if it failed.
pub(crate) fn cargo(arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    let output = command.args(arguments).current_dir(root()).output();
    let output = output.expect("cargo runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    match output.status.success() {
        true => Ok(text(output.stdout)),
        false => Err(text(output.stderr)),
    }
}

pub(crate) fn metadata(arguments: &[&str]) -> Result<Vec<Value>, String> {
    let always = ["metadata", "--format-version", "1", "--locked"];
    let text = cargo(&[&always, arguments].concat())?;
    let mut metadata: Value = serde_json::from_str(&text).expect("metadata as JSON");
    Ok(metadata["packages"]
        .as_array_mut()
        .expect("packages")
        .drain(..)
        .collect())
}

/// The packages of the workspace.
pub(crate) fn members() -> Vec<Value> {
    metadata(&["--no-deps", "--offline"]).expect("metadata of the workspace")
}

/// The packages of the workspace that may be published.
pub(crate) fn published() -> Vec<Value> {
    let mut packages = members();
    packages.retain(|package| package["publish"].is_null());
    assert!(packages.len() >= 10, "only {} packages", packages.len());
    packages
}

pub(crate) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field]
        .as_str()
        .unwrap_or_else(|| panic!("{field} is missing in {value}"))
}

pub(crate) fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value[field]
        .as_array()
        .unwrap_or_else(|| panic!("{field} is missing in {value}"))
}

/// The folder of a package.
pub(crate) fn folder(package: &Value) -> &Path {
    Path::new(text(package, "manifest_path"))
        .parent()
        .expect("a folder")
}
