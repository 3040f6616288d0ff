//! A reproduction for people: one table, as text, as Markdown, and as a section of a page.

use anyhow::Context;
use serde::Serialize;

use super::{Pair, Reproduction, Row, chart, map, time};
use crate::numbers::plain;
use crate::papers::{Column, Unit};
use crate::report::charts::Figure;
use crate::report::{self, Field, Table};
use crate::table::{grid, width, wrapped};

const TEMPLATE: &str = include_str!("../../../templates/reproduce.html");

/// Its figures, if the paper has some.
fn drawn(reproduction: &Reproduction) -> Vec<Figure> {
    let one = chart::figure(reproduction).or_else(|| map::figure(reproduction));
    one.into_iter().chain(time::figures(reproduction)).collect()
}

/// The figures as SVG files that stand alone, with their names: on a light ground and on a dark one.
pub fn figures(reproductions: &[Reproduction]) -> Vec<(String, String)> {
    let files = |figure: Figure| {
        [(format!("{}.svg", figure.id), figure.paper), (format!("{}-dark.svg", figure.id), figure.paper_dark)]
    };
    reproductions.iter().flat_map(drawn).flat_map(files).collect()
}

/// As a terminal has it.
pub fn text(reproduction: &Reproduction) -> String {
    let said = [title(reproduction), source(reproduction)].into_iter().chain(all_findings(reproduction));
    let said: String = said.map(|line| wrapped(&line, "") + "\n").collect();
    let notes = notes(reproduction).into_iter().map(|group| {
        let lines = group.lines.iter().map(|line| wrapped(&format!("  - {line}"), "    ") + "\n");
        format!("\n{}\n{}", group.about, lines.collect::<String>())
    });
    let times: Vec<Table> = time::tables(reproduction);
    let times = times.iter().map(|table| format!("\n{}\n{}", table.caption, grid_of(table)));
    format!("{said}\n{}{}{}", grids(reproduction), times.collect::<String>(), notes.collect::<String>())
}

/// The table; where a terminal is too narrow for it, one a column of the paper's, without what factors can do without.
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

/// Without as many columns as it takes, from the last; the factors stay.
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

/// As GitHub's Markdown.
pub fn markdown(reproduction: &Reproduction) -> String {
    let table = whole(reproduction);
    let grid = if table.rows.is_empty() { String::new() } else { table.to_markdown() + "\n" };
    let said = [source(reproduction)].into_iter().chain(all_findings(reproduction));
    let said: String = said.map(|line| report::inline(&line) + "\n\n").collect();
    let notes = notes(reproduction).into_iter().map(|group| {
        let lines = group.lines.iter().map(|line| format!("- {}\n", report::inline(line)));
        format!("**{}**\n\n{}\n", group.about, lines.collect::<String>())
    });
    let times: Vec<Table> = time::tables(reproduction);
    let times = times.iter().map(|table| format!("{}\n\n{}\n", table.caption, table.to_markdown()));
    let title = report::inline(&title(reproduction));
    format!("### {title}\n\n{said}{grid}{}{}", times.collect::<String>(), notes.collect::<String>())
}

#[derive(Serialize)]
struct Section {
    id: String,
    title: String,
    source: String,
    findings: Vec<String>,
    figures: Vec<Figure>,
    table: Table,
    notes: Vec<Notes>,
}

/// What else is to be said, under a heading.
#[derive(Serialize)]
struct Notes {
    about: &'static str,
    lines: Vec<String>,
}

/// All of them on one offline page.
pub fn page(reproductions: &[Reproduction]) -> anyhow::Result<String> {
    let section = |reproduction: &Reproduction| Section {
        id: reproduction.table.id.clone(),
        title: title(reproduction),
        source: source(reproduction),
        findings: findings(reproduction),
        figures: drawn(reproduction),
        table: whole(reproduction),
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

/// With what the titles of maps and bars say, where these are not drawn.
fn all_findings(reproduction: &Reproduction) -> Vec<String> {
    let titles = time::figures(reproduction).into_iter().map(|figure| figure.title);
    let drawn = map::finding(reproduction).into_iter().chain(titles).map(|finding| finding + ".");
    findings(reproduction).into_iter().chain(drawn).collect()
}

/// For each column what the paper's greatest factor has become here.
fn findings(reproduction: &Reproduction) -> Vec<String> {
    let finding = |at: usize| {
        let pair = |row: &Row| Some((row.columns[at].paper_factor?, row.columns[at].factor?));
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
        Some(format!(
            "“{name}” is {paper:.2} times as fast as “{base}” in the paper, {here} times here{column}."
        ))
    };
    (0..reproduction.table.columns.len()).filter_map(finding).collect()
}

/// Claims, differences, and what is missing.
fn notes(reproduction: &Reproduction) -> Vec<Notes> {
    let table = &reproduction.table;
    let drawn = "Speeds are of models with drawn weights at the paper's dimensions, whole words as tokens, and \
                 translations as long as their sources; BLEU of such models means nothing and isn't printed.";
    let of_rows =
        reproduction.rows.iter().filter_map(|row| Some(format!("{}: {}.", row.name, row.note.as_ref()?)));
    let scope = (table.measures() && reproduction.drawn).then(|| drawn.to_owned());
    let groups = [
        ("The paper says", table.claims.clone()),
        (
            "What differs here",
            scope.into_iter().chain(table.differences.iter().cloned()).chain(of_rows).collect(),
        ),
        ("Not measured here", reproduction.missing.iter().map(|missing| format!("{missing}.")).collect()),
    ];
    let said = groups.into_iter().filter(|(_, lines)| !lines.is_empty());
    said.map(|(about, lines)| Notes { about, lines }).collect()
}

fn whole(reproduction: &Reproduction) -> Table {
    table(reproduction, &(0..reproduction.table.columns.len()).collect::<Vec<_>>())
}

/// The rows in those of the paper's columns, with the columns that have something to say.
fn table(reproduction: &Reproduction, columns: &[usize]) -> Table {
    let paper = &reproduction.table;
    let has_bleu = reproduction.rows.iter().any(|row| row.paper_bleu.is_some());
    let mut heads = vec!["system".to_owned()];
    columns.iter().for_each(|&at| heads.extend(heads_of(&paper.columns[at], paper.columns.len() > 1)));
    heads.push("#same lines".into());
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

fn fields(row: &Row, paper: &crate::papers::Table, columns: &[usize], has_bleu: bool) -> Vec<Field> {
    let mut fields = vec![Field::text(&row.name)];
    columns.iter().for_each(|&at| fields.extend(fields_of(&row.columns[at], &paper.columns[at])));
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
        Field::factor(pair.factor),
        Field::factor(pair.over_library),
    ]
}
