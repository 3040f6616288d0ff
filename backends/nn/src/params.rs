//! Reading parameters by Marian's names, shapes checked.

use dyno_formats::{DType, MULTIPLIER_SUFFIX, Result, Tensor, Weights};

use crate::math::{Calibration, InputScale, Kernels, Linear, Matrix};

/// The weights of a model, as layers ask for them, and what their products are to be computed with.
#[derive(Clone, Copy)]
pub struct Params<'a> {
    weights: &'a Weights,
    kernels: Kernels,
    scales: ActivationScales,
    full_precision: Option<&'a Weights>,
    columns: ShortlistColumns,
    auto_precision: bool,
}

/// Where the scales of what int8 weights are multiplied with come from.
#[derive(Clone, Copy, Debug, Default)]
pub enum ActivationScales {
    /// Each row's own greatest magnitude.
    #[default]
    PerRow,
    /// The multipliers that came with the weights: Marian's `QuantMultA`.
    Static,
    /// They are to be found: what f32 weights are multiplied with is watched.
    Watched(&'static Calibration),
}

impl ActivationScales {
    /// Whether they came with the weights.
    pub fn is_static(self) -> bool {
        matches!(self, Self::Static)
    }
}

/// Where the output weights of a shortlist's words come from. All ways give the same bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShortlistColumns {
    /// As off line, or the whole matrix, by the shortlist's length.
    #[default]
    Auto,
    /// Gathered for each sentence from weights that were quantised when they were loaded.
    OffLine,
    /// Gathered for each sentence in f32, and quantised then: as Bolt does.
    OnLine,
    /// Nothing is gathered: all words are multiplied, and a sentence chooses among its own.
    Whole,
}

/// Under this name Marian has the output layer's again, for where there is a shortlist.
pub(crate) const OUTPUT_MULTIPLIER: &str = "none_QuantMultA";

impl<'a> Params<'a> {
    /// Of a model's weights.
    pub fn new(weights: &'a Weights, kernels: Kernels) -> Self {
        let (scales, columns) = (ActivationScales::PerRow, ShortlistColumns::Auto);
        Self { weights, kernels, scales, full_precision: None, columns, auto_precision: false }
    }

    /// The same, with activation scales from there.
    #[must_use]
    pub fn with_scales(self, scales: ActivationScales) -> Self {
        Self { scales, ..self }
    }

