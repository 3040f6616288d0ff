//! Recurrent cells: GRU, GRU with Nematus' norms, and LSTM, each as one cell in the stack of a layer. The
//! gates come from `dyno-nn`; the positions of biases and norms are Marian's.
//!
//! Input and state have products of their own (x·W and s·U), so that an encoder can compute the inputs'
//! product for all words at once. A cell without input is a transition: it reads the state alone.

use std::ops::Range;

use dyno_formats::{Result, spec};
use dyno_nn::Scratch;
use dyno_nn::math::Matrix;
use dyno_nn::recurrent::{Cell as Gates, Functions, State};

use crate::names::Names;
use crate::projection::Projection;

/// Position of a cell, which decides about its biases.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    /// Prefix of the names of its parameters.
    pub(crate) prefix: &'a str,
    /// Width of the input; 0 for a transition.
    pub(crate) inputs: usize,
    /// Whether the cell follows the attention in the decoder's first layer: Marian's "final".
    pub(crate) last: bool,
    pub(crate) encoder: bool,
}

/// A cell with its weights.
pub(crate) struct Cell {
    input: Option<Side>,
    state: Side,
    /// Bias of the gates: `[3S]` in the order r, z, h, or `[4S]` in the order f, i, c, o.
    bias: Vec<f32>,
    /// Input of a transition: zeros, as wide as the bias.
    unfed: Vec<f32>,
    gates: Gates,
    functions: Functions,
}

impl Cell {
    /// Reads the cell at `place` with a state of `width`.
    pub(crate) fn new(
        names: Names<'_>,
        kind: spec::Cell,
        normalised: bool,
        place: Place<'_>,
        width: usize,
    ) -> Result<Self> {
        let reader = Reader { names, place, width };
        let gru = Gates::Gru { bias_inside: place.last };
        let (bias, gates) = match kind {
            spec::Cell::Lstm => (reader.vector("b", 4)?, Gates::Lstm),
            spec::Cell::GruNematus if normalised => (reader.nematus_bias()?, gru),
            spec::Cell::Gru | spec::Cell::GruNematus => (reader.gru_bias()?, gru),
        };
        let side = |input: bool| match kind {
            spec::Cell::Lstm => reader.lstm_side(input, normalised),
            spec::Cell::GruNematus if normalised => reader.nematus_side(input),
            spec::Cell::Gru | spec::Cell::GruNematus => reader.gru_side(input, normalised),
        };
        let input = (place.inputs > 0).then(|| side(true)).transpose()?;
        let unfed = vec![0.0; bias.len()];
        let functions = Functions::new(names.kernels(), false);
        Ok(Self { input, state: side(false)?, bias, unfed, gates, functions })
    }

    /// Width of pre-activations: 3S or 4S.
    pub(crate) fn fed_width(&self) -> usize {
        self.bias.len()
    }

    /// Replaces `fed` by the product of `input` [rows, inputs].
    pub(crate) fn feed(&self, input: &[f32], fed: &mut Vec<f32>, scratch: &mut Scratch) {
        fed.clear();
        if let Some(side) = &self.input {
            side.apply(input, fed, scratch);
        }
    }

    /// As [`feed`](Self::feed), and computes the product `other` of the same input into `out`.
    pub(crate) fn feed_beside(
        &self,
        input: &[f32],
        fed: &mut Vec<f32>,
        (other, out): (&Projection, &mut Vec<f32>),
        scratch: &mut Scratch,
    ) {
        match self.input.as_ref().map(|side| &side.parts[..]) {
            Some([only]) => {
                Projection::apply_both(input, &mut scratch.operands, [(only, fed), (other, out)]);
            }
            _ => {
                self.feed(input, fed, scratch);
                other.apply(input, &mut scratch.operands, out);
            }
        }
    }

