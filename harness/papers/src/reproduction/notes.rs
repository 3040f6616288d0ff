//! Texts around a reproduced table: title, source, findings and differences.

use serde::Serialize;

use super::claim::LINES;
use super::measured::Pair;
use super::rows::{Reproduction, Row};
use super::{map, time};
use dyno_report::Field;

/// Notes under a heading.
#[derive(Serialize)]
pub struct Notes {
    /// Heading of the notes.
    pub about: &'static str,
    /// Lines below the heading.
    pub lines: Vec<String>,
}

/// Paper, place and subject of the table.
pub fn title(reproduction: &Reproduction) -> String {
    let table = &reproduction.table;
    format!("{}, {}: {}", table.paper, table.place, table.about)
}

/// The paper, and the conditions of its figures and of ours.
pub fn source(reproduction: &Reproduction) -> String {
    format!("{}. {}", reproduction.table.title, conditions(reproduction)).trim_end().to_owned()
}

/// Conditions of the paper's figures, and of ours.
pub fn conditions(reproduction: &Reproduction) -> String {
    let table = &reproduction.table;
    let theirs = [&table.test_set, &table.hardware].into_iter().filter(|text| *text != "none");
    let theirs = theirs.cloned().collect::<Vec<_>>().join("; ");
    let said = [("There", theirs), ("Here", reproduction.conditions.join("; "))];
    let said = said.into_iter().filter(|(_, text)| !text.is_empty());
    said.map(|(whose, text)| format!("{whose}: {text}.")).collect::<Vec<_>>().join(" ")
}

/// Findings of the table, of its map and of its breakdowns, for forms without charts.
pub fn all_findings(reproduction: &Reproduction) -> Vec<String> {
    let titles = time::figures(reproduction).into_iter().map(|figure| figure.title);
    let drawn = map::finding(reproduction).into_iter().chain(titles).map(|finding| finding + ".");
    findings(reproduction).into_iter().chain(drawn).collect()
}

/// For each column the paper's greatest factor beside ours.
pub fn findings(reproduction: &Reproduction) -> Vec<String> {
    let finding = |at: usize| {
        let has_library = reproduction.table.baseline.is_some();
        let ours = |pair: &Pair| if has_library { pair.over_library } else { pair.factor };
        let pair = |row: &Row| Some((row.columns[at].paper_factor?, ours(&row.columns[at])?));
        let other_base = |row: &&Row| row.base.as_ref().is_some_and(|base| *base != row.name);
        let rows = reproduction.rows.iter().filter(other_base);
        let (row, (paper, here)) = rows
            .filter_map(|row| Some((row, pair(row)?)))
            .max_by(|(_, (a, _)), (_, (b, _))| a.total_cmp(b))?;
        let column = match &reproduction.table.columns[..] {
            [_] => String::new(),
            columns => format!(" ({})", columns[at].head),
        };
        let (name, base) = (&row.name, row.base.as_ref()?);
        let here = Field::factor(Some(here)).text;
        let only_faster = reproduction.table.point(name)?.factor == Some(1.0);
        let theirs = if only_faster { "faster than".into() } else { format!("{paper:.2} times as fast as") };
        Some(format!("“{name}” is {theirs} “{base}” in the paper, {here} times as fast here{column}."))
    };
    (0..reproduction.table.columns.len()).filter_map(finding).collect()
}

/// What the paper says and what differs here: to be read before any verdict.
pub fn caveats(reproduction: &Reproduction) -> Vec<Notes> {
    let table = &reproduction.table;
    let drawn = "With drawn weights: words as tokens, no BLEU; a translation is as long as its source.";
    let scope = (table.measures() && reproduction.drawn).then(|| drawn.to_owned());
    let rows = &reproduction.rows;
    let of_rows = rows.iter().filter_map(|row| Some(format!("{}: {}.", row.name, row.note.as_ref()?)));
    let few = rows.iter().filter_map(|row| row.lines).min().filter(|lines| *lines < LINES);
    let few = few.map(|lines| format!("{lines} lines of ours are too few for a quality."));
    let differences = scope.into_iter().chain(few).chain(table.differences.iter().cloned()).chain(of_rows);
    let repeats = table.repeats.iter().map(|id| format!("Its figures are claims of the table “{id}”."));
    let said = repeats.chain(table.claims.iter().cloned()).collect();
    groups([("The paper says", said), ("What differs here", differences.collect())])
}

/// Figures that ours lack.
pub fn missing(reproduction: &Reproduction) -> Vec<Notes> {
    let lines = reproduction.missing.iter().map(|missing| format!("{missing}.")).collect();
    groups([("Not measured here", lines)])
}

fn groups<const N: usize>(all: [(&'static str, Vec<String>); N]) -> Vec<Notes> {
    let said = all.into_iter().filter(|(_, lines)| !lines.is_empty());
    said.map(|(about, lines)| Notes { about, lines }).collect()
}
