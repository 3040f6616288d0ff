//! Bencher's Metric Format: benchmarks by name, each with its measures. `throughput` and `latency` are
//! measures that Bencher knows; the others are created by their names.

use serde_json::{Map, Value, json};

use super::figures::Figure;

/// The JSON for `bencher run --adapter json --file`.
pub fn bencher(figures: &[Figure<'_>]) -> Value {
    let mut benchmarks = Map::new();
    for figure in figures {
        let benchmark = benchmarks.entry(figure.place()).or_insert_with(|| json!({}));
        benchmark[&slug(&figure.quantity)] = match figure.interval {
            Some((low, high)) => json!({"value": figure.value, "lower_value": low, "upper_value": high}),
            None => json!({"value": figure.value}),
        };
    }
    benchmarks.into()
}

/// Name of a measure as Bencher writes it: small letters, digits and hyphens.
fn slug(name: &str) -> String {
    let letters = name.to_lowercase().replace('+', "p");
    letters.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}
