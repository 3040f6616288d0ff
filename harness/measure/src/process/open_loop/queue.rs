//! The queue: lines that wait for their answers, first in, first out, and what is observed of them.

use std::time::{Duration, Instant};

use dyno_record::{Code, Reason};

/// Observations of one run: one entry for each line that was written, in the order of arrival.
#[derive(Clone, Debug, Default)]
pub struct OpenRun {
    /// Answers without line ends.
    pub answers: Vec<Vec<u8>>,
    /// Nanoseconds from the planned arrival to the answer.
    pub latency_ns: Vec<u64>,
    /// Nanoseconds from the start of the run to the answer.
    pub answered_ns: Vec<u64>,
    /// Nanoseconds by which the generator was late for the arrival.
    pub late_ns: Vec<u64>,
    /// Whether the run ended early, after too many misses.
    pub stopped: bool,
}

/// Lines in the order of arrival, and the observations so far.
pub(super) struct Queue {
    begin: Instant,
    /// Planned arrival of each line, and its number of bytes.
    lines: Vec<(Instant, usize)>,
    pub(super) run: OpenRun,
    /// Answer that has no line end yet.
    part: Vec<u8>,
    /// Start of the run, or the last answer.
    pub(super) progress: Instant,
    /// Answers that took longer than the limit, among the first `judged`.
    late: usize,
    judged: usize,
}

impl Queue {
    pub(super) fn new(begin: Instant) -> Self {
        let (lines, run, part) = Default::default();
        Self { begin, lines, run, part, progress: begin, late: 0, judged: 0 }
    }

    pub(super) fn push(&mut self, arrival: Instant, bytes: usize) {
        if self.is_empty() {
            self.progress = arrival;
        }
        self.lines.push((arrival, bytes));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting() == 0
    }

    pub(super) fn waiting(&self) -> usize {
        self.lines.len() - self.run.answers.len()
    }

    pub(super) fn take_back(&mut self, count: usize) {
        self.lines.truncate(self.lines.len() - count);
    }

    /// Output that was read `now`. `unbegun` is the number of lines that the system can't know yet.
    pub(super) fn receive(&mut self, bytes: &[u8], unbegun: usize, now: Instant) -> Result<(), Reason> {
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            if self.run.answers.len() + unbegun >= self.lines.len() {
                return Err(Code::ExtraOutput.reason("output without a question"));
            }
            self.part.extend_from_slice(piece);
            if self.part.pop_if(|byte| *byte == b'\n').is_some() {
                self.answer(now);
            }
        }
        Ok(())
    }

    fn answer(&mut self, now: Instant) {
        let (arrival, _) = self.lines[self.run.answers.len()];
        let ns_since = |earlier| now.saturating_duration_since(earlier).as_nanos() as u64;
        self.run.latency_ns.push(ns_since(arrival));
        self.run.answered_ns.push(ns_since(self.begin));
        self.run.answers.push(std::mem::take(&mut self.part));
        self.progress = now;
    }

    /// Number of lines that took longer than `limit`, or wait for longer `now`.
    pub(super) fn misses(&mut self, limit: Duration, now: Instant) -> usize {
        let new = &self.run.latency_ns[self.judged..];
        self.late += new.iter().filter(|&&ns| u128::from(ns) > limit.as_nanos()).count();
        self.judged = self.run.latency_ns.len();
        let waits = |line: &&(Instant, usize)| now.saturating_duration_since(line.0) > limit;
        self.late + self.lines[self.run.answers.len()..].iter().take_while(waits).count()
    }

    /// Time since the system's last sign, and the bytes of the line that it owes an answer; `None` if it owes
    /// none.
    pub(super) fn silence(&self) -> Option<(Duration, usize)> {
        let (_, bytes) = self.lines.get(self.run.answers.len())?;
        Some((self.progress.elapsed(), *bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A queue with a line at each of these milliseconds.
    fn queue(begin: Instant, arrivals: &[u64]) -> Queue {
        let mut queue = Queue::new(begin);
        arrivals.iter().for_each(|&ms| queue.push(begin + Duration::from_millis(ms), 10));
        queue
    }

    #[test]
    fn times_run_from_the_planned_arrival() {
        let begin = Instant::now();
        let mut queue = queue(begin, &[0, 10, 20]);
        let at = |ms| begin + Duration::from_millis(ms);
        queue.receive(b"a", 0, at(11)).unwrap();
        assert!(!queue.is_empty() && queue.run.answers.is_empty());
        queue.receive(b"b\nc\nd", 0, at(15)).unwrap();
        queue.receive(b"\n", 0, at(1020)).unwrap();
        assert!(queue.is_empty());
        assert_eq!(queue.run.answers, [b"ab".to_vec(), b"c".to_vec(), b"d".to_vec()]);
        assert_eq!(queue.run.latency_ns, [15_000_000, 5_000_000, 1_000_000_000]);
        assert_eq!(queue.run.answered_ns, [15_000_000, 15_000_000, 1_020_000_000]);
    }

    #[test]
    fn a_stall_is_a_miss_of_every_line_that_waits_through_it() {
        let begin = Instant::now();
        let arrivals: Vec<u64> = (0..100).map(|i| 10 * i).collect();
        let mut queue = queue(begin, &arrivals);
        let (limit, at) = (Duration::from_millis(250), |ms| begin + Duration::from_millis(ms));
        queue.receive(b"x\nx\n", 0, at(20)).unwrap();
        assert_eq!(queue.misses(limit, at(100)), 0);
        // The lines of 20 ms to 740 ms have waited for more than the limit.
        assert_eq!(queue.misses(limit, at(1000)), 73);
        queue.receive(&b"x\n".repeat(98), 0, at(1000)).unwrap();
        assert_eq!(queue.misses(limit, at(1000)), 73, "an answer doesn't mend a miss");
    }

    #[test]
    fn an_answer_without_a_line_is_extra_output() {
        let begin = Instant::now();
        let code = |queue: &mut Queue, bytes: &[u8], unbegun| {
            queue.receive(bytes, unbegun, begin).err().map(|reason| reason.code)
        };
        assert_eq!(code(&mut queue(begin, &[0]), b"a\nb\n", 0), Some(Code::ExtraOutput));
        assert_eq!(code(&mut queue(begin, &[0, 0]), b"a\nb\n", 0), None);
        assert_eq!(code(&mut queue(begin, &[0, 0]), b"a\nb\n", 1), Some(Code::ExtraOutput), "not asked yet");
        let mut queue = queue(begin, &[0, 0, 0]);
        queue.take_back(2);
        assert_eq!(code(&mut queue, b"a\n", 0), None);
        assert!(queue.is_empty());
    }
}
