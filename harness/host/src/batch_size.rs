//! Sizes of batches: words or lines that a backend translates together. Where the user names none, the model
//! and the caches of the host choose it.
//!
//! More words per batch read the weights less often; fewer words keep the values between layers in a cache.
//! The latency track uses no batches. In the track `server` the size bounds the lines that a worker translates
//! at a time.

use dyno_api::Model;
use dyno_measure::host;
use dyno_record::identity::BatchSize;

/// Upper limit of a batch: beyond it, no cache holds the values between layers, and only memory use grows.
pub const MOST_BATCH: usize = 65_536;

/// About twenty lines: from this size on, products no longer wait for weights, and the values between layers
/// still take little memory.
const MOST_WORDS: usize = 256;

/// About five lines: smaller batches read the weights too often, whatever else they save.
const LEAST_WORDS: usize = 64;

/// About forty lines, for models whose weights come from memory at each step: nothing else makes up for that.
const WORDS_OF_LARGE: usize = 512;

/// Best batch size for `model` on this host, in words.
pub fn batch_of(model: &dyn Model) -> BatchSize {
    let caches = [host::second_level_cache(), host::last_level_cache()];
    BatchSize::Words(words_within(caches, model.attended_bytes(), model.stepped_bytes()))
}

/// Batch size for caches of `second` and `last` bytes.
///
/// - The usual size is [`MOST_WORDS`].
/// - It shrinks if the bytes that each step reads for these words (keys and values of all layers) exceed
///   twice the core's second-level cache. With 12 KiB a word (average attention, six layers of 256) and 1 MiB
///   of cache, 170 words are 9 % faster than 256. Up to 8 KiB a word, 256 words are the fastest.
/// - It is [`WORDS_OF_LARGE`] if the weights that each step reads exceed half of the last cache. Decoders of
///   width 512 with 32 MiB of cache show why, with 512 words against 128. With 15 MB of weights they are
///   slower by 5 %, with 19 MB faster by 6 %, and with 23 MB faster by 10 %.
fn words_within([second, last]: [usize; 2], attended: Option<usize>, stepped: Option<usize>) -> usize {
    if stepped.is_some_and(|weights| weights > last / 2) {
        return WORDS_OF_LARGE;
    }
    let words = attended.and_then(|attended| (2 * second).checked_div(attended));
    words.unwrap_or(MOST_WORDS).clamp(LEAST_WORDS, MOST_WORDS)
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
    fn weights_that_exceed_half_the_last_cache_get_large_batches() {
        let words = |weights| words_within(CACHES, Some(24 << 10), weights);
        assert_eq!([None, Some(16 << 20), Some((16 << 20) + 1)].map(words), [85, 85, WORDS_OF_LARGE]);
    }
}
