//! The rows of a paper's table with our figures, and the missing figures with the reason.

use std::collections::BTreeMap;

use dyno_record::Profile;
use dyno_results::CellBreakdown;
use dyno_stats::{Estimate, grouped};
use serde::Serialize;

use super::measured::{Measured, Pair, STAND_IN};
use super::sources::Coverage;
use super::verdict::{Lacking, Verdict};
use crate::tables::{Point, Table, Unit};

/// Reason of figures whose campaign can't be read; the notes of the table have the error.
const UNREADABLE: &str = "its campaign can't be read on this host, as noted above";

/// A table of a paper with our figures in it.
#[derive(Debug, Serialize)]
pub struct Reproduction {
    /// Table of the paper.
    pub table: Table,
    /// One row for each point, with rows of the same system by libraries behind it.
    pub rows: Vec<Row>,
    /// Rows without a figure of ours, each with the reason.
    pub missing: Vec<String>,
    /// Reason why the table's campaign can't be read on this host.
    pub fault: Option<String>,
    /// Conditions of our measurement; empty if nothing was measured.
    pub conditions: Vec<String>,
    /// Whether our models have drawn weights.
    pub drawn: bool,
    /// Bytes of the program that runs built-in systems.
    pub program_bytes: Option<u64>,
    /// Number of cores of the measured host.
    pub cores: Option<usize>,
    /// Profile of the measured run.
    pub profile: Option<Profile>,
}

/// A row of a reproduction.
#[derive(Debug, Default, Serialize)]
pub struct Row {
    pub name: String,
    /// Figures for each column of the table.
    pub columns: Vec<Pair>,
    /// Built-in backend of the system that stands for the point.
    pub backend: Option<String>,
    /// Name of the row that factors compare with.
    pub base: Option<String>,
    /// Share of lines equal to the base's, where both have the same model.
    pub same_lines: Option<f64>,
    pub paper_bleu: Option<f64>,
    /// BLEU of our system, if its models are trained.
    pub bleu: Option<f64>,
    /// Number of lines of its test set.
    pub lines: Option<usize>,
    /// BLEU over that of the base, where both are trained.
    pub bleu_gain: Option<Estimate>,
    /// What the system counted of its work, by name.
    pub counts: BTreeMap<String, u64>,
    /// Words of the references that its shortlist offers.
    pub coverage: Option<Coverage>,
    /// Bytes of its program, its model and the files that it reads.
    pub image_bytes: Option<u64>,
    /// Breakdown of its time, where the table is about that.
    pub time: Option<CellBreakdown>,
    /// Cores that this host lacks for the row.
    pub lacking: Option<Lacking>,
    /// Reason why the row's system didn't run on this host.
    pub absent: Option<String>,
    pub note: Option<String>,
}

impl Reproduction {
    /// `table` with the `measured` figures; without them it has the paper's side alone.
    pub fn of(table: &Table, measured: Measured<'_>) -> Self {
        let mut rows: Vec<Row> = Vec::new();
        for point in &table.points {
            rows.push(row(table, point, &measured));
            let library = table.baseline.map(|library| library.system(point.system()));
            for system in library.into_iter().chain([format!("{}{STAND_IN}", point.system())]) {
                let beside = row_beside(table, point, system, &measured);
                // Points that one system stands for have one such row.
                rows.extend(beside.filter(|new| rows.iter().all(|row| row.name != new.name)));
            }
        }
        Self {
            missing: missing(table, &measured),
            fault: measured.fault.map(Into::into),
            conditions: measured.conditions(),
            drawn: measured.contestants.is_some_and(|contestants| contestants.drawn),
            program_bytes: measured.program_bytes,
            cores: measured.cores(),
            profile: measured.profile(),
            table: table.clone(),
            rows,
        }
    }

    /// The first row of that name.
    pub(super) fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// The verdict on a claim without a figure: what is missing for good, what is pending, or what measures it.
    pub(super) fn without_figure(&self, missing: Option<String>, pending: Option<&String>) -> Verdict {
        match (missing, pending) {
            (Some(missing), _) => Verdict::NotComparable(missing),
            (_, Some(pending)) => Verdict::NotMeasured(pending.clone()),
            _ if self.fault.is_some() => Verdict::NotMeasured(UNREADABLE.into()),
            _ if self.table.measures() || !self.table.products().is_empty() => {
                Verdict::NotMeasured(format!("`dyno reproduce {}` measures it", self.table.id))
            }
            _ => Verdict::NotMeasured("nothing here measures it so far".into()),
        }
    }
}

impl Row {
    /// Whether it has a figure of ours.
    pub(super) fn is_measured(&self) -> bool {
        self.columns.iter().any(|pair| pair.ours.is_some())
    }
}

