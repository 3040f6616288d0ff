//! Hosting a backend under a track: lines in on standard input, answers out on standard output, in order.
//!
//! Engines and plugins are hosted alike. In the latency track each answer is flushed before the next line is
//! read; in the throughput tracks windows of lines are cut into batches for pinned workers.

mod throughput;

use std::fs;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use dyno_api::{Answer, Model, Session};

use crate::campaign::Track;
use crate::exit::{Exit, Outcome};

/// Translates standard input to standard output under `track` on `cores` workers.
pub fn host(model: &Arc<dyn Model>, track: Track, cores: usize) -> Outcome {
    match track {
        Track::Latency => lockstep(model),
        Track::Throughput1 | Track::ThroughputAll => throughput::run(model, cores),
    }
}

/// Leaves the model's facts as JSON.
pub fn write_facts(model: &Arc<dyn Model>, path: &PathBuf) -> Outcome<()> {
    let text = serde_json::to_vec_pretty(&model.facts()).context("facts as JSON")?;
    Ok(fs::write(path, text).with_context(|| format!("can't write facts to {}", path.display()))?)
}

/// One line, its answer, flush; until the end of input.
fn lockstep(model: &Arc<dyn Model>) -> Outcome {
    let mut session = model.session().context("a session")?;
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let (mut line, mut reply) = (Vec::new(), Vec::new());
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(Exit::Done);
        }
        reply.clear();
        answer_line(session.as_mut(), without_end(&line), &mut reply)?;
        output.write_all(&reply)?;
        output.flush()?;
    }
}

/// A line as it counts: without line feed, nor the carriage return of a file from elsewhere.
fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Appends the best answer to `line`, and its newline, to `reply`.
fn answer_line(session: &mut dyn Session, line: &[u8], reply: &mut Vec<u8>) -> Outcome<()> {
    let mut sink = |answer: Answer<'_>| {
        if answer.rank == 0 {
            push_line(reply, answer.text);
        }
    };
    Ok(session.run(&[line], &mut sink).context("translating a line")?)
}

/// One line for one line, whatever is in the answer: line ends inside it become spaces.
fn push_line(reply: &mut Vec<u8>, text: &str) {
    reply.extend(text.bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte }));
    reply.push(b'\n');
}
