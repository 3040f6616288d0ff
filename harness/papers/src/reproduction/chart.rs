//! A paper's figure of quality against cost, drawn again: its points, and the cost of the same networks here.
//!
//! Our models have drawn weights, hence no quality of their own. Each stands at the BLEU that the paper
//! printed for its network, so the figure compares cost alone.

use super::pair::Pair;
use super::rows::{Reproduction, Row};
use crate::tables::{Table as Published, Unit};
use dyno_report::charts::{self, Axis, Family, Figure, Scatter};
use dyno_report::{Field, Table};
use dyno_stats::Estimate;
use dyno_stats::numbers::plain;
use dyno_stats::{Order, Standing, standings};

/// A network in the figure.
struct Point<'a> {
    row: &'a Row,
    bleu: f64,
    /// The paper's figure: million words for a dollar, or words a second.
    paper: f64,
    /// Our figure, if it was measured.
    here: Option<Estimate>,
}

/// The figure on the paper's scale and on the other one, if the table is such a figure of the paper.
pub(super) fn figures(reproduction: &Reproduction) -> Vec<Figure> {
    let linear = reproduction.table.linear;
    [linear, !linear].into_iter().filter_map(|linear| figure(reproduction, linear)).collect()
}

fn figure(reproduction: &Reproduction, linear: bool) -> Option<Figure> {
    let published = &reproduction.table;
    let column = published.columns.first().filter(|_| published.plots)?;
    let points: Vec<Point<'_>> =
        reproduction.rows.iter().filter_map(|row| point(published, column.unit, row)).collect();
    let scale = if linear { "linear" } else { "log" };
    let (noun, axis) = match column.unit {
        Unit::Dollars => ("words per dollar", "million words per US dollar"),
        _ => ("words a second", "words/s on one core"),
    };
    let chart = Scatter {
        x: axis_of(&format!("{axis} ({scale}, more is better →)"), !linear),
        less_is_better: false,
        y: axis_of("BLEU as the paper printed it (more is better ↑)", false),
        points: ours(&points),
        published: theirs(published, &points),
    };
    let about = format!(
        "Crosses: {}. Marks: the same networks here, with drawn weights, at the BLEU that the paper printed for them; the stairs are the frontier of ours.",
        published.paper
    );
    let (id, finding) = (format!("{}-{scale}", published.id), finding(published, noun, &points));
    let title = if linear == published.linear { finding } else { format!("The same on a {scale} scale") };
    Some(Figure::of(&chart, &id, title, about, table(axis, &points)))
}

fn axis_of(name: &str, log: bool) -> Axis {
    Axis { from_zero: false, ..Axis::of(name, log) }
}

fn point<'a>(published: &Published, unit: Unit, row: &'a Row) -> Option<Point<'a>> {
    let pair = row.columns.first()?;
    let paper = match unit {
        Unit::Seconds => published.words? / pair.paper?,
        _ => pair.paper?,
    };
    Some(Point { row, bleu: row.paper_bleu?, paper, here: pair.ours.map(|ours| interval(ours, pair)) })
}

/// Our figure with the interval of its factor, which comes from pairs of rounds.
fn interval(ours: f64, pair: &Pair) -> Estimate {
    pair.factor.map_or(Estimate::exactly(ours), |factor| factor.times(ours / factor.value))
}

