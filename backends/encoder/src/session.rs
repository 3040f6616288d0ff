//! The session of one worker: lines to tokens, through the network, to vectors as base64.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use dyno_api::{Answer, Facts, Session, Sink};
use dyno_nn::watch::{Component, SharedTimes};
use dyno_text::Scratch;
use dyno_text::encoders::Tokeniser;

use crate::Result;
use crate::error::failed;
use crate::network::{Network, Worker};

/// Tokeniser, network and settings of an opened encoder, which all workers share.
pub(crate) struct Shared {
    pub(crate) tokeniser: Tokeniser,
    pub(crate) network: Network,
    /// Threads that share the work on a line or batch.
    pub(crate) threads: usize,
    /// Times of all workers, with the setting `breakdown`.
    pub(crate) times: SharedTimes,
    pub(crate) facts: Facts,
}

/// Buffers of one worker. They only grow.
pub(crate) struct EncoderSession {
    shared: Arc<Shared>,
    worker: Worker,
    scratch: Scratch,
    /// Ids of each line.
    ids: Vec<Vec<u32>>,
    bytes: Vec<u8>,
    text: String,
}

impl EncoderSession {
    pub(crate) fn new(shared: Arc<Shared>) -> dyno_api::Result<Self> {
        let worker = Worker::new(shared.threads).map_err(failed)?;
        let (scratch, text) = (Scratch::default(), String::new());
        let (ids, bytes) = (Vec::new(), Vec::new());
        Ok(Self { shared, worker, scratch, ids, bytes, text })
    }

    fn encode(&mut self, lines: &[&[u8]], sink: &mut dyn Sink) -> Result<()> {
        let shared = Arc::clone(&self.shared);
        let Shared { tokeniser, network, .. } = &*shared;
        let tokenise = Component::Tokenise.span();
        self.ids.resize(self.ids.len().max(lines.len()), Vec::new());
        for (line, ids) in lines.iter().zip(&mut self.ids) {
            tokeniser.encode(line, &mut self.scratch, ids)?;
        }
        drop(tokenise);
        network.encode(&mut self.worker, self.ids[..lines.len()].iter().map(|ids| &ids[..]))?;
        let pooling = Component::Pooling.span();
        network.pool(&mut self.worker);
        drop(pooling);
        let _detokenise = Component::Detokenise.span();
        for line in 0..lines.len() {
            write(network.vector(&self.worker, line), &mut self.bytes, &mut self.text);
            sink.answer(Answer { line, rank: 0, text: &self.text, score: None });
        }
        Ok(())
    }
}

/// Replaces `text` by a vector as base64; `bytes` is scratch.
fn write(vector: &[f32], bytes: &mut Vec<u8>, text: &mut String) {
    bytes.clear();
    bytes.extend(vector.iter().flat_map(|value| value.to_le_bytes()));
    text.clear();
    BASE64_STANDARD.encode_string(bytes, text);
}

impl Session for EncoderSession {
    fn run(&mut self, lines: &[&[u8]], sink: &mut dyn Sink) -> dyno_api::Result<()> {
        let shared = Arc::clone(&self.shared);
        shared.times.watch(|| self.encode(lines, sink)).map_err(failed)
    }
}
