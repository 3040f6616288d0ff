//! Lock-step: one raw line, flush; the next line only after the reply's newline.
//!
//! A thread that is pinned to the system's own core exchanges the lines. Thread and system never run at once,
//! so that the thread takes nothing from the system. A wake-up on the same core is also several times cheaper
//! than one across cores. The thread never spins, and nothing else of the bench runs meanwhile.

use std::io;
use std::time::{Duration, Instant};

use super::dialogue::{Dialogue, Stop};
use super::ending::{Ending, abnormal_end};
use super::silence;
use super::subject::Subject;
use super::supervised::Supervised;
use crate::error::Result;
use crate::os;
use crate::rules::limits::GRACE;
use crate::rules::{Code, Reason};

/// Time for a system to end after it has closed its output; exits take milliseconds.
const EXIT_TIME: Duration = Duration::from_secs(1);

/// Factor on the time limit of the first answer, which includes loading.
pub const LOADING: f64 = 4.0;

/// Result of one process in lock-step.
#[derive(Debug, Default)]
pub struct Lockstep {
    /// One answer for each line, in the order of the questions, up to the first fault.
    pub answers: Vec<Vec<u8>>,
    /// Nanoseconds from before the write to the reply's newline, for each line.
    pub latency_ns: Vec<u64>,
    /// Nanoseconds from launch to the first answer.
    pub start_ns: Option<u64>,
    /// Nanoseconds from the last answer to the system's end.
    pub after_ns: u64,
    /// Broken rules.
    pub reasons: Vec<Reason>,
    /// Ending of the process.
    pub ending: Ending,
}

/// Asks a fresh process of `subject` each of `lines` (without line ends) in this order.
pub fn lockstep(subject: &Subject<'_>, lines: &[Vec<u8>]) -> Result<Lockstep> {
    lockstep_for(subject, lines, Duration::MAX)
}

/// Like `lockstep`, but asks no further line once the answers have taken `enough`.
pub fn lockstep_for(subject: &Subject<'_>, lines: &[Vec<u8>], enough: Duration) -> Result<Lockstep> {
    let (system_in, to_system) = io::pipe()?;
    let (from_system, system_out) = io::pipe()?;
    let mut system = match Supervised::launch(subject, system_in.into(), system_out.into())? {
        Ok(system) => system,
        Err(reason) => return Ok(Lockstep { reasons: vec![reason], ..Lockstep::default() }),
    };
    let mut dialogue = Dialogue::new(to_system, from_system, system.root())?;
    let exchange = std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            os::pin_thread(subject.cores)?;
            Ok::<_, io::Error>(exchange(subject, &mut dialogue, &mut system, lines, enough))
        });
        thread.join().expect("the exchange returns its errors and doesn't panic")
    })?;
    let done = finish(subject, system, exchange);
    // Only after the system's end: a closed pipe would kill the system, and look like a crash of its own.
    drop(dialogue);
    done
}

/// Observations of the exchange.
struct Exchange {
    answers: Vec<Vec<u8>>,
    latency_ns: Vec<u64>,
    first_answer_ns: Option<u64>,
    /// When the last answer had come.
    last_answer_ns: Option<u64>,
    fault: Option<Reason>,
}

fn exchange(
    subject: &Subject<'_>,
    dialogue: &mut Dialogue,
    system: &mut Supervised,
    lines: &[Vec<u8>],
    enough: Duration,
) -> Exchange {
    let lines: Vec<Vec<u8>> = lines.iter().map(|line| [line.as_slice(), b"\n"].concat()).collect();
    let mut exchange = Exchange {
        answers: Vec::with_capacity(lines.len()),
        latency_ns: Vec::with_capacity(lines.len()),
        first_answer_ns: None,
        last_answer_ns: None,
        fault: None,
    };
    let stop = match ask_all(subject, dialogue, system, &lines, enough, &mut exchange) {
        Ok(()) => return exchange,
        Err(stop) => stop,
    };
    exchange.fault = Some(match stop {
        Stop::Fault(reason) => reason,
        Stop::Silent(after) => {
            silence::diagnose(dialogue, after, Duration::from_secs_f64(subject.limits.line_seconds))
        }
    });
    exchange
}

