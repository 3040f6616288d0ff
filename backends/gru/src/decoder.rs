//! A worker's state of a network: the sentences of the running batch, and the states of the hypotheses.

use std::sync::Arc;

use dyno_nn::math::{Activation, add};
use dyno_nn::output::Choice;
use dyno_nn::recurrent::State;
use dyno_nn::watch::Component;
use dyno_nn::{Decoder, Request, Row, Sentence, Step};

use crate::attention::Weights;
use crate::cell::Scratch;
use crate::encoder::Encoded;
use crate::network::Rnn;

/// State of one worker.
pub(crate) struct Worker {
    network: Arc<Rnn>,
    encoded: Encoded,
    /// Source of the sentence at each place.
    sources: Vec<Source>,
    choice: Choice,
    /// States of the layers.
    states: Vec<State>,
    buffers: Buffers,
}

/// What attention reads of a sentence.
#[derive(Default)]
struct Source {
    /// Attention's projections of the encoder's rows, [words, C].
    keys: Vec<f32>,
    /// The encoder's rows, [words, C].
    values: Vec<f32>,
}

#[derive(Default)]
struct Buffers {
    embedded: Vec<f32>,
    context: Vec<f32>,
    top: Vec<f32>,
    /// Deep output: first the share of the embedding, then the sum; the buffer below holds the share of the
    /// context.
    hidden: Vec<f32>,
    seen: Vec<f32>,
    share: Vec<f32>,
    fed: Vec<f32>,
    scratch: Scratch,
    weights: Weights,
}

impl Worker {
    pub(crate) fn new(network: Arc<Rnn>) -> Self {
        let width = network.options.state;
        let layers = 1 + network.layers.high.len();
        Self {
            encoded: Encoded::new(width),
            sources: Vec::new(),
            choice: Choice::default(),
            states: (0..layers).map(|_| State::new(width)).collect(),
            buffers: Buffers::default(),
            network,
        }
    }

    /// Computes the keys of the sentences that were encoded, and stores what attention reads at their places.
    fn remember(&mut self, places: &[usize]) {
        let _attention = Component::Attention.span();
        let (network, Encoded { rows, spans, .. }) = (&self.network, &self.encoded);
        let Buffers { share: keys, scratch, .. } = &mut self.buffers;
        network.layers.attention.context.apply(rows, &mut scratch.operands, keys);
        let (width, needed) = (network.options.context(), places.iter().max().map_or(0, |last| last + 1));
        self.sources.resize_with(self.sources.len().max(needed), Source::default);
        for (sentence, place) in places.iter().enumerate() {
            let (words, source) = (spans.words(sentence), &mut self.sources[*place]);
            let words = words.start * width..words.end * width;
            for (from, to) in [(&*keys, &mut source.keys), (rows, &mut source.values)] {
                to.clear();
                to.extend_from_slice(&from[words.clone()]);
            }
        }
    }

    /// Computes the start state of each layer: tanh(W·mean of the sentence).
    fn start_states(&mut self) {
        let (layers, width) = (&self.network.layers, self.network.options.context());
        let means = &mut self.buffers.context;
        self.encoded.spans.means(&self.encoded.rows, width, means);
        layers.start.apply(means, &mut self.buffers.scratch.operands, &mut self.buffers.top);
        Activation::Tanh.apply(self.network.kernels, &mut self.buffers.top);
        for state in &mut self.states {
            state.append(&self.buffers.top);
        }
    }

    fn embed(&mut self, rows: &[Row]) {
        let _embed = Component::Embed.span();
        let (network, embedded) = (&self.network, &mut self.buffers.embedded);
        embedded.clear();
        for row in rows {
            match row.previous {
                Some(word) => network.target.push(word, embedded),
                None => embedded.resize(embedded.len() + network.options.embedding, 0.0),
            }
        }
    }

