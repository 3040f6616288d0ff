//! The supervisor: a small process between bench and system, one for each launch.
//!
//! The supervisor exists because the kernel counts a child's peak memory from its parent's. A small system
//! that the bench started itself would be charged with the bench's memory. Below the supervisor, the charge
//! has a floor of a few MiB, which is measured and recorded.
//!
//! The supervisor is also near the system. It sets the affinity before the system's first instruction, adopts
//! and ends the processes that the system leaves behind, and keeps the tail of standard error. It ends all
//! processes when the bench goes away, for whatever reason.
//!
//! Bench and supervisor talk over one socket, with a line of JSON for each message. The bench writes a
//! [`Spec`], the supervisor [`Launched`] and later a [`Report`]. After the spec the bench writes nothing
//! more, and closing its side means "kill".

mod attempts;
mod files;
mod gate;
mod hidden;
mod messages;
mod processes;
mod reaping;
pub(crate) mod tail;

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::{AsFd, IntoRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, io};

use dyno_record::Usage;
use dyno_record::rules::limits::MOST_STDERR_BYTES;
use dyno_stats::Random;
use serde::Serialize;

use attempts::Attempts;
use files::SeenFiles;
pub use files::{FORBIDDEN_LOOKS, FORBIDDEN_LOOKS_AT_REST};
use gate::Gate;
pub use gate::child_of;
pub use hidden::LEAST_LOOKS;
pub use messages::{Launched, Report, SeenFile, Spec};
use processes::SeenProcesses;
pub use tail::STDERR_TAIL;
use tail::Tail;

use crate::cgroup::Group;
use crate::error::{During, Result};
use crate::os::odd_memory::Status;
use crate::os::tree::Root;
use crate::os::{self, PollFlags, fresh_seed, tree};
use crate::sandbox::BWRAP;

/// First argument of a supervisor process.
pub(crate) const SUPERVISE: &str = "dyno-supervise";
/// First argument of a process that returns its input.
pub(crate) const GIVE_BACK: &str = "dyno-give-back";
/// Open image of this program, whatever lies at its path by now.
pub(crate) const OWN_PROGRAM: &str = "/proc/self/exe";

/// Mean time between two looks at a system's cores, and at its memory if it has several processes.
pub const TREE_LOOK: Duration = Duration::from_millis(50);

/// Body of the supervisor: starts a system on this process's standard input and output. `control` is the
/// descriptor of the socket to the bench.
pub(crate) fn supervise(control: RawFd) -> Result<()> {
    let not_by_bench = || io::Error::other("the supervisor is started by the bench, not by hand");
    let mut control = UnixStream::from(os::adopt(control).ok_or_else(not_by_bench)?);
    os::close_on_exec();
    let spec = receive_spec(&control)?;
    os::become_subreaper()?;
    // When memory runs out, the kernel shall end the system, not the bench. The system inherits this value.
    let _ = fs::write("/proc/self/oom_score_adj", "500");
    // A sandbox has a network of its own.
    let in_sandbox = spec.sandbox.as_ref().map(|_| "isolated".to_owned());
    let network = in_sandbox.or_else(|| spec.isolated.then(leave_network));
    os::forbid_looks(); // not earlier: the files in /proc that make a namespace then belong to root
    let at_ns = os::monotonic_ns();
    let mut group = Group::create();
    let mut looks =
        Looks { files: SeenFiles::begin(&spec.named, &spec.parts), processes: SeenProcesses::default() };
    if let Some((group, cap)) = group.as_ref().zip(spec.memory_cap_bytes) {
        group.cap_memory(cap);
    }
    let (pid, stderr, attempts) = match start(&spec, group.as_ref()) {
        Ok(started) => started,
        Err(error) => {
            send(
                &mut control,
                &Launched { at_ns, error: Some(format!("{}: {error}", spec.command[0])), network },
            )?;
            return Ok(());
        }
    };
    // The bench may be gone already. Then `watch` sees its closed side, and ends the system.
    let _ = send(&mut control, &Launched { at_ns, error: None, network });
    let mut report = watch(pid, stderr, &control, &spec, (&mut looks, attempts), group.as_mut())?;
    let (cpu_ns, usage) = (group.as_ref().and_then(Group::cpu_ns), &mut report.usage);
    usage.unwaited_ns = looks.processes.beyond(usage.user_ns + usage.system_ns, cpu_ns);
    usage.group_peak_bytes = group.as_ref().and_then(Group::peak_bytes);
    looks.processes.conclude(usage);
    let at_cap = group.is_some_and(|group| group.was_at_cap());
    usage.exceeded_cap_bytes = spec.memory_cap_bytes.filter(|&cap| at_cap || usage.peak_bytes > cap);
    let _ = send(&mut control, &report);
    Ok(())
}

