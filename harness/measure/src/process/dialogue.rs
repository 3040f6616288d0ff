//! The two pipes of a system in lock-step: lines in, as many lines out, and what can go wrong in between.

use std::cmp::Ordering;
use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::time::{Duration, Instant};

use dyno_record::{Code, Reason};

use super::subject::most_output;
use super::waiting::Waiting;
use crate::os::tree::Root;
use crate::os::{self, PollFlags};

/// Bytes of unrequested output within [`FLOOD_TIME`] that are a flood; less is a banner.
const FLOOD_BYTES: usize = 1 << 20;
const FLOOD_TIME: Duration = Duration::from_millis(200);
/// Time between two looks at a silent system, to see whether it can still answer. The looks cost a slow
/// system a thousandth of its core.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Cause of the end of an exchange.
#[derive(Debug, PartialEq, Eq)]
pub enum Stop {
    /// No answer to the last line, after this time.
    Silent(Duration),
    /// A broken rule.
    Fault(Reason),
}

impl From<Reason> for Stop {
    fn from(reason: Reason) -> Self {
        Self::Fault(reason)
    }
}

/// Both pipes of a system, non-blocking on the bench's side. A system that doesn't read must not hang the
/// bench. A system that writes while it reads must not hang itself.
pub struct Dialogue {
    to_system: Option<PipeWriter>,
    from_system: PipeReader,
    /// Time limit for the next line.
    pub patience: Duration,
    /// Root of the system's processes.
    root: Root,
    /// Link of the system's standard input in `/proc`.
    pipe: String,
    /// Bytes read since the question, with the newline.
    reply: Vec<u8>,
    /// Line ends of the reply: the place behind each, and the instant at which it was read.
    ends: Vec<(usize, Instant)>,
    /// Instants at which text of the reply was read. White space is none.
    pub texts: Vec<Instant>,
    /// Buffer for reads. It is small and always the same, so that reads displace little of the system's
    /// cache.
    buffer: [u8; 8192],
    /// Number of lines written so far.
    pub asked: usize,
    /// Number of line ends read so far.
    pub answered: usize,
    /// Bytes written so far, and bytes read.
    exchanged: [u64; 2],
    /// Whether the answers are vectors, which are longer than their lines.
    pub gives_vectors: bool,
}

impl Dialogue {
    /// A dialogue over these pipes with a system below `root`.
    pub fn new(to_system: PipeWriter, from_system: PipeReader, root: Root) -> io::Result<Self> {
        os::set_nonblocking(to_system.as_fd())?;
        os::set_nonblocking(from_system.as_fd())?;
        let link = std::fs::read_link(format!("/proc/self/fd/{}", to_system.as_raw_fd()));
        let pipe = link.map(|link| link.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Self {
            to_system: Some(to_system),
            from_system,
            patience: Duration::ZERO,
            root,
            pipe,
            reply: Vec::with_capacity(1 << 16),
            ends: Vec::new(),
            texts: Vec::new(),
            buffer: [0; 8192],
            asked: 0,
            answered: 0,
            exchanged: [0; 2],
            gives_vectors: false,
        })
    }

    /// Answers to the last page without their newlines, each with the instant at which it was there.
    pub fn answers(&self) -> impl Iterator<Item = (&[u8], Instant)> {
        let begins = std::iter::once(0).chain(self.ends.iter().map(|&(end, _)| end));
        begins.zip(&self.ends).map(|(begin, &(end, at))| (&self.reply[begin..end - 1], at))
    }

    /// Reply behind its last line end.
    pub fn unended(&self) -> &[u8] {
        &self.reply[self.ends.last().map_or(0, |&(end, _)| end)..]
    }

    /// Writes a page of one or more lines, each with its line end, and waits for as many answers.
    pub fn ask(&mut self, page: &[u8]) -> Result<(), Stop> {
        let begin = Instant::now();
        let deadline = begin + self.patience;
        self.reply.clear();
        self.ends.clear();
        self.texts.clear();
        self.write(page, deadline)?;
        let lines = page.iter().filter(|&&byte| byte == b'\n').count();
        self.asked += lines - 1;
        loop {
            match self.ends.len().cmp(&lines) {
                Ordering::Equal if self.unended().is_empty() => return Ok(()),
                Ordering::Less => {}
                _ if lines == 1 => return Err(self.unrequested("more than one line for a line").into()),
                _ => return Err(self.unrequested(&format!("more than {lines} lines for a page")).into()),
            }
            if !self.wait_for_output(deadline)? {
                return Err(Stop::Silent(begin.elapsed()));
            }
            if self.read()? == 0 {
                return Err(Code::ExitedEarly.reason("end of output instead of an answer").into());
            }
        }
    }