    /// The weights in f32, as they were before they were quantised, if a shortlist's columns are to be quantised on line.
    pub(crate) fn on_line(self) -> Option<&'a Weights> {
        self.full_precision.filter(|_| self.columns == ShortlistColumns::OnLine)
    }

    /// Where a shortlist's output weights come from.
    pub(crate) fn shortlist_columns(self) -> ShortlistColumns {
        self.columns
    }

    /// The same, with the weights in f32, as they were before they were quantised, for what asks for them.
    #[must_use]
    pub fn with_full_precision(self, full_precision: Option<&'a Weights>) -> Self {
        Self { full_precision, ..self }
    }

    /// The same, with the columns of shortlists from there.
    #[must_use]
    pub fn with_columns(self, columns: ShortlistColumns) -> Self {
        Self { columns, ..self }
    }

    /// The same, whose products are computed with the weights or in f32, whichever is faster.
    #[must_use]
    pub fn with_auto_precision(self, auto_precision: bool) -> Self {
        Self { auto_precision, ..self }
    }

    /// All of them.
    pub fn weights(self) -> &'a Weights {
        self.weights
    }

    /// What products are computed with.
    pub fn kernels(self) -> Kernels {
        self.kernels
    }

    /// Whether the tensor is there.
    pub fn has(self, name: &str) -> bool {
        self.weights.find(name).is_some()
    }

    /// A matrix [rows, columns] in f32, row-major.
    ///
    /// # Errors
    /// When it is missing, or has another shape.
    pub fn matrix(self, name: &str, rows: usize, columns: usize) -> Result<Vec<f32>> {
        Ok(self.tensor(name, rows, columns)?.to_f32()?.into_owned())
    }

    /// A vector [1, len].
    ///
    /// # Errors
    /// When it is missing, or has another shape.
    pub fn vector(self, name: &str, len: usize) -> Result<Vec<f32>> {
        self.matrix(name, 1, len)
    }

    /// The weights [inputs, outputs] of a product, as the file has them.
    ///
    /// # Errors
    /// When they are missing, or have another shape.
    pub fn product(self, name: &str, inputs: usize, outputs: usize) -> Result<Matrix<'a>> {
        let matrix = Matrix::of(self.tensor(name, inputs, outputs)?)?.with_scale(self.scale(name, None)?);
        let floats = self.full_precision.filter(|_| self.auto_precision);
        let alternative =
            floats.map(|floats| Matrix::of(floats.get(name)?.expect(inputs, outputs)?)).transpose()?;
        Ok(matrix.with_alternative(alternative))
    }

    /// The scale of what `name` is multiplied with, which may be stored under another name, too.
    pub(crate) fn scale(self, name: &str, other: Option<&str>) -> Result<InputScale> {
        match self.scales {
            ActivationScales::PerRow => Ok(InputScale::PerRow),
            ActivationScales::Watched(by) => Ok(InputScale::Watched(by, vec![name.into()])),
            ActivationScales::Static => {
                let own = self.weights.find(&format!("{name}{MULTIPLIER_SUFFIX}"));
                let stored =
                    own.or_else(|| self.weights.find(other?)).ok_or_else(|| self.without_scale(name))?;
                match *stored.f32()? {
                    [multiplier] if multiplier > 0.0 && multiplier.is_finite() => {
                        Ok(InputScale::Static(multiplier))
                    }
                    _ => Err(stored.fault("isn't one positive number")),
                }
            }
        }
    }

    fn without_scale(self, name: &str) -> dyno_formats::Error {
        let fault = format!(
            "has no {name}{MULTIPLIER_SUFFIX}, its static activation scale; leave `activation-scales` out, or convert the \
             model with --calibrate"
        );
        match self.weights.get(name) {
            Ok(tensor) => tensor.fault(fault),
            Err(missing) => missing,
        }
    }

    /// x·W + b of these weights; an empty bias is none. `name` is for messages.
    ///
    /// # Errors
    /// When they can't be packed.
    pub fn pack(self, matrix: &Matrix<'_>, bias: &[f32], name: &str) -> Result<Linear> {
        Linear::new(self.kernels, matrix, bias).map_err(|error| self.fault(name, &error))
    }

    /// An error of packing as one about the tensor `name`.
    pub(crate) fn fault(self, name: &str, error: &dyno_kernels::Error) -> dyno_formats::Error {
        match self.weights.get(name) {
            Ok(tensor) => tensor.fault(error.to_string()),
            Err(missing) => missing,
        }
    }

    /// x·W + b with weights [inputs, outputs]; without a bias where `bias` is `None`.
    ///
    /// # Errors
    /// When one is missing, or has another shape.
    pub fn linear(self, weights: &str, bias: Option<&str>, inputs: usize, outputs: usize) -> Result<Linear> {
        let bias = bias.map(|name| self.vector(name, outputs)).transpose()?.unwrap_or_default();
        self.pack(&self.product(weights, inputs, outputs)?, &bias, weights)
    }

    /// The layer `{prefix}_W{suffix}`, `{prefix}_b{suffix}`.
    ///
    /// # Errors
    /// As [`linear`](Self::linear).
    pub fn dense(self, prefix: &str, suffix: &str, inputs: usize, outputs: usize) -> Result<Linear> {
        let (weights, bias) = (format!("{prefix}_W{suffix}"), format!("{prefix}_b{suffix}"));
        self.linear(&weights, Some(&bias), inputs, outputs)
    }

    /// How many columns a matrix has: where the configuration doesn't say a width.
    ///
    /// # Errors
    /// When it is missing, or no matrix.
    pub fn columns(self, name: &str) -> Result<usize> {
        Ok(self.weights.get(name)?.matrix()?.1)
    }

    /// Bytes of the weights with such names, as products read them: f16 is multiplied as f32.
    pub fn bytes(self, counts: impl Fn(&str) -> bool) -> usize {
        let value = |tensor: &Tensor<'_>| match tensor.dtype() {
            DType::I8 => 1,
            DType::I16 => 2,
            _ => 4,
        };
        let tensors = self.weights.iter().filter(|tensor| counts(tensor.name()));
        tensors.map(|tensor| tensor.len() * value(&tensor)).sum()
    }

    /// Bytes of the weights that a decoder of Marian's reads in each step: all of its own but those of words, of which it reads few.
    pub fn decoder_bytes(self) -> usize {
        self.bytes(|name| name.starts_with("decoder_") && !name.ends_with("_Wemb") && !name.ends_with("_Wt"))
    }

    pub(crate) fn tensor(self, name: &str, rows: usize, columns: usize) -> Result<Tensor<'a>> {
        self.weights.get(name)?.expect(rows, columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decoders_bytes_are_those_of_its_products_and_not_of_words() {
        let tensors = [
            ("decoder_l1_ffn_W1", "I8", 1), // read in each step, and so the next two
            ("decoder_l2_ffn_W1", "F16", 2),
            ("decoder_ff_logit_l1_W0", "I16", 2),
            ("decoder_Wemb", "I8", 1),
            ("decoder_ff_logit_out_Wt", "I8", 1),
            ("encoder_l1_ffn_W1", "F32", 4),
            ("Wemb", "I8", 1),
        ];
        let (mut entries, mut end) = (Vec::new(), 0);
        for (name, kind, size) in tensors {
            let begin = end;
            end += 6 * size;
            entries.push(format!(
                r#""{name}":{{"dtype":"{kind}","shape":[2,3],"data_offsets":[{begin},{end}]}}"#
            ));
        }
        let header = format!("{{{}}}", entries.join(","));
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend(header.bytes().chain(vec![0; end]));
        let weights = Weights::from_bytes("test", file).unwrap();
        let params = Params::new(&weights, Kernels::best());
        assert_eq!(params.decoder_bytes(), 6 * (1 + 4 + 2), "f16 is multiplied as f32");
    }
}
