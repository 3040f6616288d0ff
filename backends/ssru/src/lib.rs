//! The engine `ssru`: Transformers whose decoder remembers with a simpler simple recurrent unit, after the entries
//! of HW-TSC (2021) and of the students of Bergamot: deep encoder, shallow decoder, state that doesn't grow.
//!
//! It owns that one sublayer; everything else is the stack of `dyno-nn` and the search of `dyno-translator`.

use std::sync::Arc;

use dyno_formats::{Fault, MarianConfig, Result, Weights};
use dyno_nn::math::{Linear, add, layer_norm, product, sigmoid};
use dyno_nn::transformer::{Autoregression, Memory, Options, Process, Transformer};
use dyno_nn::{Network, Params, Rows};
use dyno_translator::{Customs, Engine, Switches};

/// The backend.
pub const ENGINE: Engine = Engine {
    name: "ssru",
    about: "Transformer with an SSRU decoder (Marian's models with transformer-decoder-autoreg: rnn)",
    customs: Customs::MARIAN,
    suits,
    load,
};

/// Of the norms in recurrent cells (Marian's `src/rnn/cells.h`).
const EPSILON: f32 = 1e-9;

fn suits(config: &MarianConfig) -> Result<bool> {
    Ok(config.text("type")? == "transformer" && config.text("transformer-decoder-autoreg")? == "rnn")
}

fn load(config: &MarianConfig, weights: &Weights, _: &Switches) -> Result<Arc<dyn Network>> {
    const KEY: &str = "dec-cell";
    let cell = config.text(KEY)?;
    if cell != "ssru" {
        let what = format!("the cell `{cell}` in a Transformer's decoder");
        return Err(config.fault(KEY, Fault::Unsupported { what, remedy: "this engine has ssru" }));
    }
    let normalised = config.flag("layer-normalization")?;
    let projected = config.flag("transformer-rnn-projection")?;
    let layer = |params: Params<'_>, options: &Options, number: usize| {
        let unit = Ssru::new(params, options, number, normalised, projected)?;
        Ok(Arc::new(unit) as Arc<dyn Autoregression>)
    };
    Ok(Arc::new(Transformer::new(config, weights, layer)?))
}

/// The sublayer: c ← f⊙c + (1−f)⊙x with x = i·W, f = σ(i·Wf + bf); its output is relu(c).
struct Ssru {
    /// [D, D].
    input: Vec<f32>,
    /// [D, D]; its bias [D] comes after the norm.
    forget: Vec<f32>,
    forget_bias: Vec<f32>,
    /// Scales of the norms of x and f, each [D], where the model has them.
    norms: Option<[Vec<f32>; 2]>,
    projection: Option<Linear>,
    before: Process,
    after: Process,
    width: usize,
}

impl Ssru {
    fn new(
        params: Params<'_>,
        options: &Options,
        number: usize,
        normalised: bool,
        projected: bool,
    ) -> Result<Self> {
        let width = options.width;
        let prefix = format!("decoder_l{number}_rnn");
        let name = |part: &str| format!("{prefix}_{part}");
        let norms = || Ok([params.vector(&name("gamma"), width)?, params.vector(&name("gammaf"), width)?]);
        Ok(Self {
            input: params.matrix(&name("W"), width, width)?,
            forget: params.matrix(&name("Wf"), width, width)?,
            forget_bias: params.vector(&name("bf"), width)?,
            norms: normalised.then(norms).transpose()?,
            projection: projected.then(|| params.dense(&prefix, "o", width, width)).transpose()?,
            before: Process::before(params, &options.before, &prefix, width)?,
            after: Process::after(params, &options.after, &name("ffn"), width)?,
            width,
        })
    }

    /// x and σ⁻¹(f) of `rows` [n, D].
    fn gates(&self, rows: &[f32], x: &mut Vec<f32>, forget: &mut Vec<f32>) {
        x.resize(rows.len(), 0.0);
        forget.resize(rows.len(), 0.0);
        product(rows, &self.input, self.width, self.width, x);
        product(rows, &self.forget, self.width, self.width, forget);
        if let Some([scale, forget_scale]) = &self.norms {
            x.chunks_exact_mut(self.width).for_each(|row| layer_norm(row, scale, &[], EPSILON));
            forget.chunks_exact_mut(self.width).for_each(|row| layer_norm(row, forget_scale, &[], EPSILON));
        }
        forget.chunks_exact_mut(self.width).for_each(|row| add(row, &self.forget_bias));
    }
}

impl Autoregression for Ssru {
    fn memory(self: Arc<Self>) -> Box<dyn Memory> {
        let cells = Rows::new(self.width);
        Box::new(Cells { unit: self, cells, input: Vec::new(), x: Vec::new(), forget: Vec::new() })
    }
}

/// The state c of each hypothesis.
struct Cells {
    unit: Arc<Ssru>,
    cells: Rows,
    input: Vec<f32>,
    x: Vec<f32>,
    forget: Vec<f32>,
}

impl Memory for Cells {
    fn start(&mut self, rows: usize) {
        self.cells.reset(rows);
    }

    fn step(&mut self, rows: &mut Vec<f32>, _step: usize) {
        self.input.clone_from(rows);
        self.unit.before.apply(rows, &[]);
        self.unit.gates(rows, &mut self.x, &mut self.forget);
        let cells = self.cells.values_mut().iter_mut().zip(rows.iter_mut());
        for ((cell, out), (x, forget)) in cells.zip(self.x.iter().zip(&self.forget)) {
            let f = sigmoid(*forget);
            *cell = f * *cell + (1.0 - f) * x;
            *out = cell.max(0.0);
        }
        if let Some(projection) = &self.unit.projection {
            projection.apply(rows, &mut self.x);
            std::mem::swap(rows, &mut self.x);
        }
        self.unit.after.apply(rows, &self.input);
    }

    fn reorder(&mut self, kept: &[usize]) {
        self.cells.reorder(kept);
    }
}
