//! Published tables and figures of papers: one data file a paper, with sources.
//!
//! The data hold numbers as printed, in the paper's own unit. Words a second, factors and words per dollar
//! are computed from them. A table that can be measured again names its campaign, whose systems are the
//! table's points. A figure whose values are lost has its claim in words. Keys above a file's first table are those of
//! each of its tables that has none of its own.

use serde::{Deserialize, Serialize};

mod grid;
mod points;
mod product;
mod statement;

use grid::Grid;
pub use points::{Column, Point, Split, Unit};
pub use product::{Baseline, Precision, Product};
pub use statement::{Quantity, Statement};

const PAPERS: [&str; 5] = [
    include_str!("devlin-2017.toml"),
    include_str!("marian-2018.toml"),
    include_str!("opennmt-2018.toml"),
    include_str!("hw-tsc-2021.toml"),
    include_str!("dice-2021.toml"),
];

/// The papers' data are wrong: a fault of dyno itself, since they ship with dyno.
#[derive(Debug, thiserror::Error)]
#[error("the papers' tables: {0}")]
pub struct Error(pub String);

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// A paper: its tables, and keys of each that has none of its own.
#[derive(Deserialize)]
struct WirePaper {
    table: Vec<toml::Table>,
    #[serde(flatten)]
    shared: toml::Table,
}

/// A table or figure of a paper.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Table {
    /// Short name of the paper: author or system, and year.
    pub paper: String,
    /// Title of the paper, and where it appeared.
    pub title: String,
    /// Name of the table for `dyno reproduce`.
    pub id: String,
    /// Place in the paper, such as "table 1".
    pub place: String,
    /// Subject of the table, in a line.
    pub about: String,
    /// Campaign whose systems have the names of the points.
    pub campaign: Option<String>,
    /// Whether its points go under charts of quality against cost.
    pub frontier: bool,
    /// Whether the table is a figure of quality against cost, to be drawn as one.
    pub plots: bool,
    /// Whether its points are named “row, column”, to be drawn as a map.
    pub maps: bool,
    /// Splits of time that the figure draws: by component, by operator.
    pub splits: Vec<Split>,
    /// Test set of the paper.
    pub test_set: String,
    /// Machine of the paper.
    pub hardware: String,
    /// Words of the test set, by which times become speeds.
    pub words: Option<f64>,
    /// Price of the machine in US dollars an hour.
    pub dollars_per_hour: Option<f64>,
    /// Name of the point that others are compared with, unless they name another.
    pub base: Option<String>,
    /// Library by which the paper's base multiplies, if it isn't the paper's own packed products.
    pub baseline: Option<Baseline>,
    /// Whether its factors compare the costs of networks.
    pub costs: bool,
    /// Id of the table that makes the same claims.
    pub repeats: Option<String>,
    /// Columns of figures.
    pub columns: Vec<Column>,
    /// Claims of figures and text, in our words.
    pub claims: Vec<String>,
    /// Statements with a figure of their own.
    pub statements: Vec<Statement>,
    /// Reason why the quality of the rows can't be compared with ours: hardware or data.
    pub quality: Option<String>,
    /// Differences of our comparison from the paper's.
    pub differences: Vec<String>,
    /// Rows of the table.
    pub points: Vec<Point>,
    /// Grids of further rows, which stand among the points once the tables are read.
    #[serde(skip_serializing)]
    grids: Vec<Grid>,
}

impl Table {
    /// Whether its figures need a run; bytes of models don't.
    pub fn measures(&self) -> bool {
        self.campaign.is_some() && self.columns.iter().any(|column| column.track.is_some())
    }

    /// Matrix products of its points, of ours and of libraries.
    pub fn products(&self) -> Vec<Product> {
        self.points.iter().filter_map(|point| point.product).collect()
    }

    /// Our own products among them, with the names of their points.
    pub fn own_products(&self) -> Vec<(&str, Product)> {
        let own = |point: &'_ Point| point.product.filter(|product| product.by.is_none());
        self.points.iter().filter_map(|point| Some((point.name.as_str(), own(point)?))).collect()
    }

    /// The point of that name.
    pub fn point(&self, name: &str) -> Option<&Point> {
        self.points.iter().find(|point| point.name == name)
    }

    /// The point that `point` is compared with: its own base or the table's.
    pub fn base_of<'a>(&'a self, point: &'a Point) -> Option<&'a Point> {
        self.point(point.base.as_ref().or(self.base.as_ref())?)
    }

    /// Words per dollar of a point, by the paper's own machine.
    pub fn words_per_dollar(&self, point: &Point) -> Option<f64> {
        let price = point.dollars_per_hour.or(self.dollars_per_hour)?;
        Some(self.words_per_second(point)? * 3600.0 / price)
    }

    /// Words a second of a point by its first column, where the unit allows it.
    pub fn words_per_second(&self, point: &Point) -> Option<f64> {
        let value = *point.values.first()?;
        match self.columns.first()?.unit {
            Unit::Words => Some(value),
            Unit::Seconds | Unit::Dollars => Some(self.words? / value),
            _ => None,
        }
    }
}

