//! Text lines from a file or from memory, decompressed on the way, with a line number for every error.
//!
//! A file is read in pieces, so that memory does not grow with it, and so that a compressed file that
//! expands without end is noticed while it does.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;

use super::gzip::{BOMB_RATIO, Counted, may_expand};
use crate::{Problem, ReadError};

/// Longest line in bytes that is read. No real file has such a line, and memory must not fill up with one.
const LONGEST_LINE: usize = 500_000;
const PIECE: usize = 1 << 18;
/// The bytes with which Windows tools begin UTF-8 text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Where lines come from; can be opened more than once.
#[derive(Clone, Debug)]
pub enum Input {
    /// A file on disk.
    Path(PathBuf),
    /// Content already in memory, with the name to use in messages.
    Bytes(String, Arc<[u8]>),
}

impl Input {
    /// A file on disk.
    pub fn path(path: impl AsRef<Path>) -> Self {
        Input::Path(path.as_ref().to_owned())
    }

    /// Content in memory, called `name` in messages.
    pub fn bytes(name: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> Self {
        Input::Bytes(name.into(), bytes.into())
    }

    /// The name used in messages.
    pub fn name(&self) -> String {
        match self {
            Input::Path(path) => path.display().to_string(),
            Input::Bytes(name, _) => name.clone(),
        }
    }

    /// Starts reading from the beginning, decompressing if the content starts as gzip does.
    pub fn open(&self) -> Result<Lines, ReadError> {
        self.open_watched(None)
    }

    /// [`open`](Self::open) that also passes all content that is read to `watch`.
    pub(crate) fn open_watched(&self, watch: Option<ContentWatch>) -> Result<Lines, ReadError> {
        Lines::open(self, watch).map_err(|problem| ReadError {
            file: self.name(),
            line: None,
            problem,
        })
    }
}

/// Called with the decompressed content of a file, piece by piece and in order, for example to hash it while it is
/// parsed.
pub(crate) type ContentWatch = Box<dyn FnMut(&[u8])>;

/// A reader that passes everything it reads to a [`ContentWatch`].
struct Watched<R> {
    inner: R,
    watch: ContentWatch,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        (self.watch)(&buffer[..n]);
        Ok(n)
    }
}

/// Reads line by line. Line ends (`\n`, `\r\n`) are taken off.
pub struct Lines {
    file: String,
    reader: Box<dyn Read>,
    /// Compressed bytes read, if the content is compressed.
    compressed: Option<Arc<AtomicU64>>,
    expanded: u64,
    buffer: Vec<u8>,
    /// `start..end` is the part of `buffer` that has not been returned yet.
    start: usize,
    end: usize,
    at_end: bool,
    line: usize,
    /// Start of the line last returned, in `buffer`; `None` once it is no longer there.
    last: Option<usize>,
    /// Whether a `ContentWatch` is called, which must get the content to its end.
    is_watched: bool,
}

impl Lines {
    fn open(input: &Input, watch: Option<ContentWatch>) -> Result<Self, Problem> {
        let mut raw: Box<dyn Read> = match input {
            Input::Path(path) => {
                let file = File::open(path)?;
                if file.metadata()?.is_dir() {
                    return Err(Problem::Io(io::Error::other(
                        "this is a folder, not a file",
                    )));
                }
                Box::new(file)
            }
            Input::Bytes(_, bytes) => Box::new(Cursor::new(bytes.clone())),
        };
        let mut head = [0u8; 2];
        let mut got = 0;
        while got < head.len() {
            match raw.read(&mut head[got..])? {
                0 => break,
                n => got += n,
            }
        }
        if got == 0 {
            return Err(Problem::Empty);
        }
        let raw = Cursor::new(head[..got].to_vec()).chain(raw);
        let (mut reader, compressed): (Box<dyn Read>, _) = if head == [0x1f, 0x8b] {
            let (counted, count) = Counted::new(raw);
            (Box::new(MultiGzDecoder::new(counted)), Some(count))
        } else {
            (Box::new(raw), None)
        };
        let is_watched = watch.is_some();
        if let Some(watch) = watch {
            reader = Box::new(Watched {
                inner: reader,
                watch,
            });
        }
        Ok(Lines {
            file: input.name(),
            reader,
            compressed,
            expanded: 0,
            buffer: vec![0; PIECE],
            start: 0,
            end: 0,
            at_end: false,
            line: 0,
            last: None,
            is_watched,
        })
    }

    /// The number of the line last returned, counted from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// An error with this problem at the line last returned.
    pub fn error(&self, problem: impl Into<Problem>) -> ReadError {
        self.error_at(self.line, problem)
    }

    /// An error with this problem at this line.
    pub fn error_at(&self, line: usize, problem: impl Into<Problem>) -> ReadError {
        ReadError {
            file: self.file.clone(),
            line: (line > 0).then_some(line),
            problem: problem.into(),
        }
    }

