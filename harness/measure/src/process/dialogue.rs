//! The two pipes of a system under lock-step: a line in, a line out, and what can go wrong between them.

use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::time::{Duration, Instant};

use crate::os::tree::{self, Wait};
use crate::os::{self, Interest};
use crate::rules::{Code, Reason};

/// No answer of a translator is longer; beyond it something loops.
const LONGEST_REPLY: usize = 64 << 20;
/// More than this within [`FLOOD_TIME`], unasked, is no banner but a flood.
const FLOOD_BYTES: usize = 1 << 20;
const FLOOD_TIME: Duration = Duration::from_millis(200);
/// A silent system is looked at this often, to see whether it can still answer: rarely enough to cost a slow one
/// a thousandth of its core.
const GLANCE: Duration = Duration::from_millis(100);
/// A system that has used no CPU for so long, with a thread that reads our pipe and none that sleeps, waits for
/// more input: it won't answer what it has.
const IDLE: Duration = Duration::from_millis(500);

/// Why an exchange ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Stop {
    /// It gives no answer to what it was asked; after so long.
    Silent(Duration),
    /// It broke a rule.
    Fault(Reason),
}

impl From<Reason> for Stop {
    fn from(reason: Reason) -> Self {
        Self::Fault(reason)
    }
}

/// Both pipes of a system, non-blocking on our side: a system that doesn't read must not hang the bench, and one
/// that writes while it reads must not hang itself.
pub struct Dialogue {
    to_system: Option<PipeWriter>,
    from_system: PipeReader,
    /// For the next line.
    pub patience: Duration,
    /// Below whom the system's processes are found.
    supervisor: u32,
    /// Its standard input, as `/proc` calls it.
    pipe: String,
    /// What has been read since the question, the newline included.
    reply: Vec<u8>,
    /// Small and always the same, so that reading displaces little of the system's cache.
    buffer: [u8; 8192],
    /// Lines written, and line ends read, so far.
    pub asked: usize,
    /// See `asked`.
    pub answered: usize,
}

impl Dialogue {
    /// A dialogue over these pipes with a system below `supervisor`.
    pub fn new(to_system: PipeWriter, from_system: PipeReader, supervisor: u32) -> io::Result<Self> {
        os::set_nonblocking(to_system.as_fd())?;
        os::set_nonblocking(from_system.as_fd())?;
        let link = std::fs::read_link(format!("/proc/self/fd/{}", to_system.as_raw_fd()));
        let pipe = link.map(|link| link.to_string_lossy().into_owned()).unwrap_or_default();
        let (to_system, reply) = (Some(to_system), Vec::with_capacity(1 << 16));
        let (asked, answered) = (0, 0);
        Ok(Self {
            to_system,
            from_system,
            patience: Duration::ZERO,
            supervisor,
            pipe,
            reply,
            buffer: [0; 8192],
            asked,
            answered,
        })
    }

    /// The last answer without its newline.
    pub fn answer(&self) -> &[u8] {
        self.reply.strip_suffix(b"\n").unwrap_or(&self.reply)
    }

    /// Writes one line and waits for the reply's newline.
    pub fn ask(&mut self, line: &[u8]) -> Result<(), Stop> {
        let begin = Instant::now();
        let deadline = begin + self.patience;
        self.reply.clear();
        self.write(line, deadline)?;
        let mut searched = 0;
        loop {
            match self.reply[searched..].iter().position(|&byte| byte == b'\n') {
                Some(end) if searched + end + 1 == self.reply.len() => return Ok(()),
                Some(_) => return Err(self.extra("more than one line for a line").into()),
                None if self.reply.len() > LONGEST_REPLY => {
                    return Err(Code::Flood.reason("an answer without end").into());
                }
                None => searched = self.reply.len(),
            }
            if !self.wait_for_output(deadline)? {
                return Err(Stop::Silent(begin.elapsed()));
            }
            if self.read()? == 0 {
                return Err(Code::ExitedEarly.reason("end of output instead of an answer").into());
            }
        }
    }