    /// Runs the first layer: a cell, attention with the cell's state, and further cells, of which the first
    /// reads the context. The shares of embedding and context in the deep output are computed with the same
    /// inputs.
    fn base_layer(&mut self, rows: &[Row], alignment: Option<&mut Step>) {
        let network = Arc::clone(&self.network);
        let (first, rest) = network.layers.base.split_first().expect("two cells or more, by the options");
        let [of_word, _, of_context] = &network.layers.deep;
        let Buffers { embedded, hidden, fed, scratch, .. } = &mut self.buffers;
        first.feed_beside(embedded, fed, (of_word, hidden), scratch);
        first.step(fed, &mut self.states[0], scratch);
        self.attend(rows, alignment);
        let Buffers { context, seen, fed, scratch, .. } = &mut self.buffers;
        for (at, cell) in rest.iter().enumerate() {
            match at {
                0 => cell.feed_beside(context, fed, (of_context, &mut *seen), scratch),
                _ => cell.feed(context, fed, scratch),
            }
            cell.step(fed, &mut self.states[0], scratch);
        }
    }

    fn attend(&mut self, rows: &[Row], mut alignment: Option<&mut Step>) {
        let _attention = Component::Attention.span();
        let (attention, width) = (&self.network.layers.attention, self.network.options.context());
        let Buffers { context, share, weights, scratch, .. } = &mut self.buffers;
        attention.state.apply(self.states[0].output.values(), &mut scratch.operands, share);
        context.clear();
        context.resize(rows.len() * width, 0.0);
        let contexts = context.chunks_exact_mut(width).zip(share.chunks_exact(width));
        for (row, (context, query)) in rows.iter().zip(contexts) {
            let Source { keys, values } = &self.sources[row.sentence];
            attention.attend(query, keys, values, context, weights);
            if let Some(step) = &mut alignment {
                step.attention.push(weights.alpha.len()).copy_from_slice(&weights.alpha);
            }
        }
    }

    /// Runs the layers above the first one; the output goes to `top`.
    fn high_layers(&mut self) {
        let layers = &self.network.layers;
        let Buffers { top, fed, scratch, .. } = &mut self.buffers;
        let (first, rest) = self.states.split_first_mut().expect("a state for each layer");
        top.clear();
        top.extend_from_slice(first.output.values());
        for (cells, state) in layers.high.iter().zip(rest) {
            for cell in cells {
                cell.feed(top, fed, scratch);
                cell.step(fed, state, scratch);
            }
            if !layers.skip {
                top.fill(0.0);
            }
            add(top, state.output.values());
        }
    }

    /// Computes tanh of the sum of the three shares, in `hidden` [rows, E].
    fn deep_output(&mut self) {
        let [_, state, _] = &self.network.layers.deep;
        let buffers = &mut self.buffers;
        state.apply(&buffers.top, &mut buffers.scratch.operands, &mut buffers.share);
        add(&mut buffers.hidden, &buffers.share);
        add(&mut buffers.hidden, &buffers.seen);
        Activation::Tanh.apply(self.network.kernels, &mut buffers.hidden);
    }
}

impl Decoder for Worker {
    fn admit(&mut self, sentences: &[Sentence<'_>], places: &[usize]) {
        let network = Arc::clone(&self.network);
        network.encoder.encode(sentences, &network.source, &mut self.encoded);
        self.remember(places);
        network.output.admit(sentences, places, &mut self.choice);
        let _decoder = Component::Decoder.span();
        self.start_states();
    }

    fn step(&mut self, rows: &[Row], request: &Request<'_>, step: &mut Step) {
        step.clear();
        let _decoder = Component::Decoder.span();
        self.embed(rows);
        self.base_layer(rows, request.attention.then_some(&mut *step));
        self.high_layers();
        self.deep_output();
        let Buffers { hidden, scratch, .. } = &mut self.buffers;
        self.network.output.rows(hidden, rows, request, &mut self.choice, &mut scratch.operands, step);
    }

    fn reorder(&mut self, kept: &[usize]) {
        self.states.iter_mut().for_each(|state| state.reorder(kept));
    }
}
