//! The forms in which products take their rows, and a worker's buffer for rows in such a form.

use dyno_kernels::{Input, Kernels, Precision, Rows};

use crate::watch::Operator;

/// How a product's rows are quantised. Each row has a scale of its own, from its greatest magnitude, so that it
/// doesn't depend on the rows beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Not at all.
    F32,
    /// To 16 bits, the greatest becoming `limit`: so much that no sum leaves 32 bits.
    Int16 {
        /// At most 32,767.
        limit: u16,
    },
    /// To 8 bits.
    Int8,
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
        let (precision, limit) = match form {
            Form::F32 => return Input::f32(input, rows, k),
            Form::Int16 { limit } => (Precision::Int16, f32::from(limit)),
            Form::Int8 => (Precision::Int8, 127.0),
        };
        let _quantise = Operator::Quantise.span();
        let buffer = self.0.get_or_insert_with(|| kernels.rows(precision, 0, 0));
        buffer.reshape(precision, rows, k);
        buffer.quantise_to(input, rows, limit)?;
        Ok(buffer.view())
    }
}
