//! Parameters: reading them by Marian's names, with checks of their shapes.

use dyno_formats::{DType, MULTIPLIER_SUFFIX, Result, Tensor, Weights};

use crate::math::{Ablation, Calibration, InputScale, Kernels, Linear, Matrix};

/// The weights of a model, and the settings of the products that read them.
#[derive(Clone, Copy)]
pub struct Params<'a> {
    weights: &'a Weights,
    kernels: Kernels,
    scales: ActivationScales,
    full_precision: Option<&'a Weights>,
    ways: ProductWays,
}

/// Ways of products that some papers compared; the default is the fastest.
#[derive(Clone, Copy, Debug)]
pub struct ProductWays {
    /// Source of a shortlist's output weights.
    pub columns: ShortlistColumns,
    /// Whether each product uses the faster one of the weights' precision and f32.
    pub auto_precision: bool,
    /// Whether integer weights are packed once. If not, each product quantises and packs them anew; the output layer's
    /// stay.
    pub memoised: bool,
}

impl Default for ProductWays {
    fn default() -> Self {
        Self { columns: ShortlistColumns::Auto, auto_precision: false, memoised: true }
    }
}

/// Source of the scales of int8 activations.
#[derive(Clone, Copy, Debug, Default)]
pub enum ActivationScales {
    /// The greatest magnitude of each row.
    #[default]
    PerRow,
    /// The multipliers that came with the weights: Marian's `QuantMultA`.
    Static,
    /// None, for f32 weights: inputs and weights of all products are cut off at this magnitude.
    Clipped(f32),
    /// None, for f32 weights: inputs and weights of all products are rounded to bf16.
    Bf16,
    /// A calibration, which notes the inputs of f32 weights.
    Watched(&'static Calibration),
}

impl ActivationScales {
    /// Whether the scales came with the weights.
    pub fn is_static(self) -> bool {
        matches!(self, Self::Static)
    }
}

/// Source of the output weights of a shortlist's words. All sources give the same bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShortlistColumns {
    /// Off line, or the whole matrix, depending on the length of the shortlist.
    #[default]
    Auto,
    /// Gathered for each sentence from weights that were quantised at loading.
    OffLine,
    /// Gathered for each sentence in f32 and quantised then, as in Bolt.
    OnLine,
    /// The whole matrix: products read all words, and a sentence chooses among its own.
    Whole,
}

/// Marian's second name for the multiplier of the output layer, for use with a shortlist.
pub(crate) const OUTPUT_MULTIPLIER: &str = "none_QuantMultA";

impl<'a> Params<'a> {
    /// The parameters of a model, with default settings.
    pub fn new(weights: &'a Weights, kernels: Kernels) -> Self {
        Self {
            weights,
            kernels,
            scales: ActivationScales::PerRow,
            full_precision: None,
            ways: ProductWays::default(),
        }
    }

    /// The same parameters with these activation scales.
    #[must_use]
    pub fn with_scales(self, scales: ActivationScales) -> Self {
        Self { scales, ..self }
    }

