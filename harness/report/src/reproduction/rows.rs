//! The rows of a paper's table with our figures in them, and what has no figure, with the reason.

use dyno_results::CellBreakdown;
use dyno_stats::Estimate;
use serde::Serialize;

use super::measured::Measured;
use crate::papers::{Point, Table, Unit};

/// What a system's name ends with that stands for another, multiplied by a library.
pub const LIBRARY: &str = " (library)";

/// A table of a paper with our figures in it.
#[derive(Debug, Serialize)]
pub struct Reproduction {
    /// The paper's side.
    pub table: Table,
    /// A row each point, and each library's beside its base.
    pub rows: Vec<Row>,
    /// What has no figure of ours, each with the reason.
    pub missing: Vec<String>,
    /// How and where ours were measured; empty if nothing was.
    pub conditions: Vec<String>,
    /// Whether our weights are drawn.
    pub drawn: bool,
}

/// A row.
#[derive(Debug, Serialize)]
pub struct Row {
    /// The point's name.
    pub name: String,
    /// For each column of the table.
    pub columns: Vec<Pair>,
    /// The built-in backend that stands for it here.
    pub backend: Option<String>,
    /// The row that its factors are over.
    pub base: Option<String>,
    /// Lines that are the same as the base's, as a share; where both have one model.
    pub same_lines: Option<f64>,
    /// BLEU as published.
    pub paper_bleu: Option<f64>,
    /// BLEU of ours, where the models are trained ones.
    pub bleu: Option<f64>,
    /// Where its time went, where the table is about that.
    pub time: Option<CellBreakdown>,
    /// What else is to be said of it.
    pub note: Option<String>,
}

/// What the paper says and what we found.
#[derive(Debug, Default, Serialize)]
pub struct Pair {
    /// As printed.
    pub paper: Option<f64>,
    /// How many times as fast as its base.
    pub paper_factor: Option<f64>,
    /// Ours, in the column's unit; words a second for times of a whole test set.
    pub ours: Option<f64>,
    /// How many times as fast as its base: median over rounds, and their least and most.
    pub factor: Option<Estimate>,
    /// How many times as fast as the base with a library's products.
    pub over_library: Option<Estimate>,
}

impl Reproduction {
    /// `table` with what was measured; without, it has the paper's side alone.
    pub fn of(table: &Table, measured: Measured<'_>) -> Self {
        let mut rows = Vec::new();
        for point in &table.points {
            rows.push(row(table, point, &measured));
            rows.extend(library_row(table, point, &measured));
        }
        Self {
            missing: missing(table, &measured),
            conditions: measured.conditions(),
            drawn: measured.contestants.is_some_and(|contestants| contestants.drawn),
            table: table.clone(),
            rows,
        }
    }
}

fn row(table: &Table, point: &Point, measured: &Measured<'_>) -> Row {
    let base = table.base_of(point);
    let pair = |at: usize| {
        let (column, value) = (&table.columns[at], point.values.get(at).copied());
        let base_value = base.and_then(|base| base.values.get(at).copied());
        let paper_factor = value.zip(base_value).and_then(|(value, base)| column.unit.speed_up(value, base));
        let shown = match column.unit {
            Unit::Dollars => table.words_per_dollar(point).map(|words| words / 1e6),
            _ => value,
        };
        let ours =
            point.missing.is_none().then(|| measured.pair(column, point.system(), base.map(Point::system)));
        Pair { paper: shown, paper_factor, ..ours.unwrap_or_default() }
    };
    let other_base = base.filter(|base| base.name != point.name && point.missing.is_none());
    Row {
        name: point.name.clone(),
        backend: measured.backend(point.system()),
        base: base.map(|base| base.name.clone()),
        columns: (0..table.columns.len()).map(pair).collect(),
        same_lines: other_base.and_then(|base| measured.same_lines(point.system(), base.system())),
        paper_bleu: point.bleu,
        bleu: measured.bleu(point.system()),
        time: measured.time(point.system()).filter(|_| table.splits).cloned(),
        note: point.note.clone(),
    }
}

/// The library's row, behind that of the base that it stands for.
fn library_row(table: &Table, point: &Point, measured: &Measured<'_>) -> Option<Row> {
    let system = format!("{}{LIBRARY}", point.system());
    let found = |column| measured.pair(column, &system, Some(point.system()));
    let columns: Vec<Pair> = table.columns.iter().map(found).collect();
    columns.iter().any(|pair| pair.ours.is_some()).then(|| Row {
        same_lines: measured.same_lines(&system, point.system()),
        backend: measured.backend(&system),
        base: Some(point.name.clone()),
        name: system,
        columns,
        paper_bleu: None,
        bleu: None,
        time: None,
        note: None,
    })
}

/// Rows without a figure of ours, and why.
fn missing(table: &Table, measured: &Measured<'_>) -> Vec<String> {
    let told = table.points.iter().filter_map(|point| Some((point.name.as_str(), point.missing.clone()?)));
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for (name, reason) in told.chain(table.points.iter().filter_map(|point| {
        point
            .missing
            .is_none()
            .then(|| Some((point.name.as_str(), measured.failure(point.system())?)))
            .flatten()
    })) {
        match groups.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(name),
            None => groups.push((reason, vec![name])),
        }
    }
    let lines = groups.into_iter().map(|(reason, names)| format!("{}: {reason}", names.join("; ")));
    // What isn't measured needs no plugin.
    lines.chain(measured.unbuilt().into_iter().filter(|_| table.measures())).collect()
}
