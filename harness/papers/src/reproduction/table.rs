//! A reproduced table: the paper's figures and factors, ours, and ours over the paper's library and its stand-in.

use dyno_stats::numbers::plain;

use super::measured::Pair;
use super::rows::{Reproduction, Row};
use crate::tables::{Column, Unit};
use dyno_report::{Field, Table};

/// The table with all of the paper's columns.
pub fn whole(reproduction: &Reproduction) -> Table {
    table(reproduction, &(0..reproduction.table.columns.len()).collect::<Vec<_>>())
}

/// The table with some of the paper's columns. Empty columns are left out.
pub fn table(reproduction: &Reproduction, columns: &[usize]) -> Table {
    let paper = &reproduction.table;
    let is_told = reproduction.rows.iter().any(|row| row.paper_bleu.is_some());
    let has_bleu = is_told || reproduction.rows.iter().any(|row| row.bleu.is_some());
    let mut heads = vec!["system".to_owned()];
    columns.iter().for_each(|&at| heads.extend(heads_of(&paper.columns[at], paper.columns.len() > 1)));
    heads.extend(["#same lines", "#coverage", "#candidates"].map(String::from));
    if has_bleu {
        heads.extend(["#paper BLEU", "#BLEU"].map(String::from));
    }
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let caption = match &paper.base {
        Some(base) => format!("×: how many times as fast as “{base}”, unless a row has a base of its own"),
        None => paper.about.clone(),
    };
    let mut table = Table::new(caption, &heads);
    for row in &reproduction.rows {
        table.push("", fields(row, paper, columns, has_bleu));
    }
    let kept = if is_told { 2 } else { 0 };
    table.without_empty_columns_but(kept).aligned()
}

/// Heads of a column's fields: the paper's figure and factor, ours, ours for a whole instance, our factor, and
/// ours over the paper's library and over its stand-in.
fn heads_of(column: &Column, several: bool) -> [String; 7] {
    let prefix = if several { format!("{}: ", column.head) } else { String::new() };
    let ours = match column.unit {
        Unit::Seconds => Unit::Words.name(),
        unit => unit.name(),
    };
    [
        format!("#{prefix}paper {}", column.unit.name()),
        format!("#{prefix}paper ×"),
        format!("#{prefix}here {ours}"),
        format!("#{prefix}here, whole instance"),
        format!("#{prefix}here ×"),
        format!("#{prefix}× over the paper's library"),
        format!("#{prefix}× over the gemm crate (no verdict)"),
    ]
}

fn fields(row: &Row, paper: &crate::tables::Table, columns: &[usize], has_bleu: bool) -> Vec<Field> {
    let mut fields = vec![Field::text(&row.name)];
    columns.iter().for_each(|&at| fields.extend(fields_of(&row.columns[at], &paper.columns[at])));
    let (offered, candidates) =
        (row.coverage.map(|found| found.percent()), row.coverage.map(|c| c.candidates));
    fields.push(Field::maybe(row.same_lines, |share| format!("{:.1} %", share * 100.0)));
    fields.push(Field::maybe(offered, |share| format!("{share:.1} %")));
    fields.push(Field::maybe(candidates, |count| format!("{count:.0}")));
    if has_bleu {
        let bleu = |value| Field::maybe(value, |bleu| format!("{bleu:.1}"));
        fields.extend([bleu(row.paper_bleu), bleu(row.bleu)]);
    }
    fields
}

fn fields_of(pair: &Pair, column: &Column) -> [Field; 7] {
    let printed = |value: f64| match column.unit {
        Unit::Dollars => plain(value),
        _ => format!("{value}"),
    };
    [
        Field::maybe(pair.paper, printed),
        Field::maybe(pair.paper_factor, |factor| format!("{factor:.2}")),
        Field::maybe(pair.ours, plain),
        Field::maybe(pair.ours_whole, plain),
        Field::factor(pair.factor),
        Field::factor(pair.over_library),
        Field::factor(pair.over_stand_in),
    ]
}