/// Leaves the network after a trial in another process. A failure halfway would leave a user namespace in
/// which the system has no valid user.
fn leave_network() -> String {
    let mut trial = Command::new("/proc/self/exe");
    trial.arg(GIVE_BACK).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    os::leave_network_before_exec(&mut trial);
    let tried = trial.status().and_then(|_| os::leave_network());
    tried.map_or_else(|error| format!("the host's: {error}"), |()| "isolated".to_owned())
}

fn receive_spec(control: &UnixStream) -> Result<Spec> {
    let mut line = String::new();
    // Nothing follows the spec, so that the reader can't have taken more than the line.
    BufReader::new(control).read_line(&mut line)?;
    serde_json::from_str(&line).during("the supervisor's spec")
}

fn command(spec: &Spec, gate: Option<&Gate>) -> io::Result<Command> {
    let Some(sandbox) = &spec.sandbox else {
        let mut command = Command::new(&spec.command[0]);
        command.args(&spec.command[1..]);
        if let Some(folder) = &spec.folder {
            command.current_dir(folder);
        }
        return Ok(command);
    };
    let mut command = Command::new(BWRAP);
    // bubblewrap itself starts outside: variables of the system could make it load the system's code there.
    let variables = spec.environment.iter();
    command.args(variables.flat_map(|(name, value)| ["--setenv", name, value])).args(sandbox);
    gate.into_iter().for_each(|gate| gate.pass_to(&mut command));
    command.arg("--");
    if spec.command[0] == OWN_PROGRAM {
        // Inside, this path would be bubblewrap's own. The open file stays the image of this program.
        let image = File::open(OWN_PROGRAM)?.into_raw_fd();
        os::inherit(&mut command, image);
        command.arg(format!("/proc/self/fd/{image}")).args(&spec.command[1..]);
    } else {
        command.args(&spec.command);
    }
    Ok(command)
}

/// Starts the system. In a sandbox, the counters of its network are open before its first instruction.
fn start(spec: &Spec, group: Option<&Group>) -> io::Result<(u32, ChildStderr, Option<Attempts>)> {
    let gate = spec.sandbox.as_ref().map(|_| Gate::new()).transpose()?;
    let mut command = command(spec, gate.as_ref())?;
    command.stderr(Stdio::piped()).process_group(0);
    command.env_clear();
    match spec.sandbox {
        Some(_) => command.envs(std::env::var_os("PATH").map(|path| ("PATH", path))),
        None => command.envs(spec.environment.iter().cloned()),
    };
    os::confine_before_exec(&mut command, spec.cores.clone(), group.and_then(Group::entry_file));
    let child = command.spawn()?;
    let is_cut_off = spec.isolated && spec.sandbox.is_none();
    let attempts = match gate {
        Some(gate) => gate.open()?,
        None => is_cut_off.then(|| Attempts::of("self")).flatten(),
    };
    // From here on only the system holds its pipes. The bench must see their ends when the system closes
    // them.
    os::let_go_of_pipes()?;
    // `reaping` reaps the child with accounting, instead of std.
    Ok((child.id(), child.stderr.expect("standard error was asked for as a pipe"), attempts))
}

fn send(control: &mut UnixStream, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    control.write_all(&line)
}

