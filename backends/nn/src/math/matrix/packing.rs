//! Packs a matrix for the kernels: whole, or some of its outputs at a time.

use std::ops::Range;

use dyno_kernels::{Kernels, Layout, Weights};

use super::{Form, InputScale, Matrix, Values, shared};

impl Matrix<'_> {
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
