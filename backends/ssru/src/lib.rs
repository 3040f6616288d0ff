//! The engine `ssru`: Transformers whose decoder has simpler simple recurrent units (SSRU) instead of
//! self-attention.
//!
//! The models follow HW-TSC's entry of 2021 and the students of Bergamot: a deep encoder, a shallow decoder,
//! and a state that doesn't grow with the translation. The crate owns that one sublayer, an implementation of
//! [`Autoregression`]. Everything else is the Transformer of `dyno-nn` and the search of `dyno-translator`.
//!
//! [`ENGINE`] is the backend. The kernels compute the unit's state and output in one loop, and the two products of its
//! input are quantised once.

use std::sync::Arc;

use dyno_formats::spec::{AutoregressionSpec, SsruSpec, TransformerSpec};
use dyno_formats::{Family, ModelSpec, Result};
use dyno_nn::math::{Kernels, Linear, add, together};
use dyno_nn::transformer::{Autoregression, AutoregressionState, Process, Transformer};
use dyno_nn::watch::Operator;
use dyno_nn::{Network, Params, Row, Rows, Scratch};
use dyno_translator::{Customs, Engine, Switches};

/// The backend.
pub const ENGINE: Engine = Engine {
    name: "ssru",
    about: "Transformer with an SSRU decoder (Marian's models)",
    customs: Customs::NONE,
    families: &[Family::RecurrentUnits],
    load,
};

/// Epsilon of norms in recurrent cells (Marian's `src/rnn/cells.h`).
const EPSILON: f32 = 1e-9;

fn load(model: &ModelSpec, params: Params<'_>, _: &Switches) -> Result<Network> {
    let AutoregressionSpec::Ssru(shape) = model.transformer()?.autoregression else {
        return Err(model.misfit());
    };
    let layer = |params: Params<'_>, spec: &TransformerSpec, number: usize| {
        Ok(Arc::new(Ssru::new(params, spec, shape, number)?) as Arc<dyn Autoregression>)
    };
    Transformer::load(model, params, layer)
}

/// The SSRU sublayer: c ← f⊙c + (1−f)⊙x with x = i·W and f = σ(i·Wf + bf); its output is relu(c).
struct Ssru {
    input: Linear,
    /// Product of the forget gate, with its bias unless a norm precedes the bias.
    forget: Linear,
    norms: Option<Norms>,
    projection: Option<Linear>,
    before: Process,
    after: Process,
    width: usize,
    kernels: Kernels,
}

/// Norms of x and f, before the bias of f; all are `[D]`.
struct Norms {
    scale: Vec<f32>,
    forget_scale: Vec<f32>,
    forget_bias: Vec<f32>,
    zeros: Vec<f32>,
}

impl Ssru {
    fn new(params: Params<'_>, spec: &TransformerSpec, shape: SsruSpec, number: usize) -> Result<Self> {
        let (SsruSpec { normalised, projected }, width) = (shape, spec.width);
        let prefix = format!("decoder_l{number}_rnn");
        let name = |part: &str| format!("{prefix}_{part}");
        let norms = || {
            let vector = |part: &str| params.vector(&name(part), width);
            let (scale, forget_scale) = (vector("gamma")?, vector("gammaf")?);
            Ok(Norms { scale, forget_scale, forget_bias: vector("bf")?, zeros: vec![0.0; width] })
        };
        let bias = name("bf");
        let forget_bias = (!normalised).then_some(&bias[..]);
        Ok(Self {
            input: params.linear(&name("W"), None, width, width)?,
            forget: params.linear(&name("Wf"), forget_bias, width, width)?,
            norms: normalised.then(norms).transpose()?,
            projection: projected.then(|| params.dense(&prefix, "o", width, width)).transpose()?,
            before: Process::before(params, &spec.before, &prefix, width)?,
            after: Process::after(params, &spec.after, &name("ffn"), width)?,
            width,
            kernels: params.kernels(),
        })
    }

    /// Applies the norms to x and σ⁻¹(f), both [n, D].
    fn norm(&self, x: &mut [f32], forget: &mut [f32]) {
        let Some(Norms { scale, forget_scale, forget_bias, zeros }) = &self.norms else { return };
        let _norm = Operator::Norm.span();
        self.kernels.layer_norm(x, scale, zeros, EPSILON).expect(WIDE);
        self.kernels.layer_norm(forget, forget_scale, zeros, EPSILON).expect(WIDE);
        forget.chunks_exact_mut(self.width).for_each(|forget| add(forget, forget_bias));
    }
}

/// Reason why calls of the kernels succeed.
const WIDE: &str = "all is as wide as the model";

impl Autoregression for Ssru {
    fn state(self: Arc<Self>) -> Box<dyn AutoregressionState> {
        let cells = Rows::new(self.width);
        Box::new(Cells { unit: self, cells, x: Vec::new(), forget: Vec::new(), out: Vec::new() })
    }
}

/// States c of the hypotheses, and buffers.
struct Cells {
    unit: Arc<Ssru>,
    cells: Rows,
    x: Vec<f32>,
    forget: Vec<f32>,
    out: Vec<f32>,
}

impl AutoregressionState for Cells {
    fn admit(&mut self, rows: usize) {
        self.cells.grow(rows);
    }

    fn step(&mut self, vectors: &mut Vec<f32>, _: &[Row], scratch: &mut Scratch) {
        let Self { unit, cells, x, forget, out } = self;
        let Scratch { operands, prepared, .. } = scratch;
        let input = unit.before.prepare(vectors, prepared, &mut operands.threads);
        let products = [(&unit.input, &mut *x), (&unit.forget, &mut *forget)];
        together(input, operands, products);
        unit.norm(x, forget);
        out.resize(x.len(), 0.0);
        let gates = Operator::Activation.span();
        unit.kernels.ssru(x, forget, cells.values_mut(), out).expect(WIDE);
        drop(gates);
        match &unit.projection {
            Some(projection) => {
                x.resize(vectors.len(), 0.0);
                unit.after.product(projection, out, vectors, scratch, x);
                std::mem::swap(out, x);
            }
            None => unit.after.apply(out, vectors, scratch),
        }
        std::mem::swap(vectors, out);
    }

    fn reorder(&mut self, kept: &[usize]) {
        self.cells.reorder(kept);
    }
}
