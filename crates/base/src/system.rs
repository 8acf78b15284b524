//! Everything that depends on the operating system: file locks, process groups, memory limits. On systems that are not
//! Unix, locks and groups do nothing, and claims rely on their heartbeat alone.

#[cfg(unix)]
mod imp {
    use std::fs::File;
    use std::os::unix::fs::MetadataExt;
    use std::os::unix::process::CommandExt;
    use std::path::Path;
    use std::process::Command;

    use rustix::process::{Pid, Resource, Rlimit, Signal};

    /// Locks a file; `false` if another process has locked it. The lock ends with this process, however that ends.
    pub fn lock(file: &File) -> bool {
        use rustix::fs::{FlockOperation, flock};
        use rustix::io::Errno;
        // A file system without locks fails with another error: then claims rely on their heartbeat.
        !matches!(
            flock(file, FlockOperation::NonBlockingLockExclusive),
            Err(Errno::WOULDBLOCK)
        )
    }

    /// Whether `path` still names the file that was opened as `file`.
    pub fn same_file(file: &File, path: &Path) -> bool {
        match (file.metadata(), std::fs::metadata(path)) {
            (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
            _ => false,
        }
    }

    /// The name of this machine.
    pub fn host() -> String {
        rustix::system::uname()
            .nodename()
            .to_string_lossy()
            .into_owned()
    }

    /// Whether a process with this id exists on this machine.
    pub fn is_alive(pid: u32) -> bool {
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
        pid.is_some_and(|pid| {
            !matches!(
                rustix::process::test_kill_process(pid),
                Err(rustix::io::Errno::SRCH)
            )
        })
    }

    /// Puts a command into a process group of its own: Ctrl-C does not reach it, and it can be killed together with
    /// all processes that it starts.
    pub fn own_group(command: &mut Command) {
        command.process_group(0);
    }

    /// Kills a process that was started in its own group, and all processes that it started.
    pub fn kill_group(pid: u32) {
        if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
            // The process may have ended already.
            let _ = rustix::process::kill_process_group(pid, Signal::KILL);
        }
    }

    /// Limits the address space of this process, in bytes.
    pub fn limit_memory(bytes: u64) -> std::io::Result<()> {
        let limit = Rlimit {
            current: Some(bytes),
            maximum: Some(bytes),
        };
        Ok(rustix::process::setrlimit(Resource::As, limit)?)
    }

    /// How a process ended, in words.
    pub fn ending(status: std::process::ExitStatus) -> String {
        use std::os::unix::process::ExitStatusExt;
        match (status.signal(), status.code()) {
            (Some(9), _) => "killed by signal 9 (SIGKILL), for example for lack of memory".into(),
            (Some(6), _) => "aborted (signal 6, SIGABRT)".into(),
            (Some(11), _) => "crashed (signal 11, SIGSEGV)".into(),
            (Some(signal), _) => format!("ended by signal {signal}"),
            (_, Some(code)) => format!("ended with code {code}"),
            _ => "ended in an unknown way".into(),
        }
    }
}

#[cfg(not(unix))]
mod imp {
    use std::fs::File;
    use std::path::Path;
    use std::process::Command;

    pub fn lock(_: &File) -> bool {
        true
    }

    pub fn same_file(_: &File, path: &Path) -> bool {
        path.exists()
    }

    /// The name of this machine.
    pub fn host() -> String {
        std::env::var("COMPUTERNAME").unwrap_or_else(|_| "localhost".into())
    }

    /// Always `true`: there is no portable way to find out.
    pub fn is_alive(_: u32) -> bool {
        true
    }

    pub fn own_group(_: &mut Command) {}

    pub fn kill_group(_: u32) {}

    pub fn limit_memory(_: u64) -> std::io::Result<()> {
        Err(std::io::Error::other(
            "this system has no memory limit for processes",
        ))
    }

    pub fn ending(status: std::process::ExitStatus) -> String {
        format!("ended with {status}")
    }
}

pub use imp::*;
