//! Parsers of values on the command line: the protocol's words, numbers with bounds, settings.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use dyno_measure::rules::names::named;
use dyno_measure::{Probe, Profile, Track};

/// A track by its name.
pub fn track() -> impl TypedValueParser<Value = Track> {
    let about = |track| match track {
        Track::Latency => "One line, flush, wait for the reply, next; one core",
        Track::Throughput1 => "The whole file at once, one core",
        Track::ThroughputAll => "The whole file at once, all cores that the campaign allows",
    };
    let values = Track::ALL.map(|track| PossibleValue::new(track.name()).help(about(track)));
    PossibleValuesParser::new(values).try_map(|name| named(&name))
}

/// A probe by its name.
pub fn probe() -> impl TypedValueParser<Value = Probe> {
    let values = Probe::ALL.map(|probe| PossibleValue::new(probe.name()).help(probe.question()));
    PossibleValuesParser::new(values).try_map(|name| named(&name))
}

/// A profile by its name.
pub fn profile() -> impl TypedValueParser<Value = Profile> {
    let about = |profile| match profile {
        Profile::Quick => "A first look, in minutes",
        Profile::Standard => "For decisions",
        Profile::Official => "For publication",
    };
    let values = Profile::ALL.map(|profile| PossibleValue::new(profile.name()).help(about(profile)));
    PossibleValuesParser::new(values).try_map(|name| named(&name))
}

/// A setting of a backend, NAME=VALUE.
pub fn setting(text: &str) -> Result<(String, serde_json::Value), String> {
    dyno_api::parse_setting(text).ok_or_else(|| "write it as NAME=VALUE, such as beam=4".into())
}
