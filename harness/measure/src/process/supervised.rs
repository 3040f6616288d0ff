//! The bench's handle on a system that runs under a supervisor.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use dyno_record::{Code, Reason, Usage};

use super::audit::{Auditor, LOOK_INTERVAL, pause};
use super::control::Control;
use super::ending::{Confined, Ending};
use super::environment::environment;
use super::stopping::{Stops, go_on, has_rested, stop};
use super::subject::Subject;
use super::turns::Slot;
use crate::constants::TIME_FOR_A_MESSAGE;
use crate::energy::Gauge;
use crate::error::{During, Result};
use crate::files::{forget, make_way};
use crate::os;
use crate::os::tree::{self, Root};
use crate::places::Places;
use crate::sandbox::named_files;
use crate::supervisor::{Launched, OWN_PROGRAM, Report, SUPERVISE, Spec};

/// Least wait for a message, when a slice is about to end.
const LEAST_WAIT: Duration = Duration::from_micros(100);

/// A running system and the supervisor above it. Dropping the handle ends both.
pub struct Supervised<'a> {
    supervisor: Child,
    control: Control,
    /// What is known of the ending so far.
    pub(super) ending: Ending,
    auditor: Auditor,
    subject: Subject<'a>,
    /// Processes between supervisor and system.
    layers: usize,
    stops: Stops,
    /// Gauge of the energy while the system works.
    pub gauge: Gauge<'a>,
}

impl<'a> Supervised<'a> {
    /// Starts the subject on `stdin` and `stdout`, in its own slice. The outer error is the bench's, the inner
    /// one the system's.
    pub fn launch(
        subject: &Subject<'a>,
        stdin: Stdio,
        stdout: Stdio,
    ) -> Result<std::result::Result<Self, Reason>> {
        if let Some(slot) = subject.slot {
            slot.begin_launch();
        }
        let cached_bytes = if subject.cold { forget(&subject.system.models) } else { None };
        let reports = prepare_reports(subject)?;
        let mut gauge = Gauge::new(subject.meter);
        if !subject.track.answers_lines() {
            gauge.go(); // else the conversation says when
        }
        let (control, theirs) = Control::pair()?;
        // If the supervisor dies, the bench adopts the system's processes and ends them.
        os::become_subreaper()?;
        // A system could read the next lines out of the bench's memory, and find the run's folder.
        os::forbid_looks();
        // The open image, because another dyno may lie at the program's path by now.
        let mut command = Command::new(OWN_PROGRAM);
        command.args([SUPERVISE, &theirs.as_raw_fd().to_string()]);
        os::inherit(&mut command, theirs.as_raw_fd());
        // A process group of its own: Ctrl-C is for the bench, which then finishes the round.
        command.stdin(stdin).stdout(stdout).process_group(0);
        let supervisor = os::start_child(&mut command).during("can't start the supervisor")?;
        drop((command, theirs));
        let spec = spec(subject, &reports);
        let mut started = Self {
            supervisor,
            control,
            ending: Ending { cached_bytes, ..Ending::default() },
            auditor: Auditor::default(),
            subject: subject.clone(),
            layers: spec.layers(),
            stops: Stops::default(),
            gauge,
        };
        started.control.send(&spec)?;
        match started.control.receive::<Launched>(started.supervisor.id())? {
            Ok(Launched { error: Some(error), .. }) => {
                Ok(Err(Code::Crashed.reason(format!("can't be started: {error}"))))
            }
            Ok(launched) => {
                (started.ending.launched_ns, started.ending.network) = (launched.at_ns, launched.network);
                Ok(Ok(started))
            }
            Err(lost) => Ok(Err(lost)),
        }
    }

    /// Root of the system's processes.
    pub fn root(&self) -> Root {
        Root { supervisor: self.supervisor.id(), layers: self.layers }
    }

    /// Looks at the system's threads if a look is due.
    pub fn look_if_due(&mut self) {
        self.auditor.look_if_due(self.root(), self.subject.cores);
    }

    /// Looks at the system's threads.
    pub fn look(&mut self) {
        self.auditor.look(self.root(), self.subject.cores);
    }

    /// Asks the supervisor to end the system.
    pub fn kill(&self) {
        self.control.close();
    }

