//! The bench's handle on a system that runs under a supervisor.

use std::io::{BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use serde::de::DeserializeOwned;

use super::Run;
use crate::exit::Outcome;
use crate::os::{self, Interest};
use crate::supervisor::{Launched, Report, Spec, control_pair};
use crate::verify::{Code, Reason};

/// A supervisor answers within microseconds; one that doesn't was stopped or killed by its system.
const PATIENCE: Duration = Duration::from_secs(10);

/// A running system and the supervisor above it. Dropping it ends both.
pub(super) struct Supervised {
    supervisor: Child,
    control: BufReader<UnixStream>,
    launched: Launched,
}

impl Supervised {
    /// Starts the run's system on `stdin` and `stdout`; the outer error is the bench's, the inner the system's.
    pub(super) fn launch(run: &Run<'_>, stdin: Stdio, stdout: Stdio) -> Outcome<Result<Self, Reason>> {
        let (mut control, theirs) = control_pair()?;
        // Not by its path: there may lie another dyno by now.
        let mut command = Command::new(OWN_PROGRAM);
        command.args(["supervise", "--control", &theirs.as_raw_fd().to_string()]);
        os::inherit(&mut command, theirs.as_raw_fd());
        // A group of its own: Ctrl-C is for the bench, which then finishes the round.
        command.stdin(stdin).stdout(stdout).process_group(0);
        let supervisor = command.spawn().context("can't start the supervisor")?;
        drop((command, theirs));
        let mut spec = serde_json::to_vec(&spec(run)).context("the supervisor's spec")?;
        spec.push(b'\n');
        control.write_all(&spec).context("writing to the supervisor")?;
        let mut started =
            Self { supervisor, control: BufReader::new(control), launched: Launched::default() };
        match started.receive::<Launched>(PATIENCE)? {
            Some(Launched { error: Some(error), .. }) => {
                Ok(Err(Code::Crashed.reason(format!("can't be started: {error}"))))
            }
            Some(launched) => {
                started.launched = launched;
                Ok(Ok(started))
            }
            None => Ok(Err(Code::Crashed.reason("it ended or stopped its supervisor"))),
        }
    }

    /// Monotonic time of the launch.
    pub(super) fn launched_ns(&self) -> u64 {
        self.launched.at_ns
    }

    /// Asks the supervisor to end the system.
    pub(super) fn kill(&self) {
        // An error means that the supervisor has closed its side: the system has ended already.
        let _ = self.control.get_ref().shutdown(Shutdown::Write);
    }

    /// Waits for the system's end, looking in `every` so often; kills it when `look` says so or time is up.
    pub(super) fn finish(
        mut self,
        limit: Duration,
        every: Duration,
        mut look: impl FnMut() -> Option<Reason>,
    ) -> Outcome<(Report, Option<Reason>)> {
        let deadline = Instant::now() + limit;
        let mut reason = None;
        while reason.is_none() && !self.has_spoken(every.min(limit))? {
            reason = look();
            if reason.is_none() && Instant::now() >= deadline {
                reason = Some(Code::Hung.reason(format!("still running after {:.1} s", limit.as_secs_f64())));
            }
        }
        if reason.is_some() {
            self.kill();
        }
        let lost = || Code::Crashed.reason("it ended or stopped its supervisor");
        match self.receive(PATIENCE)? {
            Some(report) => Ok((report, reason)),
            None => Ok((Report { killed: true, ..Report::default() }, Some(reason.unwrap_or_else(lost)))),
        }
    }

    fn has_spoken(&self, within: Duration) -> std::io::Result<bool> {
        let [ready] = os::wait_for([(self.control.get_ref().as_fd(), Interest::Read)], Some(within))?;
        Ok(ready)
    }

    /// The supervisor's next message; `None` if it has gone, or says nothing in time.
    fn receive<T: DeserializeOwned>(&mut self, within: Duration) -> anyhow::Result<Option<T>> {
        let mut line = String::new();
        if self.control.buffer().is_empty() && !self.has_spoken(within)? {
            return Ok(None);
        }
        // A killed supervisor may leave its socket reset.
        let read = self.control.read_line(&mut line).unwrap_or(0);
        if read == 0 {
            Ok(None)
        } else {
            serde_json::from_str(&line).context("the supervisor's message").map(Some)
        }
    }
}

fn spec(run: &Run<'_>) -> Spec {
    let mut command = run.command.clone();
    if run.system.is_hosted() {
        command[0] = OWN_PROGRAM.into();
    }
    Spec { command, folder: run.system.folder().map(Into::into), cores: run.cores.to_vec() }
}

/// This very program, whatever lies at its path by now.
const OWN_PROGRAM: &str = "/proc/self/exe";

impl Drop for Supervised {
    fn drop(&mut self) {
        self.kill();
        // It has sent its report, or never will: then it is stopped or stuck. The system dies with it.
        if !matches!(self.has_spoken(PATIENCE), Ok(true)) {
            let _ = self.supervisor.kill();
        }
        let _ = self.supervisor.wait();
    }
}
