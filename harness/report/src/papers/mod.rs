//! What papers published: their tables and figures, from data files with their sources, a file each paper.
//!
//! Numbers stand there as printed, in the paper's own unit; what follows from them (words a second, factors, words per
//! dollar) is computed. A table that can be measured again names the campaign that does it: its points are then
//! systems of that campaign. A figure whose values are lost has its claim in words.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use dyno_measure::Track;

mod product;

pub use product::{Precision, Product};

const PAPERS: [&str; 4] = [
    include_str!("devlin-2017.toml"),
    include_str!("marian-2018.toml"),
    include_str!("opennmt-2018.toml"),
    include_str!("hw-tsc-2021.toml"),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WirePaper {
    paper: String,
    title: String,
    table: Vec<Table>,
}

/// A table or figure.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Table {
    /// The paper, by author or system and year.
    #[serde(default)]
    pub paper: String,
    /// Its title, and where it appeared.
    #[serde(default)]
    pub title: String,
    /// What `dyno reproduce` calls it.
    pub id: String,
    /// Which table or figure of the paper.
    pub place: String,
    /// What it shows, in a line.
    pub about: String,
    /// The campaign whose systems have the points' names.
    pub campaign: Option<String>,
    /// Whether its points are laid under charts of quality and cost.
    #[serde(default)]
    pub frontier: bool,
    /// Whether it is a figure of quality against cost, and drawn as one.
    #[serde(default)]
    pub plots: bool,
    /// Whether its points are named “row, column” and drawn as a map of these.
    #[serde(default)]
    pub maps: bool,
    /// Whether it is a figure of where the time of its points goes, and drawn as one.
    #[serde(default)]
    pub splits: bool,
    /// On what.
    pub test_set: String,
    /// On which machine.
    pub hardware: String,
    /// Words of the test set, for times that are to be speeds.
    pub words: Option<f64>,
    /// What the machine cost.
    pub dollars_per_hour: Option<f64>,
    /// The point that the others are compared with, unless they name another.
    pub base: Option<String>,
    /// What it says of each point.
    #[serde(default)]
    pub columns: Vec<Column>,
    /// Claims of figures and text, in our words.
    #[serde(default)]
    pub claims: Vec<String>,
    /// In what our comparison differs.
    #[serde(default)]
    pub differences: Vec<String>,
    /// Its rows.
    #[serde(default)]
    pub points: Vec<Point>,
}

/// A column of figures.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// The paper's words for it.
    pub head: String,
    /// Its unit.
    pub unit: Unit,
    /// The track that measures the same here.
    pub track: Option<Track>,
}

/// What a column counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Unit {
    /// More is better.
    #[serde(rename = "words/s")]
    Words,
    /// For the test set: less is better.
    #[serde(rename = "seconds")]
    Seconds,
    /// For a sentence: less is better.
    #[serde(rename = "milliseconds")]
    Milliseconds,
    /// Seconds in the data, words per dollar in tables.
    #[serde(rename = "Mwords/$")]
    Dollars,
    /// Of a model in f32.
    #[serde(rename = "MB")]
    Megabytes,
    /// 10⁹ multiply-accumulates a second of a product alone: more is better.
    #[serde(rename = "GMAC/s")]
    GigaMacs,
}

/// A row.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// Its name in the table, and of the system that stands for it here.
    pub name: String,
    /// The system's name, where that is another.
    pub system: Option<String>,
    /// A figure for each column; none where the paper's are lost.
    #[serde(default)]
    pub values: Vec<f64>,
    /// BLEU as published.
    pub bleu: Option<f64>,
    /// The point that it is compared with.
    pub base: Option<String>,
    /// The product that it is, where no system stands for it.
    pub product: Option<Product>,
    /// Why it isn't measured here.
    pub missing: Option<String>,
    /// What else is to be said.
    pub note: Option<String>,
}

impl Unit {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Words => "words/s",
            Self::Seconds => "seconds",
            Self::Milliseconds => "ms",
            Self::Dollars => "Mwords/$",
            Self::Megabytes => "MB",
            Self::GigaMacs => "GMAC/s",
        }
    }

    /// How many times as fast as `base` a point is, from figures of this unit.
    pub fn speed_up(self, point: f64, base: f64) -> Option<f64> {
        match self {
            Self::Words | Self::GigaMacs => Some(point / base),
            Self::Seconds | Self::Milliseconds | Self::Dollars => Some(base / point),
            Self::Megabytes => None,
        }
    }
}