/// Tables of all papers, in the order of the papers.
pub fn tables() -> Result<Vec<Table>> {
    let fault = |error: toml::de::Error| Error(error.to_string());
    let mut tables: Vec<Table> = Vec::new();
    for text in PAPERS {
        let WirePaper { table, shared } = toml::from_str(text).map_err(fault)?;
        for own in table {
            let whole: toml::Table = shared.clone().into_iter().chain(own).collect();
            tables.push(whole.try_into().map_err(fault)?);
        }
    }
    tables.iter_mut().for_each(|table| table.points.extend(table.grids.iter().flat_map(Grid::points)));
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
            let named = [
                &table.paper,
                &table.title,
                id,
                &table.place,
                &table.about,
                &table.test_set,
                &table.hardware,
            ];
            assert!(named.iter().all(|text| !text.is_empty()), "{id}: {named:?}");
            assert!(!table.points.is_empty() || !table.claims.is_empty(), "{id} says something");
            let is_id = |other: &String| tables.iter().any(|table| table.id == *other);
            assert!(table.repeats.iter().all(is_id), "{id}: the table that it repeats is there");
            assert!(table.base.iter().all(|base| table.point(base).is_some()), "{id}: its base is a point");
            for point in &table.points {
                let name = &point.name;
                assert!(!name.is_empty(), "{id}: each point has a name");
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
    fn only_hardware_and_data_can_be_missing() {
        for table in tables().unwrap() {
            let of_points = table.points.iter().filter_map(|point| point.missing.as_ref());
            let of_statements = table.statements.iter().filter_map(|said| said.missing.as_ref());
            for reason in of_points.chain(of_statements).chain(&table.quality) {
                let is_named = ["hardware: ", "data: "].iter().any(|kind| reason.starts_with(kind));
                assert!(is_named, "{}: {reason}", table.id);
            }
            for said in &table.statements {
                let ends = [said.of.is_some(), said.missing.is_some(), said.pending.is_some()];
                assert_eq!(ends.iter().filter(|is| **is).count(), 1, "{}: {}", table.id, said.says);
                let limits = [said.least, said.most, said.about, said.speed_up].iter().flatten().count();
                assert_eq!(usize::from(said.of.is_some()), limits, "{}: {}", table.id, said.says);
                let parts_fit = match said.of {
                    Some(Quantity::PartsRatio | Quantity::CountsShare) => said.parts.len() == 2,
                    Some(Quantity::PartsGrowth) => !said.parts.is_empty() && said.over.is_some(),
                    _ => said.parts.is_empty(),
                };
                assert!(parts_fit, "{}: {}", table.id, said.says);
                let point = said.point.as_ref().map(|name| table.point(name).is_some());
                assert_eq!(point, said.of.map(|_| true), "{}: {}", table.id, said.says);
            }
        }
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
            ("+ 16-Bit Mult.", 2.59), // printed; 248 / 95 is 2.61
            ("+ Pre-Comp. Emb.", 3.25),
            ("+ Pre-Comp. Att.", 3.57),
            ("+ SSE & Lookup", 4.06),
            ("+ Merge Rec.", 4.37),
        ] {
            assert!((factor("devlin-1", name, 0) / printed - 1.0).abs() < 0.015, "{name}");
            let table = tables.iter().find(|table| table.id == "devlin-1").unwrap();
            assert_eq!(table.point(name).unwrap().factor, Some(printed), "{name}");
        }
        assert!((1.0 - 1.0 / factor("opennmt-3", "distill-small-opt", 0) - 0.633).abs() < 1e-3);
        assert!((1.0 - 1.0 / factor("opennmt-3", "distill-tiny-opt", 0) - 0.803).abs() < 1e-3);
        // OpenNMT's conclusion: "110x compared to the baseline system".
        assert!((factor("opennmt-fig1", "distill-tiny-opt", 0) / 110.0 - 1.0).abs() < 0.03);
        assert!((factor("bolt-3", "Base.12 INT8", 0) - 3.44).abs() < 5e-3);
        assert!((factor("bolt-3", "Small.12 INT8", 0) - 2.82).abs() < 5e-3);
        assert!((factor("bolt-3", "Tiny INT8", 0) - 2.10).abs() < 5e-3);
        assert!((factor("marian-2", "+memoization", 0) - 1.78).abs() < 5e-3);
        assert!((factor("marian-2", "+auto-tuning", 1) - 1.46).abs() < 6e-3);
        // Dice & Kogan's tables print theirs behind each figure.
        for (table, threads, printed) in [
            ("dice-1", 1, [1.46, 1.33, 1.10]),
            ("dice-1", 16, [1.17, 1.12, 1.17]),
            ("dice-2", 2, [1.66, 1.37, 1.13]),
            ("dice-3", 4, [1.53, 1.30, 1.08]),
        ] {
            let name = format!("{threads} thread{}, onednn-almo", if threads == 1 { "" } else { "s" });
            for (column, printed) in printed.into_iter().enumerate() {
                assert!((factor(table, &name, column) / printed - 1.0).abs() < 0.015, "{table}, {name}");
            }
        }
    }
}
