//! The null backend, which answers each line with the line itself.
//!
//! It measures the cost of the path between bench and system. With a given time for each word, it is a system
//! of known speed, against which the bench's figures can be checked.

use std::hint::spin_loop;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use dyno_api::{Answer, Backend, Error, Facts, Model, Result, Session, Settings, SettingsReader, Sink};

/// Backend that echoes lines.
pub struct Null;

const NAME: &str = "null";

impl Backend for Null {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "Echoes each line; the setting `word-us` adds that many microseconds of work for each word"
    }

    fn open(&self, models: &[PathBuf], settings: &Settings) -> Result<Arc<dyn Model>> {
        if !models.is_empty() {
            let (backend, given) = (NAME.into(), models.len());
            return Err(Error::ModelCount { backend, expected: "no model", given });
        }
        let mut reader = SettingsReader::new(NAME, settings);
        let word_us = reader.take::<f64>("word-us", "a number")?.unwrap_or(0.0);
        // A minute for a word at most: a slower system would count as hung.
        if !(0.0..=60e6).contains(&word_us) {
            return Err(reader.refuse("word-us", "it must lie between 0 and 60,000,000"));
        }
        reader.finish()?;
        Ok(Arc::new(Echo { word: Duration::from_nanos((word_us * 1000.0) as u64) }))
    }
}

/// The model, and each session of it: a session holds nothing of its own.
#[derive(Clone, Copy)]
struct Echo {
    /// Work of a word.
    word: Duration,
}

impl Model for Echo {
    fn facts(&self) -> Facts {
        Facts { backend: NAME.into(), version: env!("CARGO_PKG_VERSION").into(), ..Facts::default() }
    }

    fn session(&self) -> Result<Box<dyn Session>> {
        Ok(Box::new(*self))
    }
}

impl Session for Echo {
    fn run(&mut self, lines: &[&[u8]], sink: &mut dyn Sink) -> Result<()> {
        for (line, bytes) in lines.iter().enumerate() {
            let text = String::from_utf8_lossy(bytes);
            if !self.word.is_zero() {
                work(self.word * text.split_whitespace().count() as u32);
            }
            sink.answer(Answer { line, rank: 0, text: &text, score: None });
        }
        Ok(())
    }
}

/// Keeps the core busy, as a translator does. Sleeping would let the core change its clock frequency. CPU time
/// counts, because a translator that is stopped has its work left afterwards.
fn work(time: Duration) {
    let begin = cpu_time();
    while cpu_time().saturating_sub(begin) < time {
        spin_loop();
    }
}

fn cpu_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0))
}