/// Waits for the system's end, or ends the system when the bench goes away or standard error overflows.
fn watch(
    pid: u32,
    stderr: ChildStderr,
    control: &UnixStream,
    spec: &Spec,
    (looks, attempts): (&mut Looks, Option<Attempts>),
    mut group: Option<&mut Group>,
) -> Result<Report> {
    let cores = &spec.cores;
    let root = Root { supervisor: std::process::id(), layers: spec.layers() };
    let ended = os::watch_process(pid)?;
    let mut tail = Tail::new(stderr)?;
    let floor_bytes = Status::of(std::process::id()).peak_bytes();
    let mut usage = Usage { floor_bytes, ..Usage::default() };
    // Intervals up to twice the mean: a system that changes cores right after a look may meet the next look
    // there.
    let mut random = Random::new(fresh_seed(), "looks");
    let mut until_next_look = || TREE_LOOK.mul_f64(random.below(1024) as f64 / 512.0);
    let (mut looked, mut pause) = (Instant::now(), until_next_look());
    loop {
        // After standard error is closed, a descriptor that is waited for anyway takes its place in the list.
        let stderr = tail.fd().unwrap_or(ended.as_fd());
        let wanted = [ended.as_fd(), control.as_fd(), stderr].map(|fd| (fd, PollFlags::IN));
        let [end, bench, _] = os::wait_for(wanted, Some(pause.saturating_sub(looked.elapsed())))?;
        tail.read();
        if end {
            break;
        }
        usage.flooded = tail.bytes > MOST_STDERR_BYTES;
        let is_large = spec.memory_cap_bytes.is_some_and(|cap| looks.processes.most_bytes(&usage) > cap);
        if bench || usage.flooded || is_large {
            usage.killed = true;
            os::kill_group(pid);
            os::kill(pid); // the system may have moved to another group
            os::wait_for([(ended.as_fd(), PollFlags::IN)], None)?;
            break;
        }
        if looked.elapsed() >= pause {
            let pids = root.below();
            let escaped = || pids.iter().find_map(|&pid| tree::escaped_thread(pid, cores));
            usage.escaped = usage.escaped.take().or_else(escaped);
            looks.look(&pids, &mut usage);
            group.iter_mut().for_each(|group| group.look());
            (looked, pause) = (Instant::now(), until_next_look());
        }
    }
    usage.ended_ns = os::monotonic_ns();
    // The system has ended but isn't reaped: the kernel still knows its mask, however short its life was.
    usage.escaped = usage.escaped.take().or_else(|| tree::escaped_thread(pid, cores));
    reaping::reap_all(pid, control, &mut usage, &looks.processes);
    if spec.sandbox.is_some() {
        unwrap_signal(&mut usage);
    }
    tail.read();
    usage.network_attempts = attempts.map_or(0, Attempts::count);
    (usage.stderr_bytes, usage.stderr_tail) = (tail.bytes, tail.text());
    looks.files.look_after_the_end(&mut usage);
    usage.supervisor_ns = os::own_cpu_ns();
    Ok(Report { usage, read_files: looks.files.read() })
}

/// Reads a signal out of the exit code, as which a sandbox passes it on (shells do so as well).
fn unwrap_signal(usage: &mut Usage) {
    if let Some(code @ 129..=192) = usage.code {
        (usage.code, usage.signal) = (None, Some(code - 128));
    }
}

/// What the looks at a system have shown. A look catches short-lived, unreaped children on other cores, too: the
/// bench looks between lines only, so that it disturbs none, and misses children that live as long as a line takes.
struct Looks {
    files: SeenFiles,
    processes: SeenProcesses,
}

impl Looks {
    fn look(&mut self, pids: &[u32], usage: &mut Usage) {
        let processes: Vec<Status> = pids.iter().map(|&pid| Status::of(pid)).collect();
        self.processes.look_at_times(&processes); // first: a child may end meanwhile
        let beside = self.files.look(&processes, usage);
        self.processes.look(&processes, beside, usage);
    }
}
