//! Layers above the bottom layer. Fully-connected layers with relu, of which every other one adds the input
//! of the layer two below (paper, 5). And the top: no layer, one layer with tanh, or recurrent layers.

use dyno_formats::Result;
use dyno_formats::spec::{FullyConnectedSpec, TopSpec};
use dyno_nn::math::{Linear, Operands, add};
use dyno_nn::recurrent::{Functions, Layer};
use dyno_nn::watch::Operator;
use dyno_nn::{Params, Scratch};

use crate::recurrent::{advance, inputs, layer as layer_of};
use crate::states::States;

/// Greatest activation: with it, activations fit into 16 bits with high precision (paper, 4.1).
const LARGEST: f32 = 10.0;

/// Layers of the stack.
pub(crate) struct Stack {
    fully_connected: Vec<Linear>,
    top: Top,
}

enum Top {
    None,
    Tanh(Box<Linear>, Functions),
    Recurrent { layers: Vec<(Linear, Layer)>, skip: bool },
}

/// Buffers of a worker.
#[derive(Default)]
pub(crate) struct Buffers {
    /// Output of the layers, [rows, width].
    pub(crate) out: Vec<f32>,
    below: Vec<f32>,
    fed: Vec<f32>,
}

impl Stack {
    pub(crate) fn new(params: Params<'_>, spec: &FullyConnectedSpec, functions: Functions) -> Result<Self> {
        let (depth, width) = spec.fc;
        let layer = |k: usize| {
            let (weights, bias) = (format!("fc_W{k}"), format!("fc_b{k}"));
            let below = if k == 1 { spec.target.width } else { width };
            params.linear(&weights, Some(&bias), below, width)
        };
        let fully_connected = (1..=depth).map(layer).collect::<Result<_>>()?;
        Ok(Self { fully_connected, top: Top::new(params, spec, functions)? })
    }

    /// Replaces `buffers.out`, the output of the bottom layer [rows, R], by the output of the top. The first
    /// layer of `states` is the bottom layer.
    pub(crate) fn apply(&self, states: &mut States, buffers: &mut Buffers, scratch: &mut Scratch) {
        self.fully_connected(buffers, &mut scratch.operands);
        match &self.top {
            Top::None => {}
            Top::Tanh(top, functions) => {
                top.apply(&buffers.out, &mut scratch.operands, &mut buffers.below);
                functions.tanh(&mut buffers.below);
                std::mem::swap(&mut buffers.out, &mut buffers.below);
            }
            Top::Recurrent { layers, skip } => {
                for (at, (input, layer)) in layers.iter().enumerate() {
                    input.apply(&buffers.out, &mut scratch.operands, &mut buffers.fed);
                    let new = advance(layer, &buffers.fed, states, 1 + at, scratch);
                    if !*skip || at == 0 {
                        buffers.out.clear();
                        buffers.out.resize(new.len(), 0.0);
                    }
                    add(&mut buffers.out, new);
                }
            }
        }
    }

    fn fully_connected(&self, buffers: &mut Buffers, operands: &mut Operands) {
        let Buffers { out, below, fed } = buffers;
        for (at, layer) in self.fully_connected.iter().enumerate() {
            layer.apply(out, operands, fed);
            let _activation = Operator::Activation.span();
            // The third layer, the fifth and so on: `below` is the output of the layer two below.
            if at >= 2 && at % 2 == 0 {
                add(fed, below);
            }
            fed.iter_mut().for_each(|x| *x = x.clamp(0.0, LARGEST));
            std::mem::swap(below, out);
            std::mem::swap(out, fed);
        }
    }
}

impl Top {
    fn new(params: Params<'_>, spec: &FullyConnectedSpec, functions: Functions) -> Result<Self> {
        let below = spec.below_top();
        Ok(match spec.top {
            TopSpec::None => Self::None,
            TopSpec::Tanh(width) => {
                Self::Tanh(Box::new(params.linear("top_W", Some("top_b"), below, width)?), functions)
            }
            TopSpec::Recurrent { cell, depth, width } => {
                let layer = |layer: usize| {
                    let prefix = format!("top_l{layer}");
                    let below = if layer == 1 { below } else { width };
                    let own = layer_of(params, (cell, functions), &prefix, width)?;
                    Ok((inputs(params, cell, &[prefix], below, width)?, own))
                };
                let layers = (1..=depth).map(layer).collect::<Result<_>>()?;
                Self::Recurrent { layers, skip: spec.skip }
            }
        })
    }
}
