//! Cores that a run has to itself among all processes of this program on a machine, whatever study they work on.
//!
//! A lease is a name in the system's table of abstract sockets: it needs no file, is seen by all users, and ends with
//! the process, however that ends. Work that keeps to no core, such as collecting, leaves an [`UnpinnedMark`] there, so
//! that runs beside it know that they were not alone. On other systems than Linux there is one lease for the whole
//! machine, a locked file, and nobody sees marks.

use std::time::Duration;

use crate::cores::core_name;

/// How long a process that gave a lease back waits before it takes another; several times [`LEASE_POLL`], so that
/// others get a turn.
pub(super) const LEASE_PAUSE: Duration = Duration::from_millis(50);
/// How often a process that waits for a lease looks for one.
pub(super) const LEASE_POLL: Duration = Duration::from_millis(10);

/// Processors that nobody else uses while this exists.
pub(super) struct Lease {
    /// Logical processors, one of each core; empty if the run is not to be kept anywhere.
    pub(super) processors: Vec<usize>,
    _names: Vec<system::Name>,
}

impl Lease {
    /// `count` of these processors; `None` if there are not as many that no other process has. With none to choose
    /// from, the whole machine.
    pub(super) fn take(processors: &[usize], count: usize) -> Option<Self> {
        if processors.is_empty() {
            let name = system::Name::take("machine")?;
            return Some(Lease {
                processors: Vec::new(),
                _names: vec![name],
            });
        }
        let mut lease = Lease {
            processors: Vec::new(),
            _names: Vec::new(),
        };
        for &processor in processors {
            if lease.processors.len() == count {
                break;
            }
            // Two processes may use different logical processors of the same core.
            if let Some(name) = system::Name::take(&format!("core-{}", core_name(processor))) {
                lease.processors.push(processor);
                lease._names.push(name);
            }
        }
        (lease.processors.len() == count).then_some(lease)
    }
}

/// Tells all processes of the machine, while it exists, that this one works without keeping to cores of its own.
pub(super) struct UnpinnedMark {
    _name: Option<system::Name>,
}

impl UnpinnedMark {
    const NAME: &str = "unpinned";

    /// Sets the mark of this process.
    pub(super) fn set() -> Self {
        let name = format!("{}-{}", UnpinnedMark::NAME, std::process::id());
        UnpinnedMark {
            _name: system::Name::take(&name),
        }
    }

    /// Whether any process has set a mark.
    pub(super) fn is_set() -> bool {
        system::is_taken(UnpinnedMark::NAME)
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::io::ErrorKind;
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixListener};

    /// A name that one process of this machine has; nothing where the system refuses names to everyone.
    pub(super) struct Name(#[allow(dead_code)] Option<UnixListener>);

    impl Name {
        /// `None` if another has it.
        pub(super) fn take(name: &str) -> Option<Self> {
            let address = SocketAddr::from_abstract_name(format!("idpas-{name}"));
            match address.and_then(|address| UnixListener::bind_addr(&address)) {
                Ok(listener) => Some(Name(Some(listener))),
                Err(error) if error.kind() == ErrorKind::AddrInUse => None,
                // As in a sandbox: better without a lease than never.
                Err(_) => Some(Name(None)),
            }
        }
    }

    /// Whether some process has a name that begins like this.
    pub(super) fn is_taken(begin: &str) -> bool {
        let table = std::fs::read_to_string("/proc/net/unix").unwrap_or_default();
        table.contains(&format!("@idpas-{begin}"))
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::fs::{File, TryLockError};

    /// A name that one process of this machine has; nothing where the system refuses locks to everyone.
    pub(super) struct Name(#[allow(dead_code)] Option<File>);

    impl Name {
        /// `None` if another has it.
        pub(super) fn take(name: &str) -> Option<Self> {
            let path = std::env::temp_dir().join(format!("idpas-{name}.lock"));
            let Ok(file) = File::create(path) else {
                return Some(Name(None));
            };
            match file.try_lock() {
                Ok(()) => Some(Name(Some(file))),
                Err(TryLockError::WouldBlock) => None,
                Err(TryLockError::Error(_)) => Some(Name(None)),
            }
        }
    }

    pub(super) fn is_taken(_: &str) -> bool {
        false
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_core_has_one_user_at_a_time() {
        // Processors that no machine has, so that real runs are not disturbed.
        let processors = [900_001, 900_002, 900_003];
        let one = Lease::take(&processors, 2).unwrap();
        assert_eq!(one.processors, [900_001, 900_002]);
        assert!(Lease::take(&processors, 2).is_none());
        let other = Lease::take(&processors, 1).unwrap();
        assert_eq!(other.processors, [900_003]);
        assert!(Lease::take(&processors, 1).is_none());
        drop(one);
        assert_eq!(Lease::take(&processors, 2).unwrap().processors.len(), 2);
    }

    #[test]
    fn marks_are_seen() {
        let name = system::Name::take("test-of-marks-1").unwrap();
        assert!(system::is_taken("test-of-marks"));
        drop(name);
        assert!(!system::is_taken("test-of-marks"));
    }
}