    /// Waits for the system's end and audits it meanwhile. Kills the system when `look` returns a reason or
    /// time is up.
    pub fn finish(
        mut self,
        limit: Duration,
        mut look: impl FnMut() -> Option<Reason>,
    ) -> Result<(Ending, Option<Reason>)> {
        let begin = Instant::now();
        let mut reason = None;
        while reason.is_none()
            && !self.control.has_message(self.until_next_look(begin.elapsed()).min(limit))?
        {
            // A flood that ends earlier is seen at the end.
            reason = if begin.elapsed() >= LOOK_INTERVAL { look() } else { None };
            self.look_if_due();
            reason = reason.or_else(|| self.give_turn());
            let running = begin.elapsed().saturating_sub(self.auditor.stopped);
            if reason.is_none() && running >= limit {
                reason = Some(Code::Hung.reason(format!("still running after {:.1} s", limit.as_secs_f64())));
            }
        }
        if reason.is_some() {
            self.kill();
        }
        let received = self.control.receive::<Report>(self.supervisor.id())?;
        self.ending.joules = self.gauge.joules();
        let killed = || Report { usage: Usage { killed: true, ..Usage::default() }, read_files: Vec::new() };
        let (Report { usage, read_files }, reason) = match received {
            Ok(report) => (report, reason),
            Err(lost) => (killed(), reason.or(Some(lost))),
        };
        let mut audit = std::mem::take(&mut self.auditor.audit);
        audit.escaped = audit.escaped.or_else(|| usage.escaped.clone());
        let ending = Ending {
            confined: self.confined(&usage),
            stopped_ns: self.stops.before(usage.ended_ns),
            usage,
            read_files,
            audit,
            ..std::mem::take(&mut self.ending)
        };
        Ok((ending, reason.or_else(|| self.stops.fault())))
    }

    /// What a system that failed in its sandbox lacked there. A submission brings all that it needs.
    fn confined(&self, usage: &Usage) -> Option<Confined> {
        let failed = usage.code.is_some_and(|code| code != 0) && !self.subject.system.sized_by_sight;
        let sandbox = self.subject.sandbox().filter(|_| failed)?;
        Some(Confined { unseen: sandbox.unseen(self.subject.system, &usage.stderr_tail) })
    }

    /// Slot in the turns of a group, if the system takes turns within a launch. In lock-step the conversation passes
    /// the turn, between two blocks of lines.
    fn slot(&self) -> Option<&'a Slot<'a>> {
        self.subject.slot.filter(|_| !self.subject.track.is_lockstep())
    }

    /// Time to the next look, or to the end of the slice.
    fn until_next_look(&self, elapsed: Duration) -> Duration {
        let left = self.slot().and_then(Slot::left).unwrap_or(Duration::MAX);
        pause(elapsed).min(left.max(LEAST_WAIT))
    }

    /// Stops the system at the end of its slice, until its next one. The fault of a system that doesn't stop.
    fn give_turn(&mut self) -> Option<Reason> {
        let slot = self.slot().filter(|slot| slot.left() == Some(Duration::ZERO))?;
        let root = self.root();
        let met_work = match stop(root) {
            Ok(met_work) => met_work,
            Err(pid) => return Some(Code::BusyIdle.reason(format!("process {pid} can't be stopped"))),
        };
        let from = os::monotonic_ns();
        self.gauge.rest();
        let stopped = tree::stopped(&root.below());
        slot.pass(root);
        slot.hold();
        slot.tell_rest(has_rested(&stopped, tree::ran_ns));
        self.gauge.go();
        let to = os::monotonic_ns();
        go_on(root);
        self.stops.add(from, to, met_work);
        self.auditor.stopped += Duration::from_nanos(to - from);
        None
    }
}

/// Clears the way for the files that a system reports to. A sandbox needs them to be there.
fn prepare_reports(subject: &Subject<'_>) -> Result<Vec<PathBuf>> {
    std::fs::create_dir_all(&subject.scratch)?;
    if !subject.system.reports {
        return Ok(Vec::new());
    }
    let breakdown = subject.breakdown.filter(|_| subject.system.hosted).map(Path::to_owned);
    let reports: Vec<PathBuf> = [Some(subject.facts()), breakdown].into_iter().flatten().collect();
    for report in &reports {
        make_way(report)?;
        if subject.sandbox().is_some() {
            File::create(report)?;
        }
    }
    Ok(reports)
}

fn spec(subject: &Subject<'_>, reports: &[PathBuf]) -> Spec {
    let system = subject.system;
    let mut command = subject.command();
    if system.hosted {
        command[0] = OWN_PROGRAM.into();
    }
    let has_root = system.places.as_ref().is_some_and(|places| places.root.is_some());
    Spec {
        command,
        folder: system.folder.clone(),
        cores: subject.cores.to_vec(),
        environment: environment(subject.cores.len(), &system.environment, has_root),
        named: named_files(system).iter().filter_map(|path| path.canonicalize().ok()).collect(),
        parts: system.places.iter().flat_map(Places::parts).collect(),
        isolated: subject.isolated && subject.sandbox().is_none(),
        memory_cap_bytes: subject.limits.memory_bytes(),
        sandbox: subject.sandbox().map(|sandbox| sandbox.arguments(system, reports)),
    }
}

impl Drop for Supervised<'_> {
    fn drop(&mut self) {
        self.kill();
        // A supervisor without a report is stopped or stuck. The system dies with it.
        if !matches!(self.control.has_message(TIME_FOR_A_MESSAGE), Ok(true)) {
            let _ = self.supervisor.kill();
        }
        let _ = self.supervisor.wait();
        os::forget_child(self.supervisor.id());
        os::end_orphans(TIME_FOR_A_MESSAGE);
    }
}
