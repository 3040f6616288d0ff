//! The state that the workers of a model share: vocabularies, shortlist, networks, and the settings of
//! decoding.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use dyno_api::Facts;
use dyno_formats::Shortlist;
use dyno_nn::Network;
use dyno_nn::watch::SharedTimes;
use dyno_text::Vocabulary;

use crate::languages::Languages;
use crate::settings::Decoding;

/// The read-only state of an opened model, and the sums over its workers.
pub(crate) struct Shared {
    /// Name of the backend.
    pub(crate) backend: &'static str,
    pub(crate) source: Arc<Vocabulary>,
    /// Target vocabulary; the source vocabulary itself where both are one file.
    pub(crate) target: Arc<Vocabulary>,
    /// Id of the end of a sentence in the source vocabulary.
    pub(crate) source_eos: Option<u32>,
    /// Id of the end of a sentence in the target vocabulary.
    pub(crate) target_eos: u32,
    pub(crate) shortlist: Option<Shortlist>,
    /// Networks with the weights of their scores.
    pub(crate) members: Vec<(f32, Network)>,
    pub(crate) decoding: Decoding,
    /// Threads that share the work on a line or batch.
    pub(crate) threads: usize,
    /// Words that no translation contains, ascending.
    pub(crate) suppressed: Vec<u32>,
    /// Words for the languages.
    pub(crate) languages: Languages,
    pub(crate) replace_unknown: bool,
    pub(crate) facts: Facts,
    /// Number of lines that were cut at the greatest length.
    pub(crate) cut_lines: AtomicU64,
    /// Number of lines whose translation was kept from a loop.
    pub(crate) loops: AtomicU64,
    /// Times of all workers, with the setting `breakdown`.
    pub(crate) times: SharedTimes,
}
