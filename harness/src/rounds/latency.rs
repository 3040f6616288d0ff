//! The latency track: one raw line, flush; the next only after the reply's newline.
//!
//! The lines are exchanged by a thread that is pinned to the system's own core. The two never run at once, so
//! it takes nothing from the system, and a wake-up on the same core is several times cheaper than one across
//! cores. It never spins, and nothing else of the bench runs meanwhile.

use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use super::process::Supervised;
use super::{Run, Seen, bad_end};
use crate::exit::Outcome;
use crate::os::{self, Interest};
use crate::random::Random;
use crate::verify::{Code, Reason};

/// After the last answer a system has this long to end.
const END: Duration = Duration::from_secs(10);
/// After closing its output it has this long: exits take milliseconds.
const LEAVE: Duration = Duration::from_secs(1);

/// One round of lock-step over the whole set.
pub(super) fn run(run: &Run<'_>) -> Outcome<Seen> {
    let (system_in, to_system) = io::pipe()?;
    let (from_system, system_out) = io::pipe()?;
    let system = match Supervised::launch(run, system_in.into(), system_out.into())? {
        Ok(system) => system,
        Err(reason) => return Ok(Seen::failed(reason)),
    };
    let mut dialogue = Dialogue::new(to_system, from_system, run.bench.campaign.limits.line_seconds)?;
    let told = std::thread::scope(|scope| {
        let thread = scope.spawn(|| on_cores(run.cores, || exchange(run, &mut dialogue)));
        thread.join().expect("the exchange returns its errors and doesn't panic")
    })?;
    let seen = finish(system, told);
    // Not before the system's end: a closed pipe would kill it, and look like a crash of its own.
    drop(dialogue);
    seen
}

fn on_cores<T>(cores: &[usize], work: impl FnOnce() -> T) -> io::Result<T> {
    os::pin_thread(cores)?;
    Ok(work())
}

/// What the exchange saw, in the order of the exchange.
struct Told {
    order: Vec<usize>,
    answers: Vec<Vec<u8>>,
    latency_ns: Vec<u64>,
    first_answer_ns: Option<u64>,
    fault: Option<Reason>,
}

/// The permutation of this round: the same for every system.
fn order(run: &Run<'_>) -> Vec<usize> {
    let purpose = format!("lines of {} in round {}", run.test_set.name, run.round.number);
    Random::new(run.bench.campaign.seed, &purpose).permutation(run.test_set.source.len())
}

fn exchange(run: &Run<'_>, dialogue: &mut Dialogue) -> Told {
    let order = order(run);
    let line = |&i: &usize| [run.test_set.source[i].as_slice(), b"\n"].concat();
    let lines: Vec<Vec<u8>> = order.iter().map(line).collect();
    let mut told = Told {
        answers: Vec::with_capacity(lines.len()),
        latency_ns: Vec::with_capacity(lines.len()),
        order,
        first_answer_ns: None,
        fault: None,
    };
    // The warm-up takes the lines that come last, so that none is asked again soon.
    let warm_up = run.bench.campaign.profile.warm_up_lines().min(lines.len());
    let asked = lines[lines.len() - warm_up..].iter().chain(&lines).enumerate();
    for (i, line) in asked {
        let begin = Instant::now();
        if let Err(reason) = dialogue.ask(line) {
            told.fault = Some(reason);
            return told;
        }
        let latency = begin.elapsed().as_nanos() as u64;
        told.first_answer_ns.get_or_insert_with(os::monotonic_ns);
        if i >= warm_up {
            told.latency_ns.push(latency);
            told.answers.push(dialogue.answer().to_vec());
        }
        if let Err(reason) = dialogue.expect_silence() {
            told.fault = Some(reason);
            return told;
        }
    }
    told.fault = dialogue.end().err();
    told
}

fn finish(system: Supervised, told: Told) -> Outcome<Seen> {
    let launched = system.launched_ns();
    // One that closed its output is on its way out, and how it ends tells why. Others have had their time.
    let leaves = told.fault.as_ref().is_some_and(|fault| fault.code == Code::ExitedEarly);
    if told.fault.is_some() && !leaves {
        system.kill();
    }
    let patience = if leaves { LEAVE } else { END };
    let (usage, hung) = system.finish(patience, patience, || None)?;
    let died = bad_end(&usage).filter(|_| !usage.killed);
    let reason = match told.fault {
        // Still running after its output ended is no better than the early end itself.
        Some(fault) if leaves => {
            let lost = hung.filter(|reason| reason.code == Code::Crashed);
            Some(died.or(lost).unwrap_or(fault))
        }
        Some(fault) => Some(fault),
        None => hung.or(died),
    };
    let start_ns = told.first_answer_ns.map(|at| at.saturating_sub(launched));
    let seen = Seen { usage, start_ns, ..Seen::default() };
    Ok(match reason {
        Some(reason) => Seen { reasons: vec![reason], ..seen },
        None => Seen {
            answers: in_source_order(&told.order, told.answers),
            latency_ns: in_source_order(&told.order, told.latency_ns),
            ..seen
        },
    })
}

