//! Cells of PyTorch (`torch.nn.LSTM`, `torch.nn.GRU`), whose input and state have a bias each.
//!
//! The bias of the input joins its product. That of the state is the cell's: a GRU's reset gate scales it in
//! the candidate, n = tanh(x·W_n + b + r⊙(h·U_n + b')).

use dyno_formats::{Result, spec};
use dyno_nn::Params;
use dyno_nn::math::Linear;
use dyno_nn::recurrent::{Cell, Columns, Functions, Layer, behind, beside};

/// Letters of the gates in the order of the cells.
fn letters(cell: spec::Cell) -> &'static [&'static str] {
    match cell {
        spec::Cell::Gru | spec::Cell::GruNematus => &["r", "z", "h"],
        spec::Cell::Lstm => &["f", "i", "c", "o"],
    }
}

/// Names of the tensors `{prefix}_{kind}{gate}` of a cell's gates, with their columns.
fn named(cell: spec::Cell, prefix: &str, kind: &str, width: usize) -> impl Iterator<Item = Columns> {
    letters(cell).iter().map(move |gate| (format!("{prefix}_{kind}{gate}"), width))
}

/// The product of the inputs of the layers `prefixes`, side by side, with their biases; each layer's part is
/// [rows, 3S] or [rows, 4S].
pub(super) fn inputs(
    params: Params<'_>,
    cell: spec::Cell,
    prefixes: &[String],
    inputs: usize,
    width: usize,
) -> Result<Linear> {
    let all = |kind| -> Vec<Columns> {
        prefixes.iter().flat_map(|prefix| named(cell, prefix, kind, width)).collect()
    };
    beside(params, inputs, &all("W"), &behind(params, &all("bW"))?)
}

/// The layer `prefix` with a state of `width`.
pub(super) fn layer(params: Params<'_>, cell: spec::Cell, prefix: &str, width: usize) -> Result<Layer> {
    let all = |kind| named(cell, prefix, kind, width).collect::<Vec<_>>();
    let state = beside(params, width, &all("U"), &[])?;
    let gates = match cell {
        spec::Cell::Gru | spec::Cell::GruNematus => Cell::Gru { bias_inside: true },
        spec::Cell::Lstm => Cell::Lstm,
    };
    let functions = Functions::new(params.kernels(), false);
    Ok(Layer::new(gates, functions, state, behind(params, &all("bU"))?))
}
