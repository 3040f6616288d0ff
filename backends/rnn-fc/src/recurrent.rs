//! Recurrent layers: the product of the state, and the bias. The caller computes the products of inputs, in
//! advance or for several layers at once.

use dyno_formats::{Result, spec};
use dyno_nn::Params;
use dyno_nn::math::{Linear, Matrix, Operands};
use dyno_nn::recurrent::{Cell, Functions, State};
use dyno_nn::watch::Operator;

use crate::states::States;

/// One layer in one direction.
pub(crate) struct Recurrent {
    cell: Cell,
    /// Product of the state, [S, 3S] or [S, 4S].
    state: Linear,
    /// Bias of the gates, `[3S]` or `[4S]`.
    bias: Vec<f32>,
    width: usize,
}

/// A worker's functions and buffers.
pub(crate) struct Scratch {
    pub(crate) functions: Functions,
    pub(crate) operands: Operands,
    pub(crate) recurrent: Vec<f32>,
    pub(crate) row: Vec<f32>,
}

impl Scratch {
    pub(crate) fn new(functions: Functions) -> Self {
        Self { functions, operands: Operands::default(), recurrent: Vec::new(), row: Vec::new() }
    }
}

/// Name of a matrix, and its number of columns.
pub(crate) type Named = (String, usize);

/// x·[W₁ W₂ …] of one or more matrices with `inputs` rows, without bias.
pub(crate) fn beside(params: Params<'_>, inputs: usize, parts: &[Named]) -> Result<Linear> {
    let read = |(name, columns): &Named| params.product(name, inputs, *columns);
    let parts_read: Vec<Matrix<'_>> = parts.iter().map(read).collect::<Result<_>>()?;
    let whole = parts_read.into_iter().reduce(Matrix::beside).expect("layers name one matrix or more");
    params.pack(&whole, &[], &parts[0].0)
}

/// Names of a cell's tensors `{prefix}_{letter}…` with their columns: a GRU stores its candidate apart from
/// its gates.
fn named(cell: spec::Cell, prefix: &str, letter: &str, width: usize) -> Vec<Named> {
    match cell {
        spec::Cell::Gru | spec::Cell::GruNematus => {
            vec![(format!("{prefix}_{letter}"), 2 * width), (format!("{prefix}_{letter}x"), width)]
        }
        spec::Cell::Lstm => vec![(format!("{prefix}_{letter}"), 4 * width)],
    }
}

/// The product of the inputs of the layers `prefixes`, side by side; each layer's part is [rows, 3S] or
/// [rows, 4S].
pub(crate) fn inputs(
    params: Params<'_>,
    cell: spec::Cell,
    prefixes: &[String],
    inputs: usize,
    width: usize,
) -> Result<Linear> {
    let names = prefixes.iter().flat_map(|prefix| named(cell, prefix, "W", width));
    beside(params, inputs, &names.collect::<Vec<_>>())
}

impl Recurrent {
    pub(crate) fn new(params: Params<'_>, cell: spec::Cell, prefix: &str, width: usize) -> Result<Self> {
        let bias = named(cell, prefix, "b", width);
        let bias = bias.iter().map(|(name, columns)| params.vector(name, *columns));
        let bias: Vec<Vec<f32>> = bias.collect::<Result<_>>()?;
        let state = beside(params, width, &named(cell, prefix, "U", width))?;
        Ok(Self { cell: cell.into(), state, bias: bias.concat(), width })
    }

    /// Width of the inputs' products: 3S or 4S.
    pub(crate) fn fed(&self) -> usize {
        self.bias.len()
    }

    /// Width of the state, S.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Takes one step of all rows of `state`; `fed` [rows, 3S or 4S] are the products of the inputs.
    pub(crate) fn step(&self, fed: &[f32], state: &mut State, scratch: &mut Scratch) {
        let Scratch { functions, operands, recurrent, row } = scratch;
        self.state.apply(state.output.values(), operands, recurrent);
        self.cell.step_all(*functions, [fed, recurrent, &self.bias], state, row);
    }

    /// Takes one step of all rows in a layer of `states`; `fed` [rows, 3S or 4S] are the products of the
    /// inputs. Gives the new outputs [rows, S].
    pub(crate) fn advance<'a>(
        &self,
        fed: &[f32],
        states: &'a mut States,
        layer: usize,
        scratch: &mut Scratch,
    ) -> &'a [f32] {
        let (Scratch { functions, operands, recurrent, row: buffer }, gates) = (scratch, self.fed());
        self.state.apply(states.outputs(layer), operands, recurrent);
        let _gates = Operator::Activation.span();
        states.advance(layer, |row, owner, output, cell| {
            let pre = [&fed[row * gates..][..gates], &recurrent[owner * gates..][..gates], &self.bias];
            self.cell.step(*functions, pre, output, cell, buffer);
        })
    }
}
