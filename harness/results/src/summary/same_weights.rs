//! Systems of different engines on one model. Their texts should be the same; what differs is the search, the
//! arithmetic or a fault. A difference in quality between them says nothing of the model.

use std::path::PathBuf;

use dyno_record::Verdict;
use dyno_record::identity::{RunSystem, Search};
use dyno_stats::numbers::counted;
use itertools::Itertools;

use super::cell::{CellSummary, Remark};
use crate::run::Run;

/// Groups of systems on one model and of at least two engines, on each test set.
pub(super) fn same_weights(run: &Run, cells: &[CellSummary]) -> Vec<Remark> {
    let systems = &run.identity.systems;
    let models = systems.iter().map(|system| &system.models).filter(|models| !models.is_empty()).unique();
    let group = |models: &Vec<PathBuf>| -> Vec<&RunSystem> {
        systems.iter().filter(|system| system.models == *models && system.twin_of.is_none()).collect()
    };
    let engines =
        |group: &Vec<&RunSystem>| group.iter().map(|system| system.launch.engine()).unique().count();
    let groups = models.map(group).filter(|group| engines(group) > 1);
    let on_each = |group: Vec<&RunSystem>| -> Vec<Remark> {
        run.test_sets.iter().filter_map(|set| on_set(run, cells, &group, &set.name)).collect()
    };
    groups.flat_map(on_each).collect()
}

/// The finding on one test set: "same weights: a, b; int8 / f32; limits 512 / 128; 15 of 80 lines differ". `None` if
/// fewer than two of the systems have a text there.
fn on_set(run: &Run, cells: &[CellSummary], group: &[&RunSystem], test_set: &str) -> Option<Remark> {
    let text = |name: &str| {
        let own = |row: &&CellSummary| {
            row.system == name && row.test_set == test_set && row.verdict != Verdict::Invalid
        };
        let output = cells.iter().filter(own).find_map(|row| row.output.as_ref())?;
        run.outputs.get(output)
    };
    let told: Vec<(&RunSystem, &Vec<String>)> =
        group.iter().filter_map(|system| Some((*system, text(&system.name)?))).collect();
    let [(_, first), _, ..] = told[..] else { return None };
    let differs = |line: &usize| told.iter().any(|(_, text)| text.get(*line) != first.get(*line));
    let searches: Vec<Option<&Search>> = told.iter().map(|(system, _)| system.search.as_ref()).collect();
    let search = match differences(&searches) {
        facts if !facts.is_empty() => facts.join("; "),
        _ if searches.iter().any(Option::is_some) => "equal search".into(),
        _ => "unknown search".into(),
    };
    let systems = told.iter().map(|(system, _)| &system.name).join(", ");
    let (differing, lines) =
        ((0..first.len()).filter(differs).count(), counted(first.len(), "line", "lines"));
    let differ = if differing == 1 { "differs" } else { "differ" };
    let text = format!("same weights: {systems}; {search}; {differing} of {lines} {differ}");
    Some(Remark { test_set: test_set.into(), text })
}

/// Facts that differ between the searches, each with its values; `?` stands for an unknown one.
fn differences(searches: &[Option<&Search>]) -> Vec<String> {
    type Fact = fn(&Search) -> Option<String>;
    let facts: [(&str, Fact); 3] = [
        ("precision", |search| Some(search.precision.clone())),
        ("beam", |search| Some(search.beam.to_string())),
        ("limits", |search| search.limit.map(|limit| limit.to_string())),
    ];
    let values = |fact: Fact| -> Vec<String> {
        searches.iter().map(|search| search.and_then(fact).unwrap_or_else(|| "?".into())).collect()
    };
    let told = facts.into_iter().map(|(name, fact)| (name, values(fact)));
    let told = told.filter(|(_, values)| values.iter().any(|other| *other != values[0]));
    told.map(|(name, values)| format!("{name} {}", values.join(" / "))).collect()
}
