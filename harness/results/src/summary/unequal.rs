//! Settings in which the systems of a table are unequal. Search, precision and cores decide speed and text as
//! a model does; a comparison that doesn't name them would give their effect to the model.

use dyno_record::Verdict;
use itertools::Itertools;

use super::cell::{CellSummary, Remark, Unranked};

/// Names of systems that a sentence lists for each value: more would hide the values.
const NAMED: usize = 3;

type Setting = (&'static str, fn(&CellSummary) -> Option<String>);

const SETTINGS: [Setting; 4] = [
    ("precision", |row| row.precision.clone()),
    ("beam", |row| row.beam.map(|beam| beam.to_string())),
    ("limit of words", |row| row.most_words.map(|most| most.to_string())),
    ("number of cores", |row| row.track.has_several_cores().then(|| row.cores.to_string())),
];

/// Unequal settings on each test set: "unequal beam: 1 (nano, tiny), 4 (small-beam-4)". Twins, echoes and INVALID
/// cells are compared with no other.
pub(super) fn unequal(test_sets: &[&str], cells: &[CellSummary]) -> Vec<Remark> {
    let is_compared = |row: &&CellSummary| {
        row.verdict != Verdict::Invalid && !matches!(row.unranked, Some(Unranked::Twin | Unranked::Echo))
    };
    let told = |(value, systems): (String, Vec<String>)| {
        let more = systems.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{value} ({}{more})", systems.iter().take(NAMED).join(", "))
    };
    let on_set = |set: &str, (setting, of): Setting| {
        let rows = cells.iter().filter(is_compared).filter(|row| row.test_set == set);
        let known = rows.filter_map(|row| Some((of(row)?, row.system.clone()))).unique();
        let values = known.into_group_map();
        let is_unequal = values.len() > 1;
        let mut values =
            values.into_iter().sorted_by_key(|(value, _)| (value.len(), value.clone())).map(told);
        let text = format!("unequal {setting}: {}; speed and quality depend on it, too", values.join(", "));
        is_unequal.then(|| Remark { test_set: set.into(), text })
    };
    test_sets.iter().cartesian_product(SETTINGS).filter_map(|(set, setting)| on_set(set, setting)).collect()
}

#[cfg(test)]
mod tests {
    use dyno_record::Track;

    use super::*;

    fn row(system: &str, track: Track, precision: &str, beam: usize, cores: usize) -> CellSummary {
        let (precision, beam) = (Some(precision.into()), Some(beam));
        CellSummary {
            test_set: "set".into(),
            system: system.into(),
            track,
            precision,
            beam,
            cores,
            ..CellSummary::default()
        }
    }

    #[test]
    fn only_settings_that_differ_between_compared_systems_are_told() {
        let mut rows = vec![
            row("a", Track::Latency, "int8", 1, 1),
            row("a", Track::ThroughputAll, "int8", 1, 2),
            row("b", Track::Latency, "int8", 4, 1),
            row("c", Track::ThroughputAll, "int8", 1, 2),
        ];
        let told = |rows: &[CellSummary]| -> Vec<String> {
            unequal(&["set"], rows).into_iter().map(|remark| remark.text).collect()
        };
        assert_eq!(told(&rows), ["unequal beam: 1 (a, c), 4 (b); speed and quality depend on it, too"]);
        rows[3].cores = 4;
        rows[3].precision = Some("f32".into());
        let [precision, _, cores] = &told(&rows)[..] else { panic!("{:?}", told(&rows)) };
        assert_eq!(precision, "unequal precision: f32 (c), int8 (a, b); speed and quality depend on it, too");
        assert_eq!(cores, "unequal number of cores: 2 (a), 4 (c); speed and quality depend on it, too");
        rows[2].verdict = Verdict::Invalid;
        rows[3].unranked = Some(Unranked::Twin);
        assert!(told(&rows).is_empty());
    }
}
