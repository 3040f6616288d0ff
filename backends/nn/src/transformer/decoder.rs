//! The decoder's stack, and one worker's state of it.

use std::sync::Arc;

use super::Transformer;
use super::attention::{Attention, Weights};
use super::autoregression::{Autoregression, Memory};
use super::encoder::Encoded;
use super::feed_forward::FeedForward;
use crate::{Decoder, Request, Row, Sentence, Step};

/// One layer of the decoder.
pub(super) struct Layer {
    pub(super) autoregression: Arc<dyn Autoregression>,
    pub(super) context: Attention,
    pub(super) feed: FeedForward,
}

/// One worker's state.
pub(super) struct State {
    network: Arc<Transformer>,
    encoded: Encoded,
    candidates: Vec<Option<Vec<u32>>>,
    memories: Vec<Box<dyn Memory>>,
    /// Keys and values of the encoded sentences for each layer, [words, D].
    context: Vec<(Vec<f32>, Vec<f32>)>,
    taken: usize,
    buffers: Buffers,
}

#[derive(Default)]
struct Buffers {
    rows: Vec<f32>,
    embedded: Vec<f32>,
    input: Vec<f32>,
    query: Vec<f32>,
    logits: Vec<f32>,
    weights: Weights,
}

impl State {
    pub(super) fn new(network: Arc<Transformer>) -> Self {
        let memories = network.layers.iter().map(|layer| Arc::clone(&layer.autoregression).memory());
        Self {
            memories: memories.collect(),
            context: vec![Default::default(); network.layers.len()],
            encoded: Encoded::default(),
            candidates: Vec::new(),
            taken: 0,
            buffers: Buffers::default(),
            network,
        }
    }

    fn embed(&mut self, rows: &[Row]) {
        let (embedding, buffers) = (&self.network.target, &mut self.buffers);
        let position = embedding.step_position(self.taken);
        buffers.rows.clear();
        for row in rows {
            embedding.push(row.previous, position, &mut buffers.rows);
        }
        buffers.embedded.clone_from(&buffers.rows);
        embedding.after.apply(&mut buffers.rows, &[]);
    }

    fn attend(&mut self, layer: usize, rows: &[Row], alignment: Option<&mut Step>) {
        let (width, buffers) = (self.network.width, &mut self.buffers);
        let attention = &self.network.layers[layer].context;
        let (keys, values) = &self.context[layer];
        let mut alignment = alignment.map(|step| &mut step.attention);
        buffers.input.clone_from(&buffers.rows);
        attention.before.apply(&mut buffers.rows, &[]);
        attention.query.apply(&buffers.rows, &mut buffers.query);
        for (at, row) in rows.iter().enumerate() {
            let start = self.encoded.starts[row.sentence];
            let len = self.encoded.starts[row.sentence + 1] - start;
            let key = |at: usize| &keys[(start + at) * width..][..width];
            let value = |at: usize| &values[(start + at) * width..][..width];
            let query = &buffers.query[at * width..][..width];
            let out = &mut buffers.rows[at * width..][..width];
            attention.attend(query, len, key, value, out, &mut buffers.weights);
            if let Some(alignment) = &mut alignment {
                alignment.push(len).copy_from_slice(&buffers.weights.first_head);
            }
        }
        attention.finish(&mut buffers.rows, &buffers.input, &mut buffers.query);
    }
}

impl Decoder for State {
    fn start(&mut self, batch: &[Sentence<'_>]) {
        let network = &self.network;
        network.encoder.encode(&network.source, batch, &mut self.encoded);
        for (layer, (keys, values)) in network.layers.iter().zip(&mut self.context) {
            layer.context.key.apply(&self.encoded.rows, keys);
            layer.context.value.apply(&self.encoded.rows, values);
        }
        self.candidates.clear();
        self.candidates.extend(batch.iter().map(|sentence| sentence.candidates.map(<[u32]>::to_vec)));
        self.memories.iter_mut().for_each(|memory| memory.start(batch.len()));
        self.taken = 0;
    }

    fn step(&mut self, rows: &[Row], request: &Request<'_>, step: &mut Step) {
        step.clear();
        self.embed(rows);
        let network = Arc::clone(&self.network);
        for (at, layer) in network.layers.iter().enumerate() {
            self.memories[at].step(&mut self.buffers.rows, self.taken);
            let aligned = request.attention && at == network.alignment_layer;
            self.attend(at, rows, aligned.then_some(&mut *step));
            let buffers = &mut self.buffers;
            layer.feed.apply(&mut buffers.rows, &mut buffers.input, &mut buffers.query);
        }
        let buffers = &mut self.buffers;
        network.top.apply(&mut buffers.rows, &buffers.embedded);
        for (hidden, row) in buffers.rows.chunks_exact(network.width).zip(rows) {
            let candidates = self.candidates[row.sentence].as_deref();
            network.output.row(hidden, candidates, request, &mut buffers.logits, step);
        }
        self.taken += 1;
    }

    fn reorder(&mut self, kept: &[usize]) {
        self.memories.iter_mut().for_each(|memory| memory.reorder(kept));
    }
}
