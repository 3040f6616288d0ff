//! Time of a model's work, by component and by operator.

use std::collections::BTreeMap;

use crate::{Error, Result};

/// Name of the setting that asks for a [`Breakdown`].
pub const WATCH: &str = "breakdown";

/// Nanoseconds of a model's work, divided by component and, a second time, by operator.
///
/// The two divisions add up to the same whole, unless one of them is empty. A breakdown leaves the process as
/// JSON. Reading one checks it: an unknown part is refused, and the time that a division lacks is added to
/// its part `other`.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "UncheckedBreakdown")]
pub struct Breakdown {
    /// Nanoseconds by component; the keys are among [`COMPONENTS`](Self::COMPONENTS).
    pub components: BTreeMap<String, u64>,
    /// Nanoseconds by operator; the keys are among [`OPERATORS`](Self::OPERATORS).
    pub operators: BTreeMap<String, u64>,
}

/// Part for the time that belongs to no other part.
const OTHER: &str = "other";

impl Breakdown {
    /// Components of translators and encoders, in the order of the work. An encoder divides its layers into
    /// `attention` and `feedforward`, and ends with `pooling`.
    pub const COMPONENTS: [&str; 11] = [
        "tokenise",
        "embed",
        "encoder",
        "attention",
        "feedforward",
        "decoder",
        "output",
        "search",
        "pooling",
        "detokenise",
        OTHER,
    ];

    /// Operators: kinds of computation.
    pub const OPERATORS: [&str; 7] =
        ["product", "attention", "softmax", "norm", "activation", "quantise", OTHER];

    /// The whole time in nanoseconds.
    pub fn whole(&self) -> u64 {
        let sum = |parts: &BTreeMap<String, u64>| parts.values().copied().fold(0, u64::saturating_add);
        u64::max(sum(&self.components), sum(&self.operators))
    }
}

/// A breakdown as it stands in JSON, before names and sums are checked.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct UncheckedBreakdown {
    #[serde(default)]
    components: BTreeMap<String, u64>,
    #[serde(default)]
    operators: BTreeMap<String, u64>,
}

impl TryFrom<UncheckedBreakdown> for Breakdown {
    type Error = Error;

    fn try_from(unchecked: UncheckedBreakdown) -> Result<Self> {
        let UncheckedBreakdown { mut components, mut operators } = unchecked;
        let sums = [
            sum("components", &components, &Self::COMPONENTS)?,
            sum("operators", &operators, &Self::OPERATORS)?,
        ];
        let whole = sums[0].max(sums[1]);
        for (parts, sum) in [&mut components, &mut operators].into_iter().zip(sums) {
            if !parts.is_empty() && sum < whole {
                *parts.entry(OTHER.into()).or_default() += whole - sum;
            }
        }
        Ok(Self { components, operators })
    }
}

/// The sum of a table whose parts all have `known` names.
fn sum(table: &'static str, parts: &BTreeMap<String, u64>, known: &'static [&'static str]) -> Result<u64> {
    if let Some(part) = parts.keys().find(|name| !known.contains(&name.as_str())) {
        return Err(Error::UnknownPart { table, part: part.clone(), known });
    }
    let sum = parts.values().try_fold(0u64, |sum, part| sum.checked_add(*part));
    sum.ok_or(Error::BreakdownOverflow { table })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(told: serde_json::Value) -> std::result::Result<Breakdown, String> {
        serde_json::from_value(told).map_err(|error| error.to_string())
    }

    #[test]
    fn time_that_a_division_lacks_is_other() {
        let told = json!({ "components": { "encoder": 7, "other": 1 }, "operators": { "product": 10 } });
        let read = read(told).unwrap();
        assert_eq!(read.components, BTreeMap::from([("encoder".into(), 7), ("other".into(), 3)]));
        assert_eq!((read.operators["product"], read.whole()), (10, 10));
        assert_eq!(serde_json::from_value::<Breakdown>(json!(read)).unwrap(), read);
    }

    #[test]
    fn one_division_may_be_empty() {
        let read = read(json!({ "operators": { "product": 10 } })).unwrap();
        assert!(read.components.is_empty());
        assert_eq!(read.whole(), 10);
    }

    #[test]
    fn a_malformed_breakdown_is_refused_with_its_fault() {
        for (told, said) in [
            (json!({ "components": { "<b>": 1 } }), "has the part \"<b>\"; it may have tokenise, embed"),
            (json!({ "components": { "product": 1 } }), "components has the part \"product\""),
            (json!({ "operators": { "product": -1 } }), "invalid value: integer `-1`"),
            (json!({ "operators": { "product": 1.5 } }), "invalid type: floating point"),
            (json!({ "operators": { "product": "1" } }), "invalid type: string"),
            (json!({ "operators": { "norm": u64::MAX, "product": 1 } }), "more than 584 years"),
            (json!({ "operators": [1] }), "invalid type: sequence"),
            (json!({ "operator": {} }), "unknown field `operator`"),
            (json!([1, 2, 3]), "invalid"),
        ] {
            let error = read(told.clone()).unwrap_err();
            assert!(error.contains(said), "{told}: {error}");
        }
    }
}
