//! Lines that arrive while the system works: at planned instants, whether or not earlier lines are answered (the
//! open loop), or from clients that each wait for their answer (the closed loop).
//!
//! A line's time runs from its planned instant to the read of its answer. A system that falls behind, or a
//! generator that is late, thereby can't hide the wait of the lines behind (coordinated omission: Tene 2013,
//! "How NOT to measure latency"). One thread on the bench's core writes and reads. It sleeps until shortly
//! before the next arrival, or until an answer; the pipes don't block, so that a system that doesn't read can't
//! delay an arrival. A client's line is due at the instant of the answer that it waited for.

mod queue;

use std::time::{Duration, Instant};

use dyno_record::{Code, Reason};

use super::dialogue::{Dialogue, Stop};
use super::lockstep::Conversation;
pub use queue::OpenRun;
use queue::Queue;

/// Time before an arrival in which the generator stays awake: virtual machines wake a sleeper by 50 to 80 µs
/// too late, which is some percent of a short line's time.
const AWAKE: Duration = Duration::from_micros(120);
/// Longest sleep between two looks at the system's threads.
const LONGEST_SLEEP: Duration = Duration::from_millis(100);

/// What makes lines due.
#[derive(Clone, Debug)]
pub enum Pace {
    /// Open loop: the instant of each line, after the start of the run.
    Planned(Vec<Duration>),
    /// Closed loop: so many clients, each of which has one line with the system at a time.
    Clients(usize),
}

/// Limit of a run. Once too many lines have missed it, the rest is no longer written.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// Longest time that isn't a miss.
    pub limit: Duration,
    /// Number of misses beyond which the run ends early.
    pub misses: usize,
}

/// Writes `lines` (without line ends) to the system when they are due, and waits for the answers. Without an allowance
/// the run goes on to its end.
pub fn arrive(
    conversation: &mut Conversation<'_, '_>,
    lines: &[&[u8]],
    pace: &Pace,
    allowance: Option<Allowance>,
) -> Result<OpenRun, Stop> {
    conversation.dialogue.take_reply(); // the answer to the last question in lock-step
    let mut generator = Generator::new(lines, pace);
    while !generator.is_done() {
        generator.write_due(conversation.dialogue)?;
        if let Some(allowance) = allowance {
            generator.stop_if_hopeless(allowance);
        }
        let begin = Instant::now();
        generator.sleep_and_read(conversation)?;
        // Else a line that is due makes the run go on.
        if generator.has_written_all() || matches!(pace, Pace::Clients(_)) {
            conversation.has_waited(begin.elapsed())?;
        }
    }
    let mut run = generator.queue.run;
    run.late_ns.truncate(run.answers.len());
    conversation.has_answered(&lines[..run.answers.len()]);
    Ok(run)
}

/// A run under way.
struct Generator<'a> {
    lines: &'a [&'a [u8]],
    pace: &'a Pace,
    begin: Instant,
    /// Number of arrivals so far.
    next: usize,
    /// Number of lines that the system's pipe has taken whole.
    sent: usize,
    /// Bytes of the next line that the pipe has taken.
    begun: usize,
    queue: Queue,
}

