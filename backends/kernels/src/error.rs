//! What can be asked for that can't be had. Shapes are checked here once per call, so that kernels need not.

use dyno_api::{Isa, UnknownIsa};

use crate::Precision;

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What was wrong with a request.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The name of an instruction set is unknown.
    #[error(transparent)]
    UnknownIsa(#[from] UnknownIsa),
    /// This processor lacks it.
    #[error("this processor has no {isa}; leave the setting out to use its best, {best}")]
    MissingIsa {
        /// What was asked for.
        isa: Isa,
        /// What there is.
        best: Isa,
    },
    /// A buffer has not the size that its shape implies.
    #[error("{what}: {found} values, where the shape asks for {expected}")]
    Shape {
        /// Which operand.
        what: &'static str,
        /// How many values there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// Columns are shared out by whole panels.
    #[error(
        "columns {start}..{end} of {n}: a range starts and ends at a multiple of 64, or ends with the last column"
    )]
    Columns {
        /// The first column.
        start: usize,
        /// One past the last.
        end: usize,
        /// How many there are.
        n: usize,
    },
    /// Activations were made for another precision, or another instruction set's private form.
    #[error(
        "activations in {activations} form {form} don't fit weights in {weights}; make them with the same Kernels"
    )]
    Form {
        /// What the activations are.
        activations: Precision,
        /// Their private form: what is added to each byte.
        form: u8,
        /// What the weights are.
        weights: Precision,
    },
    /// A buffer for quantised rows was made for f32.
    #[error("f32 activations are multiplied as they are, without a buffer; take `Input::f32`")]
    Unquantised,
    /// An int8 weight of -128 has no opposite, so not all instruction sets could multiply it exactly.
    #[error("column {column} holds the int8 weight -128; quantise into -127..=127")]
    OutOfRange {
        /// Which column.
        column: usize,
    },
    /// Sums of products could leave 32 bits.
    #[error(
        "column {column}: with activations up to {bound} a sum can reach {reach}, past 32 bits; \
         quantise with a scale per column that leaves room, or bound activations lower"
    )]
    Wraps {
        /// Which column.
        column: usize,
        /// The greatest quantised activation that was stated.
        bound: u16,
        /// The greatest sum of products.
        reach: u64,
    },
    /// A tuning's text can't be read.
    #[error("tuning, line {line}: {reason}; make it anew")]
    Tuning {
        /// From 1.
        line: usize,
        /// What is wrong there.
        reason: String,
    },
    /// A tuning holds for one instruction set.
    #[error("the tuning was made on {tuned}, and this runs on {isa}; make one for {isa}, or leave it out")]
    TunedElsewhere {
        /// What it was made on.
        tuned: Isa,
        /// What is used.
        isa: Isa,
    },
}

/// Checks the size of a buffer of rows; so many that their product overflows are never there.
pub(crate) fn sized_rows(what: &'static str, found: usize, rows: usize, columns: usize) -> Result<()> {
    sized(what, found, rows.saturating_mul(columns))
}

/// Checks a buffer's size.
pub(crate) fn sized(what: &'static str, found: usize, expected: usize) -> Result<()> {
    if found == expected { Ok(()) } else { Err(Error::Shape { what, expected, found }) }
}
