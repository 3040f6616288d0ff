//! Programs that the bench talks to beside its rounds: metrics, meters of energy, sacrebleu's helper, and systems that
//! are opened on nothing.
//!
//! Such a program may answer without end, or not at all; it may fill its standard error, leave children that hold
//! its pipes, or end at any moment. The bench waits for a bounded time, keeps a bounded answer and the end of
//! standard error, and ends the program with its whole process group.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::os::{self, PollFlags};
use crate::supervisor::tail::Tail;

/// Longest wait without a look at signals.
const SLICE: Duration = Duration::from_millis(100);
/// Time in which a second line shows that a program has said behind its answer.
const BEHIND: Duration = Duration::from_millis(1);
/// Time for the last words of a program that has ended, where a child of it holds its pipes.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// Whether the user wants the bench to end.
static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Ends the interruptible question that is under way, if there is one, and refuses all later ones: a signal in a
/// round is no leave for the hours of a metric behind it.
pub fn interrupt() {
    IS_INTERRUPTED.store(true, Ordering::Relaxed);
}

/// A running program. Dropping it ends the program with all its processes.
#[derive(Debug)]
pub struct Companion {
    child: Child,
    end: OwnedFd,
    input: Option<ChildStdin>,
    output: ChildStdout,
    /// Whether a question was asked.
    was_asked: bool,
    /// Bytes of standard output that no answer has taken.
    unread: Vec<u8>,
    complaints: Tail,
    /// Time to end by itself.
    patience: Duration,
}

/// Bounds of an answer.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Greatest number of bytes.
    pub bytes: usize,
    /// Longest time.
    pub time: Duration,
    /// Whether a signal to the bench ends the wait.
    pub is_interruptible: bool,
}

/// End of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    /// The end of a line.
    Line,
    /// The program's end.
    End,
}

