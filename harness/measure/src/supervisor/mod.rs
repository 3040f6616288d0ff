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
mod watch;

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::{IntoRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{ChildStderr, Command, Stdio};
use std::{fs, io};

use serde::Serialize;

use attempts::Attempts;
pub use files::{FORBIDDEN_LOOKS, FORBIDDEN_LOOKS_AT_REST};
use gate::Gate;
pub use gate::child_of;
pub use hidden::LEAST_LOOKS;
pub use messages::{Launched, Report, SeenFile, Spec};
pub use tail::STDERR_TAIL;
pub use watch::TREE_LOOK;
use watch::{Looks, Watch};

use crate::cgroup::Group;
use crate::error::{During, Result};
use crate::os;
use crate::sandbox::BWRAP;

/// First argument of a supervisor process.
pub(crate) const SUPERVISE: &str = "dyno-supervise";
/// First argument of a process that returns its input.
pub(crate) const GIVE_BACK: &str = "dyno-give-back";
/// Open image of this program, whatever lies at its path by now.
pub(crate) const OWN_PROGRAM: &str = "/proc/self/exe";

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
    let mut looks = Looks::begin(&spec);
    if let Some((group, cap)) = group.as_ref().zip(spec.memory_cap_bytes) {
        group.cap_memory(cap);
    }
    let (pid, stderr, attempts) = match start(&spec, group.as_ref()) {
        Ok(started) => started,
        Err(error) => {
            let error = Some(format!("{}: {error}", spec.command[0]));
            return Ok(send(&mut control, &Launched { at_ns, error, network })?);
        }
    };
    // The bench may be gone already. Then the watch sees its closed side, and ends the system.
    let _ = send(&mut control, &Launched { at_ns, error: None, network });
    let watch = Watch::begin(pid, stderr, &control, &spec)?;
    let mut report = watch.until_the_end(&mut looks, group.as_mut(), attempts)?;
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
