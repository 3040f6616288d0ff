//! Weights as they lie in their file, before packing: in f32, or in integers with a scale for each output.

mod joining;
mod packing;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;

use dyno_formats::quantise::{Role, f16_to_f32, int8};
use dyno_formats::{ElementOrder, Result, Scales, Tensor, TensorBytes};
use dyno_kernels::{Layout, SharedBytes};

use super::calibration::Calibration;
use super::form::Form;

/// The weights [inputs, outputs] of a product.
#[derive(Clone, Debug)]
pub struct Matrix<'a> {
    values: Values<'a>,
    layout: Layout,
    inputs: usize,
    outputs: usize,
    scale: InputScale,
    /// The values [outputs, inputs] in int8, where they lie so in a mapped file.
    rows: Option<SharedBytes>,
    ablation: Option<Ablation<'a>>,
}

/// What a matrix carries for an ablation: the same weights in f32.
#[derive(Clone, Debug)]
pub(crate) enum Ablation<'a> {
    /// Each product uses the faster one of two precisions.
    AutoPrecision(Box<Matrix<'a>>),
    /// Each product quantises the weights and packs them anew.
    Repacked(Box<Matrix<'a>>),
}

/// Source of the scale of int8 activations.
#[derive(Clone, Debug, Default)]
pub(crate) enum InputScale {
    /// The greatest magnitude of each row.
    #[default]
    PerRow,
    /// A multiplier that came with the weights.
    Static(f32),
    /// None, for f32 weights: inputs and weights are cut off at this magnitude.
    Clipped(f32),
    /// None, for f32 weights: inputs and weights are rounded to bf16.
    Bf16,
    /// A calibration, which notes the inputs of the weights with these names.
    Watched(&'static Calibration, Vec<String>),
}

#[derive(Clone, Debug)]
enum Values<'a> {
    F32(Cow<'a, [f32]>),
    /// Bits of numbers in half precision.
    F16(Cow<'a, [u16]>),
    /// Values with a scale for each output, as below.
    Int16(Cow<'a, [i16]>, Vec<f32>),
    Int8(Cow<'a, [i8]>, Vec<f32>),
    /// As above, in the order of the kernels.
    Panels(TensorBytes, Vec<f32>),
}

impl<'a> Matrix<'a> {
    /// The matrix of a tensor [inputs, outputs].
    ///
    /// # Errors
    /// When the tensor is no matrix, or holds no weights, or weights that aren't finite.
    pub fn of(tensor: Tensor<'a>) -> Result<Self> {
        let (inputs, outputs) = tensor.matrix()?;
        let layouts = [Layout::Kn, Layout::Nk];
        let scales = match tensor.scales() {
            Some(Scales::Multiplier(multiplier)) => Some(vec![1.0 / multiplier; outputs]),
            Some(Scales::Columns(scales)) => Some(scales.clone()),
            Some(Scales::Rows(_)) | None => None,
        };
        Self::read(tensor, scales, layouts, (inputs, outputs))
    }

    /// The matrix of a tensor [outputs, inputs], as embeddings are.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn transposed(tensor: Tensor<'a>) -> Result<Self> {
        let (outputs, inputs) = tensor.matrix()?;
        let layouts = [Layout::Nk, Layout::Kn];
        let scales = match tensor.scales() {
            Some(Scales::Multiplier(multiplier)) => Some(vec![1.0 / multiplier; outputs]),
            Some(Scales::Rows(scales)) => Some(scales.clone()),
            Some(Scales::Columns(_)) | None => None,
        };
        let matrix = Self::read(tensor, scales, layouts, (inputs, outputs))?;
        let int8 = matches!(matrix.values, Values::Int8(..));
        let rows = tensor.mapped().filter(|_| int8).map(shared);
        Ok(Self { rows, ..matrix })
    }

    /// Reads the values. `layouts` are those of a tensor in row-major and in column-major order.
    fn read(
        tensor: Tensor<'a>,
        scales: Option<Vec<f32>>,
        [by_row, by_column]: [Layout; 2],
        (inputs, outputs): (usize, usize),
    ) -> Result<Self> {
        use dyno_formats::DType;
        let (values, order) = match (tensor.dtype(), scales) {
            (DType::I8, Some(scales)) if let Some(panels) = tensor.panels() => {
                (Values::Panels(panels, scales), tensor.layout())
            }
            (DType::I8, Some(scales)) => (Values::Int8(tensor.i8()?.into(), scales), tensor.layout()),
            (DType::I16, Some(scales)) => (Values::Int16(tensor.i16()?.into(), scales), tensor.layout()),
            // Kernels take two of a column at a time.
            (DType::F16, None) if inputs.is_multiple_of(2) => {
                (Values::F16(tensor.finite_f16()?.into()), tensor.layout())
            }
            _ => {
                let (values, order) = tensor.finite_stored_f32()?;
                (Values::F32(values), order)
            }
        };
        let layout = if order == ElementOrder::RowMajor { by_row } else { by_column };
        Ok(Self { values, layout, inputs, outputs, scale: InputScale::PerRow, rows: None, ablation: None })
    }

    /// The same matrix with this source of its inputs' scale.
    pub(crate) fn with_scale(mut self, scale: InputScale) -> Self {
        if matches!(scale, InputScale::Clipped(_) | InputScale::Bf16) {
            self = self.in_f32();
        }
        if let (Values::F32(values), InputScale::Clipped(bound)) = (&mut self.values, &scale) {
            values.to_mut().iter_mut().for_each(|value| *value = value.clamp(-bound, *bound));
        }
        Self { scale, ..self }
    }

    /// The same matrix for an ablation.
    pub(crate) fn with_ablation(self, ablation: Option<Ablation<'a>>) -> Self {
        Self { ablation, ..self }
    }

    pub(super) fn ablation(&self) -> Option<&Ablation<'a>> {
        self.ablation.as_ref()
    }

    /// Scales of integers; `None` for f32.
    pub(super) fn scales(&self) -> Option<&[f32]> {
        match &self.values {
            Values::F32(_) | Values::F16(_) => None,
            Values::Int16(_, scales) | Values::Int8(_, scales) | Values::Panels(_, scales) => Some(scales),
        }
    }

    /// A matrix of f32 values [inputs, outputs], row-major.
    ///
    /// # Panics
    /// When the number of values differs from the shape.
    pub fn plain(values: impl Into<Cow<'a, [f32]>>, inputs: usize, outputs: usize) -> Self {
        let values = values.into();
        assert_eq!(values.len(), inputs * outputs, "weights have the shape [{inputs}, {outputs}]");
        let (layout, scale) = (Layout::Kn, InputScale::PerRow);
        Self { values: Values::F32(values), layout, inputs, outputs, scale, rows: None, ablation: None }
    }

    /// The same matrix for products in bf16, if its values are f32.
    #[must_use]
    pub fn in_bf16(self) -> Self {
        self.with_scale(InputScale::Bf16)
    }

    /// The same matrix with float values [outputs, inputs] in int8, each output with a scale of its own.
    #[must_use]
    pub fn in_int8(self) -> Self {
        let matrix = self.in_f32();
        let (Values::F32(values), Layout::Nk) = (&matrix.values, matrix.layout) else { return matrix };
        let (integers, scales) = int8(values, matrix.outputs, matrix.inputs, Role::Embedding);
        Self { values: Values::Int8(integers.into(), scales), ..matrix }
    }

    /// The same matrix with values in half precision as f32, where they lie.
    pub(crate) fn in_f32(self) -> Self {
        let Values::F16(values) = &self.values else { return self };
        Self { values: Values::F32(values.iter().map(|bits| f16_to_f32(*bits)).collect()), ..self }
    }

    /// Number of inputs of the product.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Number of outputs of the product.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// The same matrix, row-major if its values lie in panels.
    fn by_rows(self) -> Self {
        let Values::Panels(panels, scales) = &self.values else { return self };
        let (k, n, panels) = (self.inputs, self.outputs, panels.as_ref());
        let value = |at: usize| panels[ElementOrder::Panels.offset(at / n, at % n, k, n)] as i8;
        let values = Values::Int8((0..k * n).map(value).collect(), scales.clone());
        Self { values, layout: Layout::Kn, ..self }
    }

    /// The same matrix in f32, row-major: the common form of two matrices with different number types or
    /// layouts.
    pub(super) fn widened(&self) -> Matrix<'static> {
        let (k, n) = (self.inputs, self.outputs);
        let place = |at: usize| match self.layout {
            Layout::Kn => at,
            Layout::Nk => at % n * k + at / n,
        };
        let values: Vec<f32> = match &self.values {
            Values::F32(values) => (0..k * n).map(|at| values[place(at)]).collect(),
            Values::F16(values) => (0..k * n).map(|at| f16_to_f32(values[place(at)])).collect(),
            Values::Int16(values, scales) => {
                (0..k * n).map(|at| f32::from(values[place(at)]) * scales[at % n]).collect()
            }
            Values::Int8(values, scales) => {
                (0..k * n).map(|at| f32::from(values[place(at)]) * scales[at % n]).collect()
            }
            Values::Panels(..) => return self.clone().by_rows().widened(),
        };
        Matrix::plain(values, k, n)
    }

    /// A [widened](Self::widened) matrix in integers of `form` with these scales.
    pub(super) fn quantised(&self, form: Form, scales: &[f32]) -> Matrix<'static> {
        let Values::F32(floats) = &self.values else { unreachable!("integers were widened") };
        let units: Vec<f32> = scales.iter().map(|scale| 1.0 / scale).collect();
        let values = match form {
            Form::Int16 { .. } => {
                Values::Int16(in_units(floats, &units, |bits| bits as i16).into(), scales.to_vec())
            }
            _ => Values::Int8(in_units(floats, &units, |bits| bits as i8).into(), scales.to_vec()),
        };
        let (inputs, outputs, scale) = (self.inputs, self.outputs, self.scale.clone());
        Matrix { values, layout: Layout::Kn, inputs, outputs, scale, rows: None, ablation: None }
    }

    /// The values [outputs, inputs] in a mapped file, with the scales of the outputs, for candidates that share
    /// them.
    pub(crate) fn rows(&self) -> Option<(&SharedBytes, &[f32])> {
        self.rows.as_ref().zip(self.scales())
    }
}

/// Bytes of a file for the kernels.
fn shared(bytes: TensorBytes) -> SharedBytes {
    SharedBytes::new(Arc::new(bytes))
}

/// Weights [inputs, outputs] in the units of their outputs, rounded to the nearest, halves to even. Adding 1.5 ·
/// 2^23 leaves no bits for a fraction, so that the sum's lowest bits hold the integer, for magnitudes below 2^22.
fn in_units<T>(weights: &[f32], units: &[f32], number: impl Fn(u32) -> T) -> Vec<T> {
    const NO_FRACTION: f32 = 12_582_912.0;
    let mut numbers = Vec::with_capacity(weights.len());
    for row in weights.chunks(units.len().max(1)) {
        let row = row.iter().zip(units);
        numbers.extend(row.map(|(weight, unit)| number((weight * unit + NO_FRACTION).to_bits())));
    }
    numbers
}
