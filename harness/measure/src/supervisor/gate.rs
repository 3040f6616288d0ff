//! The gate of a sandbox: bubblewrap holds the system back until the supervisor has opened the counters of its
//! network. A system that ends within milliseconds would be gone before.

use std::io::{PipeReader, PipeWriter, Read, Result, Write, pipe};
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::process::Command;

use serde::Deserialize;

use super::attempts::Attempts;
use crate::constants::TIME_FOR_A_SANDBOX;
use crate::os::{self, PollFlags};

/// Two pipes: bubblewrap tells of its first inner process, and waits for a byte.
pub(super) struct Gate {
    told: (PipeReader, PipeWriter),
    go: (PipeReader, PipeWriter),
}

impl Gate {
    /// A gate that is shut.
    pub fn new() -> Result<Self> {
        Ok(Self { told: pipe()?, go: pipe()? })
    }

    /// Gives bubblewrap its ends of the pipes (bwrap(1), --info-fd and --block-fd).
    pub fn pass_to(&self, command: &mut Command) {
        let mut pass = |option: &str, fd: RawFd| {
            os::inherit(command, fd);
            command.args([option, &fd.to_string()]);
        };
        pass("--info-fd", self.told.1.as_raw_fd());
        pass("--block-fd", self.go.0.as_raw_fd());
    }

    /// Opens the counters, then the gate. `None` if bubblewrap has failed; its exit code tells why.
    pub fn open(self) -> Result<Option<Attempts>> {
        let (Self { told: (mut told, theirs), go: (_, mut go) }, mut text) = (self, String::new());
        drop(theirs);
        let mut part = [0; 512];
        while !text.contains('}')
            && os::wait_for([(told.as_fd(), PollFlags::IN)], Some(TIME_FOR_A_SANDBOX))? == [true]
        {
            match told.read(&mut part)? {
                0 => break,
                read => text += &String::from_utf8_lossy(&part[..read]),
            }
        }
        let attempts = child_of(&text).and_then(|pid| Attempts::of(&pid.to_string()));
        // bubblewrap may have ended.
        let _ = go.write_all(b"!");
        Ok(attempts)
    }
}

/// What bubblewrap tells of a sandbox (bwrap(1), --info-fd).
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Info {
    child_pid: u32,
}

/// Number of the first process in a sandbox, in bubblewrap's own words.
pub fn child_of(text: &str) -> Option<u32> {
    serde_json::from_str(text).ok().map(|Info { child_pid }| child_pid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_process_is_read_out_of_what_bubblewrap_tells() {
        assert_eq!(child_of("{\n    \"child-pid\": 4711,\n    \"net-namespace\": 4026532}\n"), Some(4711));
        assert_eq!((child_of(""), child_of("{")), (None, None));
    }
}
