//! Large arrays on large memory pages: rows are read in random order, and with small pages the processor spends much
//! of that time on looking up addresses.
#![allow(unsafe_code)]

/// Size in bytes below which arrays stay on small pages.
const LARGE: usize = 4 << 20;
/// The usual size of a large page, in bytes.
#[cfg(target_os = "linux")]
const PAGE: usize = 2 << 20;

/// Makes a vector at least `length` long. Its content survives only if it is long enough already.
///
/// New memory comes from the system as zeros and is not touched here: on virtual machines a page
/// that is used for the first time costs more than the numbers that go there.
pub(crate) fn fit<U: Clone + Default>(vector: &mut Vec<U>, length: usize) -> &mut [U] {
    if vector.len() < length {
        // Freed first, so that its memory can be used for the new one.
        *vector = Vec::new();
        *vector = vec![U::default(); length];
        if length * size_of::<U>() >= LARGE {
            advise(vector);
        }
    }
    &mut vector[..length]
}

/// Asks the system for large pages before the memory is first written to. A refusal changes nothing.
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
