//! What papers published, from a data file with its sources: points to lay under our own charts.

use anyhow::{Context, Result};
use serde::Deserialize;

use super::cost::Cost;
use super::numbers::plain;

const DATA: &str = include_str!("published.toml");

/// A published point.
#[derive(Clone, Debug)]
pub struct Published {
    /// The paper, by author or system and year.
    pub paper: String,
    /// BLEU as published.
    pub bleu: f64,
    name: String,
    source: String,
    conditions: String,
    words_per_second: f64,
    dollars_per_hour: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WireFile {
    table: Vec<WireTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WireTable {
    paper: String,
    place: String,
    title: String,
    test_set: String,
    hardware: String,
    words: Option<f64>,
    dollars_per_hour: Option<f64>,
    points: Vec<WirePoint>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WirePoint {
    name: String,
    bleu: f64,
    words_per_second: Option<f64>,
    seconds: Option<f64>,
}

/// All published points.
pub fn all() -> Result<Vec<Published>> {
    let file: WireFile = toml::from_str(DATA).context("the published points")?;
    file.table.iter().flat_map(|table| table.points.iter().map(|point| Published::of(table, point))).collect()
}

/// The papers that are in the data, in its order.
pub fn papers() -> Result<Vec<String>> {
    let mut papers: Vec<String> = all()?.into_iter().map(|point| point.paper).collect();
    papers.dedup();
    Ok(papers)
}

impl Published {
    fn of(table: &WireTable, point: &WirePoint) -> Result<Self> {
        let counted = table.words.zip(point.seconds).map(|(words, seconds)| words / seconds);
        let speed = point.words_per_second.or(counted);
        Ok(Self {
            paper: table.paper.clone(),
            bleu: point.bleu,
            name: point.name.clone(),
            source: format!("{}, {}", table.title, table.place),
            conditions: format!("{}; {}", table.test_set, table.hardware),
            words_per_second: speed
                .with_context(|| format!("{} {} has no speed", table.paper, point.name))?,
            dollars_per_hour: table.dollars_per_hour,
        })
    }

    /// Its cost, where the paper tells it.
    pub fn cost(&self, cost: Cost) -> Option<f64> {
        match cost {
            Cost::Dollars => Some(self.words_per_second * 3600.0 / self.dollars_per_hour? / 1e6),
            Cost::OneCore => Some(self.words_per_second),
            Cost::AllCores | Cost::Latency => None,
        }
    }

    /// What it tells when pointed at.
    pub fn tip(&self) -> Vec<String> {
        let speed = format!("{} words/s, BLEU {}", plain(self.words_per_second), self.bleu);
        vec![format!("{}: {}", self.paper, self.name), speed, self.conditions.clone(), self.source.clone()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_are_whole_and_cost_what_the_papers_say() {
        let all = all().unwrap();
        assert_eq!(papers().unwrap(), ["Devlin 2017", "Marian 2018", "OpenNMT 2018", "HW-TSC 2021"]);
        // The OpenNMT paper: "our best benchmark shows 621 words/sec" on hardware that isn't dedicated.
        let tiny = all.iter().find(|point| point.name == "distill-tiny-opt").unwrap();
        assert!((tiny.cost(Cost::OneCore).unwrap() / 621.0 - 1.0).abs() < 0.02);
        // The Marian paper: 62,954 words in 273.2 s at 0.102 dollars an hour, by its formula in section 5.
        let aan = all.iter().find(|point| point.name == "base-AAN-int16").unwrap();
        assert!((aan.cost(Cost::Dollars).unwrap() / 8.13 - 1.0).abs() < 0.01);
        assert!(all.iter().all(|point| point.bleu > 10.0 && point.cost(Cost::Latency).is_none()));
    }
}
