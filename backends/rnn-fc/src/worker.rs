//! A worker's state of a network.

use std::sync::Arc;

use dyno_nn::output::Choice;
use dyno_nn::watch::Component;
use dyno_nn::{Decoder, Request, Row, Scratch, Sentence, Step};

use crate::bottom::Attended;
use crate::embedded::Rest;
use crate::network::RnnFc;
use crate::source::Encoded;
use crate::stack::Buffers;
use crate::states::States;

/// The sentences of the running batch, a row for each live hypothesis, and buffers.
pub(crate) struct Worker {
    network: Arc<RnnFc>,
    encoded: Encoded,
    attended: Attended,
    states: States,
    /// Products of the last words.
    fed: Vec<f32>,
    rest: Rest,
    stack: Buffers,
    choice: Choice,
}

impl Worker {
    pub(crate) fn new(network: Arc<RnnFc>) -> Self {
        let spec = &network.spec;
        let widths = std::iter::once(spec.target.width).chain(spec.top.states());
        Self {
            encoded: Encoded::new(spec.source.width),
            attended: Attended::default(),
            states: States::new(widths, network.merged),
            fed: Vec::new(),
            rest: Rest::default(),
            stack: Buffers::default(),
            choice: Choice::default(),
            network,
        }
    }
}

impl Decoder for Worker {
    fn admit(&mut self, sentences: &[Sentence<'_>], places: &[usize], scratch: &mut Scratch) {
        let Self { network, encoded, attended, states, .. } = self;
        let (words, frequent) = network.source.frequent(sentences);
        network.done.read(words, frequent);
        network.source.encode(sentences, encoded, scratch);
        network.bottom.admit(encoded, places, attended, states, &mut scratch.operands);
        network.output.admit(sentences, places, &mut self.choice);
    }

    fn step(&mut self, rows: &[Row], request: &Request<'_>, scratch: &mut Scratch, step: &mut Step) {
        step.clear();
        let _decoder = Component::Decoder.span();
        let Self { network, attended, states, fed, stack, .. } = self;
        let (hypotheses, distinct) = states.merging();
        network.done.step(hypotheses, distinct);
        let words = rows.iter().map(|row| row.previous);
        network.target_words.apply(words, &mut scratch.operands, &mut self.rest, fed);
        let outputs = network.bottom.step(rows, fed, attended, states, scratch);
        stack.out.clear();
        stack.out.extend_from_slice(outputs);
        network.stack.apply(states, stack, scratch);
        states.settle();
        if request.attention {
            std::mem::swap(&mut step.attention, &mut attended.weights);
        }
        network.output.rows(&stack.out, rows, request, &mut self.choice, &mut scratch.operands, step);
    }

    fn reorder(&mut self, kept: &[usize]) {
        self.states.reorder(kept);
    }
}
