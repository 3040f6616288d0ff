//! Grids of plain text: columns that fit into a width, figures aligned, long lines wrapped between words.

use std::io::IsTerminal;
use std::ops::Range;

use comfy_table::{CellAlignment, Table, presets};
use dyno_api::printable_line;
use dyno_stats::numbers;

/// Aligns a column of figures at the decimal points.
pub(super) fn align(rows: &mut [Vec<String>], column: usize) {
    let lacks = numbers::lacking_decimals(rows.iter().map(|row| row[column].as_str()));
    for (row, lacks) in rows.iter_mut().zip(lacks) {
        row[column].extend(std::iter::repeat_n(' ', lacks));
    }
}

/// Width of the output: that of the terminal, and unlimited for files and pipes.
pub fn width() -> usize {
    if std::io::stdout().is_terminal() { textwrap::termwidth() } else { usize::MAX }
}

/// `line`, wrapped between words at [`width`], with `indent` before all parts except the first.
pub fn wrapped(line: &str, indent: &str) -> String {
    broken(line, indent, width())
}

fn broken(line: &str, indent: &str, width: usize) -> String {
    let options = textwrap::Options::new(width).subsequent_indent(indent).break_words(false);
    let options = options.word_splitter(textwrap::WordSplitter::NoHyphenation);
    // textwrap computes widths as floats, which can't hold `usize::MAX` exactly.
    if width == usize::MAX { line.into() } else { textwrap::fill(line, options) }
}

/// Table without rules; `figures` are the columns that are aligned right.
pub fn grid(heads: &[&str], rows: Vec<Vec<String>>, figures: Range<usize>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(heads);
    table.add_rows(rows.iter().map(|row| row.iter().map(|cell| printable_line(cell))));
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if figures.contains(&i) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    // Trailing blanks would wrap a line that just fits.
    table.trim_fmt()
}

/// Grid that fits into [`width`]: it leaves out columns with the heads `dispensable`, first to last, as
/// needed.
pub fn fitted(heads: &[&str], rows: &[Vec<String>], figures: Range<usize>, dispensable: &[&str]) -> String {
    narrowed(heads, rows, figures, dispensable, width())
}

pub(super) fn narrowed(
    heads: &[&str],
    rows: &[Vec<String>],
    figures: Range<usize>,
    dispensable: &[&str],
    width: usize,
) -> String {
    let without = |count: usize| {
        let left_out = &dispensable[..count];
        let kept: Vec<usize> =
            (0..heads.len()).filter(|&column| !left_out.contains(&heads[column])).collect();
        let place = |column| kept.partition_point(|kept| *kept < column);
        let heads: Vec<&str> = kept.iter().map(|&column| heads[column]).collect();
        let rows = rows.iter().map(|row| kept.iter().map(|&column| row[column].clone()).collect());
        grid(&heads, rows.collect(), place(figures.start)..place(figures.end))
    };
    let fits = |grid: &String| grid.lines().all(|line| line.chars().count() <= width);
    let most = dispensable.len();
    (0..most).map(without).find(fits).unwrap_or_else(|| without(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_break_between_words_and_long_words_stay_whole() {
        assert_eq!(broken("a bc def ghij", "  ", 8), "a bc def\n  ghij");
        assert_eq!(broken("  - much-longer-than that", "    ", 20), "  - much-longer-than\n    that");
        assert_eq!(broken("much-longer-than that", "  ", 8), "much-longer-than\n  that");
        assert_eq!(broken("any width", "", usize::MAX), "any width");
    }

    #[test]
    fn a_narrow_table_leaves_out_dispensable_columns_first_to_last() {
        let (heads, row) = (["name", "unit", "speed", "time"], ["engine", "words", "123", "45"]);
        let rows = [row.map(str::to_owned).to_vec()];
        let heads_in = |width| {
            let table = narrowed(&heads, &rows, 2..4, &["unit", "time"], width);
            let mut lines = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
            (lines.next().unwrap(), lines.next().unwrap())
        };
        let two = |head: &str, row: &str| (head.to_owned(), row.to_owned());
        assert_eq!(heads_in(80), two("name unit speed time", "engine words 123 45"));
        assert_eq!(heads_in(22), two("name speed time", "engine 123 45"));
        assert_eq!(heads_in(16), two("name speed", "engine 123"));
        assert_eq!(heads_in(3), heads_in(16), "necessary columns stay");
        let right = narrowed(&heads, &rows, 2..4, &["unit", "time"], 16);
        assert!(right.ends_with("  123"), "figures still stand right: {right:?}");
    }
}
