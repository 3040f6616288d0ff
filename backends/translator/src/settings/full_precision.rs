//! The settings that need a model's f32 weights beside its quantised ones: the source of a shortlist's output
//! weights, Marian's auto-tuner across precisions, and weights that aren't memoised.

use dyno_api::{Error, SettingsReader};
use dyno_formats::Precision;
use dyno_nn::{ProductWays, ShortlistColumns};

use crate::error::Refusal;

/// Name of the setting for the output weights of a shortlist: `"off-line"`, `"on-line"`, `"whole"` or
/// `"auto"`.
const COLUMNS: &str = "shortlist-columns";

/// Name of the setting by which each product uses the faster one of the weights' precision and f32.
const AUTO_PRECISION: &str = "auto-precision";

/// Name of the setting without which each product quantises and packs its weights anew.
const MEMOISED: &str = "memoised-weights";

/// Reason why a model with `auto-precision` isn't reproducible.
pub(crate) const NOT_REPRODUCIBLE: &str =
    "auto-precision: which precision computes a product was decided by timing";

/// Values of these settings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FullPrecision(pub(crate) ProductWays);

impl FullPrecision {
    pub(super) fn read(reader: &mut SettingsReader<'_>) -> Result<Self, Error> {
        const EXPECTED: &str = "\"auto\", \"off-line\", \"on-line\" or \"whole\"";
        let columns = match reader.take::<String>(COLUMNS, EXPECTED)?.as_deref() {
            None | Some("auto") => ShortlistColumns::Auto,
            Some("off-line") => ShortlistColumns::OffLine,
            Some("on-line") => ShortlistColumns::OnLine,
            Some("whole") => ShortlistColumns::Whole,
            Some(_) => return Err(reader.refuse(COLUMNS, format!("it must be {EXPECTED}"))),
        };
        let auto_precision = reader.take(AUTO_PRECISION, "true or false")?.unwrap_or(false);
        let memoised = reader.take(MEMOISED, "true or false")?.unwrap_or(true);
        if auto_precision && !memoised {
            return Err(reader.refuse(MEMOISED, format!("`{AUTO_PRECISION}` times memoised weights only")));
        }
        Ok(Self(ProductWays { columns, auto_precision, memoised }))
    }

    /// Whether the settings need f32 weights.
    pub(crate) fn needs_weights(self) -> bool {
        self.0.auto_precision || !self.0.memoised || self.0.columns == ShortlistColumns::OnLine
    }

    /// The refusal of these settings for weights of this precision, with a shortlist or without.
    pub(super) fn refusal(self, precision: Precision, shortlist: bool) -> Option<Refusal> {
        let on_line = self.0.columns == ShortlistColumns::OnLine;
        if on_line && precision != Precision::Int8 {
            let reason = format!("columns are quantised on line for int8 weights, and these are {precision}");
            return Some((COLUMNS, reason));
        }
        if !shortlist && self.0.columns != ShortlistColumns::Auto {
            return Some((COLUMNS, "it chooses a shortlist's columns, but no shortlist is set".into()));
        }
        let whole_numbers = matches!(precision, Precision::Int8 | Precision::Int16);
        if !self.0.memoised && !whole_numbers {
            let reason = format!("it is about int8 or int16 weights, and these weights are {precision}");
            return Some((MEMOISED, reason));
        }
        (self.0.auto_precision && !whole_numbers).then(|| {
            let reason =
                format!("it chooses between f32 and int8 or int16, and these weights are {precision}");
            (AUTO_PRECISION, reason)
        })
    }
}
