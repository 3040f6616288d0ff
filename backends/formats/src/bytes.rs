//! Bytes of a file, mapped where possible, and a cursor with checked bounds.
//!
//! Mapping shares a model's pages between processes and reads a page on first use. The price: if a program
//! truncates a file *while it is mapped*, SIGBUS ends the process. Model files should be written aside and
//! renamed into place, as `convert` does.

use std::fs::File;
use std::ops::{Deref, Range};
use std::path::Path;

use dyno_api::files;

use crate::{Error, Fault, Result};

/// Content of a file.
pub(crate) enum Bytes {
    Mapped(memmap2::Mmap),
    Owned(Vec<u8>),
}

impl Bytes {
    /// Maps the file at `path`.
    pub(crate) fn map(path: &Path) -> Result<Self> {
        let map = || {
            let file = files::open(path)?;
            match file.metadata()?.len() {
                0 => Ok(Self::Owned(Vec::new())), // some systems can't map an empty range
                _ => map_file(&file).map(Self::Mapped),
            }
        };
        map().map_err(|reason| Error::read(path, reason))
    }

    /// Whether the file is mapped.
    pub(crate) fn is_mapped(&self) -> bool {
        matches!(self, Self::Mapped(_))
    }

    /// Returns the memory of mapped pages; reading maps them again.
    pub(crate) fn release(&self) {
        self.release_range(0..self.len());
    }

    /// As [`release`](Self::release), of the pages that lie in `range` as a whole; the last page of the file
    /// counts as one.
    pub(crate) fn release_range(&self, range: Range<usize>) {
        if let Self::Mapped(map) = self {
            let start = range.start.next_multiple_of(PAGE);
            let end = if range.end == map.len() { range.end } else { range.end / PAGE * PAGE };
            if start < end {
                release_pages(map, start..end);
            }
        }
    }
}

/// Size of a page on x86-64. Where pages are larger, those at the ends are returned as well, and read again.
const PAGE: usize = 4 << 10;

#[allow(unsafe_code)] // advice about mapped pages
fn release_pages(map: &memmap2::Mmap, range: Range<usize>) {
    // SAFETY: the map is of a file and never written to, so that pages that are read again hold the same
    // bytes.
    let advised =
        unsafe { map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, range.start, range.len()) };
    drop(advised); // where the system refuses, only memory is lost
}

#[allow(unsafe_code)] // mapping a file
fn map_file(file: &File) -> std::io::Result<memmap2::Mmap> {
    // SAFETY: the map is read-only and only ever read as plain numbers, every bit pattern of which is valid;
    // the module header says what holds of files that are changed meanwhile.
    unsafe { memmap2::Mmap::map(file) }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Owned(bytes) => bytes,
        }
    }
}

/// Reads a text file of at most `limit` bytes.
pub(crate) fn read_text(path: &Path, limit: usize) -> Result<String> {
    let bytes = Bytes::map(path)?;
    if bytes.len() > limit {
        let fault = format!("has {} bytes, more than the {limit} that such a file may have", bytes.len());
        return Err(Error::content(path, fault));
    }
    let text = std::str::from_utf8(&bytes).map_err(|error| Error::content(path, not_utf8(error)))?;
    Ok(text.into())
}

pub(crate) fn not_utf8(error: std::str::Utf8Error) -> Fault {
    format!("not UTF-8 at byte {}", error.valid_up_to()).into()
}

/// A cursor over little-endian numbers; every step is checked against the end.
#[derive(Clone)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at: at.min(bytes.len()) }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Steps over the next `need` bytes; gives their range.
    pub(crate) fn span(&mut self, need: u64, what: &'static str) -> Result<Range<usize>, Fault> {
        let start = self.at;
        match usize::try_from(need).ok().filter(|need| *need <= self.left()) {
            Some(length) => {
                self.at += length;
                Ok(start..self.at)
            }
            None => Err(Fault::Short { what, at: start as u64, need, left: self.left() as u64 }),
        }
    }

    pub(crate) fn take(&mut self, need: u64, what: &'static str) -> Result<&'a [u8], Fault> {
        let span = self.span(need, what)?;
        Ok(&self.bytes[span])
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], Fault> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N as u64, what)?);
        Ok(array)
    }

    pub(crate) fn u16(&mut self, what: &'static str) -> Result<u16, Fault> {
        self.array(what).map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self, what: &'static str) -> Result<u32, Fault> {
        self.array(what).map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self, what: &'static str) -> Result<u64, Fault> {
        self.array(what).map(u64::from_le_bytes)
    }
}