fn in_source_order<T: Default + Clone>(order: &[usize], told: Vec<T>) -> Vec<T> {
    let mut sorted = vec![T::default(); order.len()];
    for (&line, value) in order.iter().zip(told) {
        sorted[line] = value;
    }
    sorted
}

/// Both pipes of a system, non-blocking on our side: a system that doesn't read must not hang the bench, and one
/// that writes while it reads must not hang itself.
struct Dialogue {
    to_system: Option<PipeWriter>,
    from_system: PipeReader,
    patience: Duration,
    /// What has been read since the question, the newline included.
    reply: Vec<u8>,
    /// Small and always the same, so that reading displaces little of the system's cache.
    buffer: [u8; 8192],
}

/// No answer of a translator is longer; beyond it something loops.
const LONGEST_REPLY: usize = 64 << 20;

impl Dialogue {
    fn new(to_system: PipeWriter, from_system: PipeReader, line_seconds: f64) -> io::Result<Self> {
        os::set_nonblocking(to_system.as_fd())?;
        os::set_nonblocking(from_system.as_fd())?;
        let patience = Duration::from_secs_f64(line_seconds);
        let (to_system, reply) = (Some(to_system), Vec::with_capacity(1 << 16));
        Ok(Self { to_system, from_system, patience, reply, buffer: [0; 8192] })
    }

    /// The last answer without its newline.
    fn answer(&self) -> &[u8] {
        self.reply.strip_suffix(b"\n").unwrap_or(&self.reply)
    }

    /// Writes one line and waits for the reply's newline.
    fn ask(&mut self, line: &[u8]) -> Result<(), Reason> {
        let deadline = Instant::now() + self.patience;
        self.reply.clear();
        self.write(line, deadline)?;
        let mut searched = 0;
        loop {
            match self.reply[searched..].iter().position(|&byte| byte == b'\n') {
                Some(end) if searched + end + 1 == self.reply.len() => return Ok(()),
                Some(_) => return Err(Code::ExtraOutput.reason("more than one line for a line")),
                None if self.reply.len() > LONGEST_REPLY => {
                    return Err(Code::Flood.reason("an answer without end"));
                }
                None => searched = self.reply.len(),
            }
            self.wait([(self.from_system.as_fd(), Interest::Read)], deadline)?;
            if self.read()? == 0 {
                return Err(Code::ExitedEarly.reason("end of output instead of an answer"));
            }
        }
    }

    /// Writes `line`; when the system can't take more of it, because its own output is full, reads that.
    fn write(&mut self, mut line: &[u8], deadline: Instant) -> Result<(), Reason> {
        while !line.is_empty() {
            let Some(pipe) = &mut self.to_system else { unreachable!("open until `end`") };
            match pipe.write(line) {
                Ok(n) => line = &line[n..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.make_room(deadline)?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(Code::ExitedEarly.reason("it closed its input")),
            }
        }
        Ok(())
    }

    fn make_room(&mut self, deadline: Instant) -> Result<(), Reason> {
        let Some(pipe) = &self.to_system else { unreachable!("open until `end`") };
        let wanted = [(pipe.as_fd(), Interest::Write), (self.from_system.as_fd(), Interest::Read)];
        let [_, readable] = self.wait(wanted, deadline)?;
        match readable {
            true if self.reply.len() > LONGEST_REPLY => Err(Code::Flood.reason("an answer without end")),
            true if self.read()? == 0 => Err(Code::ExitedEarly.reason("end of output instead of an answer")),
            _ => Ok(()),
        }
    }

    /// Appends what is there to the reply; 0 is the end.
    fn read(&mut self) -> Result<usize, Reason> {
        match self.from_system.read(&mut self.buffer) {
            Ok(n) => {
                self.reply.extend_from_slice(&self.buffer[..n]);
                Ok(n)
            }
            Err(error) => Err(Code::Crashed.reason(format!("its output can't be read: {error}"))),
        }
    }

    fn wait<const N: usize>(
        &self,
        wanted: [(BorrowedFd<'_>, Interest); N],
        deadline: Instant,
    ) -> Result<[bool; N], Reason> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match os::wait_for(wanted, Some(left)) {
                Ok(ready) if ready.contains(&true) => return Ok(ready),
                _ if left.is_zero() => {
                    let figure = format!("no answer after {:.1} s", self.patience.as_secs_f64());
                    return Err(Code::Hung.reason(figure));
                }
                _ => {}
            }
        }
    }

    /// Nothing may come that was not asked for.
    fn expect_silence(&mut self) -> Result<(), Reason> {
        match os::wait_for([(self.from_system.as_fd(), Interest::Read)], Some(Duration::ZERO)) {
            Ok([true]) if self.read()? == 0 => Err(Code::ExitedEarly.reason("it ended before its input did")),
            Ok([true]) => Err(Code::ExtraOutput.reason("output that nobody had asked for")),
            _ => Ok(()),
        }
    }

    /// Ends the input; the system must end its output without another word.
    fn end(&mut self) -> Result<(), Reason> {
        self.to_system = None;
        self.wait([(self.from_system.as_fd(), Interest::Read)], Instant::now() + END)?;
        match self.read()? {
            0 => Ok(()),
            n => Err(Code::ExtraOutput.reason(format!("{n} bytes after the last answer"))),
        }
    }
}
