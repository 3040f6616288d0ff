//! The settings about activation scales. Each int8 row has its own scale, or all rows share the scale that
//! came with the weights, which a calibration finds. `clip` cuts off the inputs and weights of f32 products at a
//! magnitude, as the networks were trained whose int8 products need no other scale (Marian's team, 2018, 4.2).
//!
//! `calibrate` names a file. While lines are translated with float products, the magnitudes of the products'
//! inputs are noted. After each call of a session the file holds a line for each weight: its name, and the
//! multiplier of its inputs. `dyno convert --calibrate` stores the multipliers as Marian does, and
//! `activation-scales = "static"` uses them.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};

use dyno_api::SettingsReader;
use dyno_formats::Precision;
use dyno_nn::ActivationScales;
use dyno_nn::math::Calibration;

use crate::error::{Error, Refusal, Result};

/// Name of the setting for the scales of int8 rows.
const SCALES: &str = "activation-scales";

/// Name of the setting that calibrates.
const CALIBRATE: &str = "calibrate";

/// Name of the setting for the precision of weights and products.
pub(super) const PRECISION: &str = "precision";

/// Name of the setting that clips.
const CLIP: &str = "clip";

/// Values of these settings.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestedScales {
    pub(crate) scales: ActivationScales,
    pub(crate) calibration: Option<CalibrationFile>,
}

/// A calibration, and the file for its result.
#[derive(Clone, Debug)]
pub(crate) struct CalibrationFile {
    found: &'static Calibration,
    to: PathBuf,
}

impl RequestedScales {
    pub(super) fn read(reader: &mut SettingsReader<'_>) -> dyno_api::Result<Self> {
        const EXPECTED: &str = "\"per-row\" or \"static\"";
        let scales = match reader.take::<String>(SCALES, EXPECTED)?.as_deref() {
            None | Some("per-row") => ActivationScales::PerRow,
            Some("static") => ActivationScales::Static,
            Some(_) => return Err(reader.refuse(SCALES, format!("it must be {EXPECTED}"))),
        };
        if let Some(bound) = reader.take::<f32>(CLIP, "a number above 0")? {
            return Self::clipped(bound, scales).map_err(|reason| reader.refuse(CLIP, reason));
        }
        let Some(to) = reader.take::<PathBuf>(CALIBRATE, "a file")? else {
            return Ok(Self { scales, calibration: None });
        };
        if scales.is_static() {
            return Err(reader.refuse(CALIBRATE, "it finds what `activation-scales` uses; give one of them"));
        }
        // It lives as long as the process, like the weights.
        let found: &'static Calibration = Box::leak(Box::default());
        let calibration = Some(CalibrationFile { found, to });
        Ok(Self { scales: ActivationScales::Watched(found), calibration })
    }

    /// These settings with products in bf16, which leave no choice.
    pub(super) fn in_bf16(self) -> std::result::Result<Self, Refusal> {
        let other = match self.scales {
            ActivationScales::PerRow => {
                return Ok(Self { scales: ActivationScales::Bf16, calibration: None });
            }
            ActivationScales::Clipped(_) => CLIP,
            ActivationScales::Watched(_) => CALIBRATE,
            ActivationScales::Static | ActivationScales::Bf16 => SCALES,
        };
        Err((other, "it isn't for products in bf16; leave it out, or `precision`".into()))
    }

    fn clipped(bound: f32, scales: ActivationScales) -> std::result::Result<Self, String> {
        if scales.is_static() {
            return Err(
                "it is about f32 products, and `activation-scales` about int8 ones; give one of them".into(),
            );
        }
        let scales = ActivationScales::Clipped(bound);
        let valid = bound > 0.0 && bound.is_finite();
        valid.then_some(Self { scales, calibration: None }).ok_or("it must be a number above 0".into())
    }

    /// The refusal of these settings for weights of this precision.
    pub(super) fn refusal(&self, precision: Precision) -> Option<Refusal> {
        match (self.scales, precision) {
            (ActivationScales::Static, Precision::Int8)
            | (
                ActivationScales::Watched(_) | ActivationScales::Clipped(_) | ActivationScales::Bf16,
                Precision::F32 | Precision::F16,
            )
            | (ActivationScales::PerRow, _) => None,
            (ActivationScales::Static, other) => {
                Some((SCALES, format!("static scales are for int8 weights, and these are {other}")))
            }
            (ActivationScales::Bf16, other) => {
                Some((PRECISION, format!("bf16 is rounded from f32 or f16 weights, and these are {other}")))
            }
            (ActivationScales::Clipped(_), other) => {
                Some((CLIP, format!("f32 products are clipped, and these weights are {other}")))
            }
            (ActivationScales::Watched(_), other) => {
                Some((CALIBRATE, format!("scales are found with f32 or f16 weights, and these are {other}")))
            }
        }
    }
}

/// What stands behind the precision, where a model tells how it computes.
impl fmt::Display for RequestedScales {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.scales {
            ActivationScales::PerRow | ActivationScales::Watched(_) | ActivationScales::Bf16 => Ok(()),
            ActivationScales::Static => f.write_str(", static activation scales"),
            ActivationScales::Clipped(bound) => write!(f, ", clipped at {bound}"),
        }
    }
}

impl CalibrationFile {
    /// Writes the multipliers that were found until now.
    pub(crate) fn write(&self) -> Result<()> {
        let mut text = String::new();
        for (name, multiplier) in self.found.multipliers() {
            let _ = writeln!(text, "{name} {multiplier}");
        }
        let failed = |source| Error::Write { what: "activation scales", path: self.to.clone(), source };
        std::fs::write(&self.to, text).map_err(failed)
    }
}

/// The multipliers in the file of a calibration, by the names of their weights.
///
/// # Errors
/// When the file can't be read, or a line isn't a name and a number.
pub fn read_multipliers(path: &Path) -> Result<BTreeMap<String, f32>> {
    let text =
        dyno_api::files::read_to_string(path).map_err(|source| Error::Read { path: path.into(), source })?;
    let pair = |line: &str| {
        let (name, multiplier) = line.split_once(' ')?;
        Some((name.to_owned(), multiplier.parse().ok()?))
    };
    let fault = |line: &str| Error::Multiplier { path: path.into(), line: line.into() };
    text.lines().map(|line| pair(line).ok_or_else(|| fault(line))).collect()
}
