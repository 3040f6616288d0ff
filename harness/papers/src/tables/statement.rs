//! Statements of a paper beside the rows of its tables, such as a share of equal translations.

use serde::{Deserialize, Serialize};

/// A statement of the paper with a figure.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// Claim in our words.
    pub says: String,
    /// Figure as printed.
    pub figure: String,
    /// Quantity of ours that answers the claim.
    pub of: Option<Quantity>,
    /// Name of the point that has the quantity.
    pub point: Option<String>,
    /// Least value that reaches the claim.
    pub least: Option<f64>,
    /// Greatest value that reaches the claim, where less is better.
    pub most: Option<f64>,
    /// Two components of the time, or two counts, of which the quantity is the ratio.
    pub parts: Option<[String; 2]>,
    /// Hardware or data that the comparison lacks for good.
    pub missing: Option<String>,
    /// Reason why nothing measures the quantity so far.
    pub pending: Option<String>,
}

/// Quantity of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Percentage of lines equal to the base's.
    SameLines,
    /// Percentage of the time in matrix products.
    Products,
    /// BLEU over that of the base; less than nothing is a loss.
    BleuGain,
    /// Speed over that of the base.
    Factor,
    /// Time of a component over that of another one.
    PartsRatio,
    /// Percentage that a count is of another one.
    CountsShare,
    /// Percentage of the references' words that the shortlist offers.
    Coverage,
    /// Bytes of the program, the model and the files that it reads, in 10⁶.
    ImageSize,
}

impl Quantity {
    /// Text of a value.
    pub fn text(self, value: f64) -> String {
        match self {
            Self::SameLines | Self::Products | Self::CountsShare | Self::Coverage => format!("{value:.1} %"),
            Self::ImageSize => format!("{value:.0} MB"),
            Self::BleuGain => format!("{value:+.2} BLEU"),
            Self::Factor | Self::PartsRatio => format!("{value:.2}×"),
        }
    }
}