fn ask_all(
    subject: &Subject<'_>,
    dialogue: &mut Dialogue,
    system: &mut Supervised,
    lines: &[Vec<u8>],
    enough: Duration,
    exchange: &mut Exchange,
) -> std::result::Result<(), Stop> {
    let begun = Instant::now();
    let mut taken = Duration::ZERO;
    for line in lines {
        if taken > enough {
            break;
        }
        let latency = ask(subject, dialogue, line, exchange)?;
        // The first answer's time is mostly loading.
        taken += if exchange.latency_ns.len() > 1 { latency } else { Duration::ZERO };
        // Between lines the system has nothing to do.
        system.look_if_due();
        if begun.elapsed().as_secs_f64() > subject.limits.launch_seconds {
            let (done, limit) = (exchange.answers.len(), subject.limits.launch_seconds);
            return Err(Code::Hung.reason(format!("{done} of {} lines after {limit} s", lines.len())).into());
        }
    }
    exchange.last_answer_ns = Some(os::monotonic_ns());
    system.look();
    end(subject, dialogue)
}

/// Asks one line; records the answer and its latency.
fn ask(
    subject: &Subject<'_>,
    dialogue: &mut Dialogue,
    line: &[u8],
    exchange: &mut Exchange,
) -> std::result::Result<Duration, Stop> {
    let patience = Duration::from_secs_f64(subject.limits.seconds_for(line));
    dialogue.patience = if exchange.answers.is_empty() { patience.mul_f64(LOADING) } else { patience };
    let begin = Instant::now();
    dialogue.ask(line)?;
    let latency = begin.elapsed();
    exchange.latency_ns.push(latency.as_nanos() as u64);
    exchange.first_answer_ns.get_or_insert_with(os::monotonic_ns);
    exchange.answers.push(dialogue.answer().to_vec());
    dialogue.expect_silence()?;
    Ok(latency)
}

/// Closes the system's input. The system must then close its output.
fn end(subject: &Subject<'_>, dialogue: &mut Dialogue) -> std::result::Result<(), Stop> {
    match dialogue.end(subject.exit_patience()) {
        Err(Stop::Silent(after)) => {
            let figure = format!("its output stays open {:.1} s after the end of input", after.as_secs_f64());
            Err(Code::Hung.reason(figure).into())
        }
        ended => ended,
    }
}

fn finish(subject: &Subject<'_>, system: Supervised, exchange: Exchange) -> Result<Lockstep> {
    // A system that closed its output is about to exit, and its status tells why. Other faulty systems are
    // killed.
    let leaves = exchange.fault.as_ref().is_some_and(|fault| fault.code == Code::ExitedEarly);
    if exchange.fault.is_some() && !leaves {
        system.kill();
    }
    let patience = if leaves { EXIT_TIME } else { subject.exit_patience() };
    // After the system's end the supervisor still gives its helpers their grace.
    let (ending, hung) = system.finish(patience + GRACE, || None)?;
    let died = abnormal_end(&ending.report).filter(|_| !ending.report.killed || ending.report.flooded);
    let reason = match exchange.fault {
        // A system that still runs after its output ended gets the fault of the early end.
        Some(fault) if leaves => {
            let lost = hung.filter(|reason| reason.code == Code::Crashed);
            Some(died.or(lost).unwrap_or(fault))
        }
        Some(fault) => Some(fault),
        None => hung.or(died),
    };
    let start_ns = exchange.first_answer_ns.map(|at| at.saturating_sub(ending.launched_ns));
    let after_ns = exchange.last_answer_ns.map_or(0, |at| ending.report.ended_ns.saturating_sub(at));
    let reasons = reason.into_iter().chain(ending.faults(subject.cores)).collect();
    let (answers, latency_ns) = (exchange.answers, exchange.latency_ns);
    Ok(Lockstep { answers, latency_ns, start_ns, after_ns, reasons, ending })
}
