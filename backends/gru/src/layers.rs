//! Layers of the decoder with their weights.

use dyno_formats::Result;
use dyno_formats::spec::RecurrentSpec;

use crate::attention::Attention;
use crate::cell::{Cell, Place};
use crate::names::Names;
use crate::projection::{Dense, Projection};

/// The recurrent layers of the decoder, with start state and deep output.
pub(crate) struct Layers {
    /// Cells of the first layer; attention stands between the first cell and the second.
    pub(crate) base: Vec<Cell>,
    pub(crate) attention: Attention,
    /// Cells of each further layer: the first has an input, the others are transitions.
    pub(crate) high: Vec<Vec<Cell>>,
    /// Projection of the encoder's mean that gives the first state of all layers.
    pub(crate) start: Projection,
    /// Projections of embedding, top state and context in the deep output.
    pub(crate) deep: [Projection; 3],
    pub(crate) skip: bool,
}

impl Layers {
    pub(crate) fn new(names: Names<'_>, spec: &RecurrentSpec) -> Result<Self> {
        let (state, context) = (spec.state, spec.context());
        let cell = |prefix: &str, inputs: usize, last: bool| {
            let place = Place { prefix, inputs, last, encoder: false };
            Cell::new(names, spec.decoder_cell, spec.normalised, place, state)
        };
        let base = |number: usize| {
            let inputs = [spec.embedding, context].get(number - 1).copied().unwrap_or(0);
            cell(&format!("decoder_cell{number}"), inputs, number > 1)
        };
        let high = |layer: usize| {
            let cells = (1..=spec.decoder_cells[1]).map(|number| {
                let inputs = if number == 1 { state } else { 0 };
                cell(&format!("decoder_l{layer}_cell{number}"), inputs, false)
            });
            cells.collect::<Result<Vec<_>>>()
        };
        Ok(Self {
            base: (1..=spec.decoder_cells[0]).map(base).collect::<Result<_>>()?,
            attention: Attention::new(names, spec)?,
            high: (2..=spec.decoder_depth).map(high).collect::<Result<_>>()?,
            start: start(names, spec)?,
            deep: [deep(names, spec, 0)?, deep(names, spec, 1)?, deep(names, spec, 2)?],
            skip: spec.skip,
        })
    }
}

fn start(names: Names<'_>, spec: &RecurrentSpec) -> Result<Projection> {
    let dense = Dense {
        weights: "decoder_ff_state_W",
        bias: "decoder_ff_state_b",
        gamma: "decoder_ff_state_gamma",
        nematus: ["decoder_ff_state_ln_s", "decoder_ff_state_ln_b"],
    };
    Projection::dense(names, spec.style, &dense, spec.context(), spec.state)
}

fn deep(names: Names<'_>, spec: &RecurrentSpec, input: usize) -> Result<Projection> {
    let inputs = [spec.embedding, spec.state, spec.context()][input];
    let name = |part: &str| format!("decoder_ff_logit_l1_{part}{input}");
    let dense = Dense {
        weights: &name("W"),
        bias: &name("b"),
        gamma: &name("gamma"),
        nematus: [&name("ln_s"), &name("ln_b")],
    };
    Projection::dense(names, spec.style, &dense, inputs, spec.embedding)
}
