//! What a system may set on an encoder.

use dyno_api::{Error, SettingsReader, WATCH};
use dyno_kernels::Precision;
use dyno_nn::kernel_settings::KernelSettings;

use crate::modules::{POOLINGS, Pooling};

/// Settings as given.
#[derive(Debug)]
pub(crate) struct RequestedSettings {
    pub(crate) kernel_settings: KernelSettings,
    /// Number type of the products: f32, bf16, or int8 with a scale for each output and each row of inputs.
    pub(crate) precision: Precision,
    pub(crate) pooling: Option<Pooling>,
    pub(crate) normalise: Option<bool>,
    pub(crate) max_length: Option<usize>,
    pub(crate) breakdown: bool,
}

impl RequestedSettings {
    /// Takes all settings of an encoder.
    pub(crate) fn read(reader: &mut SettingsReader<'_>) -> Result<Self, Error> {
        let pooling = pooling(reader)?;
        let normalise = reader.take("normalise", "true or false")?;
        if (pooling, normalise) == (Some(Pooling::Tokens), Some(true)) {
            let fault =
                "a line has a vector for each token with `pooling` = \"tokens\"; choose another pooling";
            return Err(reader.refuse("normalise", fault));
        }
        Ok(Self {
            kernel_settings: KernelSettings::read(reader)?,
            precision: precision(reader)?,
            pooling,
            normalise,
            max_length: count(reader, "max-length", 3)?,
            breakdown: reader.take(WATCH, "true or false")?.unwrap_or(false),
        })
    }
}

fn precision(reader: &mut SettingsReader<'_>) -> Result<Precision, Error> {
    let name = reader.take::<String>("precision", "f32, bf16 or int8")?;
    match name.as_deref() {
        None | Some("f32") => Ok(Precision::F32),
        Some("bf16") => Ok(Precision::Bf16),
        Some("int8") => Ok(Precision::Int8),
        Some("int16") => Err(reader.refuse(
            "precision",
            "encoders have none: int8 keeps their quality in half the memory of int16; take int8, bf16 or f32",
        )),
        Some(_) => Err(reader.refuse("precision", "it must be f32, bf16 or int8")),
    }
}

fn count(reader: &mut SettingsReader<'_>, name: &'static str, least: usize) -> Result<Option<usize>, Error> {
    let expected = format!("a whole number from {least}");
    match reader.take::<usize>(name, &expected)? {
        Some(value) if value < least => Err(reader.refuse(name, format!("it must be {expected}"))),
        value => Ok(value),
    }
}

/// Ways of pooling that a setting alone can choose.
const FURTHER: [(&str, Pooling); 2] = [("pooler", Pooling::Pooler), ("tokens", Pooling::Tokens)];

fn pooling(reader: &mut SettingsReader<'_>) -> Result<Option<Pooling>, Error> {
    let known = || POOLINGS.into_iter().chain(FURTHER);
    let names = known().map(|(name, _)| name).collect::<Vec<_>>().join(", ");
    let Some(name) = reader.take::<String>("pooling", &names)? else { return Ok(None) };
    let found = known().find(|(known, _)| *known == name);
    found
        .map(|(_, pooling)| Some(pooling))
        .ok_or_else(|| reader.refuse("pooling", format!("it must be one of {names}")))
}
