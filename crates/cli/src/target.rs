//! Checks the files to write before the work begins, so that a missing folder is reported now and not after an hour.

use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Refuses paths that could not be written, or where writing would destroy another file. `input` is the file that the
/// command reads; it and the outputs must all be different.
pub(crate) fn refuse_unwritable<'a>(
    outputs: impl IntoIterator<Item = &'a PathBuf>,
    input: &Path,
) -> Result<(), Failure> {
    let input = input.canonicalize().ok();
    let mut taken = Vec::new();
    for path in outputs {
        let refuse = |why: String| Err(Failure::Usage(format!("{}: {why}", path.display())));
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        if !folder.is_dir() {
            return refuse(format!("there is no folder {}", folder.display()));
        }
        if path.is_dir() || path.file_name().is_none() {
            return refuse("is a folder; expected a file to write".into());
        }
        // Files are written beside the target and renamed, which would replace a device or pipe.
        if path.exists() && !path.is_file() {
            return refuse("is no ordinary file".into());
        }
        if let Err(error) = tempfile::tempfile_in(folder) {
            return refuse(format!("cannot write to {}: {error}", folder.display()));
        }
        let whole = match (path.canonicalize(), folder.canonicalize(), path.file_name()) {
            (Ok(whole), ..) => whole,
            (_, Ok(folder), Some(name)) => folder.join(name),
            _ => path.clone(),
        };
        if input.as_ref() == Some(&whole) {
            return refuse("is the file to read; expected another one to write".into());
        }
        if taken.contains(&whole) {
            return refuse("is given for two different files to write".into());
        }
        taken.push(whole);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_would_lose_something_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let model = at("a.mps");
        std::fs::write(&model, "NAME").unwrap();
        let message = |outputs: &[PathBuf]| match refuse_unwritable(outputs, &model) {
            Ok(()) => String::new(),
            Err(failure) => failure.to_string(),
        };
        assert_eq!(message(&[at("a.sol"), at("a.csv")]), "");
        assert!(message(&[at("none/a.sol")]).contains("there is no folder"));
        assert!(message(&[folder.path().to_owned()]).contains("is a folder"));
        assert!(message(std::slice::from_ref(&model)).contains("the file to read"));
        assert!(message(&[at("a.sol"), at("./a.sol")]).contains("two different files"));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_or_device_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        let refused = refuse_unwritable([&path], Path::new("a.mps"));
        assert!(
            refused
                .unwrap_err()
                .to_string()
                .contains("no ordinary file")
        );
    }
}
