//! Weights as they lie in their file, before packing: in f32, or in integers with a scale for each output.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use dyno_formats::quantise::{Role, f16_to_f32, int8};
use dyno_formats::{ElementOrder, Result, Scales, Tensor, TensorBytes};
use dyno_kernels::{Kernels, Layout, SharedBytes, Weights};

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

impl Ablation<'_> {
    /// What two matrices side by side carry.
    pub(super) fn beside(self, right: Self) -> Self {
        match (self, right) {
            (Self::AutoPrecision(left), Self::AutoPrecision(right) | Self::Repacked(right)) => {
                Self::AutoPrecision(left.beside(*right).into())
            }
            (Self::Repacked(left), Self::AutoPrecision(right) | Self::Repacked(right)) => {
                Self::Repacked(left.beside(*right).into())
            }
        }
    }
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

impl InputScale {
    /// The scale of two matrices with the same inputs: it cuts off no value that one of them would keep.
    fn of_both(self, other: Self) -> Self {
        match (self, other) {
            (Self::Static(one), Self::Static(other)) => Self::Static(one.min(other)),
            (Self::Clipped(bound), Self::Clipped(_)) => Self::Clipped(bound),
            (Self::Bf16, Self::Bf16) => Self::Bf16,
            (Self::Watched(by, names), Self::Watched(_, others)) => {
                Self::Watched(by, [names, others].concat())
            }
            _ => Self::PerRow,
        }
    }
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

    /// One matrix with the outputs of both, side by side.
    ///
    /// # Panics
    /// When the matrices have different inputs.
    pub fn beside(mut self, mut right: Self) -> Self {
        let ablations = self.ablation.take().zip(right.ablation.take());
        self.beside_it(right).with_ablation(ablations.map(|(left, right)| left.beside(right)))
    }

    fn beside_it(self, right: Self) -> Self {
        assert_eq!(self.inputs, right.inputs, "matrices of the same inputs");
        let (inputs, outputs) = (self.inputs, self.outputs + right.outputs);
        let (shape, layout) = ((inputs, self.outputs, right.outputs), self.layout);
        let alike = layout == right.layout;
        let scale = self.scale.clone().of_both(right.scale.clone());
        let values = match (&self.values, &right.values) {
            (Values::F32(a), Values::F32(b)) if alike => Values::F32(join(a, b, shape, layout).into()),
            (Values::F16(a), Values::F16(b)) if alike => Values::F16(join(a, b, shape, layout).into()),
            (Values::Int16(a, x), Values::Int16(b, y)) if alike => {
                Values::Int16(join(a, b, shape, layout).into(), [&x[..], y].concat())
            }
            (Values::Int8(a, x), Values::Int8(b, y)) if alike => {
                Values::Int8(join(a, b, shape, layout).into(), [&x[..], y].concat())
            }
            (Values::Panels(a, x), Values::Panels(b, y)) if self.outputs.is_multiple_of(Weights::PANEL) => {
                Values::Panels(a.join(b), [&x[..], y].concat())
            }
            (Values::Panels(..), _) | (_, Values::Panels(..)) => {
                return self.by_rows().beside_it(right.by_rows());
            }
            _ => return self.widened().beside_it(right.widened()).with_scale(scale),
        };
        Self { values, layout, inputs, outputs, scale, rows: None, ablation: None }
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

    /// The packed weights for `kernels`, and the form in which the product reads rows; an empty bias is none.
    pub(crate) fn pack(&self, kernels: Kernels, bias: &[f32]) -> dyno_kernels::Result<(Weights, Form)> {
        let form = self.form()?;
        Ok((self.pack_outputs(kernels, form, 0..self.outputs, bias)?, form))
    }

    /// The form in which the product reads rows.
    pub(crate) fn form(&self) -> dyno_kernels::Result<Form> {
        match (&self.values, &self.scale) {
            (Values::F32(_) | Values::F16(_), InputScale::Watched(calibration, names)) => {
                Ok(Form::Seen(calibration.product(names.clone())))
            }
            (Values::F32(_), InputScale::Clipped(bound)) => Ok(Form::Clipped { bound: *bound }),
            (Values::F32(_), InputScale::Bf16) => Ok(Form::Bf16),
            (Values::F32(_) | Values::F16(_), _) => Ok(Form::F32),
            (Values::Int8(..) | Values::Panels(..), InputScale::Static(multiplier)) => {
                Ok(Form::Static { multiplier: *multiplier })
            }
            (Values::Int8(..) | Values::Panels(..), _) => Ok(Form::Int8),
            (Values::Int16(values, _), _) => {
                let limit = Kernels::int16_bound(values, self.inputs, self.outputs, self.layout)?;
                Ok(Form::Int16 { limit })
            }
        }
    }

    /// Ranges of at most `most` outputs that can be packed one by one. Where the outputs don't lie apart, as in
    /// panels, one range covers all.
    pub(crate) fn parts(&self, most: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let outputs = self.outputs;
        let apart = self.layout == Layout::Nk && !matches!(self.values, Values::Panels(..));
        let most = if apart { most } else { outputs.max(1) };
        (0..outputs).step_by(most).map(move |start| start..outputs.min(start + most))
    }

    /// Packs the outputs of one of the [`parts`](Self::parts), with their bias.
    pub(crate) fn pack_outputs(
        &self,
        kernels: Kernels,
        form: Form,
        outputs: Range<usize>,
        bias: &[f32],
    ) -> dyno_kernels::Result<Weights> {
        let (k, n, layout) = (self.inputs, outputs.len(), self.layout);
        let values = outputs.start * k..outputs.end * k;
        let packed = match (&self.values, form) {
            (Values::F32(all), Form::Bf16) => kernels.pack_bf16(&all[values], k, n, layout)?,
            (Values::F32(all), _) => kernels.pack_f32(&all[values], k, n, layout)?,
            (Values::F16(all), _) => kernels.pack_f16(&all[values], k, n, layout)?,
            (Values::Int8(all, scales), _) => {
                kernels.pack_int8(&all[values], k, n, layout)?.with_scales(&scales[outputs])?
            }
            (Values::Int16(all, scales), Form::Int16 { limit }) => {
                kernels.pack_int16(&all[values], k, n, layout, limit)?.with_scales(&scales[outputs])?
            }
            (Values::Int16(..), _) => unreachable!("its own form"),
            (Values::Panels(panels, scales), _) => {
                kernels.share_int8(&shared(panels.clone()), k, n)?.with_scales(scales)?
            }
        };
        if bias.is_empty() { Ok(packed) } else { packed.with_bias(bias) }
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

/// The columns of `a` [inputs, left] and `b` [inputs, right].
fn join<T: Copy>(a: &[T], b: &[T], (inputs, left, right): (usize, usize, usize), layout: Layout) -> Vec<T> {
    match layout {
        Layout::Nk => [a, b].concat(),
        Layout::Kn => {
            let mut both = Vec::with_capacity(a.len() + b.len());
            for k in 0..inputs {
                both.extend_from_slice(&a[k * left..][..left]);
                both.extend_from_slice(&b[k * right..][..right]);
            }
            both
        }
    }
}

#[cfg(test)]
mod tests;
