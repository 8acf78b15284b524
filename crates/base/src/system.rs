//! Everything that depends on the operating system: file locks, process groups, memory limits. On systems that are not
//! Unix, locks and groups do nothing, and claims rely on their heartbeat alone.

/// What came of trying to lock a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileLock {
    /// This process has the lock now.
    Ours,
    /// Another process has it, or another thread of this one.
    Theirs,
    /// The file system has no locks.
    Refused,
}

#[cfg(unix)]
mod imp {
    use super::FileLock;
    use std::fs::{File, OpenOptions};
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
    use std::os::unix::process::CommandExt;
    use std::path::Path;
    use std::process::Command;

    use rustix::process::{Pid, Resource, Rlimit, Signal};

    /// Locks a file. The lock ends with this process, however that ends.
    pub fn lock(file: &File) -> FileLock {
        use rustix::fs::{FlockOperation, flock};
        use rustix::io::Errno;
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => FileLock::Ours,
            // NFS and Lustre say AGAIN or ACCESS where the lock is with another machine.
            Err(Errno::WOULDBLOCK | Errno::ACCESS) => FileLock::Theirs,
            // ENOSYS of Lustre without `flock`, ENOLCK of NFS without its lock service, and others of their kind.
            Err(_) => FileLock::Refused,
        }
    }

    /// Makes opening fail where the name is a link. A folder may come from a stranger; whatever is written into its files in
    /// place must not go to a file elsewhere.
    pub fn refuse_links(options: &mut OpenOptions) -> &mut OpenOptions {
        options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32)
    }

    /// Stdout, for what this program prints itself. From here on, whatever else writes to stdout writes to stderr: solvers are
    /// libraries of others, and HiGHS prints where the clock is set backwards, although it is told not to. `None` where the
    /// system does not do that, and everything stays as it is.
    pub fn keep_stdout() -> Option<File> {
        let own = rustix::io::fcntl_dupfd_cloexec(std::io::stdout(), 3).ok()?;
        rustix::stdio::dup2_stdout(std::io::stderr()).ok()?;
        Some(File::from(own))
    }

    /// Whether an open file still has its name. A machine may believe for a minute that a name still leads to a file that
    /// another machine removed; the number of names is asked of the server when a file is locked.
    pub fn has_name(file: &File, _: &Path) -> bool {
        file.metadata().is_ok_and(|data| data.nlink() > 0)
    }

    /// Whether an error says that an open file is no longer there, as on NFS when another machine has removed it.
    pub fn is_gone(error: &std::io::Error) -> bool {
        error.raw_os_error() == Some(rustix::io::Errno::STALE.raw_os_error())
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
    use super::FileLock;
    use std::fs::{File, OpenOptions};
    use std::path::Path;
    use std::process::Command;

    pub fn refuse_links(options: &mut OpenOptions) -> &mut OpenOptions {
        options
    }

    pub fn keep_stdout() -> Option<File> {
        None
    }

    pub fn lock(_: &File) -> FileLock {
        FileLock::Refused
    }

    pub fn has_name(_: &File, path: &Path) -> bool {
        path.exists()
    }

    pub fn is_gone(_: &std::io::Error) -> bool {
        false
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
