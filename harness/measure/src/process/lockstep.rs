//! Lock-step: one raw line or one page of lines, flush; the next only after the newline of the last answer.
//!
//! Where lines are alone, a thread that is pinned to the system's own core exchanges the lines. Thread and
//! system never run at once, so that the thread takes nothing from the system. A wake-up on the same core is
//! also several times cheaper than one across cores. The thread never spins, and nothing else of the bench
//! runs meanwhile.

use std::io;
use std::ops::Range;
use std::time::{Duration, Instant};

use dyno_record::rules::limits::GRACE;
use dyno_record::{Code, Reason};

use super::dialogue::Dialogue;
pub use super::dialogue::Stop;
use super::ending::Ending;
use super::idle::Reading;
use super::silence;
use super::subject::Subject;
use super::supervised::Supervised;
use crate::error::Result;
use crate::os;
use crate::os::odd_memory::{Status, held_bytes};
use crate::text::words;

/// Time for a system to end after it has closed its output; exits take milliseconds.
const EXIT_TIME: Duration = Duration::from_secs(1);

/// Factor on the time limit of the first answer, which includes loading.
pub const LOADING: f64 = 4.0;

/// Result of one process in lock-step.
#[derive(Debug, Default)]
pub struct Lockstep {
    /// One answer for each line, in the order of the questions, up to the first fault.
    pub answers: Vec<Vec<u8>>,
    /// The reply to each line or page that was asked.
    pub replies: Vec<Reply>,
    /// Nanoseconds from launch to the first answer.
    pub start_ns: Option<u64>,
    /// Monotonic time after the last answer, if there was no fault until then.
    pub last_answer_ns: Option<u64>,
    /// Time in which the system was asked, or was waited for.
    pub waited: Duration,
    /// Words of the lines that were answered since the work began.
    pub worked_words: usize,
    /// CPU time of the system for them.
    pub worked: Option<Duration>,
    /// Memory of the system after the last answer.
    pub settled_bytes: Option<u64>,
    /// Broken rules.
    pub reasons: Vec<Reason>,
    /// Ending of the process.
    pub ending: Ending,
}

impl Lockstep {
    /// Nanoseconds from the last answer to the system's end.
    pub fn after_ns(&self) -> u64 {
        self.last_answer_ns.map_or(0, |at| self.ending.usage.ended_ns.saturating_sub(at))
    }
}

/// Reply to a line or a page. Times are nanoseconds from before the write; all lines of a page are written at
/// once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// Places of its answers among all of the process.
    pub answers: Range<usize>,
    /// Time to the first text.
    pub first_text_ns: u64,
    /// Number of reads that brought text.
    pub pieces: usize,
    /// Time to the newline of the first answer.
    pub first_ns: u64,
    /// Time to the newline of the last answer.
    pub last_ns: u64,
}

/// Asks a fresh process of `subject` each of `lines` (without line ends) in this order.
pub fn lockstep(subject: &Subject<'_>, lines: &[Vec<u8>]) -> Result<Lockstep> {
    lockstep_for(subject, lines, Duration::MAX)
}

/// Like `lockstep`, but asks no further line once the answers have taken `enough`.
pub fn lockstep_for(subject: &Subject<'_>, lines: &[Vec<u8>], enough: Duration) -> Result<Lockstep> {
    converse(subject, |conversation| {
        for line in lines {
            if conversation.taken > enough {
                break;
            }
            conversation.ask(line)?;
        }
        Ok(())
    })
}

/// Starts a fresh process of `subject`, lets `talk` ask it, and ends it.
pub fn converse(
    subject: &Subject<'_>,
    talk: impl FnOnce(&mut Conversation<'_, '_>) -> std::result::Result<(), Stop> + Send,
) -> Result<Lockstep> {
    let (system_in, to_system) = io::pipe()?;
    let (from_system, system_out) = io::pipe()?;
    let mut system = match Supervised::launch(subject, system_in.into(), system_out.into())? {
        Ok(system) => system,
        Err(reason) => return Ok(Lockstep { reasons: vec![reason], ..Lockstep::default() }),
    };
    let mut dialogue = Dialogue::new(to_system, from_system, system.root())?;
    dialogue.gives_vectors = !subject.system.translates;
    let (so_far, fault) = std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            // Where lines arrive while the system works, the thread stays on the bench's core.
            if subject.track.has_one_line() {
                os::pin_thread(subject.cores)?;
            }
            os::sharpen_timers()?;
            Ok::<_, io::Error>(exchange(subject, &mut dialogue, &mut system, talk))
        });
        thread.join().expect("the exchange returns its errors and doesn't panic")
    })?;
    let done = finish(subject, system, so_far, fault);
    // Only after the system's end: a closed pipe would kill the system, and look like a crash of its own.
    drop(dialogue);
    done
}

