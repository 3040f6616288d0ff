//! State that all workers of an opened encoder share.

use dyno_api::Facts;
use dyno_nn::watch::SharedTimes;
use dyno_text::encoders::Tokeniser;

use crate::network::Network;

/// Tokeniser, network and settings of an opened encoder.
pub(crate) struct Shared {
    pub(crate) tokeniser: Tokeniser,
    pub(crate) network: Network,
    /// Threads that share the work on a line or batch.
    pub(crate) threads: usize,
    /// Times of all workers, with the setting `breakdown`.
    pub(crate) times: SharedTimes,
    pub(crate) facts: Facts,
}
