//! The tracks of a campaign file: names, and the latency limit of the server track.

use std::fmt;

use dyno_measure::{LatencyLimit, Track};
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

/// A track: its name, or a table with the keys of the server track.
pub(super) struct WireTrack {
    name: Track,
    limit: Option<WireLimit>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WireLimit {
    name: Track,
    limit_ms: Option<f64>,
    percentile: Option<f64>,
    rate: Option<f64>,
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
        f.write_str("the name of a track, or { name = \"server\", limit-ms, percentile, rate }")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<WireTrack, E> {
        let name = Track::deserialize(name.into_deserializer())?;
        Ok(WireTrack { name, limit: None })
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<WireTrack, A::Error> {
        let limit = WireLimit::deserialize(MapAccessDeserializer::new(table))?;
        Ok(WireTrack { name: limit.name, limit: Some(limit) })
    }
}

/// Tracks in the order of tables, and the limit of the server track.
pub(super) fn tracks(
    source: &Source<'_>,
    wire: Option<Spanned<Vec<Spanned<WireTrack>>>>,
) -> Outcome<(Vec<Track>, LatencyLimit)> {
    let Some(wire) = wire else { return Ok((Track::USUAL.to_vec(), LatencyLimit::default())) };
    let (span, wire) = (wire.span(), wire.into_inner());
    let (mut sorted, mut limit) = (Vec::new(), LatencyLimit::default());
    for track in &wire {
        if let Some(given) = &track.get_ref().limit {
            limit = limit_of(given).map_err(|fault| source.error_at(track.span(), fault))?;
        }
        sorted.push(track.get_ref().name);
    }
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.len() != wire.len() || sorted.is_empty() {
        return Err(source.error_at(span, "list at least one track, and each track once"));
    }
    Ok((sorted, limit))
}

fn limit_of(wire: &WireLimit) -> Result<LatencyLimit, String> {
    let default = LatencyLimit::default();
    let limit_ms = wire.limit_ms.unwrap_or(default.limit_ms);
    let percentile = wire.percentile.unwrap_or(default.percentile);
    match () {
        () if wire.name != Track::Server => Err(format!(
            "track {} has no latency limit: give `limit-ms`, `percentile` and `rate` to server alone",
            wire.name
        )),
        () if !(limit_ms > 0.0 && limit_ms <= 1e6) => {
            Err("`limit-ms` must be above 0 and at most 1,000,000".into())
        }
        () if !PERCENTILES.contains(&percentile) => {
            Err(format!("`percentile` must lie between {} and {}", PERCENTILES.start(), PERCENTILES.end()))
        }
        () if wire.rate.is_some_and(|rate| !(rate > 0.0 && rate <= MOST_RATE)) => {
            Err(format!("`rate` must be above 0 and at most {MOST_RATE} lines a second"))
        }
        () => Ok(LatencyLimit { limit_ms, percentile, rate: wire.rate }),
    }
}
