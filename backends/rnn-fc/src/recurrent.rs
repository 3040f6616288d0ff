//! Recurrent layers by the names of this engine's tensors, and their steps over shared states.

use dyno_formats::{Result, spec};
use dyno_nn::math::Linear;
use dyno_nn::recurrent::{Columns, Functions, Layer, behind, beside};
use dyno_nn::watch::Operator;
use dyno_nn::{Params, Scratch};

use crate::states::States;

/// Names of a cell's tensors `{prefix}_{letter}…` with their columns: a GRU stores its candidate apart from
/// its gates.
fn named(cell: spec::Cell, prefix: &str, letter: &str, width: usize) -> Vec<Columns> {
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
    beside(params, inputs, &names.collect::<Vec<_>>(), &[])
}

/// The layer `prefix` with a state of `width`.
pub(crate) fn layer(
    params: Params<'_>,
    (cell, functions): (spec::Cell, Functions),
    prefix: &str,
    width: usize,
) -> Result<Layer> {
    let state = beside(params, width, &named(cell, prefix, "U", width), &[])?;
    Ok(Layer::new(cell.into(), functions, state, behind(params, &named(cell, prefix, "b", width))?))
}

/// Takes one step of all rows in layer `at` of `states`; `fed` [rows, 3S or 4S] are the products of the
/// inputs. Gives the new outputs [rows, S].
pub(crate) fn advance<'a>(
    layer: &Layer,
    fed: &[f32],
    states: &'a mut States,
    at: usize,
    scratch: &mut Scratch,
) -> &'a [f32] {
    layer.multiply(states.outputs(at), scratch);
    let _gates = Operator::Activation.span();
    states.advance(at, |row, owner, output, cell| {
        layer.step_row(&fed[row * layer.fed()..][..layer.fed()], owner, output, cell, scratch);
    })
}
