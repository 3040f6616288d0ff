//! Figures of a cell against the limits of the rules on its texts: how much of the room under each limit is used. The
//! ratios of probes stand in records as words alone, so that no margin can be read from them.

use std::collections::BTreeSet;

use dyno_measure::judge::length::{
    Counted, compare_lengths, empty_answers, equal_to_references, runaway_answers,
};
use dyno_record::Code;
use dyno_record::rules::limits::{
    EMPTY_SHARE, LENGTH_TOLERANCE, MOST_DIFFERING, MOST_REFERENCES, RUNAWAY_SHARE,
};
use dyno_stats::most_by_chance;
use itertools::Itertools;

use crate::run::Run;
use crate::run::cells::MeasuredCell;
use crate::summary::cell::CellSummary;

/// A figure against the limit of its rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Margin {
    /// Code of the rule.
    pub code: Code,
    /// Share of the room that is used: 0 is far from the limit, 1 at it, more beyond.
    pub used: f64,
    /// Figure in words.
    pub figure: String,
    /// Limit in words.
    pub limit: String,
}

/// Margins of `cell`, the nearest to its limit first.
pub(super) fn of(run: &Run, cell: &MeasuredCell<'_>, row: &CellSummary) -> Vec<Margin> {
    let margins = of_text(run, cell, row).into_iter().chain(of_rounds(run, cell));
    margins.sorted_by(|a, b| b.used.total_cmp(&a.used)).collect()
}

/// Rules about the text that is scored. Vectors of encoders have none.
fn of_text(run: &Run, cell: &MeasuredCell<'_>, row: &CellSummary) -> Vec<Margin> {
    let text = row.output.as_ref().and_then(|output| run.outputs.get(output));
    let Some(answers) = text.filter(|_| !cell.test_set.references.is_empty()) else { return Vec::new() };
    let (set, lines) = (cell.test_set, &cell.test_set.source);
    let answers: Vec<Vec<u8>> = answers.iter().map(|answer| answer.clone().into_bytes()).collect();
    let factor = run.identity.protocol.limits.runaway_factor();
    let share = |code, counted: Counted, limit: f64, what: &str| Margin {
        code,
        used: counted.share() / limit,
        figure: format!("{} of {} answers {what}", counted.lines, counted.of),
        limit: format!("below {} %", limit * 100.0),
    };
    let references: Vec<Option<String>> = set.references[0].iter().cloned().map(Some).collect();
    let length = compare_lengths(&references, &answers).0.map(|ratio| Margin {
        code: Code::Length,
        used: (ratio - 1.0).abs() / LENGTH_TOLERANCE,
        figure: format!("the answers have {:.1} % of the references' characters", ratio * 100.0),
        limit: format!("100 ±{:.0} %", LENGTH_TOLERANCE * 100.0),
    });
    let equal = equal_to_references(set, &answers);
    let shares = [
        share(Code::Runaway, runaway_answers(lines, &answers, factor), RUNAWAY_SHARE, "are far too long"),
        share(Code::EqualsReferences, equal, MOST_REFERENCES, "to long lines equal a reference"),
    ];
    length.into_iter().chain([missing(empty_answers(lines, &answers))]).chain(shares).collect()
}

/// Empty answers, of which chance may add some to a small set.
fn missing(counted: Counted) -> Margin {
    let most = most_by_chance(counted.of, EMPTY_SHARE).floor();
    Margin {
        code: Code::EmptyOutput,
        used: counted.lines as f64 / most.max(1.0),
        figure: format!("{} of {} answers are empty", counted.lines, counted.of),
        limit: format!("at most {most}: {} %, and chance", EMPTY_SHARE * 100.0),
    }
}

/// Lines that differ between the first round's text and another round's, at most.
fn of_rounds(run: &Run, cell: &MeasuredCell<'_>) -> Option<Margin> {
    let outputs: BTreeSet<&String> =
        cell.valid().iter().filter_map(|record| record.output.as_ref()).collect();
    let texts: Vec<&Vec<String>> = outputs.into_iter().filter_map(|output| run.outputs.get(output)).collect();
    let (first, others) = texts.split_first()?;
    let differing = |text: &&Vec<String>| first.iter().zip(text.iter()).filter(|(a, b)| a != b).count();
    let counted = Counted { lines: others.iter().map(differing).max().unwrap_or(0), of: first.len() };
    Some(Margin {
        code: Code::Nondeterministic,
        used: counted.share() / MOST_DIFFERING,
        figure: format!("{} of {} answers differ between rounds", counted.lines, counted.of),
        limit: format!("at most {} %", MOST_DIFFERING * 100.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_is_part_of_the_room_for_empty_answers() {
        let used = |lines, of| missing(Counted { lines, of }).used;
        assert_eq!((used(0, 80), used(3, 80), used(5, 1000)), (0.0, 1.0, 5.0 / 19.0));
        assert_eq!(missing(Counted { lines: 1, of: 80 }).limit, "at most 3: 1 %, and chance");
    }
}
