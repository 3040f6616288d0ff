//! Published results as points under our own charts.

use crate::cost::Cost;
use crate::error::{Error, Result};
use crate::papers::{self, Point, Table};
use dyno_measure::Track;
use dyno_stats::numbers::plain;

/// A published point.
#[derive(Clone, Debug)]
pub struct Published {
    /// Short name of the paper: author or system, and year.
    pub paper: String,
    /// BLEU as published.
    pub bleu: f64,
    name: String,
    source: String,
    conditions: String,
    words_per_second: f64,
    dollars_per_hour: Option<f64>,
}

/// All published points.
pub fn all() -> Result<Vec<Published>> {
    let tables = papers::tables()?;
    let under = tables.iter().filter(|table| table.frontier);
    // Rivals that a paper quotes without a speed have no place under a chart of speed.
    let timed = under.flat_map(|table| table.points.iter().map(move |point| (table, point)));
    let timed = timed.filter(|(_, point)| !point.values.is_empty());
    timed.map(|(table, point)| Published::of(table, point)).collect()
}

/// Short names of the papers with such points, in the order of the data.
pub fn papers() -> Result<Vec<String>> {
    let mut papers: Vec<String> = all()?.into_iter().map(|point| point.paper).collect();
    papers.dedup();
    Ok(papers)
}

impl Published {
    fn of(table: &Table, point: &Point) -> Result<Self> {
        let (speed, bleu) = (table.words_per_second(point), point.bleu);
        let (words_per_second, bleu) = speed.zip(bleu).ok_or_else(|| {
            Error::Papers(format!("{} {} has no speed or no BLEU", table.paper, point.name))
        })?;
        Ok(Self {
            paper: table.paper.clone(),
            bleu,
            name: point.name.clone(),
            source: format!("{}, {}", table.title, table.place),
            conditions: format!("{}; {}", table.test_set, table.hardware),
            words_per_second,
            dollars_per_hour: table.dollars_per_hour,
        })
    }

    /// Cost of the point, where the paper gives it.
    pub fn cost(&self, cost: Cost) -> Option<f64> {
        match cost {
            Cost::Dollars => Some(self.words_per_second * 3600.0 / self.dollars_per_hour? / 1e6),
            Cost::Under(Track::Throughput1) => Some(self.words_per_second),
            Cost::Under(_) => None,
        }
    }

    /// Lines of the tip.
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
        assert!((tiny.cost(Cost::Under(Track::Throughput1)).unwrap() / 621.0 - 1.0).abs() < 0.02);
        // The Marian paper: 62,954 words in 273.2 s at 0.102 dollars an hour, by its formula in section 5.
        let aan = all.iter().find(|point| point.name == "Transformer-base-AAN-int16").unwrap();
        assert!((aan.cost(Cost::Dollars).unwrap() / 8.13 - 1.0).abs() < 0.01);
        assert!(
            all.iter().all(|point| point.bleu > 10.0 && point.cost(Cost::Under(Track::Latency)).is_none())
        );
    }
}
