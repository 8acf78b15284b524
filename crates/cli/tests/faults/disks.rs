//! A disk that is full: the program says so, and goes on where it was when there is room again.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use idpas_base::random::Random;

use crate::campaign::{random, so_many, tell};
use crate::files::all_files;
use crate::work::{Inputs, Scene, Task, Work};

/// A small file system in memory. It goes away with this.
pub(crate) struct Disk {
    at: PathBuf,
}

impl Disk {
    /// Mounts one of so many kilobytes on a folder; `None` where that is not allowed.
    pub(crate) fn mount(at: &Path, kilobytes: u64) -> Option<Self> {
        let options = format!("size={kilobytes}k,mode=0777");
        let done = run("mount", &["-t", "tmpfs", "-o", &options, "idpas-test"], at);
        done.then(|| Disk { at: at.to_owned() })
    }

    /// Changes its options: `size=1000k`, `ro`.
    pub(crate) fn remount(&self, options: &str) {
        let options = format!("remount,{options}");
        assert!(run("mount", &["-o", &options], &self.at), "remounted");
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Also where something still has a file of it open.
        run("umount", &["-l"], &self.at);
    }
}

fn run(program: &str, words: &[&str], at: &Path) -> bool {
    let output = Command::new(program).args(words).arg(at).output();
    output.is_ok_and(|output| output.status.success())
}

/// Kilobytes that the files of a folder take on a disk in memory.
pub(crate) fn kilobytes(folder: &Path) -> u64 {
    let pages = |name: &String| {
        let data = std::fs::metadata(folder.join(name));
        data.map_or(0, |data| data.len().div_ceil(4096))
    };
    4 * all_files(folder).iter().map(pages).sum::<u64>()
}

#[test]
fn work_on_a_full_disk_is_gone_on_with() {
    let inputs = Inputs::shared();
    let mut random = random("full disks");
    for task in Task::ALL {
        let work = Work::new(task, &inputs);
        let calm = work.scene();
        calm.ends_well(&work);
        let whole = kilobytes(&calm.out());
        let (mut full, mut enough) = (0, 0);
        for _ in 0..so_many(2, 10) {
            let scene = work.scene();
            let size = 4 + (whole as f64 * random.uniform(0.0, 1.1)) as u64;
            let Some(disk) = Disk::mount(&scene.out(), size.max(least(&work, &calm))) else {
                return idpas_testing::skip("a file system in memory cannot be mounted (not root)");
            };
            scene.furnish(&work);
            match is_told(&work, &scene, "No space left on device") {
                true => full += 1,
                false => enough += 1,
            }
            disk.remount("size=100000k");
            scene.ends_well(&work);
            work.is_as_calm(&scene);
        }
        tell(&format!(
            "{task:?} on disks of up to 1.1 of the {whole} kB it needs: {full} times full and told so, {enough} times \
             enough; each time the result as undisturbed when there was room again"
        ));
    }
}

/// Kilobytes that a disk must have to hold what the task finds there.
fn least(work: &Work, calm: &Scene) -> u64 {
    match work.task {
        Task::Tune => {
            let model = std::fs::metadata(calm.out().join("m.safetensors"));
            4 * model.map_or(0, |data| data.len().div_ceil(4096)) + 4
        }
        _ => 4,
    }
}

/// Runs the task, which ends well, or else with an error that has these words and names a file. Tells whether it was the
/// error.
fn is_told(work: &Work, scene: &Scene, words: &str) -> bool {
    let (status, said) = scene.run(work.command(scene));
    let context = || format!("{:?}, {status}: {said}", work.task);
    match status.code() {
        Some(0) => return false,
        code => assert!(matches!(code, Some(1..=3)), "{}", context()),
    }
    let telling = said.lines().filter(|line| line.contains(words));
    let names = ["pools", "m.", "results", "state", "/out"];
    let is_named = |line: &str| names.iter().any(|name| line.contains(name));
    assert!(telling.into_iter().any(is_named), "{}", context());
    true
}

/// Where nothing can be mounted: files that may not become larger than so many bytes stand for a disk that is full.
#[test]
fn files_that_cannot_grow_are_told_of() {
    let inputs = Inputs::shared();
    let mut random = random("files that cannot grow");
    let (mut refused, mut enough) = (0, 0);
    for task in Task::ALL {
        let work = Work::new(task, &inputs);
        for _ in 0..so_many(2, 5) {
            let scene = work.scene();
            match is_limited(&work, &scene, &mut random) {
                true => refused += 1,
                false => enough += 1,
            }
            scene.ends_well(&work);
            // A pool that was too large is made after those that were not.
            work.is_as_calm_but_pools(&scene);
        }
    }
    tell(&format!(
        "files that may not grow, all commands: {refused} times refused and told so, {enough} times enough; each time the \
         result as undisturbed, but for pools, without the limit"
    ));
}

/// Runs the task with a random limit of the size of files; tells whether it was too low.
fn is_limited(work: &Work, scene: &Scene, random: &mut Random) -> bool {
    // In blocks of 512 bytes; what is said on stderr is a file as well, which must have room for the message.
    let blocks = 8.0 * random.uniform(0.0, 6.0).exp();
    let plain = work.command(scene);
    // The signal that would end the program is ignored, so that writing fails as it does on a full disk.
    let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$@\"", blocks as u64);
    let mut command = Command::new("sh");
    command.args(["-c", &script, "sh"]).arg(plain.get_program());
    command.args(plain.get_args().map(OsString::from));
    command
        .current_dir(scene.out())
        .env("TMPDIR", scene.temporary());
    let (status, said) = scene.run(command);
    let context = || format!("{:?}, {status}: {said}", work.task);
    if status.code() == Some(0) {
        return false;
    }
    assert!(matches!(status.code(), Some(1..=3)), "{}", context());
    assert!(said.contains("File too large"), "{}", context());
    true
}
