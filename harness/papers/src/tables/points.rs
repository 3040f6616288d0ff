//! Columns and rows of a published table, as its data file has them: units, and what stands for a row here.

use dyno_record::Track;
use dyno_record::rules::names::name_of;
use serde::{Deserialize, Serialize};

use super::product::Product;

/// A column of figures.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Head of the column in the paper.
    pub head: String,
    pub unit: Unit,
    /// Track of dyno that measures the same.
    pub track: Option<Track>,
    /// Name of the campaign's test set, where columns have sets of their own.
    pub set: Option<String>,
    /// Whether sizes are those of the files that a system reads, instead of its network's in f32.
    #[serde(default)]
    pub stored: bool,
    /// Whether another column claims the same in another unit.
    #[serde(default)]
    pub repeats: bool,
    /// Reason why the column's claims can't be judged so far.
    pub pending: Option<String>,
}

dyno_record::words! {
    /// Split of an engine's time.
    #[serde(rename_all = "lowercase")]
    pub enum Split {
        /// By component, such as the encoder.
        Component,
        /// By operator, such as the products.
        Operator,
    }
}

/// Unit of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Unit {
    /// Words a second; more is better.
    #[serde(rename = "words/s")]
    Words,
    /// Seconds for the test set; less is better.
    #[serde(rename = "seconds")]
    Seconds,
    /// Milliseconds a sentence; less is better.
    #[serde(rename = "milliseconds")]
    Milliseconds,
    /// Words per dollar in tables; the data hold seconds.
    #[serde(rename = "Mwords/$")]
    Dollars,
    /// Megabytes of a model; less is better.
    #[serde(rename = "MB")]
    Megabytes,
    /// Mebibytes of a model; less is better.
    #[serde(rename = "MiB")]
    Mebibytes,
    /// Millions of parameters or of sentences.
    #[serde(rename = "M")]
    Millions,
    /// Widths and other dimensions, which stand for themselves.
    #[serde(rename = "dimension")]
    Dimension,
    /// 10⁹ multiply-accumulates a second of a product alone; more is better.
    #[serde(rename = "GMAC/s")]
    GigaMacs,
}

/// A row of a table.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Point {
    /// Name of the row, and of the system that stands for it, unless `system` names another.
    pub name: String,
    /// Name of the system that stands for the row, where it differs.
    pub system: Option<String>,
    /// A figure for each column; empty where the paper's figures are lost.
    pub values: Vec<f64>,
    /// Speed over that of the base, where it is printed and the figures are lost.
    pub factor: Option<f64>,
    /// BLEU as published.
    pub bleu: Option<f64>,
    /// Head of the column whose figure the paper's abstract or conclusion rests on.
    pub headline: Option<String>,
    /// Price of the row's machine in US dollars an hour, where it isn't the table's.
    pub dollars_per_hour: Option<f64>,
    /// Name of the campaign's test set, where rows have sets of their own.
    pub set: Option<String>,
    /// Number of cores that the row needs.
    pub cores: Option<usize>,
    /// Track that measures the row, where it isn't the column's.
    pub track: Option<Track>,
    /// Name of the point that this one is compared with.
    pub base: Option<String>,
    /// Claim of which the row is a setting; rows of one claim are one line.
    pub claim: Option<String>,
    /// Whether its factor compares the costs of two networks.
    pub costs: bool,
    /// Whether the paper's row multiplies by the library of its base, as the base does.
    pub by_library: bool,
    /// Whether another row or table makes the same claim.
    pub repeats: bool,
    /// Matrix product of the row, where no system stands for it.
    pub product: Option<Product>,
    /// Hardware or data without which the row can't be compared: “hardware: …” or “data: …”.
    pub missing: Option<String>,
    /// Reason why nothing measures the row so far.
    pub pending: Option<String>,
    pub note: Option<String>,
}

impl Unit {
    /// Name of the unit.
    pub fn name(self) -> &'static str {
        match self {
            Self::Milliseconds => "ms",
            Self::Dimension => "",
            unit => name_of(&unit), // as in the data
        }
    }

    /// Speed of a point over that of `base`, from figures of this unit.
    pub fn speed_up(self, point: f64, base: f64) -> Option<f64> {
        match self {
            Self::Words | Self::GigaMacs => Some(point / base),
            Self::Seconds | Self::Milliseconds | Self::Dollars => Some(base / point),
            Self::Megabytes | Self::Mebibytes | Self::Millions | Self::Dimension => None,
        }
    }
}

impl Point {
    /// Name of the system that stands for the point here.
    pub fn system(&self) -> &str {
        self.system.as_ref().unwrap_or(&self.name)
    }

    /// Whether a system or a product stands for the point.
    pub const fn is_measured(&self) -> bool {
        self.missing.is_none() && self.pending.is_none()
    }
}