impl<'a> Generator<'a> {
    fn new(lines: &'a [&'a [u8]], pace: &'a Pace) -> Self {
        let begin = Instant::now();
        Self { lines, pace, begin, next: 0, sent: 0, begun: 0, queue: Queue::new(begin) }
    }

    fn is_done(&self) -> bool {
        self.has_written_all() && self.queue.is_empty()
    }

    /// Whether no further line arrives, so that only answers are waited for.
    fn has_written_all(&self) -> bool {
        self.next == self.lines.len()
    }

    /// Instant at which the next line is due; `None` if no line is left, or all clients wait for answers.
    fn due(&self) -> Option<Instant> {
        match self.pace {
            _ if self.has_written_all() => None,
            Pace::Planned(at) => Some(self.begin + at[self.next]),
            Pace::Clients(clients) => (self.queue.waiting() < *clients).then_some(self.queue.progress),
        }
    }

    /// Lets each line arrive that is due, and writes as much as the system takes.
    fn write_due(&mut self, dialogue: &mut Dialogue) -> Result<(), Stop> {
        let now = Instant::now();
        while let Some(due) = self.due().filter(|due| *due <= now) {
            // Late is the generator, not the pipe: a system that reads nothing can't make it late.
            self.queue.run.late_ns.push((now - due).as_nanos() as u64);
            self.queue.push(due, self.lines[self.next].len());
            self.next += 1;
        }
        Ok(self.write(dialogue)?)
    }

    /// Writes as much of the lines that have arrived as the system takes.
    fn write(&mut self, dialogue: &mut Dialogue) -> Result<(), Reason> {
        while self.sent < self.next {
            let line = [self.lines[self.sent], b"\n"].concat();
            match dialogue.write_some(&line[self.begun..])? {
                0 => break,
                written => dialogue.asked += usize::from(self.advance(written)),
            }
        }
        Ok(())
    }

    /// Counts bytes that the pipe has taken; whether they end a line.
    fn advance(&mut self, written: usize) -> bool {
        self.begun += written;
        let ends_line = self.begun > self.lines[self.sent].len(); // with its line feed
        if ends_line {
            (self.sent, self.begun) = (self.sent + 1, 0);
        }
        ends_line
    }

    /// Number of lines that have arrived and of which the system has no byte.
    fn unbegun(&self) -> usize {
        self.next - self.sent - usize::from(self.begun > 0)
    }

    /// Ends the run early after too many misses. Lines that the system hasn't been given are taken back.
    fn stop_if_hopeless(&mut self, allowance: Allowance) {
        if !self.queue.run.stopped && self.queue.misses(allowance.limit, Instant::now()) > allowance.misses {
            self.queue.run.stopped = true;
            let unbegun = self.unbegun();
            self.next -= unbegun;
            self.lines = &self.lines[..self.next];
            self.queue.take_back(unbegun);
        }
    }

    /// Sleeps until shortly before the next arrival or until the system writes, and reads what there is.
    fn sleep_and_read(&mut self, conversation: &mut Conversation<'_, '_>) -> Result<(), Stop> {
        let due = self.due();
        let until_due = due.map_or(LONGEST_SLEEP, |due| due.saturating_duration_since(Instant::now()));
        let wants_room = self.sent < self.next;
        let dialogue = &mut *conversation.dialogue;
        let sleep = until_due.saturating_sub(AWAKE).min(LONGEST_SLEEP);
        if !dialogue.wait_for_either(wants_room, sleep) {
            // Only a sleeping generator looks: a look takes time.
            if until_due > LONGEST_SLEEP || due.is_none() {
                conversation.system.look_if_due();
            }
            return self.check_patience(conversation);
        }
        if dialogue.read()? == 0 {
            return Err(Code::ExitedEarly.reason("end of output instead of an answer").into());
        }
        let unbegun = self.unbegun();
        Ok(self.queue.receive(&dialogue.take_reply(), unbegun, Instant::now())?)
    }

    /// Ends the run if the system leaves its oldest line without an answer for longer than a line may take.
    fn check_patience(&self, conversation: &mut Conversation<'_, '_>) -> Result<(), Stop> {
        match self.queue.silence() {
            Some((silent, bytes)) if silent > conversation.patience_for(bytes) => Err(Stop::Silent(silent)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_begun_line_is_finished_and_the_others_are_taken_back() {
        let (lines, pace) = ([b"one".as_slice(), b"two", b"three"], Pace::Clients(3));
        let mut generator = Generator::new(&lines, &pace);
        let arrival = generator.begin - Duration::from_secs(1);
        for line in lines {
            generator.queue.push(arrival, line.len());
            generator.next += 1;
        }
        assert_eq!(generator.unbegun(), 3);
        generator.advance(4);
        generator.advance(1);
        assert_eq!((generator.sent, generator.unbegun()), (1, 1));
        generator.stop_if_hopeless(Allowance { limit: Duration::ZERO, misses: 0 });
        assert_eq!((generator.next, generator.unbegun(), generator.queue.waiting()), (2, 0, 2));
        generator.advance(3);
        assert!(generator.has_written_all() && generator.sent == 2, "the begun line is finished");
    }
}
