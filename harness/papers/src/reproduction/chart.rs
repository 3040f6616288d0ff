//! A paper's figure of quality against cost, drawn again from its tables.
//!
//! The figure holds the paper's points alone. Our networks of the same dimensions have drawn weights, hence no
//! quality, and another host has other costs: neither belongs beside them.

use super::rows::Reproduction;
use crate::tables::{Table as Published, Unit};
use dyno_report::charts::{self, Axis, Figure, Scatter};
use dyno_report::{Field, Table};
use dyno_stats::numbers::plain;

/// A network of the paper.
struct Point<'a> {
    name: &'a str,
    bleu: f64,
    /// Million words for a dollar, or words a second.
    cost: f64,
}

/// The figure, if the table is such a figure of the paper.
pub(super) fn figure(reproduction: &Reproduction) -> Option<Figure> {
    let published = &reproduction.table;
    let column = published.columns.first().filter(|_| published.plots)?;
    let points = points(published, column.unit);
    let axis = match column.unit {
        Unit::Dollars => "million words per US dollar",
        _ => "words/s on one core",
    };
    let chart = Scatter {
        x: axis_of(&format!("{axis} (log, more is better →)"), true),
        less_is_better: false,
        y: axis_of("BLEU as the paper printed it (more is better ↑)", false),
        points: Vec::new(),
        published: crosses(published, &points),
    };
    let about = format!("{}: {}.", published.paper, published.hardware);
    let title = format!("{} as published; our networks have no quality to stand beside it", published.paper);
    Some(Figure::of(&chart, &published.id, title, about, table(axis, &points)))
}

fn axis_of(name: &str, log: bool) -> Axis {
    Axis { from_zero: false, ..Axis::of(name, log) }
}

fn points(published: &Published, unit: Unit) -> Vec<Point<'_>> {
    let placed = published.points.iter().filter_map(|point| {
        let cost = match unit {
            Unit::Dollars => published.words_per_dollar(point)? / 1e6,
            _ => published.words_per_second(point)?,
        };
        Some(Point { name: &point.name, bleu: point.bleu?, cost })
    });
    placed.collect()
}

/// Crosses of the points; the best one carries the paper's name.
fn crosses(published: &Published, points: &[Point<'_>]) -> Vec<charts::Published> {
    let best = points.iter().map(|point| point.bleu).fold(0.0, f64::max);
    let cross = |point: &Point<'_>| charts::Published {
        name: (point.bleu == best).then(|| published.paper.clone()),
        x: point.cost,
        y: point.bleu,
        tip: vec![
            format!("{}: {}", published.paper, point.name),
            format!("{}, BLEU {}", plain(point.cost), point.bleu),
            published.hardware.clone(),
        ],
    };
    points.iter().map(cross).collect()
}

fn table(axis: &str, points: &[Point<'_>]) -> Table {
    Table::of(axis, points)
        .column("system", |point| Field::text(point.name))
        .column("#paper BLEU", |point| Field::text(plain(point.bleu)))
        .column("#paper", |point| Field::text(plain(point.cost)))
        .aligned()
}

#[cfg(test)]
mod tests {
    use super::super::measured::Measured;
    use super::*;
    use crate::tables::tables;

    fn drawn(id: &str) -> Option<Figure> {
        let table = tables().unwrap().into_iter().find(|table| table.id == id).unwrap();
        let mut reproduction = Reproduction::of(&table, Measured::default());
        for row in &mut reproduction.rows {
            row.columns[0].ours = row.columns[0].paper.map(|paper| 12.3 * paper);
        }
        figure(&reproduction)
    }

    #[test]
    fn points_have_the_price_of_their_machine() {
        let figure = drawn("marian-fig1").unwrap();
        let cost = |name: &str| {
            let row = figure.table.rows.iter().find(|row| row.fields[0].text == name).unwrap();
            row.fields[2].text.trim()
        };
        // 62,954 words in 19.9 s at 3.259 dollars an hour, and in 1,537.8 s at 0.102.
        assert_eq!(cost("Transformer-big on a GPU"), plain(62_954.0 / 19.9 * 3600.0 / 3.259 / 1e6));
        assert_eq!(cost("Transformer-big"), plain(62_954.0 / 1537.8 * 3600.0 / 0.102 / 1e6));
    }

    #[test]
    fn each_figure_has_the_papers_points_alone() {
        for id in ["marian-fig1", "opennmt-fig1"] {
            let figure = drawn(id).unwrap();
            assert!(figure.wide.contains("(log, more"), "{id}");
            assert_eq!(figure.table.heads.len(), 3, "{id}: no column of ours");
        }
        assert!(drawn("marian-fig1").unwrap().wide.contains("Marian 2018: Transformer-big"));
        // The same 62,954 words in 621.17 s.
        let small = &drawn("opennmt-fig1").unwrap().table.rows[5].fields[2];
        assert_eq!(small.text.trim(), plain(62_954.0 / 621.17));
        assert!(drawn("marian-4").is_none());
    }
}
