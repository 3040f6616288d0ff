//! Hosting a backend under a track: lines in on standard input, answers out on standard output, in order.
//!
//! Engines and plugins are hosted alike. In the latency track each answer is flushed before the next line is
//! read; in the throughput tracks windows of lines are cut into batches for pinned workers.

mod answers;
mod hosted;
mod throughput;
mod window;

use std::fs;
use std::io::{BufRead, Write};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use dyno_api::Model;
use dyno_measure::{Track, host};

use answers::answers;
pub use answers::{OutputOptions, without_end};
pub use hosted::Hosted;

use crate::exit::{OrBadInput, Outcome};

/// What may be asked for at most: beyond it no cache holds what stands between layers, and memory is all that grows.
pub const MOST_BATCH: usize = 65_536;

/// Some twenty lines: from here on products no longer wait for weights, and memory for what stands between layers is least.
const MOST_WORDS: usize = 256;

/// Some five lines: with fewer, weights would be read too often, whatever else that spares.
const LEAST_WORDS: usize = 64;

/// Some forty lines, where each step's weights come from memory: nothing else makes up for that.
const WORDS_OF_LARGE: usize = 512;

/// How many words are best translated together by `model` on this host.
pub fn batch_of(model: &dyn Model) -> usize {
    let caches = [host::second_level_cache(), host::last_level_cache()];
    words_within(caches, model.attended_bytes(), model.stepped_bytes())
}

/// As many as [`MOST_WORDS`], unless what each step reads of them (keys and values of all layers) takes more than twice the
/// core's second-level cache: with 12 KiB a word (average attention, six layers of 256) and 1 MiB of cache, 170 words are 9 %
/// faster than 256; up to 8 KiB, 256 are the fastest. But [`WORDS_OF_LARGE`] where the weights that each step reads take more than
/// half of the cache before memory: with decoders of width 512 and 32 MiB, 15 MB are slower by 5 % with 512 words than with
/// 128, 19 MB faster by 6 % and 23 MB by 10 %.
fn words_within([second, last]: [usize; 2], attended: Option<usize>, stepped: Option<usize>) -> usize {
    if stepped.is_some_and(|weights| weights > last / 2) {
        return WORDS_OF_LARGE;
    }
    let words = attended.and_then(|attended| (2 * second).checked_div(attended));
    words.unwrap_or(MOST_WORDS).clamp(LEAST_WORDS, MOST_WORDS)
}

/// Translates `input` to `output` under `track` on `cores` workers.
pub fn host(
    model: &Arc<dyn Model>,
    (track, cores): (Track, usize),
    options: OutputOptions,
    input: impl BufRead + Send,
    output: impl Write + Send,
) -> Outcome<()> {
    match track {
        Track::Latency => lockstep(model, options, input, output),
        Track::Throughput1 | Track::ThroughputAll => throughput::run(model, cores, options, input, output),
    }
}

/// Leaves what a model says of itself, or of its time, as JSON.
pub fn write_json(value: &impl serde::Serialize, path: &Path) -> Outcome<()> {
    let text = serde_json::to_vec_pretty(value).context("as JSON")?;
    fs::write(path, text).with_context(|| format!("can't write {}", path.display())).or_bad_input()
}

/// One line, its answer, flush; until the end of input.
fn lockstep(
    model: &Arc<dyn Model>,
    options: OutputOptions,
    mut input: impl BufRead,
    mut output: impl Write,
) -> Outcome<()> {
    let mut session = model.session().context("a session")?;
    let (mut line, mut reply) = (Vec::new(), Vec::new());
    for number in 0.. {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        reply.clear();
        let answers = answers(session.as_mut(), &[without_end(&line)], &[number], options);
        answers.context("translating a line")?.iter().for_each(|text| reply.extend(text));
        output.write_all(&reply)?;
        output.flush()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CACHES: [usize; 2] = [1 << 20, 32 << 20];

    #[test]
    fn a_batch_is_what_twice_the_cache_holds_within_bounds() {
        let words = |attended| words_within(CACHES, attended, Some(1 << 20));
        assert_eq!([Some(2 << 10), Some(8 << 10), None, Some(0)].map(words), [MOST_WORDS; 4]);
        assert_eq!([12 << 10, 24 << 10].map(|attended| words(Some(attended))), [170, 85]);
        assert_eq!(words(Some(1 << 20)), LEAST_WORDS);
    }

    #[test]
    fn weights_that_no_cache_holds_want_many_rows_whatever_is_attended_to() {
        let words = |weights| words_within(CACHES, Some(24 << 10), weights);
        assert_eq!([None, Some(16 << 20), Some((16 << 20) + 1)].map(words), [85, 85, WORDS_OF_LARGE]);
    }
}
