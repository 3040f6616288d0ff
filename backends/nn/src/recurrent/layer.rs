//! A recurrent layer in one direction: the product of its state, and its gates. The caller computes the
//! products of inputs, in advance or for several layers at once.

use dyno_formats::Result;

use super::gates::{Cell, Functions};
use super::state::State;
use crate::Scratch;
use crate::math::{Linear, Matrix};
use crate::params::Params;

/// One layer in one direction.
pub struct Layer {
    cell: Cell,
    functions: Functions,
    /// Product of the state, [S, 3S] or [S, 4S].
    state: Linear,
    /// Bias of the gates, `[3S]` or `[4S]`.
    bias: Vec<f32>,
    width: usize,
}

/// Name of a matrix, and its number of columns.
pub type Columns = (String, usize);

/// x·[W₁ W₂ …] + b of one or more matrices with `inputs` rows; an empty bias is none.
///
/// # Errors
/// When a tensor is missing or has another shape.
///
/// # Panics
/// When `parts` is empty.
pub fn beside(params: Params<'_>, inputs: usize, parts: &[Columns], bias: &[f32]) -> Result<Linear> {
    let read = |(name, columns): &Columns| params.product(name, inputs, *columns);
    let parts_read: Vec<Matrix<'_>> = parts.iter().map(read).collect::<Result<_>>()?;
    let whole = parts_read.into_iter().reduce(Matrix::beside).expect("layers name one matrix or more");
    params.pack(&whole, bias, &parts[0].0)
}

/// Vectors one behind the other.
///
/// # Errors
/// When a tensor is missing or has another shape.
pub fn behind(params: Params<'_>, parts: &[Columns]) -> Result<Vec<f32>> {
    let read = parts.iter().map(|(name, columns)| params.vector(name, *columns));
    Ok(read.collect::<Result<Vec<_>>>()?.concat())
}

impl Layer {
    /// A layer of cells with these functions, with the product of its state [S, 3S] or [S, 4S], and the bias of
    /// its gates.
    pub fn new(cell: Cell, functions: Functions, state: Linear, bias: Vec<f32>) -> Self {
        let width = state.inputs();
        Self { cell, functions, state, bias, width }
    }

    /// Width of the inputs' products: 3S or 4S.
    pub fn fed(&self) -> usize {
        self.bias.len()
    }

    /// Width of the state, S.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Takes one step of all rows of `state`; `fed` [rows, 3S or 4S] are the products of the inputs.
    pub fn step(&self, fed: &[f32], state: &mut State, scratch: &mut Scratch) {
        self.multiply(state.output.values(), scratch);
        let Scratch { between: [recurrent, _], gates, .. } = scratch;
        self.cell.step_all(self.functions, [fed, recurrent, &self.bias], state, gates);
    }

    /// Computes the products of the states `outputs` [states, S] into the scratch.
    pub fn multiply(&self, outputs: &[f32], scratch: &mut Scratch) {
        let Scratch { operands, between: [recurrent, _], .. } = scratch;
        self.state.apply(outputs, operands, recurrent);
    }

    /// Takes one step of one row with the product `fed` of its input. Its state's product is that of the state
    /// number `owner` in the scratch.
    pub fn step_row(
        &self,
        fed: &[f32],
        owner: usize,
        output: &mut [f32],
        cell: &mut [f32],
        scratch: &mut Scratch,
    ) {
        let Scratch { between: [recurrent, _], gates, .. } = scratch;
        let recurrent = &recurrent[owner * self.fed()..][..self.fed()];
        self.cell.step(self.functions, [fed, recurrent, &self.bias], output, cell, gates);
    }
}