fn ours(points: &[Point<'_>]) -> Vec<charts::Point> {
    let measured: Vec<(&Point<'_>, Estimate)> =
        points.iter().filter_map(|point| Some((point, point.here?))).collect();
    let quality = |a: usize, b: usize| exactly(measured[a].0.bleu).order(&exactly(measured[b].0.bleu));
    let cost = |a: usize, b: usize| match measured[a].1.order(&measured[b].1) {
        Order::Equal => Order::Unclear,
        order => order,
    };
    let standings = standings(measured.len(), quality, cost);
    let mark = |((point, here), standing): (&(&Point<'_>, Estimate), Standing)| charts::Point {
        name: point.row.name.clone(),
        family: point.row.backend.as_deref().map_or(Family::Program, Family::of_backend),
        standing,
        x: *here,
        y: exactly(point.bleu),
        tip: vec![
            point.row.name.clone(),
            format!("here {}, the paper {}", plain(here.value), plain(point.paper)),
            format!("BLEU {} in the paper", point.bleu),
        ],
    };
    let mut marks: Vec<charts::Point> = measured.iter().zip(standings).map(mark).collect();
    // Points on the frontier get the best places for their labels.
    marks.sort_by_key(|mark| mark.standing);
    marks
}

fn exactly(value: f64) -> Estimate {
    Estimate::exactly(value)
}

/// Points of the paper; the best one carries the paper's name.
fn theirs(published: &Published, points: &[Point<'_>]) -> Vec<charts::Published> {
    let best = points.iter().map(|point| point.bleu).fold(0.0, f64::max);
    let cross = |point: &Point<'_>| charts::Published {
        name: (point.bleu == best).then(|| published.paper.clone()),
        x: point.paper,
        y: point.bleu,
        tip: vec![
            format!("{}: {}", published.paper, point.row.name),
            format!("{}, BLEU {}", plain(point.paper), point.bleu),
            published.hardware.clone(),
        ],
    };
    points.iter().map(cross).collect()
}

fn finding(published: &Published, noun: &str, points: &[Point<'_>]) -> String {
    let gains = || points.iter().filter_map(|point| Some(point.here?.value / point.paper));
    let (least, most) = (gains().fold(f64::INFINITY, f64::min), gains().fold(0.0, f64::max));
    match gains().count() {
        0 => format!("{} as published; nothing of it was measured here", published.paper),
        1 => format!("{} times {}'s {noun} here", plain(most), published.paper),
        _ => format!(
            "{} to {} times {}'s {noun} here, network by network",
            plain(least),
            plain(most),
            published.paper
        ),
    }
}

fn table(axis: &str, points: &[Point<'_>]) -> Table {
    let mut table = Table::new(axis, &["system", "#paper BLEU", "#paper", "#here", "#here / paper"]);
    for point in points {
        let (name, here) = (Field::text(&point.row.name), point.here.map(|here| here.value));
        let fields = [Some(point.bleu), Some(point.paper), here, here.map(|here| here / point.paper)];
        table.push("", [name].into_iter().chain(fields.map(|value| Field::maybe(value, plain))).collect());
    }
    table.aligned()
}

#[cfg(test)]
mod tests {
    use super::super::measured::Measured;
    use super::*;
    use crate::tables::tables;

    /// The figure of a table whose first two networks have twice and three times the paper's speed; the
    /// others are not measured.
    fn drawn(id: &str) -> Option<Figure> {
        let table = tables().unwrap().into_iter().find(|table| table.id == id).unwrap();
        let mut reproduction = Reproduction::of(&table, Measured::default());
        for (gain, row) in [2.0, 3.0].into_iter().zip(&mut reproduction.rows) {
            let pair = &mut row.columns[0];
            pair.ours = pair.paper.map(|paper| gain * paper);
        }
        figures(&reproduction).into_iter().next()
    }

    #[test]
    fn a_gpus_points_have_the_price_of_the_gpu() {
        let figure = drawn("marian-fig1").unwrap();
        let rows = &figure.table.rows;
        let gpu = rows.iter().find(|row| row.fields[0].text == "Transformer-big on a GPU").unwrap();
        // 62,954 words in 19.9 s at 3.259 dollars an hour.
        let expected = 62_954.0 / 19.9 * 3600.0 / 3.259 / 1e6;
        assert!((gpu.fields[2].value.unwrap() - expected).abs() < 1e-9 && gpu.fields[3].value.is_none());
    }

    #[test]
    fn figure_2_is_linear_first_and_figure_1_is_not() {
        assert!(drawn("marian-fig2").unwrap().wide.contains("(linear, more"));
        assert!(drawn("marian-fig1").unwrap().wide.contains("(log, more"));
        let table = tables().unwrap().into_iter().find(|table| table.id == "opennmt-fig1").unwrap();
        let both = figures(&Reproduction::of(&table, Measured::default()));
        let ids: Vec<&str> = both.iter().map(|figure| figure.id.as_str()).collect();
        assert_eq!(ids, ["opennmt-fig1-log", "opennmt-fig1-linear"]);
        assert!(both[1].wide.contains("(linear, more") && both[1].title.contains("linear scale"));
    }

    #[test]
    fn the_papers_points_and_ours_stand_at_the_papers_quality() {
        let figure = drawn("marian-fig1").unwrap();
        assert_eq!(
            figure.title,
            "2.00 to 3.00 times Marian 2018's words per dollar here, network by network"
        );
        let big = &figure.table.rows[0].fields;
        // 62,954 words in 1,537.8 s at 0.102 dollars an hour.
        assert_eq!([&big[0].text, &big[1].text], ["Transformer-big", "28.1"]);
        assert!((big[2].value.unwrap() - 62_954.0 / 1537.8 * 3600.0 / 0.102 / 1e6).abs() < 1e-9);
        assert!((big[4].value.unwrap() - 2.0).abs() < 1e-9);
        assert!(figure.wide.contains("Marian 2018: Transformer-big"), "its points can be pointed at");
    }

    #[test]
    fn times_become_speeds_and_tables_stay_tables() {
        let figure = drawn("opennmt-fig1").unwrap();
        // The same 62,954 words in 621.17 s.
        let small = figure.table.rows[5].fields[2].value.unwrap();
        assert!((small - 62_954.0 / 621.17).abs() < 1e-9);
        assert!(drawn("marian-4").is_none());
    }
}
