//! The bench's handle on a system that runs under a supervisor.

use std::io::{BufRead, BufReader};
use std::net::Shutdown;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;

use super::Run;
use crate::exit::Outcome;
use crate::os::{self, Interest};
use crate::supervisor::{Launched, Report, Spec, control_pair};
use crate::verify::{Code, Reason};

/// A running system and the supervisor above it. Dropping it ends both.
pub(super) struct Supervised {
    supervisor: Child,
    control: BufReader<UnixStream>,
    launched: Launched,
}

impl Supervised {
    /// Starts the run's system on `stdin` and `stdout`; the outer error is the bench's, the inner the system's.
    pub(super) fn launch(run: &Run<'_>, stdin: Stdio, stdout: Stdio) -> Outcome<Result<Self, Reason>> {
        let spec = Spec {
            command: run.command.clone(),
            folder: run.system.folder().map(Into::into),
            cores: run.cores.to_vec(),
        };
        let (control, theirs) = control_pair()?;
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["supervise", "--control", &theirs.as_raw_fd().to_string()]);
        command.args(["--spec", &serde_json::to_string(&spec).context("the supervisor's spec")?]);
        os::inherit(&mut command, theirs.as_raw_fd());
        // A group of its own: Ctrl-C is for the bench, which then finishes the round.
        command.stdin(stdin).stdout(stdout).process_group(0);
        let supervisor = command.spawn().context("can't start the supervisor")?;
        drop((command, theirs));
        let mut control = BufReader::new(control);
        let launched: Launched = receive(&mut control)?;
        if let Some(error) = &launched.error {
            return Ok(Err(Code::Crashed.reason(format!("can't be started: {error}"))));
        }
        Ok(Ok(Self { supervisor, control, launched }))
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
        while reason.is_none() && !self.has_ended(every.min(limit))? {
            reason = look();
            if reason.is_none() && Instant::now() >= deadline {
                reason = Some(Code::Hung.reason(format!("still running after {:.1} s", limit.as_secs_f64())));
            }
        }
        if reason.is_some() {
            self.kill();
        }
        let report = receive(&mut self.control)?;
        self.supervisor.wait()?;
        Ok((report, reason))
    }

    fn has_ended(&self, within: Duration) -> std::io::Result<bool> {
        let [ready] = os::wait_for([(self.control.get_ref().as_fd(), Interest::Read)], Some(within))?;
        Ok(ready)
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        self.kill();
        // It kills the system and ends within milliseconds; an error means that it was waited for already.
        let _ = self.supervisor.wait();
    }
}

fn receive<T: serde::de::DeserializeOwned>(control: &mut BufReader<UnixStream>) -> anyhow::Result<T> {
    let mut line = String::new();
    control.read_line(&mut line).context("reading from the supervisor")?;
    serde_json::from_str(&line).with_context(|| format!("the supervisor died; it last said {line:?}"))
}
