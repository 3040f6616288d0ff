//! Products of named weights; several of the same input stand side by side in one.

use dyno_formats::Result;
use dyno_nn::Params;
use dyno_nn::math::{Linear, Matrix};

/// A matrix by its name, with how many columns it has.
pub(crate) type Named = (String, usize);

/// x·[W₁ W₂ …] of one matrix or more with `inputs` rows, without bias.
pub(crate) fn beside(params: Params<'_>, inputs: usize, parts: &[Named]) -> Result<Linear> {
    let read = |(name, columns): &Named| params.product(name, inputs, *columns);
    let parts_read: Vec<Matrix<'_>> = parts.iter().map(read).collect::<Result<_>>()?;
    let whole = parts_read.into_iter().reduce(Matrix::beside).expect("layers name one matrix or more");
    params.pack(&whole, &[], &parts[0].0)
}
