//! Errors of this crate: requests that the kernels refuse. Shapes are checked once for each call, so that the
//! inner loops need no checks.

use dyno_api::{Isa, UnknownIsa};

use crate::Precision;

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The reason why a request is refused. Each message names the operand and a remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The name of an instruction set is unknown.
    #[error(transparent)]
    UnknownIsa(#[from] UnknownIsa),
    /// This processor lacks the instruction set.
    #[error("this processor has no {isa}; leave the setting out to use its best, {best}")]
    MissingIsa {
        /// Instruction set that was asked for.
        isa: Isa,
        /// Best instruction set of this processor.
        best: Isa,
    },
    /// The size of a buffer differs from its shape.
    #[error("{what}: {found} values, where the shape asks for {expected}")]
    Shape {
        /// Name of the operand.
        what: &'static str,
        /// Number of values that the shape needs.
        expected: usize,
        /// Number of values in the buffer.
        found: usize,
    },
    /// A range of columns cuts a panel: columns are divided by whole panels.
    #[error(
        "columns {start}..{end} of {n}: a range starts and ends at a multiple of 64, or ends with the last column"
    )]
    Columns {
        /// First column.
        start: usize,
        /// Column past the last one.
        end: usize,
        /// Number of columns of the weights.
        n: usize,
    },
    /// Activations have another precision than the weights, or the private form of another instruction set.
    #[error(
        "activations in {activations} form {form} don't fit weights in {weights}; make them with the same Kernels"
    )]
    Form {
        /// Precision of the activations.
        activations: Precision,
        /// Private form of the activations: the number that is added to each byte.
        form: u8,
        /// Precision of the weights.
        weights: Precision,
    },
    /// A buffer of quantised rows was made for f32.
    #[error("f32 activations are multiplied as they are, without a buffer; take `Input::f32`")]
    Unquantised,
    /// An int8 weight is -128, which has no opposite, so that some instruction sets can't multiply it
    /// exactly.
    #[error("column {column} holds the int8 weight -128; quantise into -127..=127")]
    OutOfRange {
        /// Column of the weight.
        column: usize,
    },
    /// A weight in half precision is no number.
    #[error("column {column} holds a weight that is no finite number; copy the model anew")]
    NotFinite {
        /// Column of the weight.
        column: usize,
    },
    /// A scale or a minimum of weights is no number.
    #[error("row {row} has a scale that is no finite number; copy the model anew")]
    Infinite {
        /// Row of the scale.
        row: usize,
    },
    /// A sum of products can leave 32 bits.
    #[error(
        "column {column}: with activations up to {bound} a sum can reach {reach}, past 32 bits; \
         quantise with a scale per column that leaves room, or bound activations lower"
    )]
    Wraps {
        /// Column of the sum.
        column: usize,
        /// Greatest quantised activation, as the caller stated it.
        bound: u16,
        /// Greatest sum of products.
        reach: u64,
    },
    /// The text of a tuning can't be read.
    #[error("tuning, line {line}: {reason}; make it anew")]
    Tuning {
        /// Line of the text, from 1.
        line: usize,
        /// Fault of the line.
        reason: String,
    },
    /// A tuning is used on another instruction set than it was made on.
    #[error("the tuning was made on {tuned}, and this runs on {isa}; make one for {isa}, or leave it out")]
    TunedElsewhere {
        /// Instruction set of the tuning.
        tuned: Isa,
        /// Instruction set in use.
        isa: Isa,
    },
}

/// Checks the size of a buffer of rows. A product of sizes that overflows equals no buffer's size.
pub(crate) fn sized_rows(what: &'static str, found: usize, rows: usize, columns: usize) -> Result<()> {
    sized(what, found, rows.saturating_mul(columns))
}

/// Checks the size of a buffer.
pub(crate) fn sized(what: &'static str, found: usize, expected: usize) -> Result<()> {
    if found == expected { Ok(()) } else { Err(Error::Shape { what, expected, found }) }
}
