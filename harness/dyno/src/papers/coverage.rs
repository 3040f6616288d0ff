//! Coverage of vocabulary maps: how many words of the references stand among the candidates of their sentences
//! (OpenNMT 2018, table 1).
//!
//! Counted from the model's files and the test set alone, so no system runs for it.

use std::collections::BTreeMap;

use dyno_formats::ModelDir;
use dyno_papers::reproduction::Coverage;
use dyno_papers::{Quantity, Table};
use serde_json::Value;

use crate::campaign::{Campaign, Entry, Launch};
use crate::exit::{OrBadInput, Outcome};

/// Setting of a translator for the greatest length of n-grams.
const NGRAMS: &str = "shortlist-ngrams";

/// Coverage of each system of `campaign` that has a shortlist, if `table` is about it.
pub fn coverage(table: &Table, campaign: &Campaign) -> Outcome<BTreeMap<String, Coverage>> {
    if !table.statements.iter().any(|said| said.of == Some(Quantity::Coverage)) {
        return Ok(BTreeMap::new());
    }
    let Some(set) = campaign.test_sets.first() else { return Ok(BTreeMap::new()) };
    let Some(references) = set.references.first() else { return Ok(BTreeMap::new()) };
    let mut found = BTreeMap::new();
    for system in &campaign.systems {
        let mut pairs = set.source.iter().map(Vec::as_slice).zip(references.iter().map(String::as_str));
        if let Some(coverage) = of_system(system, &mut pairs)? {
            found.insert(system.name.clone(), coverage);
        }
    }
    Ok(found)
}

/// Coverage by the list that a built-in system translates with; `None` for other systems, and without a list.
fn of_system(system: &Entry, pairs: &mut dyn Iterator<Item = (&[u8], &str)>) -> Outcome<Option<Coverage>> {
    let (Launch::BuiltIn { settings, .. }, [model]) = (&system.launch, &system.models[..]) else {
        return Ok(None);
    };
    if settings.get("shortlist").is_some_and(|value| *value == false) {
        return Ok(None);
    }
    let longest = settings.get(NGRAMS).and_then(Value::as_u64).unwrap_or(u64::MAX);
    let longest = usize::try_from(longest).unwrap_or(usize::MAX);
    let counted = dyno_host::coverage(&ModelDir::open(model).or_bad_input()?, longest, pairs);
    let counted = counted.or_bad_input()?;
    Ok(counted.map(|dyno_host::Coverage { words, offered, candidates }| Coverage {
        words,
        offered,
        candidates,
    }))
}
