//! Reads a file with HiGHS's own reader, and copies the model out.

#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int};
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::path::Path;

use highs_sys as c;

use super::{Handle, count};

/// The first bytes of a gzip file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A model read by HiGHS from a text whose length is known, so that its names can be copied out.
///
/// HiGHS writes a name with `strcpy` and tells its length nowhere. Every name was in the text that it read, or is a
/// short one of its own making, so a buffer longer than the text has room for any of them. The text is a private copy
/// of the file, because the file itself could grow between measuring and reading it.
pub(in super::super) struct TextModel {
    pub(in super::super) handle: Handle,
    /// The status that HiGHS's reader returned; a warning may mean that something was dropped.
    pub(in super::super) status: c_int,
    text: usize,
}

impl TextModel {
    /// Reads a file with HiGHS's own reader. Refuses a compressed one, which can hold names longer than itself.
    pub(in super::super) fn read(path: &Path) -> Result<Self> {
        let mut text = Vec::new();
        std::fs::File::open(path)?.read_to_end(&mut text)?;
        // HiGHS recognises the format by the ending of the name.
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        Self::of_text(&text, &extension)
    }

    /// Reads the content of a file whose name has this ending.
    pub(in super::super) fn of_text(text: &[u8], extension: &str) -> Result<Self> {
        if text.starts_with(&GZIP) {
            let why = "it is compressed, and names are copied out of plain text only";
            return Err(Error::new(ErrorKind::InvalidInput, why));
        }
        let mut copy = tempfile::Builder::new()
            .suffix(&format!(".{extension}"))
            .tempfile()?;
        copy.write_all(text)?;
        copy.flush()?;
        let mut handle = Handle::new();
        let status = handle.read_file(copy.path())?;
        Ok(TextModel {
            handle,
            status,
            text: text.len(),
        })
    }

    /// Copies names out, one at a time.
    pub(in super::super) fn names(&self) -> Names<'_> {
        let longest_own = c::kHighsMaximumStringLength as usize;
        Names {
            handle: &self.handle,
            buffer: vec![0; self.text + longest_own + 1],
        }
    }
}

/// The names of a [`TextModel`].
pub(in super::super) struct Names<'a> {
    handle: &'a Handle,
    /// A buffer that is longer than any name.
    buffer: Vec<u8>,
}

impl Names<'_> {
    /// The name of a column; empty if it has none.
    pub(in super::super) fn column(&mut self, j: usize) -> String {
        let handle = self.handle.0;
        // SAFETY: the buffer is longer than any name of this object, see `TextModel`; HiGHS checks the index.
        self.name(|buffer| unsafe { c::Highs_getColName(handle, count(j), buffer) })
    }

    /// The name of a row; empty if it has none.
    pub(in super::super) fn row(&mut self, i: usize) -> String {
        let handle = self.handle.0;
        // SAFETY: as above.
        self.name(|buffer| unsafe { c::Highs_getRowName(handle, count(i), buffer) })
    }

    /// Calls `write` with the buffer, and returns what it wrote up to the NUL.
    fn name(&mut self, write: impl FnOnce(*mut c_char) -> c_int) -> String {
        if write(self.buffer.as_mut_ptr().cast()) == c::kHighsStatusError {
            return String::new();
        }
        let name = CStr::from_bytes_until_nul(&self.buffer).unwrap_or_default();
        name.to_string_lossy().into_owned()
    }
}

/// A model's arrays copied out of HiGHS.
pub(in super::super) struct OwnedArrays {
    pub(in super::super) sense: c_int,
    pub(in super::super) constant: f64,
    pub(in super::super) cost: Vec<f64>,
    pub(in super::super) lower: Vec<f64>,
    pub(in super::super) upper: Vec<f64>,
    pub(in super::super) row_lower: Vec<f64>,
    pub(in super::super) row_upper: Vec<f64>,
    pub(in super::super) starts: Vec<c_int>,
    pub(in super::super) indices: Vec<c_int>,
    pub(in super::super) values: Vec<f64>,
    pub(in super::super) integrality: Vec<c_int>,
}

impl Handle {
    /// Reads a file with HiGHS's own reader. Returns its status, in which a warning may mean that something was
    /// dropped.
    pub(in super::super) fn read_file(&mut self, path: &Path) -> Result<c_int> {
        let path = CString::new(path.to_string_lossy().into_owned())?;
        // SAFETY: `path` ends in NUL.
        Ok(unsafe { c::Highs_readModel(self.0, path.as_ptr()) })
    }

    /// A copy of the model, by columns; its arrays are empty if there is none.
    pub(in super::super) fn model(&self) -> OwnedArrays {
        let (n, m, nz) = (self.num_columns(), self.num_rows(), self.num_nonzeros());
        let mut a = OwnedArrays {
            sense: 0,
            constant: 0.0,
            cost: vec![0.0; n],
            lower: vec![0.0; n],
            upper: vec![0.0; n],
            row_lower: vec![0.0; m],
            row_upper: vec![0.0; m],
            starts: vec![0; n + 1],
            indices: vec![0; nz],
            values: vec![0.0; nz],
            integrality: vec![0; n],
        };
        let [mut cols, mut rows, mut nonzeros, mut hessian] = [0; 4];
        // SAFETY: the arrays have the sizes HiGHS reports for its own model; no Hessian is asked for (q arrays are
        // not written when their pointers are null).
        unsafe {
            c::Highs_getModel(
                self.0,
                c::kHighsMatrixFormatColwise,
                c::kHighsHessianFormatTriangular,
                &raw mut cols,
                &raw mut rows,
                &raw mut nonzeros,
                &raw mut hessian,
                &raw mut a.sense,
                &raw mut a.constant,
                a.cost.as_mut_ptr(),
                a.lower.as_mut_ptr(),
                a.upper.as_mut_ptr(),
                a.row_lower.as_mut_ptr(),
                a.row_upper.as_mut_ptr(),
                a.starts.as_mut_ptr(),
                a.indices.as_mut_ptr(),
                a.values.as_mut_ptr(),
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                a.integrality.as_mut_ptr(),
            );
        }
        a.starts[n] = count(nz);
        a
    }

    pub(in super::super) fn num_hessian_nonzeros(&self) -> usize {
        // SAFETY: only the object is passed.
        usize::try_from(unsafe { c::Highs_getHessianNumNz(self.0) }).unwrap_or(0)
    }
}
