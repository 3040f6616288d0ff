//! Where the time went, by component and by operator.

use std::collections::BTreeMap;

/// The setting that starts the clock.
pub const WATCH: &str = "breakdown";

/// Time by component and by operator: leaves the process as JSON at its end. Each of the two adds up to the whole, unless
/// nothing was told of it. Who reads one from elsewhere gets it checked: parts have known names, and what is missing of
/// the whole is `other`.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Told")]
pub struct Breakdown {
    /// Nanoseconds by part of the work, the names being among [`COMPONENTS`](Self::COMPONENTS).
    pub components: BTreeMap<String, u64>,
    /// Nanoseconds by kind of computation, the names being among [`OPERATORS`](Self::OPERATORS).
    pub operators: BTreeMap<String, u64>,
}

/// What is nobody else's.
const OTHER: &str = "other";

impl Breakdown {
    /// The parts of the work, in its order.
    pub const COMPONENTS: [&str; 9] =
        ["tokenise", "embed", "encoder", "attention", "decoder", "output", "search", "detokenise", OTHER];

    /// The kinds of computation.
    pub const OPERATORS: [&str; 7] =
        ["product", "attention", "softmax", "norm", "activation", "quantise", OTHER];

    /// The whole, in nanoseconds.
    pub fn whole(&self) -> u64 {
        let sum = |parts: &BTreeMap<String, u64>| parts.values().sum();
        u64::max(sum(&self.components), sum(&self.operators))
    }
}

/// A breakdown as somebody tells it.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Told {
    #[serde(default)]
    components: BTreeMap<String, u64>,
    #[serde(default)]
    operators: BTreeMap<String, u64>,
}

impl TryFrom<Told> for Breakdown {
    type Error = String;

    fn try_from(told: Told) -> Result<Self, String> {
        let Told { mut components, mut operators } = told;
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

fn sum(what: &str, parts: &BTreeMap<String, u64>, known: &[&str]) -> Result<u64, String> {
    if let Some(name) = parts.keys().find(|name| !known.contains(&name.as_str())) {
        return Err(format!("{what} has the part {name:?}; it may have {}", known.join(", ")));
    }
    let sum = parts.values().try_fold(0u64, |sum, part| sum.checked_add(*part));
    sum.ok_or_else(|| format!("{what} adds up to more than 584 years; it is told in nanoseconds"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(told: serde_json::Value) -> Result<Breakdown, String> {
        serde_json::from_value(told).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_missing_of_the_whole_is_other() {
        let told = json!({ "components": { "encoder": 7, "other": 1 }, "operators": { "product": 10 } });
        let read = read(told).unwrap();
        assert_eq!(read.components, BTreeMap::from([("encoder".into(), 7), ("other".into(), 3)]));
        assert_eq!((read.operators["product"], read.whole()), (10, 10));
        assert_eq!(serde_json::from_value::<Breakdown>(json!(read)).unwrap(), read);
    }

    #[test]
    fn one_of_the_two_may_be_left_out() {
        let read = read(json!({ "operators": { "product": 10 } })).unwrap();
        assert!(read.components.is_empty());
        assert_eq!(read.whole(), 10);
    }

    #[test]
    fn nonsense_is_refused_with_what_it_is() {
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
