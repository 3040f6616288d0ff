//! The bench's side of the socket to a supervisor, with a line of JSON for each message.
//!
//! The supervisor shares its user with the system, which can end it or stop it. Silence alone proves neither.

use std::io::{self, BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use dyno_record::{Code, Reason};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::constants::{TIME_FOR_A_CORE, TIME_FOR_A_MESSAGE};
use crate::error::{During, Result};
use crate::os::{self, PollFlags, tree};

/// The socket.
pub struct Control(BufReader<UnixStream>);

impl Control {
    /// Both sides: the bench's and the supervisor's.
    pub fn pair() -> io::Result<(Self, UnixStream)> {
        let (ours, theirs) = UnixStream::pair()?;
        Ok((Self(BufReader::new(ours)), theirs))
    }

    /// Sends a message.
    pub fn send(&mut self, message: &impl Serialize) -> Result<()> {
        let mut line = serde_json::to_vec(message).during("a message to the supervisor")?;
        line.push(b'\n');
        self.0.get_mut().write_all(&line).during("writing to the supervisor")
    }

    /// Asks the supervisor to end the system.
    pub fn close(&self) {
        // An error means that the supervisor has closed its side: the system has ended already.
        let _ = self.0.get_ref().shutdown(Shutdown::Write);
    }

    /// Waits until there is a message, or the supervisor has ended; false if neither is so in time.
    pub fn has_message(&self, within: Duration) -> io::Result<bool> {
        let [ready] = os::wait_for([(self.0.get_ref().as_fd(), PollFlags::IN)], Some(within))?;
        Ok(ready)
    }

    /// Next message of `supervisor`, or the fault of a system that let it send none.
    pub fn receive<T: DeserializeOwned>(
        &mut self,
        supervisor: u32,
    ) -> Result<std::result::Result<T, Reason>> {
        if self.0.buffer().is_empty() {
            let fault = silence(|within| self.has_message(within), || tree::states_of(supervisor))?;
            if let Some(fault) = fault {
                return Ok(Err(Code::Crashed.reason(fault)));
            }
        }
        let mut line = String::new();
        // A killed supervisor may leave its socket reset.
        if self.0.read_line(&mut line).unwrap_or(0) == 0 {
            return Ok(Err(Code::Crashed.reason("the system ended its supervisor")));
        }
        Ok(Ok(serde_json::from_str(&line).during("the supervisor's message")?))
    }
}

/// Waits until the supervisor has a message, or has ended. Otherwise returns what keeps it silent. One that is stopped
/// was stopped by its system. One that isn't waits for a core or a disk of a busy host, which is no fault.
fn silence(
    mut has_message: impl FnMut(Duration) -> io::Result<bool>,
    states: impl Fn() -> Vec<char>,
) -> io::Result<Option<String>> {
    let mut waited = Duration::ZERO;
    while waited < TIME_FOR_A_CORE {
        if has_message(TIME_FOR_A_MESSAGE)? {
            return Ok(None);
        }
        if states().iter().any(|state| matches!(state, 'T' | 't')) {
            return Ok(Some("the system stopped its supervisor".into()));
        }
        waited += TIME_FOR_A_MESSAGE;
    }
    Ok(Some(format!("its supervisor sent no message for {} s", waited.as_secs())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_supervisor_accuses_its_system_at_once_if_it_is_stopped_and_else_after_a_minute() {
        let after = |waits: u32, state: char| {
            let mut waited = 0;
            let has_message = |_| {
                waited += 1;
                Ok(waited > waits)
            };
            let said = silence(has_message, || vec![state]).unwrap();
            (said, waited)
        };
        assert_eq!(after(0, 'T'), (None, 1), "the message was there");
        assert_eq!(after(3, 'D'), (None, 4), "the disk was slow");
        assert_eq!(after(3, 'T'), (Some("the system stopped its supervisor".into()), 1));
        assert_eq!(after(9, 'R'), (Some("its supervisor sent no message for 60 s".into()), 6));
    }
}