/// Reason why there is no answer, with a remedy.
#[derive(Debug, thiserror::Error)]
pub enum Silence {
    /// The program ended, with these last words.
    #[error("it ended without an answer ({0}); try it by hand")]
    Ended(String),
    /// The time was up.
    #[error("it gave no answer within {} s; try it by hand, and print the end of the line", .0.as_secs())]
    Late(Duration),
    /// The answer was too long.
    #[error("it answered more than {0} bytes; print one short line for each question, and nothing else")]
    Endless(usize),
    /// The program said something that no question has asked for: the next answer would be another's.
    #[error("it said {0:?} unasked; print one line for each question, and nothing else")]
    Unasked(String),
    /// The user interrupted the question.
    #[error("it was interrupted; ask again")]
    Interrupted,
    /// A pipe failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Companion {
    /// Starts `command`, in a process group of its own. At its end it gets `patience` to end by itself.
    pub fn start(command: &mut Command, patience: Duration) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        os::die_with_parent(command);
        let mut child = os::start_child(command)?;
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (output, errors) = output.zip(errors).expect("both were asked for as pipes");
        os::set_nonblocking(output.as_fd())?;
        input.as_ref().map_or(Ok(()), |input| os::set_nonblocking(input.as_fd()))?;
        let (end, complaints) = (os::watch_process(child.id())?, Tail::new(errors)?);
        Ok(Self { child, end, input, output, was_asked: false, unread: Vec::new(), complaints, patience })
    }

    /// Answer to `question`: one line, without its end.
    pub fn ask(&mut self, question: &[u8], bounds: Bounds) -> Result<Vec<u8>, Silence> {
        // A program may answer its first question without reading it.
        if self.was_asked && os::wait_for([(self.output.as_fd(), PollFlags::IN)], Some(BEHIND))? == [true] {
            self.read()?;
        }
        self.was_asked = true;
        let answer = self.refuse_unasked().and_then(|()| self.exchange(question, Until::Line, bounds))?;
        self.refuse_unasked()?;
        Ok(answer)
    }

    /// Refuses a whole line before its question.
    fn refuse_unasked(&self) -> Result<(), Silence> {
        match self.unread.split_inclusive(|&byte| byte == b'\n').next().filter(|line| line.ends_with(b"\n")) {
            Some(line) => {
                Err(Silence::Unasked(String::from_utf8_lossy(&line[..line.len().min(40)]).into_owned()))
            }
            None => Ok(()),
        }
    }

    /// All that the program says until its end, to a question that ends with its input.
    pub fn ask_once(mut self, question: &[u8], bounds: Bounds) -> Result<Vec<u8>, Silence> {
        let answer = self.exchange(question, Until::End, bounds);
        if answer.is_err() {
            self.patience = Duration::ZERO; // what gave no answer has no reason to take longer
        }
        answer
    }

    /// Says something that needs no answer, as far as the program takes it at once.
    pub fn tell(&mut self, text: &[u8]) {
        let _ = self.input.as_mut().map(|input| input.write(text));
    }

    fn exchange(&mut self, question: &[u8], until: Until, bounds: Bounds) -> Result<Vec<u8>, Silence> {
        let (begin, mut unsent, mut searched) = (Instant::now(), question, 0);
        loop {
            let line = self.unread[searched..].iter().position(|&byte| byte == b'\n').map(|at| at + searched);
            match line.filter(|_| until == Until::Line && unsent.is_empty()) {
                Some(end) => {
                    let rest = self.unread.split_off(end + 1);
                    let mut answer = std::mem::replace(&mut self.unread, rest);
                    answer.truncate(end);
                    return Ok(answer);
                }
                None if self.unread.len() > bounds.bytes => return Err(Silence::Endless(bounds.bytes)),
                None => searched = line.unwrap_or(self.unread.len()),
            }
            if unsent.is_empty() && until == Until::End {
                self.input = None;
            }
            let left = bounds.time.saturating_sub(begin.elapsed());
            match () {
                () if bounds.is_interruptible && IS_INTERRUPTED.load(Ordering::Relaxed) => {
                    return Err(Silence::Interrupted);
                }
                () if left.is_zero() => return Err(Silence::Late(bounds.time)),
                () => {}
            }
            if !self.turn(&mut unsent, left.min(SLICE))? {
                return match until {
                    Until::End if self.succeeded() => Ok(std::mem::take(&mut self.unread)),
                    _ => Err(Silence::Ended(self.last_words())),
                };
            }
        }
    }

    /// Sends and reads what the pipes take and have. False once the program has ended, or has closed its output.
    fn turn(&mut self, unsent: &mut &[u8], time: Duration) -> io::Result<bool> {
        let end = (self.end.as_fd(), PollFlags::IN);
        let errors = self.complaints.fd().map_or(end, |fd| (fd, PollFlags::IN));
        let writes = self.input.as_ref().filter(|_| !unsent.is_empty());
        let input = writes.map_or(end, |input| (input.as_fd(), PollFlags::OUT));
        let output = (self.output.as_fd(), PollFlags::IN);
        let [ended, reads, _, writes] = os::wait_for([end, output, errors, input], Some(time))?;
        self.complaints.read();
        if let Some(input) = self.input.as_mut().filter(|_| writes && !unsent.is_empty()) {
            match input.write(unsent) {
                Ok(written) => *unsent = &unsent[written..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                // A program may answer without reading; its end shows soon.
                Err(error) if error.kind() == ErrorKind::BrokenPipe => *unsent = &[],
                Err(error) => return Err(error),
            }
        }
        let is_open = !reads || self.read()?;
        // What the program has written before its end is there, although a child may still hold its pipes.
        Ok(is_open && (reads || !ended))
    }

    /// Reads a part of what is there. False at the end of the output.
    fn read(&mut self) -> io::Result<bool> {
        let mut part = [0; 64 * 1024];
        match self.output.read(&mut part) {
            Ok(read) => {
                self.unread.extend_from_slice(&part[..read]);
                Ok(read > 0)
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Whether the program ends by itself within its patience, without a fault.
    fn succeeded(&mut self) -> bool {
        self.wait(self.patience.max(LAST_WORDS));
        self.child.try_wait().is_ok_and(|status| status.is_some_and(|status| status.success()))
    }

    fn last_words(&mut self) -> String {
        self.wait(LAST_WORDS);
        let text = self.complaints.text();
        let signal = self.child.try_wait().ok().flatten().and_then(|status| status.signal());
        match (text.trim_end().lines().last(), signal) {
            (Some(last), _) => last.trim().to_owned(),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "no message".into(),
        }
    }

    /// Waits for the program's end, and reads its standard error meanwhile. Its output is dropped.
    fn wait(&mut self, patience: Duration) {
        let begin = Instant::now();
        while begin.elapsed() < patience {
            let end = (self.end.as_fd(), PollFlags::IN);
            let errors = self.complaints.fd().map_or(end, |fd| (fd, PollFlags::IN));
            let ended = os::wait_for([end, errors], Some(SLICE)).map_or(true, |[ended, _]| ended);
            self.complaints.read();
            if ended {
                return;
            }
            let _ = self.output.read(&mut [0; 64 * 1024]);
        }
    }
}

impl Drop for Companion {
    fn drop(&mut self) {
        self.input = None;
        self.wait(self.patience);
        // The group, too: a child of the program may hold a model, or a pipe.
        os::kill_group(self.child.id());
        let _ = self.child.wait();
        os::forget_child(self.child.id());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { bytes: 1 << 20, time: Duration::from_secs(600), is_interruptible: false };

    fn start(script: &str) -> Companion {
        Companion::start(Command::new("sh").args(["-c", script]), Duration::ZERO).unwrap()
    }

    fn said(script: &str, bounds: Bounds) -> String {
        let answer = start(script).ask(b"ask\n", bounds);
        answer.map_or_else(|silence| silence.to_string(), |line| String::from_utf8(line).unwrap())
    }

    #[test]
    fn each_question_has_its_line() {
        let mut companion = start("while read line; do echo $line 1; done");
        assert_eq!(companion.ask(b"a\n", BOUNDS).unwrap(), b"a 1");
        assert_eq!(companion.ask(b"b\n", BOUNDS).unwrap(), b"b 1");
        let long = [b"c".repeat(500_000), b"\n".to_vec()].concat();
        assert_eq!(companion.ask(&long, BOUNDS).unwrap().len(), 500_002, "longer than a pipe");
        let whole = start("cat; echo end").ask_once(&long, BOUNDS).unwrap();
        assert_eq!(whole.len(), 500_005);
    }

    #[test]
    fn a_second_line_is_no_answer_to_the_next_question() {
        let mut companion = start("while read line; do echo $line; echo and more; done");
        let fault = (0..1000).find_map(|_| companion.ask(b"a\n", BOUNDS).err()).expect("a fault");
        // A slow program's second line becomes the next answer, and that one's first line stands unasked.
        assert!(fault.to_string().contains("\\n\" unasked; print one line"), "{fault}");
        let mut greets = start("echo ready; while read line; do echo $line; done");
        let fault = (0..1000).find_map(|_| greets.ask(b"a\n", BOUNDS).err()).expect("a fault");
        assert!(matches!(fault, Silence::Unasked(_)), "{fault}");
    }

    #[test]
    fn an_answer_without_an_end_is_bounded_in_bytes_and_in_time() {
        let endless = said("exec cat /dev/zero", BOUNDS);
        assert!(endless.contains("more than 1048576 bytes; print one short line"), "{endless}");
        let soon = Bounds { time: Duration::from_millis(50), ..BOUNDS };
        let late = said("printf half; exec sleep 1000", soon);
        assert!(late.contains("no answer within"), "{late}");
    }

    #[test]
    fn the_last_words_of_a_program_are_told_however_much_it_said() {
        let ended = said("head -c 3000000 /dev/zero >&2; echo >&2; echo 'no model here' >&2; exit 1", BOUNDS);
        assert!(ended.contains("(no model here); try it by hand"), "{ended}");
        assert!(said("kill -SEGV $$", BOUNDS).contains("(signal 11)"));
        let failed = start("echo fine; echo 'no module' >&2; exit 1").ask_once(b"", BOUNDS);
        assert!(failed.unwrap_err().to_string().contains("no module"));
    }

    #[test]
    fn a_child_that_holds_the_pipes_is_not_waited_for_and_ends_too() {
        let ended = said("sleep 1000 & echo $! >&2; exit 1", BOUNDS);
        let child: u32 = ended.split(['(', ')']).nth(1).unwrap().parse().unwrap();
        let has_ended = || os::tree::states_of(child).iter().all(|state| matches!(state, 'Z' | 'X'));
        // The kernel delivers a signal when it next runs the process.
        let seen = (0..10_000).any(|_| {
            std::thread::sleep(Duration::from_millis(1));
            has_ended()
        });
        assert!(seen, "{:?}", os::tree::states_of(child));
    }

    #[test]
    fn an_interruption_ends_the_question_under_way_and_refuses_later_ones() {
        let bounds = Bounds { is_interruptible: true, ..BOUNDS };
        let asked = std::thread::spawn(move || said("exec sleep 1000", bounds));
        interrupt();
        assert!(asked.join().unwrap().contains("interrupted"));
        assert!(said("exec sleep 1000", bounds).contains("interrupted"), "asked later");
        assert_eq!(said("echo fine; exec sleep 1000", BOUNDS), "fine", "needed by the table");
    }
}
