//! Statements of a paper beside the rows of its tables, such as a share of equal translations.

use serde::{Deserialize, Serialize};

/// A statement of the paper with a figure.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Statement {
    /// Claim in our words.
    pub says: String,
    /// Figure as printed.
    pub figure: String,
    /// Quantity of ours that answers the claim.
    pub of: Option<Quantity>,
    /// Name of the point that has the quantity.
    pub point: Option<String>,
    /// Name of another point that the quantity is relative to. Of two factors it is the quotient, each over its own
    /// base: speeds are compared where the bases are one.
    pub over: Option<String>,
    /// Value that the paper gives without a better side.
    pub about: Option<f64>,
    /// Speed-up that the paper gains.
    pub speed_up: Option<f64>,
    /// Least value that reaches the claim.
    pub least: Option<f64>,
    /// Greatest value that reaches the claim, where less is better.
    pub most: Option<f64>,
    /// Two components of the time, or two counts, of which the quantity is the ratio; or all components that grow.
    #[serde(default)]
    pub parts: Vec<String>,
    /// Number of cores that the claim needs.
    pub cores: Option<usize>,
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
    /// BLEU over that of the base, without its sign.
    BleuChange,
    /// Speed over that of the base.
    Factor,
    /// Time of a component over that of another one.
    PartsRatio,
    /// Time of components over that of the same components of another point.
    PartsGrowth,
    /// Percentage that a count is of another one.
    CountsShare,
    /// Percentage of the references' words that the shortlist offers.
    Coverage,
    /// Bytes of the program, the model and the files that it reads, in 10⁶.
    ImageSize,
    /// Bytes of the program alone, in 10⁶.
    ProgramSize,
}

impl Quantity {
    /// Whether it's a fact of what costs how much, which is neither good nor bad.
    pub const fn is_cost(self) -> bool {
        matches!(
            self,
            Self::Products | Self::Factor | Self::PartsRatio | Self::PartsGrowth | Self::CountsShare
        )
    }

    /// Whether few lines say nothing of it.
    pub const fn needs_lines(self) -> bool {
        matches!(self, Self::SameLines | Self::BleuGain | Self::BleuChange | Self::Coverage)
    }

    /// Text of a value.
    pub fn text(self, value: f64) -> String {
        match self {
            Self::SameLines | Self::Products | Self::CountsShare | Self::Coverage => format!("{value:.1} %"),
            Self::BleuChange => format!("{value:.2} BLEU"),
            Self::ImageSize | Self::ProgramSize => format!("{value:.0} MB"),
            Self::BleuGain => format!("{value:+.2} BLEU"),
            Self::Factor | Self::PartsRatio | Self::PartsGrowth => format!("{value:.2}×"),
        }
    }
}
