//! What happens to a file on a disk that fails: bits flip, its end is missing, a block is zeros, something is behind its end.

use std::path::Path;

use idpas_base::random::Random;

/// A change of a file's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Damage {
    /// One bit is another one.
    Flip { bit: usize },
    /// Nothing is left behind this many bytes.
    Cut { length: usize },
    /// These bytes are zeros.
    Zeros { from: usize, count: usize },
    /// A part of the file stands behind its end once more.
    Extend { from: usize, count: usize },
}

impl Damage {
    /// Mostly a flip, which is the hardest to notice.
    pub(crate) fn draw(random: &mut Random, length: usize) -> Self {
        let from = random.below(length);
        let count = 1 + random.below((length - from).min(512));
        match random.below(10) {
            0 => Damage::Cut { length: from },
            1 => Damage::Zeros { from, count },
            2 => Damage::Extend { from, count },
            _ => {
                let bit = 8 * from + random.below(8);
                Damage::Flip { bit }
            }
        }
    }

    fn applied(self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        match self {
            Damage::Flip { bit } => bytes[bit / 8] ^= 1 << (bit % 8),
            Damage::Cut { length } => bytes.truncate(length),
            Damage::Zeros { from, count } => bytes[from..from + count].fill(0),
            Damage::Extend { from, count } => bytes.extend_from_within(from..from + count),
        }
        bytes
    }

    /// Damages a file. Its time stays as it was: a disk that fails does not write a new one.
    pub(crate) fn apply(self, path: &Path) -> Vec<u8> {
        let data = std::fs::metadata(path).expect("a file");
        let bytes = self.applied(&std::fs::read(path).expect("a file"));
        std::fs::write(path, &bytes).expect("a file");
        let file = std::fs::File::options().write(true).open(path);
        let time = data.modified().expect("a time");
        file.and_then(|file| file.set_modified(time))
            .expect("its time");
        bytes
    }
}
