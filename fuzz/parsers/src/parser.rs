//! A parser of the table: how it is called, from which files damage starts, and what it may take.

use std::fmt::Display;
use std::path::{Path, PathBuf};

/// Reads bytes and uses the result. The error is the parser's own.
pub type Check = Box<dyn FnMut(&[u8]) -> Result<(), String>>;

/// A parser, with sound files to start from.
pub struct Parser {
    /// Name in tests, and of the folder of its corpus.
    pub name: String,
    /// Files to start from; the first is sound.
    pub seeds: Vec<Vec<u8>>,
    /// Number of damaged files in tests.
    pub cases: u64,
    /// Bytes that the parser may hold for any file: messages, first capacities of lists.
    pub least_bytes: u64,
    /// Bytes that the parser may hold at a time for each byte of the file.
    pub bytes_a_byte: u64,
    /// Restores what would hide deeper checks, such as checksums.
    pub mend: fn(&mut [u8]),
    pub(crate) start: Box<dyn Fn(&Path) -> Check + Send + Sync>,
}

/// Damaged files for a parser that takes microseconds for one.
const CASES: u64 = 10_000;

impl Parser {
    /// A parser of bytes.
    pub(crate) fn of<E: Display>(
        name: impl Into<String>,
        seeds: Vec<Vec<u8>>,
        check: impl Fn(&[u8]) -> Result<(), E> + Clone + Send + Sync + 'static,
    ) -> Self {
        let start = move |_: &Path| {
            let check = check.clone();
            Box::new(move |bytes: &[u8]| check(bytes).map_err(|fault| fault.to_string())) as Check
        };
        Self::new(name, seeds, start)
    }

    /// A parser that needs a folder.
    pub(crate) fn new(
        name: impl Into<String>,
        seeds: Vec<Vec<u8>>,
        start: impl Fn(&Path) -> Check + Send + Sync + 'static,
    ) -> Self {
        let (cases, least_bytes, bytes_a_byte) = (CASES, 64 << 10, 64);
        let name = name.into();
        Self { name, seeds, cases, least_bytes, bytes_a_byte, mend: |_| {}, start: Box::new(start) }
    }

    /// A parser of the file `file` of a folder that `fill` fills.
    pub(crate) fn of_file<E: Display>(
        (name, file): (impl Into<String>, &'static str),
        seeds: Vec<Vec<u8>>,
        fill: impl Fn(&Path) + Send + Sync + 'static,
        read: impl Fn(&Path) -> Result<(), E> + Clone + Send + Sync + 'static,
    ) -> Self {
        let start = move |folder: &Path| {
            fill(folder);
            let (folder, read): (PathBuf, _) = (folder.into(), read.clone());
            Box::new(move |bytes: &[u8]| {
                std::fs::write(folder.join(file), bytes).expect("the scratch folder is writable");
                read(&folder).map_err(|fault| fault.to_string())
            }) as Check
        };
        Self { cases: CASES / 10, ..Self::new(name, seeds, start) }
    }

    /// Prepares the check in an empty folder of its own.
    pub fn start(&self, folder: &Path) -> Check {
        (self.start)(folder)
    }
}