    /// Writes `line`. If the system can't take more of it because its own output is full, this reads that
    /// output.
    pub(super) fn write(&mut self, mut line: &[u8], deadline: Instant) -> Result<(), Stop> {
        self.asked += 1;
        while !line.is_empty() {
            match self.write_some(line)? {
                0 => self.drain_output(deadline)?,
                written => line = &line[written..],
            }
        }
        Ok(())
    }

    /// Writes as much of `bytes` as the pipe takes now; returns how many. The caller counts the lines.
    pub(super) fn write_some(&mut self, bytes: &[u8]) -> Result<usize, Reason> {
        let Some(pipe) = &mut self.to_system else { unreachable!("open until `end`") };
        match pipe.write(bytes) {
            Ok(written) => {
                self.exchanged[0] += written as u64;
                Ok(written)
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(0),
            Err(_) => Err(Code::ExitedEarly.reason("the system closed its input")),
        }
    }

    /// Waits until there is output, or room for input if that is wanted. Whether there is output.
    pub(super) fn wait_for_either(&self, wants_room: bool, within: Duration) -> bool {
        let output = (self.from_system.as_fd(), PollFlags::IN);
        match self.to_system.as_ref().filter(|_| wants_room) {
            None => self.readable(within),
            Some(pipe) => {
                matches!(os::wait_for([output, (pipe.as_fd(), PollFlags::OUT)], Some(within)), Ok([true, _]))
            }
        }
    }

    /// Waits until the system takes or gives bytes, and reads its output.
    fn drain_output(&mut self, deadline: Instant) -> Result<(), Stop> {
        let Some(pipe) = &self.to_system else { unreachable!("open until `end`") };
        let wanted = [(pipe.as_fd(), PollFlags::OUT), (self.from_system.as_fd(), PollFlags::IN)];
        let left = deadline.saturating_duration_since(Instant::now());
        match os::wait_for(wanted, Some(left)) {
            Ok([_, true]) if self.read()? == 0 => {
                Err(Code::ExitedEarly.reason("end of output instead of an answer").into())
            }
            Ok([false, false]) => Err(Stop::Silent(self.patience)),
            _ => Ok(()),
        }
    }

    /// Appends the available output to the reply; returns 0 at the end of output.
    pub(super) fn read(&mut self) -> Result<usize, Reason> {
        match self.from_system.read(&mut self.buffer) {
            Ok(n) => {
                let (now, begin) = (Instant::now(), self.reply.len());
                let before = self.ends.len();
                let line_ends = (0..n).filter(|&at| self.buffer[at] == b'\n');
                self.ends.extend(line_ends.map(|at| (begin + at + 1, now)));
                self.answered += self.ends.len() - before;
                self.texts
                    .extend(self.buffer[..n].iter().any(|byte| !byte.is_ascii_whitespace()).then_some(now));
                self.reply.extend_from_slice(&self.buffer[..n]);
                self.exchanged[1] += n as u64;
                self.flood().map_or(Ok(n), Err)
            }
            Err(error) => Err(Code::Crashed.reason(format!("the system's output can't be read: {error}"))),
        }
    }

    /// Fault if the answers together are too long: the bench holds most of them in memory.
    fn flood(&self) -> Option<Reason> {
        let [written, read] = self.exchanged;
        let vectors = if self.gives_vectors { self.asked } else { 0 };
        let figure = || format!("{read} bytes for {} lines", self.asked);
        (read > most_output(written, vectors)).then(|| Code::Flood.reason(figure()))
    }

    pub(super) fn take_reply(&mut self) -> Vec<u8> {
        self.ends.clear();
        self.texts.clear();
        std::mem::take(&mut self.reply)
    }

    /// Waits for output or its end. `false` means that there is none by the deadline, or that the system
    /// waits for more input.
    pub(super) fn wait_for_output(&self, deadline: Instant) -> Result<bool, Reason> {
        let mut waiting = Waiting::default();
        loop {
            let left = (deadline + waiting.grace()).saturating_duration_since(Instant::now());
            if self.readable(left.min(POLL_INTERVAL)) {
                return Ok(true);
            }
            let is_idle = waiting.is_idle(self.root, &self.pipe) && self.input_is_taken();
            if is_idle || Instant::now() >= deadline + waiting.grace() {
                // The system may have answered before the look.
                return Ok(self.readable(Duration::ZERO));
            }
        }
    }

    fn readable(&self, within: Duration) -> bool {
        matches!(os::wait_for([(self.from_system.as_fd(), PollFlags::IN)], Some(within)), Ok([true]))
    }

    pub(super) fn input_is_taken(&self) -> bool {
        let pipe = self.to_system.as_ref();
        pipe.is_some_and(|pipe| os::unread_bytes(pipe.as_fd()).is_ok_and(|bytes| bytes == 0))
    }

    /// Fault if the system has written without a question.
    pub fn expect_silence(&mut self) -> Result<(), Reason> {
        if !self.readable(Duration::ZERO) {
            return Ok(());
        }
        match self.read()? {
            0 => Err(Code::ExitedEarly.reason("the system ended before its input did")),
            _ => Err(self.unrequested("output without a question")),
        }
    }

    /// Fault of output beyond the answer: a little is extra output, much is a flood.
    fn unrequested(&mut self, figure: &str) -> Reason {
        let (deadline, begin) = (Instant::now() + FLOOD_TIME, self.reply.len());
        while self.reply.len() - begin < FLOOD_BYTES {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || !self.readable(left) || !self.read().is_ok_and(|n| n > 0) {
                return Code::ExtraOutput.reason(figure);
            }
        }
        let bytes = self.reply.len() - begin;
        Code::Flood.reason(format!("{bytes} bytes for a line within {} ms", FLOOD_TIME.as_millis()))
    }

    pub(super) fn close(&mut self) {
        self.to_system = None;
    }

    /// Closes the system's input. The system must then end its output without further bytes.
    pub fn end(&mut self, patience: Duration) -> Result<(), Stop> {
        self.close();
        if !self.readable(patience) {
            return Err(Stop::Silent(patience));
        }
        match self.read()? {
            0 => Ok(()),
            n => Err(self.unrequested(&format!("{n} bytes after the last answer")).into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A system that writes each piece once the one before has been read.
    fn write_one_by_one(mut input: PipeReader, mut output: PipeWriter, pieces: &[&[u8]]) {
        let _ = input.read(&mut [0; 64]);
        for piece in pieces {
            output.write_all(piece).unwrap();
            while os::unread_bytes(output.as_fd()).is_ok_and(|bytes| bytes > 0) {
                std::thread::yield_now();
            }
        }
    }

    fn dialogue(to_system: PipeWriter, from_system: PipeReader) -> Dialogue {
        let root = Root { supervisor: std::process::id(), layers: 0 };
        let patience = Duration::from_secs(60);
        Dialogue { patience, ..Dialogue::new(to_system, from_system, root).unwrap() }
    }

    /// Number of lines that a system answers with a MiB each before that is a flood.
    fn answers_of_a_mebibyte(gives_vectors: bool) -> usize {
        let ((mut input, to_system), (from_system, mut output)) = (io::pipe().unwrap(), io::pipe().unwrap());
        let mut dialogue = Dialogue { gives_vectors, ..dialogue(to_system, from_system) };
        let answer = [vec![b'x'; (1 << 20) - 1], b"\n".to_vec()].concat();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                while input.read(&mut [0; 6]).is_ok_and(|n| n > 0) && output.write_all(&answer).is_ok() {}
            });
            let flood = (0..200).find(|_| match dialogue.ask(b"A dog\n") {
                Ok(()) => false,
                Err(stop) => matches!(stop, Stop::Fault(reason) if reason.code == Code::Flood),
            });
            drop(dialogue);
            flood.unwrap_or(200)
        })
    }

    #[test]
    fn long_answers_are_a_flood_together_unless_they_are_vectors() {
        assert_eq!([false, true].map(answers_of_a_mebibyte), [64, 200]);
    }

    #[test]
    fn pieces_of_an_answer_are_counted_without_white_space() {
        let cases: [(&[&[u8]], usize); 4] = [
            (&[b"Ein ", b"Hund", b"\n"], 2),
            (&[b" ", b"Ein Hund\n"], 1),
            (&[b"Ein Hund\n"], 1),
            (&[b"\n"], 0),
        ];
        for (pieces, count) in cases {
            let ((input, to_system), (from_system, output)) = (io::pipe().unwrap(), io::pipe().unwrap());
            let mut dialogue = dialogue(to_system, from_system);
            std::thread::scope(|scope| {
                scope.spawn(|| write_one_by_one(input, output, pieces));
                dialogue.ask(b"A dog\n").unwrap();
            });
            assert_eq!(dialogue.texts.len(), count, "{pieces:?}");
            let (_, newline) = dialogue.answers().next().unwrap();
            assert!(dialogue.texts.iter().all(|at| *at <= newline));
        }
    }
}
