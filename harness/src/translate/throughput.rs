//! Windows of lines, cut into batches that pinned workers take one after the other; output in order.
//!
//! A window bounds memory for input without end; within it whoever is free takes the next batch, so that a
//! long batch on one core doesn't hold up the others.

use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use anyhow::Context;
use dyno_api::{Model, Session};

use super::{Manner, answers, without_end};
use crate::exit::{Exit, Outcome};
use crate::os;

/// Batches of a window for each worker: the wait for the last one at a window's end is a small share.
const BATCHES_A_WORKER: usize = 64;

/// Translates standard input to standard output with `cores` workers.
pub(super) fn run(model: &Arc<dyn Model>, cores: usize, manner: Manner) -> Outcome {
    let mut sessions =
        (0..cores).map(|_| model.session()).collect::<Result<Vec<_>, _>>().context("a session")?;
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut first = 0;
    loop {
        let window = read_window(&mut input, manner.batch * BATCHES_A_WORKER * cores)?;
        if window.is_empty() {
            output.flush()?;
            return Ok(Exit::Done);
        }
        for text in translate_window(&mut sessions, &window, first, manner)? {
            output.write_all(&text)?;
        }
        first += window.len();
    }
}

fn read_window(input: &mut impl BufRead, most: usize) -> io::Result<Vec<Vec<u8>>> {
    let mut lines = Vec::new();
    while lines.len() < most {
        let mut line = Vec::new();
        if input.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        line.truncate(without_end(&line).len());
        lines.push(line);
    }
    Ok(lines)
}

/// The text of each batch of the window, in order; `first` is the number of its first line.
fn translate_window(
    sessions: &mut [Box<dyn Session>],
    window: &[Vec<u8>],
    first: usize,
    manner: Manner,
) -> Outcome<Vec<Vec<u8>>> {
    let batches: Vec<&[Vec<u8>]> = window.chunks(manner.batch).collect();
    let texts: Vec<Mutex<Vec<u8>>> = batches.iter().map(|_| Mutex::new(Vec::new())).collect();
    let next = AtomicUsize::new(0);
    let work = |session: &mut dyn Session| -> dyno_api::Result<()> {
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(batch) = batches.get(i) else { return Ok(()) };
            let lines: Vec<&[u8]> = batch.iter().map(Vec::as_slice).collect();
            let text = answers(session, &lines, first + i * manner.batch, manner)?;
            *texts[i].lock().expect("a worker that fails ends the program") = text;
        }
    };
    match sessions {
        [only] => work(only.as_mut()).context("translating")?,
        several => std::thread::scope(|scope| {
            let pinned = |(i, session): (usize, &mut Box<dyn Session>)| {
                pin_to_core_number(i);
                work(session.as_mut())
            };
            let workers: Vec<_> =
                several.iter_mut().enumerate().map(|worker| scope.spawn(move || pinned(worker))).collect();
            let joined = workers.into_iter().map(|w| w.join().expect("sessions return their errors"));
            joined.collect::<dyno_api::Result<()>>().context("translating")
        })?,
    }
    Ok(texts.into_iter().map(|text| text.into_inner().expect("all workers have ended")).collect())
}

/// Where the process may use several cores each worker keeps to one. A host that refuses costs speed only.
fn pin_to_core_number(worker: usize) {
    if let Ok(cores) = os::allowed_cores() {
        let _ = os::pin_thread(&[cores[worker % cores.len()]]);
    }
}
