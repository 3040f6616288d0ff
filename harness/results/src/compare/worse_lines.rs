//! Lines of a text that got worse: source, both answers and the loss, side by side.

use dyno_measure::TestSet;
use serde::Serialize;

use crate::scores::Scale;

/// Most lines that are shown: enough to see a pattern, and few enough to read.
const MOST_LINES: usize = 5;
/// Most characters of a line that are shown, about two lines of a terminal.
const MOST_CHARACTERS: usize = 160;

/// A line whose answer got worse. Without scores of lines, a line whose answer differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorseLine {
    /// Number of the line in the test set, from 1.
    pub line: usize,
    /// Source line.
    pub source: String,
    /// Answer of the baseline.
    pub baseline: String,
    /// Answer of the candidate.
    pub candidate: String,
    /// Score of the candidate's answer minus that of the baseline's, by the metric of the comparison.
    pub difference: Option<f64>,
}

impl WorseLine {
    /// Source, baseline's and candidate's answer, as they are shown: long ones are cut off.
    pub fn shown(&self) -> [String; 3] {
        [&self.source, &self.baseline, &self.candidate].map(|text| shortened(text))
    }

    /// The difference with the digits of the metric.
    pub fn loss(&self, scale: &Scale) -> Option<String> {
        self.difference.map(|difference| format!("{difference:+.*}", scale.decimals()))
    }
}

/// The worst lines: those with the greatest loss, first the greatest. `scores` are those of the lines of both
/// texts. Without them, the first lines that differ.
pub(super) fn worst_lines(
    set: &TestSet,
    (ours, theirs): (&[String], &[String]),
    scores: Option<(&[f64], &[f64])>,
    scale: &Scale,
) -> Vec<WorseLine> {
    if ours.len() != theirs.len() || ours.len() != set.source.len() || !set.gold.is_empty() {
        return Vec::new(); // answers to pairs are vectors, which say nothing to a reader
    }
    let difference = |i: usize| scores.map(|(ours, theirs)| ours[i] - theirs[i]);
    let differing = (0..ours.len()).filter(|&i| ours[i] != theirs[i]);
    let mut worse: Vec<(usize, Option<f64>)> = differing
        .map(|i| (i, difference(i)))
        .filter(|(_, difference)| difference.is_none_or(|difference| scale.gain(difference) < 0.0))
        .collect();
    let gain = |difference: Option<f64>| scale.gain(difference.unwrap_or(0.0));
    worse.sort_by(|(_, a), (_, b)| gain(*a).total_cmp(&gain(*b)));
    worse.truncate(MOST_LINES);
    let line = |(i, difference): (usize, Option<f64>)| WorseLine {
        line: i + 1,
        source: String::from_utf8_lossy(&set.source[i]).into_owned(),
        baseline: theirs[i].clone(),
        candidate: ours[i].clone(),
        difference,
    };
    worse.into_iter().map(line).collect()
}

/// The lines as text, below a title; empty without lines.
pub(super) fn about(lines: &[WorseLine], scale: &Scale) -> String {
    let Some(first) = lines.first() else { return String::new() };
    let title = match first.difference {
        Some(_) => format!("  lines that got worse most, by {}:\n", scale.title),
        None => "  lines that differ:\n".to_owned(),
    };
    let about = |line: &WorseLine| {
        let loss = line.loss(scale).map_or_else(String::new, |loss| format!(": {loss}"));
        let [source, baseline, candidate] = line.shown();
        let head = format!("  line {}{loss}\n    source     {source}\n", line.line);
        head + &format!("    baseline   {baseline}\n    candidate  {candidate}\n")
    };
    title + &lines.iter().map(about).collect::<String>()
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scores::Standard;

    fn texts(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|&line| line.into()).collect()
    }

    #[test]
    fn the_greatest_losses_come_first_and_gains_are_left_out() {
        let set = TestSet::from_lines("set", ["a", "b", "c", "d"]);
        let (ours, theirs) = (texts(&["A", "x", "C!", "y"]), texts(&["A", "B", "C", "D"]));
        let scores = (&[9.0, 3.0, 9.0, 1.0][..], &[9.0, 8.0, 8.0, 8.0][..]);
        let found = |scale: &Scale| worst_lines(&set, (&ours, &theirs), Some(scores), scale);
        let lines = |of: Standard| found(&of.scale()).iter().map(|line| line.line).collect::<Vec<_>>();
        assert_eq!(lines(Standard::Chrf), [4, 2]);
        assert_eq!(lines(Standard::Ter), [3], "more edits are worse");
        let text = about(&found(&Standard::Chrf.scale()), &Standard::Chrf.scale());
        let expected = "  lines that got worse most, by chrF:\n  line 4: -7.0\n    source     d\n    \
                        baseline   D\n    candidate  y\n";
        assert!(text.starts_with(expected), "{text}");
    }

    #[test]
    fn without_scores_the_first_lines_that_differ_are_shown() {
        let set = TestSet::from_lines("set", (0..20).map(|i| format!("{i}")).collect::<Vec<_>>());
        let (ours, theirs) = (vec!["ä".repeat(500); 20], vec!["B".to_owned(); 20]);
        let found = worst_lines(&set, (&ours, &theirs), None, &Scale::unknown("m"));
        assert_eq!(found.iter().map(|line| line.line).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
        assert_eq!(found[0].shown()[2].chars().count(), MOST_CHARACTERS + 1, "long lines are cut off");
        assert!(about(&found, &Scale::unknown("m")).starts_with("  lines that differ:\n  line 1\n"));
        assert!(worst_lines(&set, (&ours, &theirs[1..]), None, &Scale::unknown("m")).is_empty());
    }
}
