//! The slowest lines of each system, with their text: what a tail is made of.

use super::context::SetContext;
use crate::tables::{Field, Table};
use dyno_measure::words;
use dyno_record::Track;
use dyno_results::CellSummary;
use dyno_stats::median;
use dyno_stats::numbers::plain;

/// Lines of each system: more would hide the systems.
const LINES: usize = 3;
/// Characters of a text that are shown.
const SHOWN: usize = 120;

/// The table; `None` without texts or latencies.
pub fn table(context: &SetContext<'_>) -> Option<Table> {
    let source = &context.set.texts.source;
    let lines = context.cells(Track::Latency).into_iter().flat_map(|cell| slowest(cell, source.len()));
    let table = Table::of("Slowest lines, by their median over the rounds", lines)
        .column("system", |(cell, ..)| Field::text(context.name(cell.place)))
        .column("#ms", |(cell, _, line)| Field::text(plain(cell.latency_ms[*line])))
        .column("#times its median", |(cell, middle, line)| {
            Field::text(plain(cell.latency_ms[*line] / middle))
        })
        .column("#line", |(.., line)| Field::text((line + 1).to_string()))
        .column("#words", |(.., line)| Field::text(words(&source[*line]).to_string()))
        .column("text", |(.., line)| Field::text(beginning(&String::from_utf8_lossy(&source[*line]))))
        .table();
    (!table.rows.is_empty()).then(|| table.aligned())
}

/// Indices of the slowest lines of a cell, among the first `lines`, each with the cell and its median.
fn slowest(cell: &CellSummary, lines: usize) -> Vec<(&CellSummary, f64, usize)> {
    let Some(middle) = median(&cell.latency_ms) else { return Vec::new() };
    let mut lines: Vec<usize> = (0..cell.latency_ms.len().min(lines)).collect();
    lines.sort_by(|&a, &b| cell.latency_ms[b].total_cmp(&cell.latency_ms[a]));
    lines.into_iter().take(LINES).map(|line| (cell, middle, line)).collect()
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
