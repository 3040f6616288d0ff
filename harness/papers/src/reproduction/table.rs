//! A reproduced table: the paper's figures and factors, ours, and ours over the paper's library and its stand-in.

use dyno_stats::numbers::plain;

use super::rows::{Reproduction, Row};
use crate::tables::{Table as Published, Unit};
use dyno_report::{Field, Rows, Table};

/// The table with all of the paper's columns.
pub fn whole(reproduction: &Reproduction) -> Table {
    table(reproduction, &(0..reproduction.table.columns.len()).collect::<Vec<_>>())
}

/// The table with some of the paper's columns. Empty columns are left out.
pub fn table(reproduction: &Reproduction, columns: &[usize]) -> Table {
    let paper = &reproduction.table;
    let caption = match &paper.base {
        Some(base) => format!("×: how many times as fast as “{base}”, unless a row has a base of its own"),
        None => paper.about.clone(),
    };
    let named = Table::of(caption, &reproduction.rows).column("system", |row| Field::text(&row.name));
    let rows = columns.iter().fold(named, |rows, &at| compared(rows, paper, at));
    let bleu = |value| Field::maybe(value, |bleu| format!("{bleu:.1}"));
    let table = rows
        .column("#same lines", |row| Field::maybe(row.same_lines, |share| format!("{:.1} %", share * 100.0)))
        .column("#coverage", |row| Field::maybe(row.coverage, |found| format!("{:.1} %", found.percent())))
        .column("#candidates", |row| Field::maybe(row.coverage, |found| format!("{:.0}", found.candidates)))
        .column("#paper BLEU", |row| bleu(row.paper_bleu))
        .column("#BLEU", |row| bleu(row.bleu))
        .table();
    let is_told = reproduction.rows.iter().any(|row| row.paper_bleu.is_some());
    table.without_empty_columns_but(if is_told { 2 } else { 0 }).aligned()
}

/// Adds the fields of a column: the paper's figure and factor, ours, ours for a whole instance, our factor, and
/// ours over the paper's library and over its stand-in.
fn compared<'a>(rows: Rows<&'a Row>, paper: &Published, at: usize) -> Rows<&'a Row> {
    let column = &paper.columns[at];
    let prefix = if paper.columns.len() > 1 { format!("{}: ", column.head) } else { String::new() };
    let unit = column.unit.name();
    let ours = if column.unit == Unit::Seconds { Unit::Words.name() } else { unit };
    let printed = |value: f64| if column.unit == Unit::Dollars { plain(value) } else { format!("{value}") };
    let two = |factor: f64| format!("{factor:.2}");
    rows.column(format!("#{prefix}paper {unit}"), |row| Field::maybe(row.columns[at].paper, printed))
        .column(format!("#{prefix}paper ×"), |row| Field::maybe(row.columns[at].paper_factor, two))
        .column(format!("#{prefix}here {ours}"), |row| Field::maybe(row.columns[at].ours, plain))
        .column(format!("#{prefix}here, whole instance"), |row| {
            Field::maybe(row.columns[at].ours_whole, plain)
        })
        .column(format!("#{prefix}here ×"), |row| Field::factor(row.columns[at].factor))
        .column(format!("#{prefix}× over the paper's library"), |row| {
            Field::factor(row.columns[at].over_library)
        })
        .column(format!("#{prefix}× over the gemm crate (no verdict)"), |row| {
            Field::factor(row.columns[at].over_stand_in)
        })
}