/// A conversation with a running process, line by line.
pub struct Conversation<'a, 's> {
    subject: &'a Subject<'a>,
    /// The pipes, for lines that don't wait for answers.
    pub(super) dialogue: &'a mut Dialogue,
    pub(super) system: &'a mut Supervised<'s>,
    /// What the process has shown so far, without its end.
    so_far: Lockstep,
    /// Time of all answers but the first, which is mostly loading.
    taken: Duration,
    /// CPU time of the system when its work began.
    begun: Option<Reading>,
}

impl Conversation<'_, '_> {
    /// Asks one line, or a page: lines with line feeds between them. Records the answers and their latencies.
    pub fn ask(&mut self, page: &[u8]) -> std::result::Result<(), Stop> {
        let patience = self.patience_for_page(page);
        let is_first = self.so_far.answers.is_empty();
        self.dialogue.patience = if is_first { patience.mul_f64(LOADING) } else { patience };
        let text = [page, b"\n"].concat();
        let begin = Instant::now();
        self.dialogue.ask(&text)?;
        let latency = self.take_reply(begin);
        self.has_answered(&[&text]);
        self.dialogue.expect_silence()?;
        self.taken += if is_first { Duration::ZERO } else { latency };
        // Between lines the system has nothing to do.
        self.system.look_if_due();
        self.has_waited(begin.elapsed())
    }

    /// Records the reply to a page that was written at `begin`, and returns the latency of its last answer.
    fn take_reply(&mut self, begin: Instant) -> Duration {
        let launched_ns = self.system.ending.launched_ns;
        let Lockstep { answers, replies, start_ns, .. } = &mut self.so_far;
        let (texts, mut newlines) = (&self.dialogue.texts, self.dialogue.answers().map(|(_, at)| at));
        let first = newlines.next().unwrap_or(begin);
        let last = newlines.last().unwrap_or(first);
        let answered_ns = || os::monotonic_ns() - first.elapsed().as_nanos() as u64;
        start_ns.get_or_insert_with(|| answered_ns().saturating_sub(launched_ns));
        let before = answers.len();
        answers.extend(self.dialogue.answers().map(|(answer, _)| answer.to_vec()));
        let ns = |at: Instant| at.duration_since(begin).as_nanos() as u64;
        replies.push(Reply {
            answers: before..answers.len(),
            // An answer without text has its newline alone.
            first_text_ns: ns(texts.first().copied().unwrap_or(first)),
            pieces: texts.len().max(1),
            first_ns: ns(first),
            last_ns: ns(last),
        });
        last.duration_since(begin)
    }

    fn patience_for_page(&self, page: &[u8]) -> Duration {
        let lines = page.split(|&byte| byte == b'\n');
        let seconds = lines.map(|line| self.subject.limits.seconds_for(line.len()));
        Duration::from_secs_f64(seconds.sum())
    }

    pub(super) fn has_answered(&mut self, lines: &[&[u8]]) {
        self.so_far.worked_words += lines.iter().map(|line| words(line)).sum::<usize>();
    }

    /// Counts time in which nothing but answers was waited for. A round has a limit for it.
    pub(super) fn has_waited(&mut self, time: Duration) -> std::result::Result<(), Stop> {
        self.so_far.waited += time;
        let (done, limit) = (self.so_far.answers.len(), self.subject.limits.launch_seconds);
        match self.so_far.waited.as_secs_f64() > limit {
            true => Err(Code::Hung.reason(format!("{done} lines after {limit} s")).into()),
            false => Ok(()),
        }
    }

    pub(super) fn patience_for(&self, bytes: usize) -> Duration {
        Duration::from_secs_f64(self.subject.limits.seconds_for(bytes))
    }

