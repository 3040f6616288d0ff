use std::io::{self, Cursor};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use dyno_api::{Error, Sink};
use dyno_record::identity::BatchSize;

use super::*;

/// Session that answers a line with itself, after as many steps as it has bytes. It fails at the line `bad`,
/// and notes how many lines it translated together.
#[derive(Default)]
struct Steps {
    lines: Vec<(usize, usize, String)>,
    together: Arc<Mutex<Vec<usize>>>,
}

impl Session for Steps {
    fn run(&mut self, _: &[&[u8]], _: &mut dyn Sink) -> dyno_api::Result<()> {
        unreachable!("the track takes steps")
    }

    fn admit(&mut self, first: usize, lines: &[&[u8]], _: &mut dyn Sink) -> dyno_api::Result<()> {
        for (number, line) in (first..).zip(lines) {
            let text = String::from_utf8(line.to_vec()).expect("tests write UTF-8");
            self.lines.push((number, text.len(), text));
        }
        Ok(())
    }

    fn step(&mut self, sink: &mut dyn Sink) -> dyno_api::Result<()> {
        self.together.lock().unwrap().push(self.lines.len());
        for (number, left, text) in &mut self.lines {
            if text == "bad" {
                return Err(Error::Failed { backend: "steps".into(), reason: "bad".into() });
            }
            *left = left.saturating_sub(1);
            if *left == 0 {
                sink.answer(Answer { line: *number, rank: 0, text, score: None });
            }
        }
        self.lines.retain(|(_, left, _)| *left > 0);
        Ok(())
    }
}

/// Output whose writes are sent on at each flush.
struct Flushed(Vec<u8>, Sender<String>);

impl Write for Flushed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        let text = String::from_utf8(std::mem::take(&mut self.0)).expect("tests write UTF-8");
        self.1.send(text).map_err(io::Error::other)
    }
}

/// Input that blocks until text is sent.
struct Sent(Receiver<String>, Cursor<String>);

impl io::Read for Sent {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = self.1.read(to)?;
        if count > 0 {
            return Ok(count);
        }
        let Ok(text) = self.0.recv() else { return Ok(0) };
        self.1 = Cursor::new(text);
        self.1.read(to)
    }
}

fn options(batch: BatchSize) -> OutputOptions {
    OutputOptions { batch, n_best: false }
}

/// Serves `text`; gives the output, and how many lines were translated together in each step.
fn served(text: &str, workers: usize, batch: BatchSize) -> (Result<()>, String, Vec<usize>) {
    let together = Arc::new(Mutex::new(Vec::new()));
    let session =
        |_| Box::new(Steps { lines: Vec::new(), together: Arc::clone(&together) }) as Box<dyn Session>;
    let (sender, receiver) = channel();
    let output = Flushed(Vec::new(), sender);
    let sessions = (0..workers).map(session).collect();
    let done = run(sessions, options(batch), Cursor::new(text.to_owned()), output);
    let together = together.lock().unwrap().clone();
    (done, receiver.try_iter().collect(), together)
}

#[test]
fn answers_are_in_order_whatever_the_batch_and_the_workers() {
    let text: String = (0..3000).map(|i| format!("{}{i}\n", "w ".repeat(i * 7 % 23))).collect();
    for workers in [1, 3] {
        for batch in [BatchSize::Words(1), BatchSize::Words(50), BatchSize::of_lines(7)] {
            let (done, output, _) = served(&text, workers, batch);
            done.unwrap();
            assert!(output == text, "{workers} workers, {batch:?}");
        }
    }
}

#[test]
fn a_batch_holds_no_more_than_its_size() {
    let text = "four words in it\n".repeat(200); // five with the end
    let most = |batch| served(&text, 1, batch).2.into_iter().max().unwrap();
    assert_eq!(most(BatchSize::Words(20)), 4);
    assert_eq!(most(BatchSize::of_lines(6)), 6);
    assert_eq!(most(BatchSize::of_lines(1)), 1);
}

#[test]
fn the_lines_of_a_page_are_one_batch() {
    let page = "one\nanother\nthe last one\n";
    for (batch, first) in [(BatchSize::Words(99), 3), (BatchSize::of_lines(2), 2)] {
        let (done, output, together) = served(page, 1, batch);
        done.unwrap();
        assert_eq!((output.as_str(), together[0]), (page, first), "{batch:?}");
    }
}

#[test]
fn a_long_line_is_overtaken_by_a_bounded_number_of_lines() {
    /// Notes the last line that came while the first one was being translated.
    struct Overtaken(Steps, Arc<Mutex<usize>>);

    impl Session for Overtaken {
        fn run(&mut self, _: &[&[u8]], _: &mut dyn Sink) -> dyno_api::Result<()> {
            unreachable!("the track takes steps")
        }

        fn admit(&mut self, first: usize, lines: &[&[u8]], sink: &mut dyn Sink) -> dyno_api::Result<()> {
            self.0.admit(first, lines, sink)
        }

        fn step(&mut self, sink: &mut dyn Sink) -> dyno_api::Result<()> {
            if self.0.lines.first().is_some_and(|(number, ..)| *number == 0) {
                let last = self.0.lines.iter().map(|(number, ..)| *number).max();
                let mut before = self.1.lock().unwrap();
                *before = last.unwrap_or(0).max(*before);
            }
            self.0.step(sink)
        }
    }

    let last = Arc::new(Mutex::new(0));
    let session = Overtaken(Steps::default(), Arc::clone(&last));
    let text = "x".repeat(20_000) + "\n" + &"ab\n".repeat(5000);
    let (sender, receiver) = channel();
    let output = Flushed(Vec::new(), sender);
    let size = BatchSize::of_lines(9);
    run(vec![Box::new(session)], options(size), Cursor::new(text.clone()), output).unwrap();
    assert!(receiver.try_iter().collect::<String>() == text);
    let last = *last.lock().unwrap();
    assert!(last < 1024, "line 1024 comes when the first one is answered, and {last} came before");
}

#[test]
fn a_failure_ends_all_workers() {
    let text = "fine\n".repeat(3000) + "bad\n" + &"fine\n".repeat(3000);
    for workers in [1, 3] {
        let failure = served(&text, workers, BatchSize::Words(9)).0.unwrap_err();
        assert!(matches!(failure, crate::Error::Lines(cause) if cause.to_string().contains("bad")));
    }
}

#[test]
fn an_answer_waits_for_no_later_line() {
    let ((lines, input), (output, answers)) = (channel(), channel());
    let input = io::BufReader::new(Sent(input, Cursor::default()));
    let output = Flushed(Vec::new(), output);
    let server = std::thread::spawn(|| {
        run(vec![Box::new(Steps::default())], options(BatchSize::Words(99)), input, output)
    });
    for line in ["one\n", "another\n", "\n"] {
        lines.send(line.to_owned()).unwrap();
        assert_eq!(answers.recv().unwrap(), line);
    }
    for part in ["a", "\nb\n", "c"] {
        lines.send(part.to_owned()).unwrap();
    }
    drop(lines);
    server.join().unwrap().unwrap();
    assert_eq!(answers.try_iter().collect::<String>(), "a\nb\nc\n");
}