    /// Replaces `fed` by the products of `input` [rows, inputs] before any norm, and each other `Vec` by those
    /// of its projection.
    pub(crate) fn multiply_beside(
        &self,
        input: &[f32],
        fed: &mut Vec<f32>,
        others: [(&Projection, &mut Vec<f32>); 2],
        scratch: &mut Scratch,
    ) {
        let [one, other] = others;
        match self.input.as_ref().map(|side| &side.parts[..]) {
            Some([only]) => Projection::multiply_all(input, &mut scratch.operands, [(only, fed), one, other]),
            _ => {
                self.input.iter().for_each(|side| side.multiply(input, fed, scratch));
                Projection::multiply_all(input, &mut scratch.operands, [one, other]);
            }
        }
    }

    /// Applies the norms of the input's products.
    pub(crate) fn finish_fed(&self, fed: &mut [f32], scratch: &mut Scratch) {
        if let Some(side) = &self.input {
            side.finish(fed, scratch);
        }
    }

    /// Takes one step of all rows of `state`. `fed` [rows, 3S or 4S] are the products of the inputs; it is
    /// empty for a transition.
    pub(crate) fn step(&self, fed: &[f32], state: &mut State, scratch: &mut Scratch) {
        let mut pre = std::mem::take(&mut scratch.between[1]);
        self.state.apply(state.output.values(), &mut pre, scratch);
        let fed = if self.input.is_some() { fed } else { &self.unfed };
        self.gates.step_all(self.functions, [fed, &pre, &self.bias], state, &mut scratch.gates);
        scratch.between[1] = pre;
    }
}

/// The products of the input or of the state, side by side.
struct Side {
    parts: Vec<Projection>,
    outputs: usize,
}

impl Side {
    fn new(parts: Vec<Projection>) -> Self {
        let outputs = parts.iter().map(Projection::outputs).sum();
        Self { parts, outputs }
    }

    fn apply(&self, rows: &[f32], out: &mut Vec<f32>, scratch: &mut Scratch) {
        self.multiply(rows, out, scratch);
        self.finish(out, scratch);
    }

    /// Replaces `out` by the products before norms, [rows, outputs].
    fn multiply(&self, rows: &[f32], out: &mut Vec<f32>, scratch: &mut Scratch) {
        let Scratch { operands, between: [values, _], .. } = scratch;
        if let [only] = &self.parts[..] {
            return only.multiply(rows, operands, out);
        }
        for (part, columns) in self.columns() {
            part.multiply(rows, operands, values);
            out.resize(values.len() / columns.len() * self.outputs, 0.0);
            let rows = out.chunks_exact_mut(self.outputs).zip(values.chunks_exact(columns.len()));
            rows.for_each(|(out, values)| out[columns.clone()].copy_from_slice(values));
        }
    }

    /// Applies the norms to products [rows, outputs].
    fn finish(&self, out: &mut [f32], scratch: &mut Scratch) {
        if let [only] = &self.parts[..] {
            return only.finish(out);
        }
        for (part, columns) in self.columns() {
            let [values, _] = &mut scratch.between;
            values.clear();
            let rows = || out.chunks_exact(self.outputs);
            rows().for_each(|row| values.extend_from_slice(&row[columns.clone()]));
            part.finish(values);
            let rows = out.chunks_exact_mut(self.outputs).zip(values.chunks_exact(columns.len()));
            rows.for_each(|(out, values)| out[columns.clone()].copy_from_slice(values));
        }
    }

    /// The projections with their columns.
    fn columns(&self) -> impl Iterator<Item = (&Projection, Range<usize>)> {
        self.parts.iter().scan(0, |end, part| {
            let start = *end;
            *end += part.outputs();
            Some((part, start..*end))
        })
    }
}

/// A reader of one cell's parameters.
struct Reader<'a> {
    names: Names<'a>,
    place: Place<'a>,
    width: usize,
}

