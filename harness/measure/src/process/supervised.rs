//! The bench's handle on a system that runs under a supervisor.

use std::io::{BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;

use super::audit::{Audit, LOOK};
use super::ending::Ending;
use super::environment::environment;
use super::subject::Subject;
use crate::error::{During, InMessage, Result};
use crate::files::make_way;
use crate::os::{self, Interest, tree};
use crate::rules::{Code, Reason};
use crate::supervisor::{Launched, Report, SUPERVISE, Spec, control_pair};

/// A supervisor answers within microseconds; one that doesn't was stopped or killed by its system.
const PATIENCE: Duration = Duration::from_secs(10);

/// A running system and the supervisor above it. Dropping it ends both.
pub struct Supervised {
    supervisor: Child,
    control: BufReader<UnixStream>,
    launched: Launched,
    audit: Audit,
    /// The cores that it may use.
    cores: Vec<usize>,
}

impl Supervised {
    /// Starts the subject on `stdin` and `stdout`; the outer error is the bench's, the inner the system's.
    pub fn launch(
        subject: &Subject<'_>,
        stdin: Stdio,
        stdout: Stdio,
    ) -> Result<std::result::Result<Self, Reason>> {
        make_way(subject.facts)?;
        let (control, theirs) = control_pair()?;
        // Should its supervisor die, what is left of a system comes to the bench, which ends it.
        os::become_subreaper()?;
        // Not by its path: there may lie another dyno by now.
        let mut command = Command::new(OWN_PROGRAM);
        command.args([SUPERVISE, &theirs.as_raw_fd().to_string()]);
        os::inherit(&mut command, theirs.as_raw_fd());
        // A group of its own: Ctrl-C is for the bench, which then finishes the round.
        command.stdin(stdin).stdout(stdout).process_group(0);
        let supervisor = command.spawn().during("can't start the supervisor")?;
        drop((command, theirs));
        let mut spec = serde_json::to_vec(&spec(subject)).in_message("the supervisor's spec")?;
        spec.push(b'\n');
        let (control, launched) = (BufReader::new(control), Launched::default());
        let audit = Audit::default();
        let mut started = Self { supervisor, control, launched, audit, cores: subject.cores.to_vec() };
        started.control.get_mut().write_all(&spec).during("writing to the supervisor")?;
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

    /// The process that the system's are below.
    pub fn pid(&self) -> u32 {
        self.supervisor.id()
    }

    /// Looks at its threads, if the last look was long ago.
    pub fn look_now_and_then(&mut self) {
        self.audit.look_now_and_then(self.supervisor.id(), &self.cores);
    }

    /// Looks at its threads.
    pub fn look(&mut self) {
        self.audit.look(self.supervisor.id(), &self.cores);
    }

    /// Asks the supervisor to end the system.
    pub fn kill(&self) {
        // An error means that the supervisor has closed its side: the system has ended already.
        let _ = self.control.get_ref().shutdown(Shutdown::Write);
    }

    /// Waits for the system's end and audits it meanwhile; kills it when `look` says so or time is up.
    pub fn finish(
        mut self,
        limit: Duration,
        mut look: impl FnMut() -> Option<Reason>,
    ) -> Result<(Ending, Option<Reason>)> {
        let begin = Instant::now();
        let mut reason = None;
        while reason.is_none() && !self.has_spoken(pause(begin.elapsed()).min(limit))? {
            // A flood that is over before is seen at the end.
            reason = if begin.elapsed() >= LOOK { look() } else { None };
            self.look_now_and_then();
            if reason.is_none() && begin.elapsed() >= limit {
                reason = Some(Code::Hung.reason(format!("still running after {:.1} s", limit.as_secs_f64())));
            }
        }
        if reason.is_some() {
            self.kill();
        }
        let received = self.receive::<Report>(PATIENCE)?;
        let lost = || Code::Crashed.reason("it ended or stopped its supervisor");
        let reason = if received.is_none() { reason.or_else(|| Some(lost())) } else { reason };
        let report = received.unwrap_or(Report { killed: true, ..Report::default() });
        let (launched_ns, mut audit) = (self.launched.at_ns, std::mem::take(&mut self.audit));
        audit.escaped = audit.escaped.take().or_else(|| report.escaped.clone());
        let network = self.launched.network.clone();
        Ok((Ending { report, launched_ns, audit, network }, reason))
    }

    fn has_spoken(&self, within: Duration) -> std::io::Result<bool> {
        let [ready] = os::wait_for([(self.control.get_ref().as_fd(), Interest::Read)], Some(within))?;
        Ok(ready)
    }

    /// The supervisor's next message; `None` if it has gone, or says nothing in time.
    fn receive<T: DeserializeOwned>(&mut self, within: Duration) -> Result<Option<T>> {
        let mut line = String::new();
        if self.control.buffer().is_empty() && !self.has_spoken(within)? {
            return Ok(None);
        }
        // A killed supervisor may leave its socket reset.
        let read = self.control.read_line(&mut line).unwrap_or(0);
        if read == 0 {
            Ok(None)
        } else {
            serde_json::from_str(&line).in_message("the supervisor's message").map(Some)
        }
    }
}

fn spec(subject: &Subject<'_>) -> Spec {
    let system = subject.system;
    let mut command = subject.command();
    if system.hosted {
        command[0] = OWN_PROGRAM.into();
    }
    Spec {
        command,
        folder: system.folder.clone(),
        cores: subject.cores.to_vec(),
        environment: environment(subject.cores.len(), &system.environment),
        isolated: subject.isolated,
    }
}

/// Time to the next look at a running system: soon at first, so that short launches are seen at all; then twice
/// a second.
fn pause(elapsed: Duration) -> Duration {
    (elapsed / 2).clamp(Duration::from_millis(5), LOOK)
}

/// Ends what a system has left that took its supervisor down. The bench has no other children meanwhile.
fn end_orphans() {
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        let orphans = tree::children_of(std::process::id());
        if orphans.is_empty() {
            return;
        }
        orphans.into_iter().for_each(os::kill);
        while let Ok(Some(_)) = os::reap_any() {}
        std::thread::sleep(Duration::from_millis(1));
    }
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
        end_orphans();
    }
}
