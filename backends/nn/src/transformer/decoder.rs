//! The decoder of a Transformer: one worker's state of its stack.

use std::sync::Arc;

use dyno_kernels::KeyValues;

use super::attention::Buffers;
use super::autoregression::AutoregressionState;
use super::encoded::Encoded;
use super::stacks::{Layer, Transformer};
use crate::math::{Threads, together};
use crate::output::Choice;
use crate::watch::{Component, Operator};
use crate::{Decoder, Request, Row, Scratch, Sentence, Step};

/// State of one worker.
pub(super) struct State {
    network: Arc<Transformer>,
    encoded: Encoded,
    choice: Choice,
    memories: Vec<Box<dyn AutoregressionState>>,
    /// Keys and values of the encoded sentences, for each layer and place.
    context: Vec<Vec<KeyValues>>,
    /// Vectors between the sublayers, [hypotheses, D].
    rows: Vec<f32>,
    embedded: Vec<f32>,
    buffers: Buffers,
}

impl State {
    pub(super) fn new(network: Arc<Transformer>) -> Self {
        let memories = network.layers.iter().map(|layer| Arc::clone(&layer.autoregression).state());
        Self {
            memories: memories.collect(),
            context: vec![Vec::new(); network.layers.len()],
            encoded: Encoded::default(),
            choice: Choice::default(),
            rows: Vec::new(),
            embedded: Vec::new(),
            buffers: Buffers::default(),
            network,
        }
    }

    fn embed(&mut self, rows: &[Row], threads: &mut Threads) {
        let _embed = Component::Embed.span();
        let embedding = &self.network.target;
        self.rows.resize(rows.len() * self.network.width, 0.0);
        for (row, vector) in rows.iter().zip(self.rows.chunks_exact_mut(self.network.width)) {
            let position = embedding.step_position(row.position);
            embedding.write(embedding.input(row.previous), position, vector);
        }
        self.network.top.keep_input(&self.rows, &mut self.embedded);
        embedding.after.norms(&mut self.rows, threads);
    }

    /// Attends to the encoded sentences. The hypotheses of a sentence read its keys and values together, except where
    /// the `alignment` wants the weights of each.
    fn attend(
        &mut self,
        layer: usize,
        rows: &[Row],
        mut alignment: Option<&mut Step>,
        scratch: &mut Scratch,
    ) {
        let _attention = Component::Attention.span();
        let (width, attention) = (self.network.width, &self.network.layers[layer].context);
        let context = &self.context[layer];
        let Buffers { query, heads, out, weights, .. } = &mut self.buffers;
        let Scratch { operands, prepared, .. } = scratch;
        let input = attention.before.prepare(&self.rows, prepared, &mut operands.threads);
        attention.query.apply(input, operands, query);
        heads.resize(self.rows.len(), 0.0);
        let attend = Operator::Attention.span();
        let alone = alignment.is_some();
        let mut from = 0;
        for some in rows.chunk_by(|one, next| !alone && one.sentence == next.sentence) {
            let attended = &context[some[0].sentence];
            let span = from * width..(from + some.len()) * width;
            from += some.len();
            attention.attend(&query[span.clone()], attended, &mut heads[span], weights);
            if let Some(step) = &mut alignment {
                step.attention.push(attended.len()).copy_from_slice(&weights[..attended.len()]);
            }
        }
        drop(attend);
        attention.finish(heads, &mut self.rows, out, scratch);
    }
}

/// Encodes `sentences`.
fn encode(network: &Transformer, sentences: &[Sentence<'_>], encoded: &mut Encoded, scratch: &mut Scratch) {
    let _encoder = Component::Encoder.span();
    encoded.begin(sentences.iter().map(|sentence| sentence.ids.len()));
    let words = sentences.iter().flat_map(|sentence| sentence.ids.iter().copied().enumerate());
    let words: Vec<(usize, u32)> = words.collect();
    network.encoder.encode(encoded, scratch, &|first, vectors, kept, threads| {
        let _embed = Component::Embed.span();
        for ((position, id), vector) in words[first..].iter().zip(vectors.chunks_exact_mut(network.width)) {
            network.source.write(Some(*id), *position, vector);
        }
        kept.copy_from_slice(if kept.is_empty() { &[] } else { vectors });
        network.source.after.norms(vectors, threads);
    });
}

impl Decoder for State {
    fn admit(&mut self, sentences: &[Sentence<'_>], places: &[usize], scratch: &mut Scratch) {
        let network = &self.network;
        encode(network, sentences, &mut self.encoded, scratch);
        let needed = places.iter().max().map_or(0, |last| last + 1);
        let attention = Component::Attention.span();
        let Buffers { keys, values, .. } = &mut self.buffers;
        for (Layer { context: attention, .. }, context) in network.layers.iter().zip(&mut self.context) {
            let parts = [(&attention.key, &mut *keys), (&attention.value, &mut *values)];
            together(self.encoded.rows(), &mut scratch.operands, parts);
            context.resize_with(context.len().max(needed), || KeyValues::new(network.width));
            let _attention = Operator::Attention.span();
            for (span, place) in self.encoded.lines().iter().zip(places) {
                let span = span.start * network.width..span.end * network.width;
                attention.remember(&keys[span.clone()], &values[span], &mut context[*place]);
            }
        }
        drop(attention);
        network.output.admit(sentences, places, &mut self.choice);
        self.memories.iter_mut().for_each(|memory| memory.admit(sentences.len()));
    }

    fn step(&mut self, rows: &[Row], request: &Request<'_>, scratch: &mut Scratch, step: &mut Step) {
        step.clear();
        let _decoder = Component::Decoder.span();
        self.embed(rows, &mut scratch.operands.threads);
        let network = Arc::clone(&self.network);
        for (at, layer) in network.layers.iter().enumerate() {
            self.memories[at].step(&mut self.rows, rows, scratch);
            let aligned = request.attention && at == network.alignment_layer;
            self.attend(at, rows, aligned.then_some(&mut *step), scratch);
            layer.feed.apply(&mut self.rows, scratch);
        }
        network.top.apply(&mut self.rows, &self.embedded, scratch);
        let operands = &mut scratch.operands;
        network.output.rows(&self.rows, rows, request, &mut self.choice, operands, step);
    }

    fn reorder(&mut self, kept: &[usize]) {
        self.memories.iter_mut().for_each(|memory| memory.reorder(kept));
    }
}
