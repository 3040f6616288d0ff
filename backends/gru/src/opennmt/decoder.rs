//! A worker's state of the network: the sentences of the running batch, and the hypotheses' states.

use std::sync::Arc;

use dyno_nn::math::{Operands, add};
use dyno_nn::output::Choice;
use dyno_nn::recurrent::State;
use dyno_nn::watch::Component;
use dyno_nn::{Decoder, Request, Row, Rows, Scratch, Sentence, Step};

use super::attention::Sources;
use super::encoder::Encoded;
use super::network::OpenNmt;

/// State of one worker.
pub(super) struct Worker {
    network: Arc<OpenNmt>,
    encoded: Encoded,
    sources: Sources,
    choice: Choice,
    /// States of the layers.
    states: Vec<State>,
    /// Attentional vectors of the last step, [rows, H].
    vectors: Rows,
    input: Vec<f32>,
    fed: Vec<f32>,
}

impl Worker {
    pub(super) fn new(network: Arc<OpenNmt>) -> Self {
        let spec = &network.spec;
        Self {
            encoded: Encoded::new(spec),
            sources: Sources::new(),
            choice: Choice::default(),
            states: (0..spec.depths[1]).map(|_| State::new(spec.state)).collect(),
            vectors: Rows::new(spec.state),
            input: Vec::new(),
            fed: Vec::new(),
            network,
        }
    }

    /// Adds rows for the encoded sentences: each layer starts with the last state of the encoder's.
    fn start(&mut self) {
        for (state, end) in self.states.iter_mut().zip(&self.encoded.ends) {
            state.output.append(end.output.values());
            state.cell.append(end.cell.values());
        }
        self.vectors.grow(self.encoded.spans.sentences());
    }

    /// The first layer's input: the last word, and with input feeding the last attentional vector.
    fn embed(&mut self, rows: &[Row]) {
        let _embed = Component::Embed.span();
        let spec = &self.network.spec;
        self.input.clear();
        for (at, row) in rows.iter().enumerate() {
            self.network.target.push(row.previous.unwrap_or(spec.start_word), &mut self.input);
            if spec.feeds {
                self.input.extend_from_slice(self.vectors.row(at));
            }
        }
    }

    /// Runs the layers; the top one's outputs are its state.
    fn layers(&mut self, scratch: &mut Scratch) {
        let Self { network, states, input, fed, .. } = self;
        let mut below: &[f32] = input;
        for ((product, layer), state) in network.decoder.iter().zip(states) {
            product.apply(below, &mut scratch.operands, fed);
            layer.step(fed, state, scratch);
            below = state.output.values();
        }
    }

    /// Attends, and replaces the attentional vectors.
    fn attend(&mut self, rows: &[Row], step: Option<&mut Step>, operands: &mut Operands) {
        let Self { network, states, sources, vectors, fed, .. } = self;
        let (attention, top) = (&network.attention, states.last().expect("a decoder has a layer"));
        let alignment = step.map(|step| &mut step.attention);
        attention.attend(rows, top.output.values(), sources, operands, alignment);
        attention.state.apply(top.output.values(), operands, fed);
        add(fed, &sources.seen);
        if !attention.is_linear() {
            network.functions.tanh(fed);
        }
        vectors.values_mut().copy_from_slice(fed);
    }
}

impl Decoder for Worker {
    fn admit(&mut self, sentences: &[Sentence<'_>], places: &[usize], scratch: &mut Scratch) {
        let Self { network, encoded, sources, .. } = self;
        network.encoder.encode(sentences, &network.source, encoded, scratch);
        let encoded = (&encoded.rows[..], &encoded.spans);
        network.attention.remember(encoded, places, sources, &mut scratch.operands);
        network.output.admit(sentences, places, &mut self.choice);
        let _decoder = Component::Decoder.span();
        self.start();
    }

    fn step(&mut self, rows: &[Row], request: &Request<'_>, scratch: &mut Scratch, step: &mut Step) {
        step.clear();
        let _decoder = Component::Decoder.span();
        self.embed(rows);
        self.layers(scratch);
        let operands = &mut scratch.operands;
        self.attend(rows, request.attention.then_some(&mut *step), operands);
        let Self { network, choice, vectors, .. } = self;
        network.output.rows(vectors.values(), rows, request, choice, operands, step);
    }

    fn reorder(&mut self, kept: &[usize]) {
        self.states.iter_mut().for_each(|state| state.reorder(kept));
        self.vectors.reorder(kept);
    }
}
