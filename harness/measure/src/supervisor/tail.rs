//! The end of a system's standard error.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::ChildStderr;

use crate::os;

/// Kept of standard error: enough for a traceback.
pub const STDERR_TAIL: usize = 16 * 1024;

/// What came before is counted and dropped, so that a flood costs
/// neither memory nor disk.
pub(super) struct Tail {
    pipe: Option<ChildStderr>,
    /// Written so far.
    pub(super) bytes: u64,
    kept: VecDeque<u8>,
}

impl Tail {
    /// Of this pipe.
    pub(super) fn new(pipe: ChildStderr) -> io::Result<Self> {
        os::set_nonblocking(pipe.as_fd())?;
        Ok(Self { pipe: Some(pipe), bytes: 0, kept: VecDeque::new() })
    }

    /// To wait for; `None` once it is closed.
    pub(super) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(ChildStderr::as_fd)
    }

    /// Takes what is there now, at most a pipe's full, so that a flood can't hold up the rest.
    pub(super) fn read(&mut self) {
        let mut buffer = [0; 64 * 1024];
        let Some(pipe) = &mut self.pipe else { return };
        match pipe.read(&mut buffer) {
            Ok(0) => self.pipe = None,
            Ok(n) => {
                self.bytes += n as u64;
                self.kept.extend(&buffer[..n]);
                self.kept.drain(..self.kept.len().saturating_sub(STDERR_TAIL));
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(_) => self.pipe = None,
        }
    }

    /// How much came, and the last of it.
    pub(super) fn finish(mut self) -> (u64, String) {
        let text = String::from_utf8_lossy(self.kept.make_contiguous()).into_owned();
        (self.bytes, text)
    }
}
