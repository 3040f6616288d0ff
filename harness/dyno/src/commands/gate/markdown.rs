//! The gate's answer in Markdown, for the summary of a job.

use std::io::Write;
use std::path::Path;

use dyno_api::files;
use dyno_report::{Field, Table, inline};
use dyno_results::compare::{Quality, WorseLine};

use super::answer::{Answer, FIGURES, HEADS};
use crate::exit::Outcome;

/// Adds `text` to the end of `file`, which is created if it is missing.
pub(super) fn add(text: &str, file: &Path) -> Outcome<()> {
    let added = files::open_or_create(file).and_then(|mut open| open.write_all(text.as_bytes()));
    added.map_err(|error| {
        bad_input!("can't write {}: {error}; name another file with --summary", file.display())
    })
}

/// The verdict, the table of speeds, then quality with its worst lines, limits and changes.
pub(super) fn of(answer: &Answer) -> String {
    let mut text = format!("### dyno gate: {}\n\n", inline(&answer.verdict()));
    if !answer.cells.is_empty() {
        text += &(speeds(answer).to_markdown() + "\n");
    }
    let remarks = (answer.invalid.iter().map(|invalid| invalid.about()))
        .chain(answer.quality.iter().flat_map(quality))
        .chain(answer.ceilings.iter().map(|ceiling| ceiling.about()))
        .chain(answer.changed_systems.iter().map(|changes| changes.about()));
    text.extend(remarks.map(|remark| format!("- {}\n", inline(&remark))));
    text.extend(answer.quality.iter().filter(|quality| !quality.worst_lines.is_empty()).map(worst_lines));
    text + "\n"
}

/// The comparison of a text, and the kinds that changed.
fn quality(quality: &Quality) -> impl Iterator<Item = String> {
    let kinds = quality.kinds.iter().map(|change| format!("{}: {}", quality.system, change.about()));
    [quality.about()].into_iter().chain(kinds)
}

fn speeds(answer: &Answer) -> Table {
    let mark = |column: usize| if FIGURES.contains(&column) { "#" } else { "" };
    let heads: Vec<String> =
        HEADS.iter().enumerate().map(|(column, head)| format!("{}{head}", mark(column))).collect();
    let mut table = Table::new("", &heads);
    for cell in &answer.cells {
        table.push("", cell.row().into_iter().map(Field::text));
    }
    table
}

/// The lines that got worse most, side by side.
fn worst_lines(quality: &Quality) -> String {
    let (scale, lines) = (&quality.scale, &quality.worst_lines);
    let is_scored = lines.iter().any(|line| line.difference.is_some());
    let title = if is_scored { "Lines that got worse most" } else { "Lines that differ" };
    let difference = format!("#{}", scale.title);
    let mut table = Table::new("", &["#line", "source", "baseline", "candidate", &difference]);
    let row = |line: &WorseLine| {
        let number = [line.line.to_string()].into_iter().chain(line.shown());
        number.chain([line.loss(scale).unwrap_or_else(|| "–".into())]).map(Field::text)
    };
    lines.iter().for_each(|line| table.push("", row(line)));
    let about = inline(&format!("{title}: {} on {}", quality.system, quality.test_set));
    format!("\n#### {about}\n\n{}", table.to_markdown())
}
