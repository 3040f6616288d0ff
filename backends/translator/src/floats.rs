//! The settings that need a model's f32 weights beside its quantised ones: where a shortlist's output weights come from, and
//! Marian's auto-tuner across precisions.

use dyno_api::{Error, SettingsReader};
use dyno_formats::Precision;
use dyno_nn::ShortlistColumns;

/// `"off-line"`, `"on-line"`, `"whole"` or `"auto"`.
const COLUMNS: &str = "shortlist-columns";

/// Whether each product is computed with the weights or in f32, whichever is faster when it is timed.
const AUTO_PRECISION: &str = "auto-precision";

/// What is to be said where products choose their precision.
pub(crate) const NOT_REPRODUCIBLE: &str =
    "auto-precision: which precision computes a product was decided by timing";

/// What the settings ask for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Floats {
    pub(crate) columns: ShortlistColumns,
    pub(crate) races: bool,
}

impl Floats {
    pub(crate) fn read(reader: &mut SettingsReader<'_>) -> Result<Self, Error> {
        const EXPECTED: &str = "\"auto\", \"off-line\", \"on-line\" or \"whole\"";
        let columns = match reader.take::<String>(COLUMNS, EXPECTED)?.as_deref() {
            None | Some("auto") => ShortlistColumns::Auto,
            Some("off-line") => ShortlistColumns::OffLine,
            Some("on-line") => ShortlistColumns::OnLine,
            Some("whole") => ShortlistColumns::Whole,
            Some(_) => return Err(reader.refuse(COLUMNS, format!("it must be {EXPECTED}"))),
        };
        Ok(Self { columns, races: reader.take(AUTO_PRECISION, "true or false")?.unwrap_or(false) })
    }

    /// Whether f32 weights are needed.
    pub(crate) fn are_needed(self) -> bool {
        self.races || self.columns == ShortlistColumns::OnLine
    }

    /// Why weights of this precision, with a shortlist or without, can't do what was asked, and of which setting.
    pub(crate) fn fault(self, precision: Precision, shortlist: bool) -> Option<(&'static str, String)> {
        let on_line = self.columns == ShortlistColumns::OnLine;
        if on_line && precision != Precision::Int8 {
            let reason = format!("columns are quantised on line for int8 weights, and these are {precision}");
            return Some((COLUMNS, reason));
        }
        if !shortlist && self.columns != ShortlistColumns::Auto {
            return Some((COLUMNS, "it is about a shortlist's columns, and there is no shortlist".into()));
        }
        let whole = matches!(precision, Precision::Int8 | Precision::Int16);
        (self.races && !whole).then(|| {
            (
                AUTO_PRECISION,
                format!("it chooses between f32 and int8 or int16, and these weights are {precision}"),
            )
        })
    }
}