    /// Replies so far.
    pub fn replies(&self) -> &[Reply] {
        &self.so_far.replies
    }

    /// CPU time of the system's living threads so far.
    pub fn cpu_ns(&self) -> u64 {
        os::tree::running_ns(&self.system.root().below())
    }

    /// Ends this system's slice, and waits for its next one.
    pub fn pass_turn(&mut self) {
        if let Some(slot) = self.subject.slot {
            let was_metered = self.system.gauge.rest();
            slot.pass(self.system.root());
            slot.hold();
            if was_metered {
                self.system.gauge.go();
            }
        }
    }

    /// Counts CPU time, energy and words from now on: loading and warm-up are behind the system.
    pub fn begin_work(&mut self) {
        self.so_far.worked_words = 0;
        self.begun = Some(Reading::of(self.system.root()));
        self.system.gauge.go();
    }
}

/// What the process has shown, without its end, and its fault.
fn exchange(
    subject: &Subject<'_>,
    dialogue: &mut Dialogue,
    system: &mut Supervised<'_>,
    talk: impl FnOnce(&mut Conversation<'_, '_>) -> std::result::Result<(), Stop>,
) -> (Lockstep, Option<Reason>) {
    let (so_far, taken, begun) = (Lockstep::default(), Duration::ZERO, None);
    let mut conversation = Conversation { subject, dialogue, system, so_far, taken, begun };
    let stop = talk(&mut conversation).and_then(|()| conclude(&mut conversation)).err();
    let Conversation { dialogue, so_far, .. } = conversation;
    let patience = Duration::from_secs_f64(subject.limits.line_seconds);
    let fault = stop.map(|stop| match stop {
        Stop::Fault(reason) => reason,
        Stop::Silent(after) => silence::diagnose(dialogue, after, patience),
    });
    (so_far, fault)
}

/// The end of a conversation without a fault: closes the system's input. The system must then close its output.
fn conclude(conversation: &mut Conversation<'_, '_>) -> std::result::Result<(), Stop> {
    conversation.so_far.last_answer_ns = Some(os::monotonic_ns());
    conversation.system.gauge.rest();
    let (root, begun) = (conversation.system.root(), conversation.begun);
    conversation.so_far.worked = begun.map(|begun| Reading::of(root).cpu_since(begun));
    let processes: Vec<Status> = root.below().into_iter().map(Status::of).collect();
    conversation.so_far.settled_bytes = held_bytes(&processes);
    conversation.system.look();
    match conversation.dialogue.end(conversation.subject.exit_patience()) {
        Err(Stop::Silent(after)) => {
            let figure = format!("its output stays open {:.1} s after the end of input", after.as_secs_f64());
            Err(Code::Hung.reason(figure).into())
        }
        ended => ended,
    }
}

fn finish(
    subject: &Subject<'_>,
    system: Supervised<'_>,
    so_far: Lockstep,
    fault: Option<Reason>,
) -> Result<Lockstep> {
    // A system that closed its output is about to exit, and its status tells why. Other faulty systems are
    // killed.
    let leaves = fault.as_ref().is_some_and(|fault| fault.code == Code::ExitedEarly);
    if fault.is_some() && !leaves {
        system.kill();
    }
    let patience = if leaves { EXIT_TIME } else { subject.exit_patience() };
    // After the system's end the supervisor still gives its helpers their grace.
    let (ending, hung) = system.finish(patience + GRACE, || None)?;
    let usage = &ending.usage;
    let by_supervisor = usage.flooded || usage.exceeded_cap_bytes.is_some();
    let died = ending.abnormal().filter(|_| !usage.killed || by_supervisor);
    let reason = match fault {
        // A system that still runs after its output ended gets the fault of the early end.
        Some(fault) if leaves => {
            let lost = hung.filter(|reason| reason.code == Code::Crashed);
            Some(died.or(lost).unwrap_or(fault))
        }
        Some(fault) => Some(fault),
        None => hung.or(died),
    };
    let mut reasons: Vec<Reason> = reason.into_iter().chain(ending.faults(subject.cores)).collect();
    reasons.dedup();
    Ok(Lockstep { reasons, ending, ..so_far })
}
