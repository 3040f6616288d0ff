//! Published results as points under the charts of a report.

use dyno_report::Published;
use dyno_stats::numbers::plain;
use itertools::Itertools;

use crate::tables::{self, Error, Point, Result, Table};

/// All published points.
pub fn all() -> Result<Vec<Published>> {
    let tables = tables::tables()?;
    let under = tables.iter().filter(|table| table.frontier);
    // Rivals that a paper quotes without a speed have no place under a chart of speed.
    let timed = under.flat_map(|table| table.points.iter().map(move |point| (table, point)));
    let timed = timed.filter(|(_, point)| !point.values.is_empty());
    timed.map(|(table, point)| published(table, point)).collect()
}

/// Short names of the papers with such points, in the order of the data.
pub fn papers() -> Result<Vec<String>> {
    Ok(all()?.into_iter().map(|point| point.paper).dedup().collect())
}

fn published(table: &Table, point: &Point) -> Result<Published> {
    let (speed, bleu) = (table.words_per_second(point), point.bleu);
    let (words_per_second, bleu) = speed
        .zip(bleu)
        .ok_or_else(|| Error(format!("{} {} has no speed or no BLEU", table.paper, point.name)))?;
    let (name, figures) = (&point.name, format!("{} words/s, BLEU {bleu}", plain(words_per_second)));
    let tip = vec![
        format!("{}: {name}", table.paper),
        figures,
        format!("{}; {}", table.test_set, table.hardware),
        format!("{}, {}", table.title, table.place),
    ];
    let (paper, dollars_per_hour) = (table.paper.clone(), table.dollars_per_hour);
    Ok(Published { paper, bleu, words_per_second, dollars_per_hour, tip })
}

#[cfg(test)]
mod tests {
    use dyno_record::Track;
    use dyno_results::contest::Cost;

    use super::*;

    #[test]
    fn the_data_are_whole_and_cost_what_the_papers_say() {
        let all = all().unwrap();
        assert_eq!(papers().unwrap(), ["Devlin 2017", "Marian 2018", "OpenNMT 2018", "HW-TSC 2021"]);
        // The OpenNMT paper: "our best benchmark shows 621 words/sec" on hardware that isn't dedicated.
        let named = |name: &str| all.iter().find(|point| point.tip[0].ends_with(name)).unwrap();
        let tiny = named(": distill-tiny-opt");
        assert!((tiny.cost(Cost::Under(Track::Throughput1)).unwrap() / 621.0 - 1.0).abs() < 0.02);
        // The Marian paper: 62,954 words in 273.2 s at 0.102 dollars an hour, by its formula in section 5.
        let aan = named(": Transformer-base-AAN-int16");
        assert!((aan.cost(Cost::Dollars).unwrap() / 8.13 - 1.0).abs() < 0.01);
        assert!(
            all.iter().all(|point| point.bleu > 10.0 && point.cost(Cost::Under(Track::Latency)).is_none())
        );
    }
}
