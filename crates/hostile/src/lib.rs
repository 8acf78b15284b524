//! What every reader of files must withstand: for each kind of file one check that takes any bytes.
//!
//! A check puts bytes through a reader and panics if the reader does something that no file may make it do: panic, take
//! much more memory than the file has bytes, or read what it wrote as something else. An error of the reader is fine: most
//! inputs are no files at all.
//!
//! The same checks serve the fuzzer in `fuzz`, which looks for bytes that break one of them, and the tests of this crate,
//! which go over the files that once did.
//!
//! ```
//! let target = idpas_hostile::target("study").expect("a check of study files");
//! target.check(b"name = \"a\"\nthis is no study");
//! ```

mod limits;
pub mod memory;
mod packed;
mod targets;

pub use packed::{pack, unpack};
pub use targets::peer::{Comparison, compare, known_differences};
pub use targets::{TARGETS, Target, target};
