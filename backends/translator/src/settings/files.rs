//! The files that settings may name beside a model: vocabularies and a shortlist.

use std::path::{Path, PathBuf};

use dyno_api::{Error, SettingsReader};
use dyno_formats::{Cut, ModelDir};
use serde_json::Value;

/// The shortlist that the settings ask for.
#[derive(Debug, Default)]
pub(crate) enum RequestedShortlist {
    /// The model's shortlist, if it has one.
    #[default]
    Own,
    /// No shortlist.
    Off,
    /// The shortlist in this file.
    File(PathBuf, Cut),
}

impl RequestedShortlist {
    /// The shortlist for `model`, if any.
    pub(crate) fn of<'a>(&'a self, model: &'a ModelDir) -> Option<(&'a Path, Cut)> {
        match self {
            Self::Own => model.shortlist(),
            Self::Off => None,
            Self::File(path, cut) => Some((path, *cut)),
        }
    }
}

pub(super) fn vocabularies(reader: &mut SettingsReader<'_>) -> Result<Option<[PathBuf; 2]>, Error> {
    const EXPECTED: &str = "a file, or a list of two (source, target)";
    match reader.take::<Value>("vocab", EXPECTED)? {
        None => Ok(None),
        Some(Value::String(one)) => Ok(Some([one.clone().into(), one.into()])),
        Some(value) => match serde_json::from_value::<Vec<String>>(value).as_deref() {
            Ok([one]) => Ok(Some([one.into(), one.into()])),
            Ok([source, target]) => Ok(Some([source.into(), target.into()])),
            _ => Err(reader.refuse("vocab", format!("it must be {EXPECTED}"))),
        },
    }
}

pub(super) fn shortlist(reader: &mut SettingsReader<'_>) -> Result<RequestedShortlist, Error> {
    const EXPECTED: &str = "a file, a list [file, first, best, threshold], or false";
    let refused = |reader: &SettingsReader<'_>| reader.refuse("shortlist", format!("it must be {EXPECTED}"));
    match reader.take::<Value>("shortlist", EXPECTED)? {
        None | Some(Value::Bool(true)) => Ok(RequestedShortlist::Own),
        Some(Value::Bool(false)) => Ok(RequestedShortlist::Off),
        Some(Value::String(path)) => Ok(RequestedShortlist::File(path.into(), Cut::default())),
        Some(Value::Array(values)) => cut(&values).ok_or_else(|| refused(reader)),
        Some(_) => Err(refused(reader)),
    }
}

fn cut(values: &[Value]) -> Option<RequestedShortlist> {
    let (path, numbers) = values.split_first()?;
    let mut cut = Cut::default();
    for (at, value) in numbers.iter().enumerate() {
        match at {
            0 => cut.first = value.as_u64()? as usize,
            1 => cut.best = value.as_u64()? as usize,
            2 => cut.threshold = value.as_f64()? as f32,
            _ => return None,
        }
    }
    Some(RequestedShortlist::File(path.as_str()?.into(), cut))
}
