//! A reproduction for people: one table, as text, as Markdown, and as a section of a page.

use anyhow::Context;
use serde::Serialize;

use super::{Pair, Reproduction, Row};
use crate::numbers::{Estimate, plain};
use crate::papers::{Column, Unit};
use crate::report::{self, Field, Table};
use crate::table::grid;

const TEMPLATE: &str = include_str!("../../../templates/reproduce.html");

/// As a terminal has it.
pub fn text(reproduction: &Reproduction) -> String {
    let table = table(reproduction);
    let rows = table.rows.iter().map(|row| row.fields.iter().map(|field| field.text.clone()).collect());
    let heads: Vec<&str> = table.heads.iter().map(|head| head.text.as_str()).collect();
    let figures = 1..heads.len();
    let grid =
        if table.rows.is_empty() { String::new() } else { grid(&heads, rows.collect(), figures) + "\n" };
    let notes = notes(reproduction).into_iter().map(|note| format!("  {note}\n"));
    format!("{}\n{}\n\n{grid}{}", title(reproduction), source(reproduction), notes.collect::<String>())
}

/// As GitHub's Markdown.
pub fn markdown(reproduction: &Reproduction) -> String {
    let table = table(reproduction);
    let grid = if table.rows.is_empty() { String::new() } else { table.to_markdown() + "\n" };
    let notes = notes(reproduction).into_iter().map(|note| format!("- {}\n", report::inline(&note)));
    let (title, source) = (report::inline(&title(reproduction)), report::inline(&source(reproduction)));
    format!("### {title}\n\n{source}\n\n{grid}{}", notes.collect::<String>())
}

#[derive(Serialize)]
struct Section {
    id: String,
    title: String,
    source: String,
    table: Table,
    notes: Vec<String>,
}

/// All of them on one offline page.
pub fn page(reproductions: &[Reproduction]) -> anyhow::Result<String> {
    let section = |reproduction: &Reproduction| Section {
        id: reproduction.table.id.clone(),
        title: title(reproduction),
        source: source(reproduction),
        table: table(reproduction),
        notes: notes(reproduction),
    };
    let sections: Vec<Section> = reproductions.iter().map(section).collect();
    report::document("reproduce.html", TEMPLATE, &serde_json::json!({ "sections": sections }))
        .context("the page of tables")
}

fn title(reproduction: &Reproduction) -> String {
    let table = &reproduction.table;
    format!("{}, {}: {}", table.paper, table.place, table.about)
}

fn source(reproduction: &Reproduction) -> String {
    let table = &reproduction.table;
    let conditions = [&table.test_set, &table.hardware].into_iter().filter(|text| *text != "none");
    let theirs = conditions.cloned().collect::<Vec<_>>().join("; ");
    let ours = match &reproduction.conditions[..] {
        [] => String::new(),
        conditions => format!(" Here: {}.", conditions.join("; ")),
    };
    let theirs = if theirs.is_empty() { String::new() } else { format!(" There: {theirs}.") };
    format!("{}.{theirs}{ours}", table.title)
}

/// Claims, differences, and what is missing.
fn notes(reproduction: &Reproduction) -> Vec<String> {
    let table = &reproduction.table;
    let drawn = "Speeds are of models with drawn weights at the paper's dimensions, whole words as tokens, and \
                 translations as long as their sources; BLEU of such models means nothing and isn't printed.";
    let claims = table.claims.iter().cloned();
    let of_rows =
        reproduction.rows.iter().filter_map(|row| Some(format!("{}: {}.", row.name, row.note.as_ref()?)));
    let missing = reproduction.missing.iter().map(|missing| format!("Not measured: {missing}."));
    let scope =
        table.measures().then(|| drawn.to_owned()).into_iter().chain(table.differences.iter().cloned());
    claims.chain(scope).chain(of_rows).chain(missing).collect()
}

/// The rows, with the columns that have something to say.
fn table(reproduction: &Reproduction) -> Table {
    let paper = &reproduction.table;
    let has_bleu = reproduction.rows.iter().any(|row| row.paper_bleu.is_some());
    let mut heads = vec!["system".to_owned()];
    paper.columns.iter().for_each(|column| heads.extend(heads_of(column, paper.columns.len() > 1)));
    heads.push("#same lines".into());
    if has_bleu {
        heads.extend(["#paper BLEU", "#BLEU"].map(String::from));
    }
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let mut table = Table::new(paper.about.clone(), &heads);
    for row in &reproduction.rows {
        table.push("", fields(row, paper, has_bleu));
    }
    let kept = if has_bleu { 2 } else { 0 };
    table.without_empty_columns_but(kept).aligned()
}

/// The paper's figure and factor, ours, and ours over a library.
fn heads_of(column: &Column, several: bool) -> [String; 5] {
    let prefix = if several { format!("{}: ", column.head) } else { String::new() };
    let ours = match column.unit {
        Unit::Seconds => Unit::Words.name(),
        unit => unit.name(),
    };
    [
        format!("#{prefix}paper {}", column.unit.name()),
        format!("#{prefix}paper ×"),
        format!("#{prefix}here {ours}"),
        format!("#{prefix}here ×"),
        format!("#{prefix}× over library"),
    ]
}

fn fields(row: &Row, paper: &crate::papers::Table, has_bleu: bool) -> Vec<Field> {
    let mut fields = vec![Field::text(&row.name)];
    for (pair, column) in row.columns.iter().zip(&paper.columns) {
        fields.extend(fields_of(pair, column));
    }
    fields.push(Field::maybe(row.same_lines, |share| format!("{:.1} %", share * 100.0)));
    if has_bleu {
        let bleu = |value| Field::maybe(value, |bleu| format!("{bleu:.1}"));
        fields.extend([bleu(row.paper_bleu), bleu(row.bleu)]);
    }
    fields
}

fn fields_of(pair: &Pair, column: &Column) -> [Field; 5] {
    let printed = |value: f64| match column.unit {
        Unit::Dollars => plain(value),
        _ => format!("{value}"),
    };
    [
        Field::maybe(pair.paper, printed),
        Field::maybe(pair.paper_factor, |factor| format!("{factor:.2}")),
        Field::maybe(pair.ours, plain),
        estimate(pair.factor),
        estimate(pair.over_library),
    ]
}

/// A factor with the least and the most of its rounds, where they differ in what is printed.
fn estimate(factor: Option<Estimate>) -> Field {
    let text = |of: Estimate| {
        let [value, low, high] = [of.value, of.low, of.high].map(|value| format!("{value:.2}"));
        if low == high { value } else { format!("{value} ({low}–{high})") }
    };
    factor.map_or_else(Field::none, |factor| Field::figure(text(factor), factor.value))
}
