//! A folder that turns read-only in the middle of the work.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::campaign::{random, so_many, tell};
use crate::common::folder;
use crate::disks::Disk;
use crate::work::{Inputs, Scene, Task, Work};

/// An account without rights of its own, as which root runs the program: nothing is forbidden to root.
const NOBODY: u32 = 65534;

/// Whether this test runs as root.
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Sets the rights of all folders under one, and of it.
fn set_rights(folder: &Path, mode: u32) {
    let rights = || std::fs::Permissions::from_mode(mode);
    // A folder may go away while it is looked at.
    let _ = std::fs::set_permissions(folder, rights());
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            set_rights(&entry.path(), mode);
        }
    }
}

/// The program where every account can start it.
fn open_to_all(program: &Path, folder: &Path) -> PathBuf {
    set_rights(folder, 0o755);
    let copy = folder.join("idpas");
    std::fs::copy(program, &copy).expect("a copy");
    std::fs::set_permissions(&copy, std::fs::Permissions::from_mode(0o755)).expect("rights");
    copy
}

/// Opens a scene to all accounts.
fn open_scene(scene: &Scene) {
    set_rights(scene.path(), 0o777);
    if is_root() {
        let files = std::fs::read_dir(scene.out())
            .into_iter()
            .flatten()
            .flatten();
        for file in files {
            let _ = std::os::unix::fs::chown(file.path(), Some(NOBODY), Some(NOBODY));
        }
    }
}

#[test]
fn a_folder_that_turns_read_only_is_told_of_and_gone_on_with() {
    let inputs = Inputs::shared();
    let place = folder();
    let mut random = random("read-only folders");
    // The inputs are in folders of this account's own.
    for path in [inputs.path("few"), inputs.family().pools()] {
        set_rights(path.parent().expect("a folder"), 0o755);
    }
    let mut program = None;
    for task in Task::ALL {
        let mut work = Work::new(task, &inputs);
        if is_root() {
            let copy = || open_to_all(&work.program, place.path());
            work.program = program.get_or_insert_with(copy).clone();
        }
        let (mut told, mut nothing_left) = (0, 0);
        for _ in 0..so_many(2, 8) {
            let scene = work.scene();
            open_scene(&scene);
            let command = || {
                let mut command = work.command(&scene);
                if is_root() {
                    command.uid(NOBODY).gid(NOBODY);
                }
                command
            };
            let mut running = scene.start(command());
            let moment = work.seconds * random.uniform(0.0, 1.0);
            let early = running.end_within(Duration::from_secs_f64(moment));
            set_rights(&scene.out(), 0o555);
            let end = early.or_else(|| running.end_within(Duration::from_secs(120)));
            let said = running.said();
            let status = end.unwrap_or_else(|| panic!("no end: {said}"));
            running.left_nothing();
            assert!(!said.contains("panicked"), "{said}");
            match status.code() {
                Some(0) => nothing_left += 1,
                Some(1..=3) if said.contains("Permission denied") => told += 1,
                _ => panic!("{task:?}, {status}: {said}"),
            }
            set_rights(&scene.out(), 0o777);
            let (status, said) = scene.run(command());
            assert_eq!(status.code(), Some(0), "{task:?}: {said}");
            work.is_as_calm(&scene);
        }
        tell(&format!(
            "{task:?} in a folder that turns read-only: {told} times told so, {nothing_left} times nothing was left to \
             write; each time the result as undisturbed when it could be written again"
        ));
    }
}

#[test]
fn a_file_system_that_is_read_only_is_told_of() {
    let inputs = Inputs::shared();
    for task in Task::ALL {
        let work = Work::new(task, &inputs);
        let scene = work.scene();
        let Some(disk) = Disk::mount(&scene.out(), 100_000) else {
            return idpas_testing::skip("a file system in memory cannot be mounted (not root)");
        };
        scene.furnish(&work);
        disk.remount("ro");
        let (status, said) = scene.run(work.command(&scene));
        let context = format!("{task:?}, {status}: {said}");
        assert_eq!(status.code(), Some(2), "{context}");
        assert!(said.contains("Read-only file system"), "{context}");
        disk.remount("rw");
        scene.ends_well(&work);
        work.is_as_calm(&scene);
    }
    tell(
        "a read-only file system: told by all five commands, each with its result once it could be written",
    );
}
