//! The reproduction of a paper's table as text for the terminal, in the terminal's width.
//!
//! Markdown, JSON and the page belong to `dyno_papers::reproduction`.

use dyno_papers::reproduction::{
    Notes, Reproduction, all_findings, caveats, missing, source, table, time_tables, title,
};
use dyno_report::Table;

use crate::table::{fitted, grid, width, wrapped};

/// Text of a reproduction: title, caveats, findings and tables, and what is missing.
pub fn text(reproduction: &Reproduction) -> String {
    let line = |line: String| wrapped(&line, "") + "\n";
    let head: String = [title(reproduction), source(reproduction)].into_iter().map(line).collect();
    let findings: String = all_findings(reproduction).into_iter().map(line).collect();
    let times: Vec<Table> = time_tables(reproduction);
    let times = times.iter().map(|table| format!("\n{}\n{}", table.caption, grid_of(table)));
    let (before, after) = (lists(&caveats(reproduction)), lists(&missing(reproduction)));
    let tables = grids(reproduction) + &times.collect::<String>();
    format!("{head}{before}\n{findings}\n{tables}{after}")
}

fn lists(notes: &[Notes]) -> String {
    let list = |group: &Notes| {
        let lines = group.lines.iter().map(|line| wrapped(&format!("  - {line}"), "    ") + "\n");
        format!("\n{}\n{}", group.about, lines.collect::<String>())
    };
    notes.iter().map(list).collect()
}

/// The table. If the terminal is too narrow, there is one table for each column of the paper, without
/// dispensable columns.
fn grids(reproduction: &Reproduction) -> String {
    let all: Vec<usize> = (0..reproduction.table.columns.len()).collect();
    let whole = table(reproduction, &all);
    if whole.rows.is_empty() {
        return String::new();
    }
    let fits = grid_of(&whole).lines().all(|line| line.chars().count() <= width());
    if all.len() < 2 || fits {
        return narrowed(&whole);
    }
    all.iter().map(|column| narrowed(&table(reproduction, &[*column]))).collect()
}

fn grid_of(table: &Table) -> String {
    let (heads, rows) = texts(table);
    grid(&heads, rows, 1..heads.len()) + "\n"
}

/// Grid of `table`, without as many columns as needed, last to first. Columns of factors stay.
fn narrowed(table: &Table) -> String {
    let (heads, rows) = texts(table);
    let dispensable = heads[1..].iter().rev().copied().filter(|head| !head.contains('×'));
    fitted(&heads, &rows, 1..heads.len(), &dispensable.collect::<Vec<_>>()) + "\n"
}

/// Heads and rows of `table`.
fn texts(table: &Table) -> (Vec<&str>, Vec<Vec<String>>) {
    let rows = table.rows.iter().map(|row| row.fields.iter().map(|field| field.text.clone()).collect());
    (table.heads.iter().map(|head| head.text.as_str()).collect(), rows.collect())
}
