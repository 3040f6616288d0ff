//! The forms in which products read rows, and a buffer for rows in such a form.

use dyno_kernels::{Input, Kernels, Precision, Rows, RowsPart};

use super::calibration::Seen;
use super::threads::Threads;
use crate::watch::Operator;

/// Form of a product's rows: how they are quantised. A row's scale is its own or the same for all rows, so
/// that it never depends on other rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    /// f32, not quantised.
    F32,
    /// f32, not quantised; the greatest magnitude is noted for a calibration.
    Seen(&'static Seen),
    /// f32, cut off at a magnitude, as Marian's team clipped activations (2018, 4.2).
    Clipped {
        /// Greatest magnitude that stays.
        bound: f32,
    },
    /// Rounded to bf16, without a scale.
    Bf16,
    /// 16 bits with a scale for each row: the greatest magnitude becomes `limit`, with which no sum leaves 32
    /// bits.
    Int16 {
        /// Greatest quantised value, at most 32,767.
        limit: u16,
    },
    /// 8 bits with a scale for each row: the greatest magnitude becomes 127.
    Int8,
    /// 8 bits in units of 1/`multiplier` for all rows, saturating.
    Static {
        /// Multiplier of the values, positive.
        multiplier: f32,
    },
}

impl Form {
    /// Precision of the rows.
    pub(crate) fn precision(self) -> Precision {
        match self {
            Self::F32 | Self::Seen(_) | Self::Clipped { .. } => Precision::F32,
            Self::Bf16 => Precision::Bf16,
            Self::Int16 { .. } => Precision::Int16,
            Self::Int8 | Self::Static { .. } => Precision::Int8,
        }
    }

    /// Quantises `x`, which holds the rows of `part`; threads share the rows.
    pub(crate) fn quantise(
        self,
        part: RowsPart<'_>,
        x: &[f32],
        threads: &mut Threads,
    ) -> dyno_kernels::Result<()> {
        let _quantise = Operator::Quantise.span();
        threads.each_part(part, x, |part, x| match self {
            Self::Int16 { limit } => part.quantise_to(x, f32::from(limit)),
            Self::Static { multiplier } => part.quantise_fixed(x, multiplier),
            _ => part.quantise(x),
        })
    }
}

/// What products need: the threads that share them, and a buffer for their inputs, which only grows.
#[derive(Debug, Default)]
pub struct Operands {
    /// Threads that share the products.
    pub threads: Threads,
    rows: Option<Rows>,
    /// Rows that are cut off.
    clipped: Vec<f32>,
}

impl Operands {
    /// No input so far, for products that `threads` share.
    pub fn new(threads: Threads) -> Self {
        Self { threads, ..Self::default() }
    }

    /// `input` [rows, k] in the form `form`, and the threads.
    pub(crate) fn fill<'a>(
        &'a mut self,
        kernels: Kernels,
        form: Form,
        input: &'a [f32],
        k: usize,
    ) -> dyno_kernels::Result<(Input<'a>, &'a mut Threads)> {
        let (rows, precision) = (input.len() / k.max(1), form.precision());
        if let Form::Seen(seen) = form {
            seen.note(kernels.abs_max(input));
        }
        if let Form::Clipped { bound } = form {
            self.clipped.clear();
            self.clipped.extend(input.iter().map(|value| value.clamp(-bound, bound)));
            return Ok((Input::f32(&self.clipped, rows, k)?, &mut self.threads));
        }
        if precision == Precision::F32 {
            return Ok((Input::f32(input, rows, k)?, &mut self.threads));
        }
        let buffer = self.rows.get_or_insert_with(|| kernels.rows(precision, 0, 0));
        buffer.reshape(precision, rows, k);
        form.quantise(buffer.whole(rows)?, input, &mut self.threads)?;
        Ok((buffer.view(), &mut self.threads))
    }
}