    /// The next line, or `None` at the end.
    #[allow(clippy::should_implement_trait)] // lends from its own buffer, as an Iterator cannot
    pub fn next(&mut self) -> Result<Option<&str>, ReadError> {
        let mut searched = self.start;
        let newline = loop {
            if let Some(at) = memchr::memchr(b'\n', &self.buffer[searched..self.end]) {
                break Some(searched + at);
            }
            searched = self.end;
            if self.at_end {
                break None;
            }
            if self.end - self.start > LONGEST_LINE {
                let problem = Problem::LongLine {
                    limit: LONGEST_LINE,
                };
                return Err(self.error_at(self.line + 1, problem));
            }
            let moved = self.start;
            self.fill()?;
            searched -= moved;
        };
        let (mut from, mut to) = (self.start, newline.unwrap_or(self.end));
        if newline.is_none() && from == to {
            if self.line == 0 {
                return Err(self.error(Problem::Empty));
            }
            self.last = None;
            return Ok(None);
        }
        self.last = Some(self.start);
        self.start = newline.map_or(self.end, |at| at + 1);
        self.line += 1;
        if to - from > LONGEST_LINE {
            return Err(self.error(Problem::LongLine {
                limit: LONGEST_LINE,
            }));
        }
        if to > from && self.buffer[to - 1] == b'\r' {
            to -= 1;
        }
        if self.line == 1 && self.buffer[from..to].starts_with(BYTE_ORDER_MARK) {
            from += BYTE_ORDER_MARK.len();
        }
        // Checked here and converted below: a line that is returned borrows `self`, which the error branch must
        // change.
        if let Err(bad) = std::str::from_utf8(&self.buffer[from..to]) {
            let byte = self.buffer[from + bad.valid_up_to()];
            return Err(self.error(Problem::Binary { byte }));
        }
        Ok(std::str::from_utf8(&self.buffer[from..to]).ok())
    }

    /// Makes [`next`](Self::next) return the line last returned once more. Has no effect when called twice in a row or
    /// after the end has been reached.
    pub(crate) fn take_back(&mut self) {
        if let Some(last) = self.last.take() {
            self.start = last;
            self.line -= 1;
        }
    }

    /// Reads compressed content to its end, so that a wrong checksum is noticed even if the reader stopped earlier.
    /// Plain content is read to its end only if it is watched; text after the wanted part is not checked.
    pub fn finish(&mut self) -> Result<(), ReadError> {
        while self.compressed.is_some() && !self.at_end {
            self.start = self.end;
            self.fill()?;
        }
        while self.is_watched && !self.at_end {
            match self.reader.read(&mut self.buffer) {
                Ok(n) => self.at_end = n == 0,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(self.error(Problem::Io(e))),
            }
        }
        Ok(())
    }

    /// Moves the unread part to the front and reads more behind it.
    fn fill(&mut self) -> Result<(), ReadError> {
        self.last = None;
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.end == self.buffer.len() {
            self.buffer.resize(2 * self.end, 0);
        }
        let n = loop {
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(n) => break n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    let problem = match self.compressed {
                        Some(_) => Problem::Gzip(e),
                        None => Problem::Io(e),
                    };
                    return Err(self.error_at(self.line + 1, problem));
                }
            }
        };
        let from = self.end;
        self.end += n;
        self.at_end = n == 0;
        self.expanded += n as u64;
        if let Some(at) = memchr::memchr(0, &self.buffer[from..self.end]) {
            let before = memchr::memchr_iter(b'\n', &self.buffer[..from + at]).count();
            return Err(self.error_at(self.line + 1 + before, Problem::Binary { byte: 0 }));
        }
        if let Some(compressed) = &self.compressed
            && !may_expand(compressed.load(Ordering::Relaxed), self.expanded)
        {
            let problem = Problem::GzipBomb {
                ratio: BOMB_RATIO,
                bytes: self.expanded,
            };
            return Err(self.error_at(self.line + 1, problem));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Result<Vec<String>, ReadError> {
        let mut lines = Input::bytes("test", bytes).open()?;
        let mut out = Vec::new();
        while let Some(line) = lines.next()? {
            out.push(line.to_owned());
        }
        Ok(out)
    }

    #[test]
    fn splits_lines_of_any_ending_and_length() {
        assert_eq!(all(b"a\r\nb\n\nc").unwrap(), ["a", "b", "", "c"]);
        let long = "x".repeat(400_000);
        let text = format!("{long}\n{long}\nend\n");
        assert_eq!(all(text.as_bytes()).unwrap(), [long.as_str(), &long, "end"]);
    }

    #[test]
    fn a_line_taken_back_comes_again() {
        let long = "x".repeat(400_000);
        let text = format!("\u{feff}a\n{long}\nb");
        let mut lines = Input::bytes("test", text.as_bytes()).open().unwrap();
        for (number, expected) in [(1, "a"), (2, long.as_str()), (3, "b")] {
            assert_eq!(lines.next().unwrap(), Some(expected));
            lines.take_back();
            assert_eq!(lines.line(), number - 1);
            assert_eq!(lines.next().unwrap(), Some(expected));
            assert_eq!(lines.line(), number);
        }
        assert_eq!(lines.next().unwrap(), None);
        lines.take_back();
        assert_eq!(lines.next().unwrap(), None);
        assert_eq!(lines.line(), 3);
    }

    #[test]
    fn names_what_is_wrong_and_where() {
        let message = |bytes: &[u8]| all(bytes).unwrap_err().to_string();
        assert_eq!(message(b""), "test: the file is empty");
        assert!(
            message(b"a\nb\xff\n").starts_with("test:2: this is not UTF-8 text: found byte 0xff")
        );
        assert!(message(b"a\0b\n").starts_with("test:1: this is not UTF-8 text: found byte 0x00"));
        let long = "x".repeat(1_000_000);
        assert_eq!(
            message(long.as_bytes()),
            "test:1: the line is longer than 500000 characters"
        );
        assert!(message(b"\x1f\x8bnot gzip").contains("gzip data is damaged"));
    }
}
