//! The average-attention sublayer: the mean of all inputs so far, with an optional feed-forward stack and an
//! optional gate.

use std::sync::Arc;

use dyno_formats::Result;
use dyno_formats::spec::{AverageSpec, TransformerSpec};
use dyno_nn::math::{Activation, Epilogue, Kernels, Linear, activation};
use dyno_nn::transformer::{Autoregression, AutoregressionState, Process};
use dyno_nn::watch::Operator;
use dyno_nn::{Params, Row, Rows, Scratch};

/// Inputs and outputs of each layer for a model of `width`. All layers but the last have the width A and
/// an activation. The last one leads back to D; Marian leaves it out where the width is D already.
fn layers(shape: AverageSpec, width: usize) -> impl Iterator<Item = (usize, usize)> {
    let inner =
        (1..shape.depth).map(move |number| (if number == 1 { width } else { shape.width }, shape.width));
    let at = if shape.depth > 1 { shape.width } else { width };
    inner.chain((at != width).then_some((at, width)))
}

/// Parameters of the sublayer.
pub struct Average {
    layers: Vec<Linear>,
    /// Number of layers with an activation, from the first one.
    activated: usize,
    activation: Activation,
    /// Gates of the input and of the average.
    gates: Option<[Linear; 2]>,
    before: Process,
    after: Process,
    width: usize,
    kernels: Kernels,
}

impl Average {
    /// Reads the parameters of the layer that is stored under `number`.
    ///
    /// # Errors
    /// When a parameter is missing or has another shape.
    pub fn new(
        params: Params<'_>,
        spec: &TransformerSpec,
        shape: AverageSpec,
        number: usize,
    ) -> Result<Self> {
        let width = spec.width;
        let prefix = format!("decoder_l{number}_aan");
        let layers = layers(shape, width).enumerate();
        let layers = layers
            .map(|(at, (inputs, outputs))| params.dense(&prefix, &(at + 1).to_string(), inputs, outputs));
        let gate = |suffix: &str| params.dense(&prefix, suffix, width, width);
        let around = format!("{prefix}_ffn");
        Ok(Self {
            layers: layers.collect::<Result<_>>()?,
            activated: shape.depth - 1,
            activation: activation(shape.activation),
            gates: shape.gated.then(|| Ok([gate("i")?, gate("f")?])).transpose()?,
            before: Process::before(params, &spec.before, &around, width)?,
            after: Process::after(params, &spec.after, &around, width)?,
            width,
            kernels: params.kernels(),
        })
    }

    /// Adds each input [rows, D] to the mean of the inputs before it. Rows that began together have one
    /// position, and the kernel takes them at once.
    fn average(&self, inputs: &[f32], rows: &[Row], means: &mut [f32]) {
        let mut first = 0;
        for rows in rows.chunk_by(|a, b| a.position == b.position) {
            let values = first..first + rows.len() * self.width;
            first = values.end;
            let (inputs, means) = (&inputs[values.clone()], &mut means[values]);
            self.kernels.average(inputs, rows[0].position, means).expect(WIDE);
        }
    }

    /// Replaces `rows` by the output of the feed-forward layers.
    fn feed(&self, rows: &mut Vec<f32>, spare: &mut Vec<f32>, scratch: &mut Scratch) {
        for (at, layer) in self.layers.iter().enumerate() {
            let activation = if at < self.activated { self.activation } else { Activation::None };
            layer.apply_then(rows, &mut scratch.operands, Epilogue { activation, residual: None }, spare);
            std::mem::swap(rows, spare);
        }
    }

    /// `rows` ← σ(i·Wi + bi)⊙i + σ(y·Wf + bf)⊙y, where i is the sublayer's input and y is `rows`.
    fn gate(&self, rows: &mut [f32], input: &[f32], gates: &mut [Vec<f32>; 2], scratch: &mut Scratch) {
        let Some([of_input, of_average]) = &self.gates else { return };
        let [input_gate, average_gate] = gates;
        of_input.apply(input, &mut scratch.operands, input_gate);
        of_average.apply(rows, &mut scratch.operands, average_gate);
        let _gates = Operator::Activation.span();
        self.kernels.mix(input, input_gate, rows, average_gate).expect(WIDE);
    }
}

/// Reason why calls of the kernels succeed.
const WIDE: &str = "all is as wide as the model";

impl Autoregression for Average {
    fn state(self: Arc<Self>) -> Box<dyn AutoregressionState> {
        let averages = Rows::new(self.width);
        Box::new(Averages { layer: self, averages, out: Vec::new(), spare: Default::default() })
    }
}

/// Mean of each hypothesis' inputs, and buffers.
struct Averages {
    layer: Arc<Average>,
    averages: Rows,
    out: Vec<f32>,
    spare: [Vec<f32>; 2],
}

impl AutoregressionState for Averages {
    fn admit(&mut self, rows: usize) {
        self.averages.grow(rows);
    }

    fn step(&mut self, vectors: &mut Vec<f32>, rows: &[Row], scratch: &mut Scratch) {
        let Self { layer, averages, out, spare } = self;
        let average = Operator::Attention.span(); // an average over all words with equal weights
        layer.average(vectors, rows, averages.values_mut());
        out.clear();
        out.extend_from_slice(averages.values());
        drop(average);
        layer.before.norms(out, &mut scratch.operands.threads);
        layer.feed(out, &mut spare[0], scratch);
        layer.gate(out, vectors, spare, scratch);
        layer.after.apply(out, vectors, scratch);
        std::mem::swap(vectors, out);
    }

    fn reorder(&mut self, kept: &[usize]) {
        self.averages.reorder(kept);
    }
}

#[cfg(test)]
mod tests {
    use dyno_formats::spec;

    use super::*;

    #[test]
    fn the_last_layer_is_left_out_where_the_width_is_back_already() {
        let layers = |width, depth| {
            let shape = AverageSpec { width, depth, gated: true, activation: spec::Activation::Swish };
            layers(shape, 8).collect::<Vec<_>>()
        };
        assert_eq!(layers(32, 2), [(8, 32), (32, 8)]);
        assert_eq!(layers(8, 2), [(8, 8)]);
        assert_eq!(layers(8, 1), []);
        assert_eq!(layers(32, 1), []);
        assert_eq!(layers(32, 3), [(8, 32), (32, 32), (32, 8)]);
    }
}