    /// Writes `line`; when the system can't take more of it, because its own output is full, reads that.
    pub(super) fn write(&mut self, mut line: &[u8], deadline: Instant) -> Result<(), Stop> {
        self.asked += 1;
        while !line.is_empty() {
            let Some(pipe) = &mut self.to_system else { unreachable!("open until `end`") };
            match pipe.write(line) {
                Ok(n) => line = &line[n..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.make_room(deadline)?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(Code::ExitedEarly.reason("it closed its input").into()),
            }
        }
        Ok(())
    }

    fn make_room(&mut self, deadline: Instant) -> Result<(), Stop> {
        let Some(pipe) = &self.to_system else { unreachable!("open until `end`") };
        let wanted = [(pipe.as_fd(), Interest::Write), (self.from_system.as_fd(), Interest::Read)];
        let left = deadline.saturating_duration_since(Instant::now());
        match os::wait_for(wanted, Some(left)) {
            Ok([_, true]) if self.reply.len() > LONGEST_REPLY => {
                Err(Code::Flood.reason("an answer without end").into())
            }
            Ok([_, true]) if self.read()? == 0 => {
                Err(Code::ExitedEarly.reason("end of output instead of an answer").into())
            }
            Ok([false, false]) => Err(Stop::Silent(self.patience)),
            _ => Ok(()),
        }
    }

    /// Appends what is there to the reply; 0 is the end.
    pub(super) fn read(&mut self) -> Result<usize, Reason> {
        match self.from_system.read(&mut self.buffer) {
            Ok(n) => {
                self.answered += self.buffer[..n].iter().filter(|&&byte| byte == b'\n').count();
                self.reply.extend_from_slice(&self.buffer[..n]);
                Ok(n)
            }
            Err(error) => Err(Code::Crashed.reason(format!("its output can't be read: {error}"))),
        }
    }

    /// What has been read since the last call.
    pub(super) fn take_reply(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.reply)
    }

    /// Waits for output, or its end. `false`: there is none by the deadline, or there can't be any because
    /// the system waits for more input.
    pub(super) fn wait_for_output(&self, deadline: Instant) -> Result<bool, Reason> {
        let mut idle = Idle::default();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.readable(left.min(GLANCE)) {
                true => return Ok(true),
                false if left.is_zero() => return Ok(false),
                // One look more: it may have answered between the two.
                false if idle.is_idle(self.supervisor, &self.pipe) && self.input_is_taken() => {
                    return Ok(self.readable(Duration::ZERO));
                }
                false => {}
            }
        }
    }

    fn readable(&self, within: Duration) -> bool {
        matches!(os::wait_for([(self.from_system.as_fd(), Interest::Read)], Some(within)), Ok([true]))
    }

    /// Whether the system has read all that was written.
    fn input_is_taken(&self) -> bool {
        let pipe = self.to_system.as_ref();
        pipe.is_some_and(|pipe| os::unread_bytes(pipe.as_fd()).is_ok_and(|bytes| bytes == 0))
    }

    /// Nothing may come that was not asked for.
    pub fn expect_silence(&mut self) -> Result<(), Reason> {
        if !self.readable(Duration::ZERO) {
            return Ok(());
        }
        match self.read()? {
            0 => Err(Code::ExitedEarly.reason("it ended before its input did")),
            _ => Err(self.extra("output that nobody had asked for")),
        }
    }

    /// What to call output beyond the answer: some is extra, much is a flood.
    fn extra(&mut self, figure: &str) -> Reason {
        let deadline = Instant::now() + FLOOD_TIME;
        let begin = self.reply.len();
        while self.reply.len() - begin < FLOOD_BYTES && Instant::now() < deadline {
            if !self.readable(deadline.saturating_duration_since(Instant::now()))
                || !self.read().is_ok_and(|n| n > 0)
            {
                return Code::ExtraOutput.reason(figure);
            }
        }
        let bytes = self.reply.len() - begin;
        if bytes < FLOOD_BYTES {
            return Code::ExtraOutput.reason(figure);
        }
        Code::Flood.reason(format!("{bytes} bytes for a line within {} ms", FLOOD_TIME.as_millis()))
    }

    /// Ends the input.
    pub(super) fn close(&mut self) {
        self.to_system = None;
    }

    /// Ends the input; the system must end its output without another word.
    pub fn end(&mut self, patience: Duration) -> Result<(), Stop> {
        self.close();
        if !self.readable(patience) {
            return Err(Stop::Silent(patience));
        }
        match self.read()? {
            0 => Ok(()),
            n => Err(Code::ExtraOutput.reason(format!("{n} bytes after the last answer")).into()),
        }
    }
}

/// Tells a system that thinks from one that waits for more input.
#[derive(Default)]
struct Idle {
    /// The tree's CPU time, and when it was first seen at that.
    ran: Option<(u64, Instant)>,
}

impl Idle {
    fn is_idle(&mut self, supervisor: u32, pipe: &str) -> bool {
        let pids = tree::below(supervisor);
        let ran_ns = tree::running_ns(&pids);
        let waits = tree::waits(&pids, pipe);
        // With a wait that can't be told, silence proves nothing: then patience alone decides.
        let may_go_on = waits.iter().any(|wait| matches!(wait, Wait::Busy | Wait::Unknown));
        if may_go_on || !waits.contains(&Wait::Reading) {
            self.ran = None;
            return false;
        }
        match self.ran {
            Some((before, since)) if before == ran_ns => since.elapsed() >= IDLE,
            _ => {
                self.ran = Some((ran_ns, Instant::now()));
                false
            }
        }
    }
}
