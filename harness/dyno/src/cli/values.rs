//! Parsers of values on the command line: words of the protocol, numbers with bounds, settings.
//!
//! A message here ends the line `error: invalid value 'X' for '--option':`, so that it says what is expected.

use std::convert::Infallible;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use dyno_host::MOST_BATCH;
use dyno_measure::os::MOST_CORES;
use dyno_provision::data;
use dyno_record::rules::names::{Word, name_of, named};
use dyno_results::compare::{LEAST_PAIRS, MOST_PAIRS};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Parser of a model's path. `models/small` that isn't there is dyno's own.
pub fn model(path: &str) -> Result<PathBuf, Infallible> {
    Ok(data::or_shipped(path.into(), path.as_ref()))
}

/// Parser of one of the protocol's words, such as a track.
pub fn word<T>(all: &'static [T]) -> impl TypedValueParser<Value = T>
where
    T: Word + Copy + Serialize + DeserializeOwned + Send + Sync + 'static,
{
    let values = all.iter().map(|word| PossibleValue::new(name_of(word)).help(word.meaning()));
    PossibleValuesParser::new(values).try_map(|name| named(&name))
}

/// Setting of a backend, NAME=VALUE.
pub fn setting(text: &str) -> Result<(String, serde_json::Value), String> {
    dyno_api::parse_setting(text).ok_or_else(|| "expected NAME=VALUE, such as beam=4".into())
}

pub(super) fn cores(text: &str) -> Result<usize, String> {
    whole(text, MOST_CORES)
}

/// Number of words or lines in a batch.
pub(super) fn batch(text: &str) -> Result<usize, String> {
    whole(text, MOST_BATCH)
}

fn whole(text: &str, most: usize) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| format!("expected a whole number from 1 to {most}"))
}

/// Finite number: settings travel as JSON, which has neither `nan` nor `inf`.
pub(super) fn finite(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| "expected a number".into())
}

/// Number of pairs of rounds. The gate itself refuses too few pairs, with the exit code of "nothing
/// measured".
pub(super) fn pairs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(pairs @ 0..=MOST_PAIRS) => Ok(pairs),
        _ => Err(format!(
            "expected a number from {LEAST_PAIRS} to {MOST_PAIRS}; more pairs take days and show no more"
        )),
    }
}

/// Limit of an amount. A limit that isn't a number, such as `nan`, would never be exceeded.
pub(super) fn amount(text: &str) -> Result<f64, String> {
    let amount = text.parse().ok().filter(|amount: &f64| *amount >= 0.0 && amount.is_finite());
    amount.ok_or_else(|| "expected a number, 0 or more".into())
}

/// Time limit in seconds, with the bounds of campaign files: at most about eleven days.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e6 => Ok(seconds),
        _ => Err("expected a number of seconds above 0 and at most 1,000,000".into()),
    }
}
