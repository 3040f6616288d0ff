//! The end of a program's standard error. Earlier bytes are counted and dropped, so that a flood costs no
//! memory and no disk.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::ChildStderr;

use crate::os;

/// Bytes of standard error that are kept: enough for a traceback.
pub const STDERR_TAIL: usize = 16 * 1024;

/// Reader of standard error.
#[derive(Debug)]
pub(crate) struct Tail {
    pipe: Option<ChildStderr>,
    /// Number of bytes so far.
    pub(super) bytes: u64,
    kept: VecDeque<u8>,
}

impl Tail {
    pub(crate) fn new(pipe: ChildStderr) -> io::Result<Self> {
        os::set_nonblocking(pipe.as_fd())?;
        Ok(Self { pipe: Some(pipe), bytes: 0, kept: VecDeque::new() })
    }

    /// Descriptor to wait for; `None` after the pipe is closed.
    pub(crate) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(ChildStderr::as_fd)
    }

    /// Reads the available bytes, at most a pipe's capacity, so that a flood can't hold up the supervisor.
    pub(crate) fn read(&mut self) {
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

    /// Last bytes so far, as text.
    pub(crate) fn text(&mut self) -> String {
        String::from_utf8_lossy(self.kept.make_contiguous()).into_owned()
    }
}
