//! A worker's state of a network: the sentences of the running batch, and the states of the hypotheses.

use std::sync::Arc;

use dyno_nn::math::{Activation, Operands, activate, add};
use dyno_nn::output::Choice;
use dyno_nn::recurrent::State;
use dyno_nn::watch::Component;
use dyno_nn::{Decoder, Request, Row, Scratch, Sentence, Step};

use crate::attention::{Source, Weights};
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

#[derive(Default)]
struct Buffers {
    embedded: Vec<f32>,
    /// Means of the sentences' encoded words.
    means: Vec<f32>,
    top: Vec<f32>,
    /// Deep output: first the share of the embedding, then the sum; the buffer below holds the share of the
    /// context.
    hidden: Vec<f32>,
    seen: Vec<f32>,
    share: Vec<f32>,
    fed: Vec<f32>,
    weights: Weights,
}

impl Worker {
    pub(crate) fn new(network: Arc<Rnn>) -> Self {
        let width = network.spec.state;
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
    fn remember(&mut self, places: &[usize], scratch: &mut Scratch) {
        let _attention = Component::Attention.span();
        let (layers, Encoded { rows, spans, .. }) = (&self.network.layers, &self.encoded);
        let Buffers { share: keys, fed, seen, .. } = &mut self.buffers;
        let others = [(&layers.deep[2], &mut *seen), (&layers.attention.context, &mut *keys)];
        layers.base[1].multiply_beside(rows, fed, others, scratch);
        layers.attention.context.finish(keys);
        let needed = places.iter().max().map_or(0, |last| last + 1);
        self.sources.resize_with(self.sources.len().max(needed), Source::default);
        for (sentence, place) in places.iter().enumerate() {
            let (words, source) = (spans.words(sentence), &mut self.sources[*place]);
            let [of_cell, of_output] = &mut source.products;
            for (from, to) in [(&*keys, &mut source.keys), (fed, of_cell), (seen, of_output)] {
                let width = from.len() / spans.all_words();
                to.clear();
                to.extend_from_slice(&from[words.start * width..words.end * width]);
            }
        }
    }

    /// Computes the start state of each layer: tanh(W·mean of the sentence).
    fn start_states(&mut self, operands: &mut Operands) {
        let (layers, width) = (&self.network.layers, self.network.spec.context());
        let means = &mut self.buffers.means;
        self.encoded.spans.means(&self.encoded.rows, width, means);
        layers.start.apply(means, operands, &mut self.buffers.top);
        activate(self.network.kernels, Activation::Tanh, &mut self.buffers.top);
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
                None => embedded.resize(embedded.len() + network.spec.embedding, 0.0),
            }
        }
    }

    /// Runs the first layer: a cell, attention with the cell's state, and further cells, of which the first
    /// reads the context. The embedding's share in the deep output is computed with the same input.
    fn base_layer(&mut self, rows: &[Row], alignment: Option<&mut Step>, scratch: &mut Scratch) {
        let network = Arc::clone(&self.network);
        let [first, second, rest @ ..] = &network.layers.base[..] else {
            unreachable!("two cells or more, by the description");
        };
        let Buffers { embedded, hidden, fed, .. } = &mut self.buffers;
        first.feed_beside(embedded, fed, (&network.layers.deep[0], hidden), scratch);
        first.step(fed, &mut self.states[0], scratch);
        self.attend(rows, alignment, scratch);
        second.step(&self.buffers.fed, &mut self.states[0], scratch);
        rest.iter().for_each(|transition| transition.step(&[], &mut self.states[0], scratch));
    }

    /// Attends with the first cell's states. Replaces `fed` by the second cell's products of the context, and
    /// `seen` by the context's share in the deep output.
    fn attend(&mut self, rows: &[Row], mut alignment: Option<&mut Step>, scratch: &mut Scratch) {
        let _attention = Component::Attention.span();
        let (network, Buffers { fed, seen, share, weights, .. }) = (&self.network, &mut self.buffers);
        let (attention, second, [.., of_context]) =
            (&network.layers.attention, &network.layers.base[1], &network.layers.deep);
        attention.state.apply(self.states[0].output.values(), &mut scratch.operands, share);
        let widths = [second.fed_width(), of_context.outputs()];
        fed.resize(rows.len() * widths[0], 0.0);
        seen.resize(rows.len() * widths[1], 0.0);
        let queries = share.chunks_exact(network.spec.context());
        let products = fed.chunks_exact_mut(widths[0]).zip(seen.chunks_exact_mut(widths[1]));
        for ((row, query), (fed, seen)) in rows.iter().zip(queries).zip(products) {
            attention.attend(query, &self.sources[row.sentence], [fed, seen], weights);
            if let Some(step) = &mut alignment {
                step.attention.push(weights.alpha.len()).copy_from_slice(&weights.alpha);
            }
        }
        second.finish_fed(fed, scratch);
        of_context.finish(seen);
    }

    /// Runs the layers above the first one; the output goes to `top`.
    fn high_layers(&mut self, scratch: &mut Scratch) {
        let layers = &self.network.layers;
        let Buffers { top, fed, .. } = &mut self.buffers;
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
    fn deep_output(&mut self, operands: &mut Operands) {
        let [_, state, _] = &self.network.layers.deep;
        let buffers = &mut self.buffers;
        state.apply(&buffers.top, operands, &mut buffers.share);
        add(&mut buffers.hidden, &buffers.share);
        add(&mut buffers.hidden, &buffers.seen);
        activate(self.network.kernels, Activation::Tanh, &mut buffers.hidden);
    }
}

impl Decoder for Worker {
    fn admit(&mut self, sentences: &[Sentence<'_>], places: &[usize], scratch: &mut Scratch) {
        let network = Arc::clone(&self.network);
        network.encoder.encode(sentences, &network.source, &mut self.encoded, scratch);
        self.remember(places, scratch);
        network.output.admit(sentences, places, &mut self.choice);
        let _decoder = Component::Decoder.span();
        self.start_states(&mut scratch.operands);
    }

    fn step(&mut self, rows: &[Row], request: &Request<'_>, scratch: &mut Scratch, step: &mut Step) {
        step.clear();
        let _decoder = Component::Decoder.span();
        self.embed(rows);
        self.base_layer(rows, request.attention.then_some(&mut *step), scratch);
        self.high_layers(scratch);
        let operands = &mut scratch.operands;
        self.deep_output(operands);
        self.network.output.rows(&self.buffers.hidden, rows, request, &mut self.choice, operands, step);
    }

    fn reorder(&mut self, kept: &[usize]) {
        self.states.iter_mut().for_each(|state| state.reorder(kept));
    }
}
