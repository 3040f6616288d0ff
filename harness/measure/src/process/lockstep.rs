//! Lock-step: one raw line, flush; the next only after the reply's newline.
//!
//! The lines are exchanged by a thread that is pinned to the system's own core. The two never run at once, so
//! it takes nothing from the system, and a wake-up on the same core is several times cheaper than one across
//! cores. It never spins, and nothing else of the bench runs meanwhile.

use std::io;
use std::time::{Duration, Instant};

use super::dialogue::{Dialogue, Stop};
use super::ending::{Ending, bad_end};
use super::silence;
use super::subject::Subject;
use super::supervised::Supervised;
use crate::error::Result;
use crate::os;
use crate::rules::{Code, Reason};

/// After closing its output a system has this long: exits take milliseconds.
const LEAVE: Duration = Duration::from_secs(1);

/// Loading comes before the first answer, which may take so many times what another line may.
pub const LOADING: f64 = 4.0;

/// What one process answered in lock-step.
#[derive(Debug, Default)]
pub struct Lockstep {
    /// An answer a line, in the order of the questions; as far as it came.
    pub answers: Vec<Vec<u8>>,
    /// From before the write to the reply's newline, a line each.
    pub latency_ns: Vec<u64>,
    /// From launch to the first answer.
    pub start_ns: Option<u64>,
    /// What was wrong.
    pub reasons: Vec<Reason>,
    /// How it ended.
    pub ending: Ending,
}

/// Asks a fresh process of `subject` each of `lines` (without line ends) in this order.
pub fn lockstep(subject: &Subject<'_>, lines: &[Vec<u8>]) -> Result<Lockstep> {
    lockstep_for(subject, lines, Duration::MAX)
}

/// The same, but no further line once the answers have taken `enough`.
pub fn lockstep_for(subject: &Subject<'_>, lines: &[Vec<u8>], enough: Duration) -> Result<Lockstep> {
    let (system_in, to_system) = io::pipe()?;
    let (from_system, system_out) = io::pipe()?;
    let mut system = match Supervised::launch(subject, system_in.into(), system_out.into())? {
        Ok(system) => system,
        Err(reason) => return Ok(Lockstep { reasons: vec![reason], ..Lockstep::default() }),
    };
    let mut dialogue = Dialogue::new(to_system, from_system, system.pid())?;
    let told = std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            os::pin_thread(subject.cores)?;
            Ok::<_, io::Error>(exchange(subject, &mut dialogue, &mut system, lines, enough))
        });
        thread.join().expect("the exchange returns its errors and doesn't panic")
    })?;
    let done = finish(subject, system, told);
    // Not before the system's end: a closed pipe would kill it, and look like a crash of its own.
    drop(dialogue);
    done
}

/// What the exchange saw.
struct Told {
    answers: Vec<Vec<u8>>,
    latency_ns: Vec<u64>,
    first_answer_ns: Option<u64>,
    fault: Option<Reason>,
}

fn exchange(
    subject: &Subject<'_>,
    dialogue: &mut Dialogue,
    system: &mut Supervised,
    lines: &[Vec<u8>],
    enough: Duration,
) -> Told {
    let lines: Vec<Vec<u8>> = lines.iter().map(|line| [line.as_slice(), b"\n"].concat()).collect();
    let mut told = Told {
        answers: Vec::with_capacity(lines.len()),
        latency_ns: Vec::with_capacity(lines.len()),
        first_answer_ns: None,
        fault: None,
    };
    let stop = match ask_all(subject, dialogue, system, &lines, enough, &mut told) {
        Ok(()) => return told,
        Err(stop) => stop,
    };
    told.fault = Some(match stop {
        Stop::Fault(reason) => reason,
        Stop::Silent(after) => {
            silence::diagnose(dialogue, after, Duration::from_secs_f64(subject.limits.line_seconds))
        }
    });
    told
}

fn ask_all(
    subject: &Subject<'_>,
    dialogue: &mut Dialogue,
    system: &mut Supervised,
    lines: &[Vec<u8>],
    enough: Duration,
    told: &mut Told,
) -> std::result::Result<(), Stop> {
    let begun = Instant::now();
    let mut taken = Duration::ZERO;
    for line in lines {
        if taken > enough {
            break;
        }
        let latency = ask(subject, dialogue, line, told)?;
        // The first answer's time is loading, mostly.
        taken += if told.latency_ns.len() > 1 { latency } else { Duration::ZERO };
        // Between lines, when the system has nothing to do.
        system.look_now_and_then();
        if begun.elapsed().as_secs_f64() > subject.limits.launch_seconds {
            let (done, limit) = (told.answers.len(), subject.limits.launch_seconds);
            return Err(Code::Hung.reason(format!("{done} of {} lines after {limit} s", lines.len())).into());
        }
    }
    system.look();
    end(subject, dialogue)
}

/// Asks one line, writes down the answer, and how long it took.
fn ask(
    subject: &Subject<'_>,
    dialogue: &mut Dialogue,
    line: &[u8],
    told: &mut Told,
) -> std::result::Result<Duration, Stop> {
    let patience = Duration::from_secs_f64(subject.limits.line_seconds);
    dialogue.patience = if told.answers.is_empty() { patience.mul_f64(LOADING) } else { patience };
    let begin = Instant::now();
    dialogue.ask(line)?;
    let latency = begin.elapsed();
    told.latency_ns.push(latency.as_nanos() as u64);
    told.first_answer_ns.get_or_insert_with(os::monotonic_ns);
    told.answers.push(dialogue.answer().to_vec());
    dialogue.expect_silence()?;
    Ok(latency)
}

/// Closes the system's input, after which it has to close its output.
fn end(subject: &Subject<'_>, dialogue: &mut Dialogue) -> std::result::Result<(), Stop> {
    match dialogue.end(subject.leave()) {
        Err(Stop::Silent(after)) => {
            let figure = format!("its output stays open {:.1} s after the end of input", after.as_secs_f64());
            Err(Code::Hung.reason(figure).into())
        }
        ended => ended,
    }
}

fn finish(subject: &Subject<'_>, system: Supervised, told: Told) -> Result<Lockstep> {
    // One that closed its output is on its way out, and how it ends tells why. Others have had their time.
    let leaves = told.fault.as_ref().is_some_and(|fault| fault.code == Code::ExitedEarly);
    if told.fault.is_some() && !leaves {
        system.kill();
    }
    let patience = if leaves { LEAVE } else { subject.leave() };
    let (ending, hung) = system.finish(patience, || None)?;
    let died = bad_end(&ending.report).filter(|_| !ending.report.killed || ending.report.flooded);
    let reason = match told.fault {
        // Still running after its output ended is no better than the early end itself.
        Some(fault) if leaves => {
            let lost = hung.filter(|reason| reason.code == Code::Crashed);
            Some(died.or(lost).unwrap_or(fault))
        }
        Some(fault) => Some(fault),
        None => hung.or(died),
    };
    let start_ns = told.first_answer_ns.map(|at| at.saturating_sub(ending.launched_ns));
    let reasons = reason.into_iter().chain(ending.faults(subject.cores)).collect();
    Ok(Lockstep { answers: told.answers, latency_ns: told.latency_ns, start_ns, reasons, ending })
}
