//! The slowest lines of each system, with their text: what a tail is made of.

use super::context::SetContext;
use crate::tables::{Field, Table};
use dyno_measure::{Track, words};
use dyno_results::CellSummary;
use dyno_stats::median;
use dyno_stats::numbers::plain;

/// Lines of each system: more would hide the systems.
const LINES: usize = 3;
/// Characters of a text that are shown.
const SHOWN: usize = 120;

/// The table; `None` without texts or latencies.
pub fn table(context: &SetContext<'_>) -> Option<Table> {
    let heads = ["system", "#ms", "#times its median", "#line", "#words", "text"];
    let mut table = Table::new("Slowest lines, by their median over the rounds", &heads);
    for cell in context.cells(Track::Latency) {
        slowest(context, cell).into_iter().for_each(|row| table.push("", row));
    }
    (!table.rows.is_empty()).then(|| table.aligned())
}

fn slowest(context: &SetContext<'_>, cell: &CellSummary) -> Vec<Vec<Field>> {
    let Some(middle) = median(&cell.latency_ms) else { return Vec::new() };
    let mut lines: Vec<usize> = (0..cell.latency_ms.len().min(context.set.texts.source.len())).collect();
    lines.sort_by(|&a, &b| cell.latency_ms[b].total_cmp(&cell.latency_ms[a]));
    let row = |line: usize| {
        let (ms, text) = (cell.latency_ms[line], &context.set.texts.source[line]);
        vec![
            Field::text(context.name(cell.place)),
            Field::text(plain(ms)),
            Field::text(plain(ms / middle)),
            Field::text((line + 1).to_string()),
            Field::text(words(text).to_string()),
            Field::text(beginning(&String::from_utf8_lossy(text))),
        ]
    };
    lines.into_iter().take(LINES).map(row).collect()
}

/// Beginning of a long text.
pub fn beginning(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} …", text[..end].trim_end()),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_at_a_character() {
        assert_eq!(beginning("short"), "short");
        let cut = beginning(&"ä".repeat(SHOWN + 1));
        assert_eq!(cut.chars().filter(|&letter| letter == 'ä').count(), SHOWN);
        assert!(cut.ends_with(" …"));
    }
}
