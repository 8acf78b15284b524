//! Writing a file so that it is either whole or not there.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::NamedTempFile;

use crate::WriteError;

/// How the names of temporary files begin.
const PREFIX: &str = ".idpas-";
/// A temporary file that was last written longer ago than this is nobody's any more: none takes minutes.
pub const LEFT_BEHIND: Duration = Duration::from_secs(3600);

/// Writes through `fill` to a temporary file beside `path`, syncs it, and renames it into place.
/// A path that ends in `.gz` is compressed. On any error nothing appears at `path`.
pub fn save<E>(path: &Path, fill: impl FnOnce(&mut dyn Write) -> Result<(), E>) -> Result<(), E>
where
    E: From<WriteError>,
{
    let io_error = |source| WriteError::Io {
        file: path.display().to_string(),
        source,
    };
    let folder = folder_of(path);
    let mut temporary = temporary_in(folder).map_err(io_error)?;
    if path.extension().is_some_and(|e| e == "gz") {
        // No time stamp in the header: the same content gives the same bytes.
        let mut encoder = GzEncoder::new(BufWriter::new(&mut temporary), Compression::new(6));
        fill(&mut encoder)?;
        let mut rest = encoder.finish().map_err(io_error)?;
        rest.flush().map_err(io_error)?;
    } else {
        let mut buffered = BufWriter::with_capacity(1 << 16, &mut temporary);
        fill(&mut buffered)?;
        buffered.flush().map_err(io_error)?;
    }
    temporary.as_file().sync_all().map_err(io_error)?;
    make_readable(&temporary).map_err(io_error)?;
    temporary.persist(path).map_err(|e| io_error(e.error))?;
    // Makes the rename survive a power cut too; not every file system lets a folder be synced.
    if let Ok(folder) = std::fs::File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// A new temporary file in a folder, for content that another process is to read. It is removed when this is dropped, and by
/// [`remove_left_behind`] if this process is killed before.
pub fn temporary_in(folder: &Path) -> std::io::Result<NamedTempFile> {
    NamedTempFile::with_prefix_in(PREFIX, folder)
}

/// Removes the temporary files in a folder that processes left behind when they were killed: those that were last written
/// longer ago than `age`. What cannot be removed stays.
pub fn remove_left_behind(folder: &Path, age: Duration) {
    let Ok(files) = std::fs::read_dir(folder) else {
        return;
    };
    let found: Vec<_> = (files.flatten())
        .filter(|file| file.file_name().to_string_lossy().starts_with(PREFIX))
        .collect();
    if found.is_empty() {
        return;
    }
    // The clock of the file system, which may be another machine's, is that of a file written now.
    let written = |data: std::fs::Metadata| data.modified();
    let probe = temporary_in(folder).and_then(|file| file.as_file().metadata());
    let now = probe.and_then(written).unwrap_or(SystemTime::now());
    for file in found {
        let is_old = file.metadata().and_then(written).is_ok_and(|modified| {
            let since = now.duration_since(modified);
            since.unwrap_or_default() >= age
        });
        if is_old {
            let _ = std::fs::remove_file(file.path());
        }
    }
}

/// [`remove_left_behind`] with the usual [`LEFT_BEHIND`], in the folder of a file that is going to be written.
pub fn remove_left_behind_beside(file: &Path) {
    remove_left_behind(folder_of(file), LEFT_BEHIND);
}

/// [`remove_left_behind`] with the usual [`LEFT_BEHIND`], in a folder and all folders in it.
pub fn remove_left_behind_below(folder: &Path) {
    remove_left_behind(folder, LEFT_BEHIND);
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    // Not `Path::is_dir`, which follows links.
    let is_folder = |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    for folder in entries.filter(is_folder) {
        remove_left_behind_below(&folder.path());
    }
}

/// The folder that holds a file.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// [`save`] for content already in memory.
pub fn save_bytes(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    save(path, |out| {
        out.write_all(bytes).map_err(|source| WriteError::Io {
            file: path.display().to_string(),
            source,
        })
    })
}

/// Temporary files are private to the user; gives the file the usual permissions that the umask allows.
#[cfg(unix)]
fn make_readable(file: &NamedTempFile) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.as_file()
        .set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn make_readable(_: &NamedTempFile) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.sol");
        let failed = save(&path, |out| {
            out.write_all(b"half").unwrap();
            Err(WriteError::UnknownFormat { file: "x".into() })
        });
        assert!(failed.is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_written_file_replaces_the_old_one_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        save_bytes(&path, b"old and long").unwrap();
        save_bytes(&path, b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn old_temporary_files_are_removed_and_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let long_ago = SystemTime::now() - 2 * LEFT_BEHIND;
        for (name, is_old) in [(".idpas-a", true), (".idpas-b", false), ("mine", true)] {
            let file = std::fs::File::create(folder.path().join(name)).unwrap();
            if is_old {
                file.set_modified(long_ago).unwrap();
            }
        }
        remove_left_behind_beside(&folder.path().join("out"));
        let left = |name: &str| folder.path().join(name).exists();
        assert!(!left(".idpas-a") && left(".idpas-b") && left("mine"));
        let inner = folder.path().join("inner");
        std::fs::create_dir(&inner).unwrap();
        let file = std::fs::File::create(inner.join(".idpas-c")).unwrap();
        file.set_modified(long_ago).unwrap();
        remove_left_behind_below(folder.path());
        assert!(!left("inner/.idpas-c") && left("inner") && left("mine"));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
    }
}
