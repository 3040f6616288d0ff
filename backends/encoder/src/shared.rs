//! State that all workers of an opened encoder share.

use std::sync::Mutex;

use dyno_api::Facts;
use dyno_nn::watch::Times;

use crate::network::Network;
use crate::tokens::Tokeniser;

/// Reason why the lock of the times isn't poisoned.
pub(crate) const UNPOISONED: &str = "times are added up without a panic";

/// Tokeniser, network and settings of an opened encoder.
pub(crate) struct Shared {
    pub(crate) tokeniser: Tokeniser,
    pub(crate) network: Network,
    /// Threads that share the work on a line or batch.
    pub(crate) threads: usize,
    /// Times of all workers, with the setting `breakdown`.
    pub(crate) times: Option<Mutex<Times>>,
    pub(crate) facts: Facts,
}