fn row(table: &Table, point: &Point, measured: &Measured<'_>) -> Row {
    let (system, base) = (point.system(), table.base_of(point));
    let pair = |at: usize| {
        let (column, value) = (&table.columns[at], point.values.get(at).copied());
        let base_value = base.and_then(|base| base.values.get(at).copied());
        let from_values = value.zip(base_value).and_then(|(value, base)| column.unit.speed_up(value, base));
        let paper_factor = point.factor.filter(|_| at == 0).or(from_values);
        let shown = match column.unit {
            Unit::Dollars => table.words_per_dollar(point).map(|words| words / 1e6),
            _ => value,
        };
        let is_measured = point.is_measured() && measured.lacking(point.cores).is_none();
        let ours = |system: &str, base: Option<&str>| measured.pair(column, point, system, base);
        let over_library = base.zip(table.baseline).and_then(|(base, library)| {
            let base = library.system(base.system());
            let same = point.by_library.then(|| library.system(system));
            ours(same.as_deref().unwrap_or(system), Some(&base)).factor
        });
        let pair = is_measured.then(|| ours(system, base.map(Point::system)));
        let over_library = over_library.filter(|_| is_measured);
        Pair { paper: shown, paper_factor, over_library, ..pair.unwrap_or_default() }
    };
    let other_base = base.filter(|base| base.name != point.name && point.is_measured());
    Row {
        name: point.name.clone(),
        backend: measured.backend(system),
        base: base.map(|base| base.name.clone()),
        columns: (0..table.columns.len()).map(pair).collect(),
        same_lines: other_base.and_then(|base| measured.same_lines(system, base.system())),
        paper_bleu: point.bleu,
        bleu: measured.bleu(system).filter(|_| point.is_measured()),
        bleu_gain: other_base.and_then(|base| measured.bleu_gain(system, base.system())),
        lines: measured.lines(system),
        counts: measured.counts(system),
        coverage: measured.coverage(system),
        image_bytes: measured.image_bytes(system),
        time: measured.time(system, point.set.as_deref()).filter(|_| !table.splits.is_empty()).cloned(),
        lacking: measured.lacking(point.cores),
        absent: measured.absent(system),
        note: point.note.clone(),
    }
}

/// The row of a system with a library's products, or with its stand-in's, behind the point with ours, where the table
/// has times; a point that isn't measured has none, even if another point has the same system.
fn row_beside(table: &Table, point: &Point, system: String, measured: &Measured<'_>) -> Option<Row> {
    let has_a_point = table.points.iter().any(|point| point.system() == system);
    if has_a_point || !table.measures() || !point.is_measured() || measured.lacking(point.cores).is_some() {
        return None;
    }
    let found = |column| measured.pair(column, point, &system, Some(point.system()));
    let row = Row {
        same_lines: measured.same_lines(&system, point.system()),
        backend: measured.backend(&system),
        base: Some(point.name.clone()),
        columns: table.columns.iter().map(found).collect(),
        name: system,
        ..Row::default()
    };
    Some(row).filter(Row::is_measured)
}

/// Rows without a figure of ours, with the reason.
fn missing(table: &Table, measured: &Measured<'_>) -> Vec<String> {
    let reason = |point: &Point| point.missing.clone().or_else(|| point.pending.clone());
    let told = table.points.iter().filter_map(|point| Some((point.name.as_str(), reason(point)?)));
    let to_measure = table.points.iter().filter(|point| point.is_measured());
    let told = told.chain(to_measure.filter_map(|point| {
        let lacking = measured.lacking(point.cores).map(|lacking| lacking.to_string());
        let absent = lacking.or_else(|| measured.absent(point.system()));
        Some((point.name.as_str(), absent.or_else(|| measured.failure(point.system()))?))
    }));
    // A table that needs no run needs no plugin either.
    let told = told.chain(measured.unbuilt(table));
    let lines = grouped(told, |a, b| a.1 == b.1).into_iter().map(|group| {
        let names: Vec<&str> = group.iter().map(|(name, _)| *name).collect();
        format!("{}: {}", names.join("; "), group[0].1)
    });
    let fault = measured.fault.map(|fault| format!("The campaign can't be read on this host: {fault}"));
    fault.into_iter().chain(lines).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Contestants, Measured};
    use super::*;
    use crate::tables::tables;

    #[test]
    fn a_table_names_its_own_unbuilt_systems_alone() {
        let unbuilt = |name: &str, build: &str| (name.to_owned(), build.to_owned());
        let contestants = Contestants {
            unbuilt: vec![
                unbuilt("BERT-large (oneDNN)", "make onednn"),
                unbuilt("BERT-base (oneDNN)", "make onednn"),
                unbuilt("BERT-base (oneDNN, almo)", "make onednn"),
                unbuilt("BERT-base (library)", "make gemm"),
            ],
            ..Contestants::default()
        };
        let table = tables().unwrap().into_iter().find(|table| table.id == "dice-1").unwrap();
        let measured = Measured { contestants: Some(&contestants), ..Measured::default() };
        let missing = Reproduction::of(&table, measured).missing;
        let expected = [
            "BERT-base (oneDNN); BERT-base (oneDNN, almo): not built; `make onednn` builds it",
            "BERT-base (library): not built; `make gemm` builds it",
        ];
        assert!(expected.iter().all(|line| missing.contains(&(*line).to_owned())), "{missing:?}");
        assert!(!missing.iter().any(|line| line.contains("BERT-large")), "{missing:?}");
    }
}