    /// The f32 weights from before quantisation, if a shortlist's columns are quantised on line.
    pub(crate) fn on_line(self) -> Option<&'a Weights> {
        self.full_precision.filter(|_| self.ways.columns == ShortlistColumns::OnLine)
    }

    /// Source of a shortlist's output weights.
    pub(crate) fn shortlist_columns(self) -> ShortlistColumns {
        self.ways.columns
    }

    /// The same parameters with these ways of products, and the f32 weights from before quantisation where a way
    /// needs them.
    #[must_use]
    pub fn with_ways(self, ways: ProductWays, full_precision: Option<&'a Weights>) -> Self {
        Self { ways, full_precision, ..self }
    }

    /// All weights.
    pub fn weights(self) -> &'a Weights {
        self.weights
    }

    /// Kernels that compute the products.
    pub fn kernels(self) -> Kernels {
        self.kernels
    }

    /// Whether the tensor `name` exists.
    pub fn has(self, name: &str) -> bool {
        self.weights.find(name).is_some()
    }

    /// A matrix [rows, columns] in f32, row-major.
    ///
    /// # Errors
    /// When the tensor is missing or has another shape.
    pub fn matrix(self, name: &str, rows: usize, columns: usize) -> Result<Vec<f32>> {
        Ok(self.tensor(name, rows, columns)?.to_f32()?.into_owned())
    }

    /// A vector [1, len].
    ///
    /// # Errors
    /// When the tensor is missing or has another shape.
    pub fn vector(self, name: &str, len: usize) -> Result<Vec<f32>> {
        self.matrix(name, 1, len)
    }

    /// The weights [inputs, outputs] of a product, as they lie in the file.
    ///
    /// # Errors
    /// When the tensor is missing or has another shape.
    pub fn product(self, name: &str, inputs: usize, outputs: usize) -> Result<Matrix<'a>> {
        let matrix = Matrix::of(self.tensor(name, inputs, outputs)?)?.with_scale(self.scale(name, None)?);
        let ways = self.ways;
        let floats = self.full_precision.filter(|_| ways.auto_precision || !ways.memoised);
        let floats =
            floats.map(|floats| Matrix::of(floats.get(name)?.expect(inputs, outputs)?)).transpose()?;
        let ablation = if ways.memoised { Ablation::AutoPrecision } else { Ablation::Repacked };
        Ok(matrix.with_ablation(floats.map(|floats| ablation(floats.into()))))
    }

    /// The scale of the inputs of `name`; a static scale may be stored under `other` as well.
    pub(crate) fn scale(self, name: &str, other: Option<&str>) -> Result<InputScale> {
        match self.scales {
            ActivationScales::PerRow => Ok(InputScale::PerRow),
            ActivationScales::Clipped(bound) => Ok(InputScale::Clipped(bound)),
            ActivationScales::Bf16 => Ok(InputScale::Bf16),
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

    /// Packs x·W + b; an empty bias is none. `name` is for messages.
    ///
    /// # Errors
    /// When the weights can't be packed.
    pub fn pack(self, matrix: &Matrix<'_>, bias: &[f32], name: &str) -> Result<Linear> {
        let packed = Linear::new(self.kernels, matrix, bias).map_err(|error| self.fault(name, &error));
        self.weights.release(); // so that weights in the file and packed ones never fill memory twice
        packed
    }

    /// An error of packing as an error about the tensor `name`.
    pub(crate) fn fault(self, name: &str, error: &dyno_kernels::Error) -> dyno_formats::Error {
        match self.weights.get(name) {
            Ok(tensor) => tensor.fault(error.to_string()),
            Err(missing) => missing,
        }
    }

    /// x·W + b with weights [inputs, outputs]; without bias where `bias` is `None`.
    ///
    /// # Errors
    /// When a tensor is missing or has another shape.
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

    /// Number of columns of a matrix, where the configuration doesn't state a width.
    ///
    /// # Errors
    /// When the tensor is missing or is no matrix.
    pub fn columns(self, name: &str) -> Result<usize> {
        Ok(self.weights.get(name)?.matrix()?.1)
    }

    /// Bytes of the weights whose names `counts` accepts, as products read them.
    pub fn bytes(self, counts: impl Fn(&str) -> bool) -> usize {
        let value = |tensor: &Tensor<'_>| match tensor.dtype() {
            DType::I8 => 1,
            DType::I16 | DType::F16 => 2,
            _ => 4,
        };
        let tensors = self.weights.iter().filter(|tensor| counts(tensor.name()));
        tensors.map(|tensor| tensor.len() * value(&tensor)).sum()
    }

    /// Bytes of the weights that a decoder of Marian reads in each step: all of its own weights but those of
    /// words, of which it reads few.
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
        assert_eq!(params.decoder_bytes(), 6 * (1 + 2 + 2));
    }
}
