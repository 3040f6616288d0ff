use std::io::{self, Read};
use std::sync::atomic::{AtomicUsize, Ordering};

use dyno_api::{Answer, Error, Sink};
use dyno_record::identity::BatchSize;

use super::*;

/// Session that answers a line with itself, and fails at the line `bad`.
struct Echo;

impl Session for Echo {
    fn run(&mut self, lines: &[&[u8]], sink: &mut dyn Sink) -> dyno_api::Result<()> {
        for (line, bytes) in lines.iter().enumerate() {
            let text = std::str::from_utf8(bytes).expect("tests write UTF-8");
            if text == "bad" {
                return Err(Error::Failed { backend: "echo".into(), reason: text.into() });
            }
            sink.answer(Answer { line, rank: 0, text, score: Some(1.0) });
        }
        Ok(())
    }
}

fn sessions(workers: usize) -> Vec<Box<dyn Session>> {
    (0..workers).map(|_| Box::new(Echo) as Box<dyn Session>).collect()
}

fn lines(count: usize) -> String {
    (0..count).map(|i| "w ".repeat(i * 7 % 23) + &i.to_string() + "\n").collect()
}

#[test]
fn order_is_kept_whatever_the_batch_and_the_workers() {
    let (text, numbered) = (lines(500), |(i, line): (usize, &str)| format!("{i} ||| {line} ||| 1\n"));
    let list: String = text.lines().enumerate().map(numbered).collect();
    for (batch, workers, n_best) in
        [(1, 1, false), (9, 1, true), (1, 3, true), (9, 3, false), (5000, 2, true)]
    {
        let mut output = Vec::new();
        for batch in [BatchSize::Words(batch), BatchSize::of_lines(batch)] {
            output.clear();
            let options = OutputOptions { batch, n_best };
            run(sessions(workers), options, text.as_bytes(), &mut output).unwrap();
            let expected = if n_best { list.as_bytes() } else { text.as_bytes() };
            assert!(output == expected, "{batch:?}");
        }
    }
}

#[test]
fn a_failure_ends_all_workers() {
    let text = lines(300) + "bad\n" + &lines(3000);
    for workers in [1, 3] {
        let options = OutputOptions { batch: BatchSize::Words(4), n_best: false };
        let failure = run(sessions(workers), options, text.as_bytes(), io::sink()).unwrap_err();
        assert!(matches!(failure, crate::Error::Lines(cause) if cause.to_string().contains("bad")));
    }
}

/// Number of bytes that were read and not yet written, now and at most.
#[derive(Default)]
struct Held {
    now: AtomicUsize,
    most: AtomicUsize,
}

struct Counted<'a, T>(T, &'a Held);

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer)?;
        let now = self.1.now.fetch_add(read, Ordering::SeqCst) + read;
        self.1.most.fetch_max(now, Ordering::SeqCst);
        Ok(read)
    }
}

impl<W: Write> Write for Counted<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.1.now.fetch_sub(bytes.len(), Ordering::SeqCst);
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[test]
fn input_without_end_is_held_only_in_part() {
    let text = "w w w w w w w\n".repeat(50_000); // 8 words with the end, 14 bytes
    for workers in [1, 3] {
        let (batch, held) = (16, Held::default());
        let input = io::BufReader::with_capacity(64, Counted(text.as_bytes(), &held));
        let options = OutputOptions { batch: BatchSize::Words(batch), n_best: false };
        run(sessions(workers), options, input, Counted(io::sink(), &held)).unwrap();
        let window = batch / 8 * 14 * BATCHES_A_WORKER * workers;
        let (most, bound) = (held.most.into_inner(), (MOST_WINDOWS + 1) * (window + 64));
        assert!(most >= window && most <= bound, "{most} bytes were held; a window has {window}");
        assert_eq!(held.now.into_inner(), 0, "all was written");
    }
}
