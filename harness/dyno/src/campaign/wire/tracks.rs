//! The tracks of a campaign file: names, and what the server track is asked: its latency limit, its clients,
//! its arrivals.

use std::fmt;
use std::path::PathBuf;

use dyno_measure::{LEAST_RATE, Recording};
use dyno_record::{LatencyLimit, Track};
use itertools::Itertools;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::source::Source;
use crate::exit::Outcome;

/// Percentiles of a limit. More than 99.9 needs more lines than a round has.
const PERCENTILES: std::ops::RangeInclusive<f64> = 50.0..=99.9;

/// Most lines a second that a campaign may ask for: a line each microsecond, faster than any pipe.
const MOST_RATE: f64 = 1e6;

/// Most clients at once. With more, a host has no file descriptors left for a real server's connections.
const MOST_CLIENTS: usize = 1024;

/// What the server track is asked.
#[derive(Default)]
pub(super) struct Load {
    pub limit: LatencyLimit,
    /// Numbers of clients of the closed loop, ascending.
    pub clients: Vec<usize>,
    pub arrivals: Option<Recording>,
}

/// A track: its name, or a table with the keys of the server track.
pub(super) struct WireTrack {
    name: Track,
    load: Option<WireLoad>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WireLoad {
    name: Track,
    limit_ms: Option<f64>,
    percentile: Option<f64>,
    rate: Option<f64>,
    #[serde(default)]
    clients: Vec<usize>,
    arrivals: Option<PathBuf>,
}

impl<'de> Deserialize<'de> for WireTrack {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NameOrTable)
    }
}

/// Reader of either form. It keeps the messages of both, which an untagged enum loses.
struct NameOrTable;

impl<'de> Visitor<'de> for NameOrTable {
    type Value = WireTrack;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the name of a track, or { name = \"server\", limit-ms, percentile, rate, clients, arrivals }",
        )
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<WireTrack, E> {
        let name = Track::deserialize(name.into_deserializer())?;
        Ok(WireTrack { name, load: None })
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<WireTrack, A::Error> {
        let load = WireLoad::deserialize(MapAccessDeserializer::new(table))?;
        Ok(WireTrack { name: load.name, load: Some(load) })
    }
}

/// Tracks in the order of tables, and what the server track is asked.
pub(super) fn tracks(
    source: &Source<'_>,
    wire: Option<Spanned<Vec<Spanned<WireTrack>>>>,
) -> Outcome<(Vec<Track>, Load)> {
    let Some(wire) = wire else { return Ok((Track::USUAL.to_vec(), Load::default())) };
    let (span, wire) = (wire.span(), wire.into_inner());
    let mut load = Load::default();
    for track in &wire {
        if let Some(given) = &track.get_ref().load {
            load = load_of(source, given).map_err(|fault| source.error_at(track.span(), fault))?;
        }
    }
    let sorted: Vec<Track> = wire.iter().map(|track| track.get_ref().name).sorted().dedup().collect();
    if sorted.len() != wire.len() || sorted.is_empty() {
        return Err(source.error_at(span, "list at least one track, and each track once"));
    }
    Ok((sorted, load))
}

fn load_of(source: &Source<'_>, wire: &WireLoad) -> Result<Load, String> {
    let default = LatencyLimit::default();
    let limit_ms = wire.limit_ms.unwrap_or(default.limit_ms);
    let percentile = wire.percentile.unwrap_or(default.percentile);
    let recording = wire.arrivals.as_ref().map(|path| Recording::read(&source.resolve(path))).transpose();
    let arrivals = recording.map_err(|error| error.to_string())?;
    let rate = wire.rate.or(arrivals.as_ref().map(|recording| recording.rate));
    match () {
        () if !wire.name.is_served() => Err(format!(
            "track {} has no latency limit, clients or arrivals: give such keys to server alone",
            wire.name
        )),
        () if !(limit_ms > 0.0 && limit_ms <= 1e6) => {
            Err("`limit-ms` must be above 0 and at most 1,000,000".into())
        }
        () if !PERCENTILES.contains(&percentile) => {
            Err(format!("`percentile` must lie between {} and {}", PERCENTILES.start(), PERCENTILES.end()))
        }
        () if wire.rate.is_some() && arrivals.is_some() => {
            Err("`arrivals` have a rate of their own: leave out `rate`".into())
        }
        () if rate.is_some_and(|rate| !(LEAST_RATE..=MOST_RATE).contains(&rate)) => {
            Err(format!("`rate` must lie between {LEAST_RATE} and {MOST_RATE} lines a second"))
        }
        () => Ok(Load {
            limit: LatencyLimit { limit_ms, percentile, rate },
            clients: clients_of(&wire.clients)?,
            arrivals,
        }),
    }
}

fn clients_of(wire: &[usize]) -> Result<Vec<usize>, String> {
    if wire.iter().any(|clients| !(1..=MOST_CLIENTS).contains(clients)) {
        return Err(format!(
            "`clients` must be numbers from 1 to {MOST_CLIENTS}, such as [1, 2, 4, 8, 16, 32, 64]"
        ));
    }
    match wire.iter().all_unique() {
        true => Ok(wire.iter().copied().sorted().collect()),
        false => Err("`clients`: name each number once".into()),
    }
}
