//! The forms in which products take their rows, and a worker's buffer for rows in such a form.

use dyno_kernels::{Input, Kernels, Precision, Rows};

use super::calibration::Seen;
use crate::watch::Operator;

/// How a product's rows are quantised. A row's scale is its own, from its greatest magnitude, or the same for all: it never
/// depends on the rows beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    /// Not at all.
    F32,
    /// Not at all, but their greatest magnitude is noted.
    Seen(&'static Seen),
    /// To 16 bits, the greatest becoming `limit`: so much that no sum leaves 32 bits.
    Int16 {
        /// At most 32,767.
        limit: u16,
    },
    /// To 8 bits, the greatest becoming 127.
    Int8,
    /// To 8 bits in units of 1/`multiplier`, saturating.
    Static {
        /// Positive.
        multiplier: f32,
    },
}

/// A worker's buffer for what products read; it only grows.
#[derive(Debug, Default)]
pub struct Operands(Option<Rows>);

impl Operands {
    /// `input` [rows, k] in the form `form`.
    pub(crate) fn fill<'a>(
        &'a mut self,
        kernels: Kernels,
        form: Form,
        input: &'a [f32],
        k: usize,
    ) -> dyno_kernels::Result<Input<'a>> {
        let rows = input.len() / k.max(1);
        let precision = match form {
            Form::F32 => return Input::f32(input, rows, k),
            Form::Seen(seen) => {
                seen.note(kernels.abs_max(input));
                return Input::f32(input, rows, k);
            }
            Form::Int16 { .. } => Precision::Int16,
            Form::Int8 | Form::Static { .. } => Precision::Int8,
        };
        let _quantise = Operator::Quantise.span();
        let buffer = self.0.get_or_insert_with(|| kernels.rows(precision, 0, 0));
        buffer.reshape(precision, rows, k);
        match form {
            Form::Int16 { limit } => buffer.quantise_to(input, rows, f32::from(limit))?,
            Form::Static { multiplier } => buffer.quantise_fixed(input, rows, multiplier)?,
            _ => buffer.quantise(input, rows)?,
        }
        Ok(buffer.view())
    }
}
