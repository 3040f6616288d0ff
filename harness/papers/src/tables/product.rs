//! Matrix products alone, as papers plot their speed.

use serde::{Deserialize, Serialize};

/// Number type of both operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// 32-bit floating point.
    F32,
    /// 16-bit integers.
    Int16,
    /// 8-bit integers.
    Int8,
}

/// Library whose products `ci/peers/kernels` times beside ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Library {
    /// oneDNN, whose weights lie in the layout that it asks for.
    Onednn,
    /// oneDNN with weights [k, n].
    OnednnNormal,
    /// oneDNN with weights [n, k].
    OnednnTransposed,
    /// OpenBLAS with weights [k, n], packed on each call.
    OpenblasNormal,
    /// OpenBLAS with weights [n, k], packed on each call.
    OpenblasTransposed,
    /// MKL with weights [k, n], packed on each call.
    MklNormal,
    /// MKL with weights [n, k], packed on each call.
    MklTransposed,
    /// gemmlowp's unsigned bytes with weights [n, k], packed on each call; 32-bit sums stay as they are.
    Gemmlowp,
}

impl Library {
    /// Its products, as the side that a factor is over.
    pub fn products(self) -> String {
        let name = match self {
            Self::Onednn | Self::OnednnNormal | Self::OnednnTransposed => "oneDNN",
            Self::OpenblasNormal | Self::OpenblasTransposed => "OpenBLAS",
            Self::MklNormal | Self::MklTransposed => "MKL",
            Self::Gemmlowp => "gemmlowp",
        };
        format!("{name}'s products")
    }
}

dyno_record::words! {
    /// Library by which the base of a paper's table multiplies: unpacked weights, a call a product.
    pub enum Baseline {
        /// Intel's MKL.
        #[serde(rename = "MKL")]
        Mkl,
        /// Eigen.
        Eigen,
    }
}

impl Baseline {
    /// Its products, as the side that a factor is over.
    pub fn products(self) -> String {
        format!("{}'s products", self.name())
    }

    /// Name of the system that stands for `base` with the library's products.
    pub fn system(self, base: &str) -> String {
        format!("{base} ({})", self.name())
    }
}

/// Activations [rows, k] by weights [k, n] that were packed before; the sums become f32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Product {
    /// Number type of both operands.
    pub precision: Precision,
    /// Library whose product it is; ours if absent.
    pub by: Option<Library>,
    /// Rows of the activations: hypotheses, or words of the source.
    pub rows: usize,
    /// Inputs of each row.
    pub k: usize,
    /// Outputs of each row.
    pub n: usize,
}