impl Reader<'_> {
    /// Reads a vector as wide as `gates` states.
    fn vector(&self, part: &str, gates: usize) -> Result<Vec<f32>> {
        self.names.vector(&format!("{}_{part}", self.place.prefix), gates * self.width)
    }

    /// Name of weights of the input (`W…`) or of the state (`U…`).
    fn name(&self, input: bool, suffix: &str) -> String {
        format!("{}_{}{suffix}", self.place.prefix, if input { "W" } else { "U" })
    }

    /// Reads weights of the input or of the state for `gates` gates.
    fn matrix(&self, input: bool, suffix: &str, gates: usize) -> Result<Matrix<'_>> {
        let rows = if input { self.place.inputs } else { self.width };
        self.names.product(&self.name(input, suffix), rows, gates * self.width)
    }

    /// Reads the product of these weights; an empty bias is none.
    fn product(&self, input: bool, suffix: &str, matrix: &Matrix<'_>, bias: &[f32]) -> Result<Projection> {
        self.names.pack(matrix, bias, &self.name(input, suffix)).map(Projection::new)
    }

    fn scale(&self, input: bool, gates: usize) -> Result<Vec<f32>> {
        self.vector(if input { "gamma1" } else { "gamma2" }, gates)
    }

    fn gru_bias(&self) -> Result<Vec<f32>> {
        Ok([self.vector("b", 2)?, self.vector("bx", 1)?].concat())
    }

    /// With Nematus' norms the products contain the biases, except for that of h in the encoder's
    /// transitions.
    fn nematus_bias(&self) -> Result<Vec<f32>> {
        let gates = vec![0.0; 2 * self.width];
        let own = self.place.encoder && self.place.inputs == 0;
        let candidate = if own { self.vector("bx", 1)? } else { vec![0.0; self.width] };
        Ok([gates, candidate].concat())
    }

    fn lstm_side(&self, input: bool, normalised: bool) -> Result<Side> {
        let product = self.product(input, "", &self.matrix(input, "", 4)?, &[])?;
        let scale = normalised.then(|| self.scale(input, 4)).transpose()?;
        Ok(Side::new(vec![scaled(product, scale)]))
    }

    /// The weights of gates and candidate as one matrix, which the norm needs.
    fn gru_side(&self, input: bool, normalised: bool) -> Result<Side> {
        let both = self.matrix(input, "", 2)?.beside(self.matrix(input, "x", 1)?);
        let product = self.product(input, "", &both, &[])?;
        let scale = normalised.then(|| self.scale(input, 3)).transpose()?;
        Ok(Side::new(vec![scaled(product, scale)]))
    }

    fn nematus_side(&self, input: bool) -> Result<Side> {
        let parts = [("", "b", 2), ("x", "bx", 1)];
        let parts = parts.map(|(suffix, bias, gates)| self.nematus_part(input, suffix, bias, gates));
        Ok(Side::new(parts.into_iter().collect::<Result<_>>()?))
    }

    /// One of the four products with Nematus' norms. Marian's `GRUNematus` (`src/rnn/cells.h`) decides the
    /// position of its bias.
    fn nematus_part(&self, input: bool, suffix: &str, bias: &str, gates: usize) -> Result<Projection> {
        let place = self.place;
        let transition = place.inputs == 0;
        let inside = if input { !place.last } else { !place.encoder && (place.last || transition) };
        let bias = self.vector(bias, gates)?;
        let before = if inside { bias.clone() } else { Vec::new() };
        let letter = if input { "W" } else { "U" };
        let norm = |part: &str| self.vector(&format!("{letter}{suffix}_{part}"), gates);
        let product = self.product(input, suffix, &self.matrix(input, suffix, gates)?, &before)?;
        let product = product.normalised(norm("lns")?, norm("lnb")?);
        // Here the formula of the gates contains the candidate's bias.
        let after = !input && place.encoder && transition && suffix.is_empty();
        Ok(if after { product.shifted(bias) } else { product })
    }
}

fn scaled(product: Projection, scale: Option<Vec<f32>>) -> Projection {
    match scale {
        Some(scale) => product.scaled(scale, Vec::new()),
        None => product,
    }
}
