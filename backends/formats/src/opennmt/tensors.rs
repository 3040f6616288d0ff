//! Tensors: OpenNMT-py's names for them, and dyno's.
//!
//! PyTorch stacks the gates of a cell in one tensor, LSTM's as i, f, g, o and a GRU's as r, z, n. Here each
//! gate is a tensor of its own, with the letters of docs/FORMAT.md. The output of attention multiplies the
//! context and the state side by side; here each has its own weights, because the context's are applied to
//! the source's words in advance.

use std::collections::BTreeSet;

use crate::error::Located;
use crate::naming::{Named, Part, Tensors};
use crate::spec::{Cell, GlobalAttention, OpenNmtSpec, VectorsSpec};
use crate::{Fault, Result, Weights};

/// Letters of a cell's gates, in PyTorch's order.
pub(crate) fn gates(cell: Cell) -> &'static [&'static str] {
    match cell {
        Cell::Gru | Cell::GruNematus => &["r", "z", "h"],
        Cell::Lstm => &["i", "f", "c", "o"],
    }
}

/// The tensors of a network of this shape.
pub(crate) fn of(spec: &OpenNmtSpec, words: [usize; 2], vectors: VectorsSpec) -> Tensors {
    let mut list = List { tensors: Tensors::default(), spec };
    list.encoder();
    list.decoder();
    list.attention();
    list.words(words, vectors);
    list.tensors
}

/// Tensors that are being listed.
struct List<'a> {
    tensors: Tensors,
    spec: &'a OpenNmtSpec,
}

impl List<'_> {
    fn encoder(&mut self) {
        for layer in 1..=self.spec.depths[0] {
            let (inputs, width) = (self.spec.encoder_inputs(layer), self.spec.width());
            for (way, suffix) in ["forward", "backward"].iter().zip(["", "_reverse"]).take(self.spec.ways()) {
                let stored = |part: &str| vec![format!("encoder.rnn.{part}_l{}{suffix}", layer - 1)];
                self.cell(stored, &format!("encoder_l{layer}_{way}"), inputs, width);
            }
        }
    }

    /// With input feeding the layers are cells in a list, without it they are one module of PyTorch.
    fn decoder(&mut self) {
        for layer in 1..=self.spec.depths[1] {
            let stored = |part: &str| {
                let at = layer - 1;
                vec![match self.spec.feeds {
                    true => format!("decoder.rnn.layers.{at}.{part}"),
                    false => format!("decoder.rnn.{part}_l{at}"),
                }]
            };
            self.cell(stored, &format!("decoder_l{layer}"), self.spec.decoder_inputs(layer), self.spec.state);
        }
    }

    /// The gates of a cell: weights and bias of the input, and weights and bias of the state.
    fn cell(&mut self, stored: impl Fn(&str) -> Vec<String>, name: &str, inputs: usize, width: usize) {
        for (at, gate) in gates(self.spec.cell).iter().enumerate() {
            let part = Some(Part::Rows(at * width..(at + 1) * width));
            for (letter, kind, inputs) in [("W", "ih", inputs), ("U", "hh", width)] {
                let (weights, bias) = (stored(&format!("weight_{kind}")), stored(&format!("bias_{kind}")));
                self.add(weights, format!("{name}_{letter}{gate}"), [width, inputs], true, part.clone());
                self.add(bias, format!("{name}_b{letter}{gate}"), [1, width], false, part.clone());
            }
        }
    }

    fn attention(&mut self) {
        let width = self.spec.state;
        let square = [width, width];
        let stored = |part: &str| vec![format!("decoder.attn.{part}")];
        match self.spec.attention {
            GlobalAttention::Dot => {}
            // (h·Wᵀ)·s = h·(s·W): the stored weights multiply the source's words as they are.
            GlobalAttention::General => {
                self.add(stored("linear_in.weight"), "decoder_att_Wk".into(), square, false, None);
            }
            GlobalAttention::Perceptron => {
                self.add(stored("linear_context.weight"), "decoder_att_Wk".into(), square, true, None);
                self.add(stored("linear_query.weight"), "decoder_att_Wq".into(), square, true, None);
                self.add(stored("linear_query.bias"), "decoder_att_bq".into(), [1, width], false, None);
                self.add(stored("v.weight"), "decoder_att_v".into(), [1, width], false, None);
                self.add(stored("linear_out.bias"), "decoder_att_b".into(), [1, width], false, None);
            }
        }
        for (name, columns) in [("Wc", 0..width), ("Wh", width..2 * width)] {
            let (part, name) = (Some(Part::Columns(columns)), format!("decoder_att_{name}"));
            self.add(stored("linear_out.weight"), name, square, true, part);
        }
    }

    fn words(&mut self, [source, target]: [usize; 2], vectors: VectorsSpec) {
        let [encoder, decoder] = self.spec.embeddings;
        let table = |side: &str| vec![format!("{side}.embeddings.make_embedding.emb_luts.0.weight")];
        if vectors.shared {
            self.add(table("encoder"), "Wemb".into(), [source, encoder], false, None);
        } else {
            self.add(table("encoder"), "encoder_Wemb".into(), [source, encoder], false, None);
            self.add(table("decoder"), "decoder_Wemb".into(), [target, decoder], false, None);
        }
        let output = |part: &str| vec![format!("generator.{part}"), format!("generator.0.{part}")];
        if !vectors.tied {
            let name = "decoder_ff_logit_out_Wt".into();
            self.add(output("weight"), name, [target, self.spec.state], false, None);
        }
        self.add(output("bias"), "decoder_ff_logit_out_b".into(), [1, target], false, None);
    }

    /// Adds a tensor; in a checkpoint all but the output's stand in the dictionary `model`.
    fn add(
        &mut self,
        stored: Vec<String>,
        name: String,
        shape: [usize; 2],
        product: bool,
        part: Option<Part>,
    ) {
        let inside = stored.iter().map(|name| format!("model.{name}"));
        let stored = inside.chain(stored.iter().cloned()).collect();
        self.tensors.add(Named { stored, name, shape, product, part });
    }
}

/// Refuses tensors of the model that the network has no place for: their effect is unknown.
pub(super) fn refuse_others(tensors: &Tensors, weights: &Weights, vectors: VectorsSpec) -> Result<()> {
    const REMEDY: &str = "no engine of dyno has what it stands for; measure OpenNMT-py itself as a command";
    let known: BTreeSet<&str> = tensors.stored().collect();
    let shared = |name: &str| {
        vectors.shared && name.ends_with("decoder.embeddings.make_embedding.emb_luts.0.weight")
            || vectors.tied && ["generator.weight", "generator.0.weight"].contains(&name)
    };
    let other = weights.names().find(|name| !known.contains(name) && !shared(name));
    match other {
        Some(name) => Err(Fault::unsupported("this tensor", REMEDY).of(name)).in_file(weights.origin()),
        None => Ok(()),
    }
}
