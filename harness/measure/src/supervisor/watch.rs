//! The watch over a system from its start to its end. The supervisor ends a system when the bench goes away, when its
//! standard error overflows, or when it takes more memory than it may have.

use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::ChildStderr;
use std::time::{Duration, Instant};

use dyno_record::Usage;
use dyno_record::rules::limits::MOST_STDERR_BYTES;
use dyno_stats::Random;

use super::attempts::Attempts;
use super::files::SeenFiles;
use super::messages::{Report, Spec};
use super::processes::SeenProcesses;
use super::reaping;
use super::tail::Tail;
use crate::cgroup::Group;
use crate::error::Result;
use crate::os::odd_memory::Status;
use crate::os::tree::Root;
use crate::os::{self, PollFlags, fresh_seed, tree};

/// Mean time between two looks at a system's cores, and at its memory if it has several processes.
pub const TREE_LOOK: Duration = Duration::from_millis(50);

/// What the looks at a system have shown. A look catches short-lived, unreaped children on other cores, too: the
/// bench looks between lines only, so that it disturbs none, and misses children that live as long as a line takes.
pub(super) struct Looks {
    files: SeenFiles,
    pub(super) processes: SeenProcesses,
}

impl Looks {
    pub(super) fn begin(spec: &Spec) -> Self {
        Self { files: SeenFiles::begin(&spec.named, &spec.parts), processes: SeenProcesses::default() }
    }

    fn look(&mut self, pids: &[u32], usage: &mut Usage) {
        let processes: Vec<Status> = pids.iter().map(|&pid| Status::of(pid)).collect();
        self.processes.look_at_times(&processes); // first: a child may end meanwhile
        let beside = self.files.look(&processes, usage);
        self.processes.look(&processes, beside, usage);
    }
}

/// When the next look is due. Intervals reach twice the mean: a system that changes cores right after a look may
/// meet the next look there.
struct Pauses {
    random: Random,
    began: Instant,
    pause: Duration,
}

impl Pauses {
    fn begin() -> Self {
        let random = Random::new(fresh_seed(), "looks");
        let mut pauses = Self { random, began: Instant::now(), pause: Duration::ZERO };
        pauses.begin_next();
        pauses
    }

    fn left(&self) -> Duration {
        self.pause.saturating_sub(self.began.elapsed())
    }

    fn begin_next(&mut self) {
        self.pause = TREE_LOOK.mul_f64(self.random.below(1024) as f64 / 512.0);
        self.began = Instant::now();
    }
}

pub(super) struct Watch<'a> {
    pid: u32,
    control: &'a UnixStream,
    spec: &'a Spec,
    root: Root,
    /// Readable when the system has ended.
    ended: OwnedFd,
    tail: Tail,
    usage: Usage,
    pauses: Pauses,
}

impl<'a> Watch<'a> {
    pub(super) fn begin(
        pid: u32,
        stderr: ChildStderr,
        control: &'a UnixStream,
        spec: &'a Spec,
    ) -> Result<Self> {
        let floor_bytes = Status::of(std::process::id()).peak_bytes();
        Ok(Self {
            pid,
            control,
            spec,
            root: Root { supervisor: std::process::id(), layers: spec.layers() },
            ended: os::watch_process(pid)?,
            tail: Tail::new(stderr)?,
            usage: Usage { floor_bytes, ..Usage::default() },
            pauses: Pauses::begin(),
        })
    }

    /// Waits for the system's end, reaps all that it leaves behind, and reports.
    pub(super) fn until_the_end(
        mut self,
        looks: &mut Looks,
        mut group: Option<&mut Group>,
        attempts: Option<Attempts>,
    ) -> Result<Report> {
        while !self.has_ended(looks)? {
            if self.pauses.left().is_zero() {
                self.look(looks);
                group.iter_mut().for_each(|group| group.look());
                self.pauses.begin_next();
            }
        }
        let usage = &mut self.usage;
        usage.ended_ns = os::monotonic_ns();
        // The system has ended but isn't reaped: the kernel still knows its mask, however short its life was.
        usage.escaped = usage.escaped.take().or_else(|| tree::escaped_thread(self.pid, &self.spec.cores));
        reaping::reap_all(self.pid, self.control, usage, &looks.processes);
        if self.spec.sandbox.is_some() {
            unwrap_signal(usage);
        }
        self.tail.read();
        usage.network_attempts = attempts.map_or(0, Attempts::count);
        (usage.stderr_bytes, usage.stderr_tail) = (self.tail.bytes, self.tail.text());
        looks.files.look_after_the_end(usage);
        usage.supervisor_ns = os::own_cpu_ns();
        Ok(Report { usage: self.usage, read_files: looks.files.read() })
    }

    /// Waits until the next look is due; true if the system has ended meanwhile, by itself or by the supervisor.
    fn has_ended(&mut self, looks: &Looks) -> Result<bool> {
        // After standard error is closed, a descriptor that is waited for anyway takes its place in the list.
        let stderr = self.tail.fd().unwrap_or(self.ended.as_fd());
        let wanted = [self.ended.as_fd(), self.control.as_fd(), stderr].map(|fd| (fd, PollFlags::IN));
        let [end, bench, _] = os::wait_for(wanted, Some(self.pauses.left()))?;
        self.tail.read();
        if end {
            return Ok(true);
        }
        self.usage.flooded = self.tail.bytes > MOST_STDERR_BYTES;
        let cap = self.spec.memory_cap_bytes;
        let is_large = cap.is_some_and(|cap| looks.processes.most_bytes(&self.usage) > cap);
        if !(bench || self.usage.flooded || is_large) {
            return Ok(false);
        }
        self.usage.killed = true;
        os::kill_group(self.pid);
        os::kill(self.pid); // the system may have moved to another group
        os::wait_for([(self.ended.as_fd(), PollFlags::IN)], None)?;
        Ok(true)
    }

    fn look(&mut self, looks: &mut Looks) {
        let pids = self.root.below();
        let escaped = || pids.iter().find_map(|&pid| tree::escaped_thread(pid, &self.spec.cores));
        self.usage.escaped = self.usage.escaped.take().or_else(escaped);
        looks.look(&pids, &mut self.usage);
    }
}

/// Reads a signal out of the exit code, as which a sandbox passes it on (shells do so as well).
fn unwrap_signal(usage: &mut Usage) {
    if let Some(code @ 129..=192) = usage.code {
        (usage.code, usage.signal) = (None, Some(code - 128));
    }
}
