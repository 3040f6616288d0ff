//! The reproduction of a paper's table as text for the terminal, in the terminal's width.
//!
//! Markdown, JSON and the page belong to `dyno_papers::reproduction`.

use dyno_papers::reproduction::{
    Notes, Reproduction, all_findings, caveats, missing, source, table, time_tables, title,
};
use dyno_report::Table;

use crate::table::{grid, width, wrapped};

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
    let grid = grid_of(&whole);
    if all.len() < 2 || fits(&grid) {
        return narrowed(whole);
    }
    all.iter().map(|column| narrowed(table(reproduction, &[*column]))).collect()
}

fn grid_of(table: &Table) -> String {
    let rows = table.rows.iter().map(|row| row.fields.iter().map(|field| field.text.clone()).collect());
    let heads: Vec<&str> = table.heads.iter().map(|head| head.text.as_str()).collect();
    grid(&heads, rows.collect(), 1..heads.len()) + "\n"
}

fn fits(grid: &str) -> bool {
    grid.lines().all(|line| line.chars().count() <= width())
}

/// Grid of `table`, without as many columns as needed, last to first. Columns of factors stay.
fn narrowed(mut table: Table) -> String {
    loop {
        let grid = grid_of(&table);
        let dispensable = (1..table.heads.len()).rev().find(|&i| !table.heads[i].text.contains('×'));
        match dispensable {
            Some(column) if !fits(&grid) => table = table.without(column),
            _ => return grid,
        }
    }
}
