//! Arrays that are kept from call to call, placed so that reading them is cheap: every row begins
//! on a cache line, and large arrays are on large pages. Rows are read in random order, and with
//! small pages the processor would spend much of that time looking up addresses.
#![allow(unsafe_code)]

use std::ops::{Deref, DerefMut};

/// Bytes of a cache line.
const LINE: usize = 64;
/// Arrays below this size stay on small pages.
const LARGE: usize = 4 << 20;
/// The usual size of a large page.
#[cfg(target_os = "linux")]
const PAGE: usize = 2 << 20;

/// An array whose memory outlives its use.
pub(crate) struct Buffer<U> {
    memory: Vec<U>,
    /// Where the first cache line begins.
    skip: usize,
    length: usize,
}

impl<U: Copy + Default> Buffer<U> {
    /// Sets the length. What is in the array is left over from before, or zero.
    pub(crate) fn fit(&mut self, length: usize) -> &mut [U] {
        let room = length + LINE / size_of::<U>();
        if self.memory.len() < room {
            // The old array goes first: its contents are not wanted.
            self.memory = Vec::new();
            self.memory.reserve_exact(room);
            if room * size_of::<U>() >= LARGE {
                advise(&mut self.memory);
            }
            self.memory.resize(room, U::default());
            let skip = self.memory.as_ptr().align_offset(LINE);
            self.skip = skip.min(room - length);
        }
        self.length = length;
        self
    }

    /// Sets the length and fills with zeros.
    pub(crate) fn zeros(&mut self, length: usize) -> &mut [U] {
        let values = self.fit(length);
        values.fill(U::default());
        values
    }
}

impl<U> Default for Buffer<U> {
    fn default() -> Self {
        Buffer {
            memory: Vec::new(),
            skip: 0,
            length: 0,
        }
    }
}

impl<U> Deref for Buffer<U> {
    type Target = [U];

    fn deref(&self) -> &[U] {
        &self.memory[self.skip..self.skip + self.length]
    }
}

impl<U> DerefMut for Buffer<U> {
    fn deref_mut(&mut self) -> &mut [U] {
        &mut self.memory[self.skip..self.skip + self.length]
    }
}

/// Asks for large pages before the memory is first written to. A refusal changes nothing.
#[cfg(target_os = "linux")]
fn advise<U>(vector: &mut Vec<U>) {
    let begin = vector.as_mut_ptr() as usize;
    let end = begin + vector.capacity() * size_of::<U>();
    let begin = begin.next_multiple_of(PAGE);
    let end = end / PAGE * PAGE;
    if begin < end {
        let advice = rustix::mm::Advice::LinuxHugepage;
        // SAFETY: the range lies within the vector's own memory, and the advice alters only how
        // that memory is mapped, never what is in it.
        let _ = unsafe { rustix::mm::madvise(begin as *mut _, end - begin, advice) };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise<U>(_vector: &mut Vec<U>) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_begin_on_a_line_and_keep_their_memory() {
        let mut buffer = Buffer::<f32>::default();
        for length in [0, 3, 1000, 7, 3 << 20, 12] {
            buffer.fit(length)[..].fill(1.0);
            assert_eq!(buffer.len(), length);
            assert_eq!(buffer.as_ptr() as usize % LINE, 0);
            assert!(buffer.iter().all(|&x| x == 1.0));
        }
        assert!(buffer.memory.len() > 3 << 20);
        assert_eq!(buffer.zeros(5), [0.0; 5]);
    }
}
