//! The settings about activation scales: whether int8 rows are quantised each by its own scale, or all by the one that came
//! with the weights; and how the latter are found.
//!
//! `calibrate` names a file. While lines are translated with float products, whatever products read is watched, and after each call the file
//! has a line for each weight: its name, and the multiplier of its inputs. `dyno convert --calibrate` stores these as
//! Marian does, and `activation-scales = "static"` uses them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use dyno_api::{Error, SettingsReader};
use dyno_formats::Precision;
use dyno_nn::ActivationScales;
use dyno_nn::math::Calibration;

/// The setting.
const SCALES: &str = "activation-scales";

/// The setting that finds them.
const CALIBRATE: &str = "calibrate";

/// What the settings ask for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scales {
    pub(crate) scales: ActivationScales,
    /// Where to leave what was found.
    to: Option<PathBuf>,
}

impl Scales {
    pub(crate) fn read(reader: &mut SettingsReader<'_>) -> Result<Self, Error> {
        const EXPECTED: &str = "\"per-row\" or \"static\"";
        let scales = match reader.take::<String>(SCALES, EXPECTED)?.as_deref() {
            None | Some("per-row") => ActivationScales::PerRow,
            Some("static") => ActivationScales::Static,
            Some(_) => return Err(reader.refuse(SCALES, format!("it must be {EXPECTED}"))),
        };
        let Some(to) = reader.take::<PathBuf>(CALIBRATE, "a file")? else {
            return Ok(Self { scales, to: None });
        };
        if scales.is_static() {
            return Err(reader.refuse(CALIBRATE, "it finds what `activation-scales` uses; give one of them"));
        }
        let watched: &'static Calibration = Box::leak(Box::default()); // one, for as long as its weights may live
        Ok(Self { scales: ActivationScales::Watched(watched), to: Some(to) })
    }

    /// Why weights of this precision can't do what was asked, and of which setting.
    pub(crate) fn fault(&self, precision: Precision) -> Option<(&'static str, String)> {
        match (self.scales, precision) {
            (ActivationScales::Static, Precision::Int8)
            | (ActivationScales::Watched(_), Precision::F32 | Precision::F16)
            | (ActivationScales::PerRow, _) => None,
            (ActivationScales::Static, other) => {
                Some((SCALES, format!("static scales are for int8 weights, and these are {other}")))
            }
            (ActivationScales::Watched(_), other) => {
                Some((CALIBRATE, format!("scales are found with f32 or f16 weights, and these are {other}")))
            }
        }
    }

    /// Leaves what was found until now.
    pub(crate) fn write(&self) -> Result<(), String> {
        let (ActivationScales::Watched(found), Some(to)) = (self.scales, &self.to) else { return Ok(()) };
        let mut text = String::new();
        for (name, multiplier) in found.multipliers() {
            let _ = writeln!(text, "{name} {multiplier}");
        }
        std::fs::write(to, text).map_err(|error| format!("writing {}: {error}", to.display()))
    }
}

/// The multipliers that a calibration left.
///
/// # Errors
/// When the file can't be read, in words.
pub fn read_multipliers(path: &Path) -> Result<BTreeMap<String, f32>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let pair = |line: &str| {
        let (name, multiplier) = line.split_once(' ')?;
        Some((name.to_owned(), multiplier.parse().ok()?))
    };
    let pairs = text.lines().map(|line| pair(line).ok_or_else(|| format!("{}: {line}", path.display())));
    pairs.collect()
}