impl Point {
    /// The system that stands for it here.
    pub fn system(&self) -> &str {
        self.system.as_ref().unwrap_or(&self.name)
    }
}

impl Table {
    /// Whether its figures take a run, and not just a look at models.
    pub fn measures(&self) -> bool {
        self.campaign.is_some() && self.columns.iter().any(|column| column.track.is_some())
    }

    /// The products that its points are.
    pub fn products(&self) -> Vec<Product> {
        self.points.iter().filter_map(|point| point.product).collect()
    }

    /// The point of that name.
    pub fn point(&self, name: &str) -> Option<&Point> {
        self.points.iter().find(|point| point.name == name)
    }

    /// The point that `point` is compared with, in the table or for itself.
    pub fn base_of<'a>(&'a self, point: &'a Point) -> Option<&'a Point> {
        self.point(point.base.as_ref().or(self.base.as_ref())?)
    }

    /// Words per dollar of a point, by the paper's own machine.
    pub fn words_per_dollar(&self, point: &Point) -> Option<f64> {
        Some(self.words_per_second(point)? * 3600.0 / self.dollars_per_hour?)
    }

    /// Words a second of a point by its first column, where that can be known.
    pub fn words_per_second(&self, point: &Point) -> Option<f64> {
        let value = *point.values.first()?;
        match self.columns.first()?.unit {
            Unit::Words => Some(value),
            Unit::Seconds | Unit::Dollars => Some(self.words? / value),
            Unit::Milliseconds | Unit::Megabytes | Unit::GigaMacs => None,
        }
    }
}

/// All tables, in the order of the papers.
pub fn tables() -> Result<Vec<Table>> {
    let mut tables = Vec::new();
    for text in PAPERS {
        let WirePaper { paper, title, table } =
            toml::from_str(text).map_err(|error| Error::Papers(error.to_string()))?;
        let named =
            table.into_iter().map(|table| Table { paper: paper.clone(), title: title.clone(), ..table });
        tables.extend(named);
    }
    Ok(tables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_whole() {
        let tables = tables().unwrap();
        for table in &tables {
            let id = &table.id;
            assert!(!table.points.is_empty() || !table.claims.is_empty(), "{id} says something");
            assert!(table.base.iter().all(|base| table.point(base).is_some()), "{id}: its base is a point");
            for point in &table.points {
                let name = &point.name;
                assert!(
                    [0, table.columns.len()].contains(&point.values.len()),
                    "{id}, {name}: a figure a column"
                );
                assert!(point.values.iter().all(|value| *value > 0.0), "{id}, {name}");
                assert!(!table.maps || name.contains(", "), "{id}, {name}: a row and a column");
                assert!(
                    point.base.is_none() || table.base_of(point).is_some(),
                    "{id}, {name}: its base is a point"
                );
            }
        }
        let ids: std::collections::BTreeSet<_> = tables.iter().map(|table| &table.id).collect();
        assert_eq!(ids.len(), tables.len(), "ids differ");
    }

    #[test]
    fn figures_follow_as_the_papers_say() {
        let tables = tables().unwrap();
        let factor = |id: &str, name: &str, column: usize| {
            let table = tables.iter().find(|table| table.id == id).unwrap();
            let point = table.point(name).unwrap();
            let base = table.base_of(point).unwrap();
            table.columns[column].unit.speed_up(point.values[column], base.values[column]).unwrap()
        };
        // Devlin's table 1 prints its factors; OpenNMT's section 4 the share of time that is saved.
        for (name, printed) in [
            ("Baseline", 1.00),
            ("+ 16-Bit Mult.", 2.59), // printed; 248 / 95 is 2.61
            ("+ Pre-Comp. Emb.", 3.25),
            ("+ Pre-Comp. Att.", 3.57),
            ("+ SSE & Lookup", 4.06),
            ("+ Merge Rec.", 4.37),
        ] {
            assert!((factor("devlin-1", name, 0) / printed - 1.0).abs() < 0.015, "{name}");
        }
        assert!((1.0 - 1.0 / factor("opennmt-3", "distill-small-opt", 0) - 0.633).abs() < 1e-3);
        assert!((1.0 - 1.0 / factor("opennmt-3", "distill-tiny-opt", 0) - 0.803).abs() < 1e-3);
        assert!((factor("bolt-3", "Base.12 INT8", 0) - 3.44).abs() < 5e-3);
        assert!((factor("marian-2", "+memoization", 0) - 1.78).abs() < 5e-3);
    }
}
