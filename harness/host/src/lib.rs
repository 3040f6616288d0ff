//! Hosts a backend under a track: lines in, answers out, in order.
//!
//! Built-in engines and plugins are hosted alike. `lockstep` serves the latency tracks; `throughput` cuts windows of
//! lines into batches for pinned workers; `server`, for the tracks `pages` and `server`, lets lines join running
//! batches as they arrive. How the bench measures these processes belongs to `dyno-measure`.
//!
//! This crate lies on the measured path, so it is built at full optimisation. Functions that are generic over input
//! and output stay private: their caller's crate would compile them, and that of the command line is hardly optimised.
//!
//! This crate alone names the engines (`registry`), each behind a feature. It alone also links what engines share:
//! `engines` answers commands that look into models or time products; `no_engines` stands in its place in a build
//! without engines.

mod answers;
mod batch_size;
#[cfg_attr(not(feature = "engines"), path = "no_engines.rs")]
mod engines;
mod error;
mod facts;
mod lockstep;
mod null;
pub mod registry;
mod server;
mod throughput;
mod window;
mod workers;

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use dyno_api::Model;
use dyno_record::{Exchange, Track};

pub use answers::{OutputOptions, without_end};
pub use batch_size::{MOST_BATCH, batch_of};
pub use engines::{
    Allocator, activation_scales, coverage, explain_tuning, product_speeds, shortlist, tokeniser, vocabulary,
};
pub use error::{Error, Result};
pub use facts::{Coverage, Product, Tokenise};

/// Translates standard input to standard output under `track`, with one worker for each of `cores`.
pub fn translate_pipes(
    model: &Arc<dyn Model>,
    track: Track,
    cores: usize,
    options: OutputOptions,
) -> Result<()> {
    translate(model, track, cores, options, io::BufReader::new(io::stdin()), io::stdout())
}

/// Translates `text` in the same way and drops the answers, for the model's account of its time.
pub fn translate_text(
    model: &Arc<dyn Model>,
    track: Track,
    cores: usize,
    options: OutputOptions,
    text: Vec<u8>,
) -> Result<()> {
    translate(model, track, cores, options, io::Cursor::new(text), io::sink())
}

fn translate(
    model: &Arc<dyn Model>,
    track: Track,
    cores: usize,
    options: OutputOptions,
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
) -> Result<()> {
    let workers = if track.has_one_line() { 1 } else { cores };
    let sessions = (0..workers).map(|_| model.session()).collect::<dyno_api::Result<Vec<_>>>();
    let mut sessions = sessions.map_err(Error::Session)?;
    match track.exchange() {
        Exchange::Lines => lockstep::run(sessions[0].as_mut(), options, input, output),
        Exchange::Pages | Exchange::Arrivals => server::run(sessions, options, input, output),
        Exchange::File => throughput::run(sessions, options, input, output),
    }
}
