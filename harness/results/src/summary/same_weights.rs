//! Systems of different engines on one model. Their texts should be the same; what differs is the search, the arithmetic
//! or a fault. A difference in quality between them says nothing of the model.

use std::collections::BTreeSet;

use dyno_measure::Verdict;
use dyno_stats::numbers::counted;
use serde::Serialize;
use serde_json::Value;

use super::cell::CellSummary;
use crate::run::Run;

/// Facts of a search, in the order in which they are told.
const FACTS: [(&str, &str); 3] = [("precision", "precision"), ("beam", "beam"), ("limit", "limits")];

/// Systems of different engines on one model, on one test set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SameWeights {
    /// Name of the test set.
    pub test_set: String,
    /// Names of the systems.
    pub systems: Vec<String>,
    /// Facts of the search that differ, each with its values in the order of the systems; `?` is a program's own.
    pub differences: Vec<(String, Vec<String>)>,
    /// Whether the search of any of the systems is known.
    pub is_known: bool,
    /// Number of lines whose translations aren't the same in all systems.
    pub differing: usize,
    /// Number of lines of the test set.
    pub lines: usize,
}

impl SameWeights {
    /// The finding in a line: "same weights: a, b; int8 / f32; limits 512 / 128; 15 of 80 lines differ".
    pub fn about(&self) -> String {
        let fact = |(name, values): &(String, Vec<String>)| format!("{name} {}", values.join(" / "));
        let search = match (self.differences.is_empty(), self.is_known) {
            (true, true) => "equal search".into(),
            (true, false) => "unknown search".into(),
            (false, _) => self.differences.iter().map(fact).collect::<Vec<_>>().join("; "),
        };
        let lines = counted(self.lines, "line", "lines");
        let differ = if self.differing == 1 { "differs" } else { "differ" };
        let systems = self.systems.join(", ");
        format!("same weights: {systems}; {search}; {} of {lines} {differ}", self.differing)
    }
}

/// Groups of systems on one model and of at least two engines, on each test set.
pub(super) fn same_weights(run: &Run, cells: &[CellSummary]) -> Vec<SameWeights> {
    let systems: Vec<&Value> = run.identity.systems.as_array().into_iter().flatten().collect();
    let mut models: Vec<&Value> = Vec::new();
    for system in &systems {
        let named = &system["models"];
        if named.as_array().is_some_and(|named| !named.is_empty()) && !models.contains(&named) {
            models.push(named);
        }
    }
    let group = |model: &&Value| -> Vec<&Value> {
        systems.iter().copied().filter(|system| system["models"] == **model && !is_twin(system)).collect()
    };
    let groups: Vec<Vec<&Value>> = models.iter().map(group).filter(|group| engines(group) > 1).collect();
    let on_each = |group: &Vec<&Value>| -> Vec<SameWeights> {
        run.test_sets.iter().filter_map(|set| on_set(run, cells, group, &set.name)).collect()
    };
    groups.iter().flat_map(on_each).collect()
}

fn is_twin(system: &Value) -> bool {
    system["twin_of"].is_string()
}

/// Number of different engines.
fn engines(group: &[&Value]) -> usize {
    let engine = |system: &&Value| {
        let launch = &system["launch"];
        let named =
            [&launch["built-in"]["backend"], &launch["adapter"]["name"], &launch["plugin"]["library"]];
        let named = named.into_iter().find(|name| name.is_string()).unwrap_or(launch);
        named.to_string()
    };
    group.iter().map(engine).collect::<BTreeSet<_>>().len()
}

/// The finding on one test set; `None` if fewer than two of the systems have a text there.
fn on_set(run: &Run, cells: &[CellSummary], group: &[&Value], test_set: &str) -> Option<SameWeights> {
    let text = |name: &str| {
        let own = |row: &&CellSummary| {
            row.system == name && row.test_set == test_set && row.verdict != Verdict::Invalid
        };
        let output = cells.iter().filter(own).find_map(|row| row.output.as_ref())?;
        run.outputs.get(output)
    };
    let told = group.iter().filter_map(|system| {
        let name = system["name"].as_str()?;
        Some((name.to_owned(), &system["search"], text(name)?))
    });
    let told: Vec<(String, &Value, &Vec<String>)> = told.collect();
    let [(_, _, first), others @ ..] = &told[..] else { return None };
    if others.is_empty() {
        return None;
    }
    let differs = |line: &usize| others.iter().any(|(_, _, text)| text.get(*line) != first.get(*line));
    let value = |search: &Value, key: &str| match &search[key] {
        Value::Null => "?".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let differences = FACTS.iter().filter_map(|(key, name)| {
        let values: Vec<String> = told.iter().map(|(_, search, _)| value(search, key)).collect();
        values.iter().any(|other| *other != values[0]).then(|| ((*name).to_owned(), values))
    });
    Some(SameWeights {
        test_set: test_set.into(),
        differences: differences.collect(),
        is_known: told.iter().any(|(_, search, _)| search.is_object()),
        differing: (0..first.len()).filter(differs).count(),
        lines: first.len(),
        systems: told.iter().map(|(name, ..)| name.clone()).collect(),
    })
}
