//! Names of the protocol's terms. serde's attributes define them once, for records, tables and the command
//! line alike.

use serde::Serialize;
use serde::de::value::{Error, StrDeserializer};
use serde::de::{Deserialize, IntoDeserializer};

/// Name of a variant, as in records.
pub fn name_of(word: &impl Serialize) -> &'static str {
    serde_variant::to_variant_name(word).expect("the protocol's terms are variants without fields")
}

/// Term of that name, or serde's message about an unknown name.
pub fn named<'a, T: Deserialize<'a>>(name: &'a str) -> Result<T, String> {
    let deserializer: StrDeserializer<'a, Error> = name.into_deserializer();
    T::deserialize(deserializer).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Code, Probe, Track, Verdict};

    #[test]
    fn names_are_those_of_records_and_lead_back() {
        assert_eq!(name_of(&Track::Throughput1), "throughput-1");
        assert_eq!(name_of(&Code::BlockBuffered), "block_buffered");
        assert_eq!(name_of(&Verdict::Invalid), "INVALID");
        assert_eq!(named::<Probe>("coalescing"), Ok(Probe::Coalescing));
        assert!(named::<Track>("latencies").unwrap_err().contains("expected one of `latency`"));
    }
}
