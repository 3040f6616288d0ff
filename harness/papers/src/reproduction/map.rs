//! A paper's figure over two settings, such as beam × batch, as a map of factors over the base.
//!
//! The values of the papers' plots are lost; only their claims remain. The map shows our figures for those
//! claims.

use super::measured::{Pair, ratios, spread};
use super::rows::{Reproduction, Row};
use dyno_report::charts::{Figure, Map};
use dyno_report::{Field, Table};
use itertools::Itertools;

/// Rows of a table by their names, “row, column”.
struct Places<'a> {
    rows: Vec<&'a str>,
    columns: Vec<&'a str>,
    pairs: Vec<Vec<Option<&'a Pair>>>,
}

/// The map, if the table is one and a figure of it was measured.
pub(super) fn figure(reproduction: &Reproduction) -> Option<Figure> {
    let (title, places) = (finding(reproduction)?, Places::of(reproduction)?);
    let text = |pair: Option<&Pair>| factor(pair).map(|factor| (factor, format!("{factor:.2}")));
    let owned = |heads: &[&str]| heads.iter().map(|head| (*head).to_owned()).collect();
    let chart = Map {
        columns: (String::new(), owned(&places.columns)),
        rows: (String::new(), owned(&places.rows)),
        name: places.name(reproduction),
        fields: places.pairs.iter().map(|row| row.iter().copied().map(text).collect()).collect(),
    };
    let about = format!("{}; the stronger the tint, the faster.", chart.name);
    let id = format!("{}-map", reproduction.table.id);
    Some(Figure::of(&chart, &id, title, about, places.table(&chart.name)))
}

/// Finding of the map, as a sentence: the factors of each row where each column has its base, else the gain
/// of the last column over the first.
pub(super) fn finding(reproduction: &Reproduction) -> Option<String> {
    let places = Places::of(reproduction)?;
    let bases = places.bases(reproduction);
    let of_row = if bases.is_some() { over_base } else { along };
    let rows = places.rows.iter().zip(&places.pairs);
    let told: Vec<String> = rows.filter_map(|(name, row)| of_row(name, row)).collect();
    let told = (!told.is_empty()).then(|| told.join(", "))?;
    let (first, last) = (places.columns.first()?, places.columns.last()?);
    Some(match bases {
        Some(bases) => format!("From {first} to {last}: {told} times as fast as {bases} here"),
        None => format!("{last} instead of {first}: {told} times as fast here"),
    })
}

/// Least and greatest factor of a row whose base lies in another row.
fn over_base(name: &str, row: &[Option<&Pair>]) -> Option<String> {
    let values = || row.iter().copied().filter_map(factor);
    let (least, most) = (values().reduce(f64::min)?, values().reduce(f64::max)?);
    ((least, most) != (1.0, 1.0)).then(|| format!("{name} {least:.2} to {most:.2}"))
}

/// Factor of a row's last column over its first.
fn along(name: &str, row: &[Option<&Pair>]) -> Option<String> {
    let (first, last) = ((*row.first()?)?, (*row.last()?)?);
    Some(format!("{name} {:.2}", spread(&ratios(&last.factors, &first.factors))?.value))
}

fn factor(pair: Option<&Pair>) -> Option<f64> {
    Some(pair?.factor?.value)
}

impl<'a> Places<'a> {
    /// Places of the table's rows; `None` if the table is no map, or nothing of it was measured. A row whose base has
    /// another base is none of them: the map has one base.
    fn of(reproduction: &'a Reproduction) -> Option<Self> {
        let table = Some(&reproduction.table).filter(|table| table.maps)?;
        let has_base = |row: &&Row| {
            let base = table.point(&row.name).and_then(|point| table.base_of(point));
            base.is_some_and(|base| table.base_of(base).is_some_and(|last| last.name == base.name))
        };
        let placed = |row: &'a Row| Some((row.name.split_once(", ")?, row.columns.first()?));
        let placed: Vec<_> = reproduction.rows.iter().filter(has_base).filter_map(placed).collect();
        let rows: Vec<_> = placed.iter().map(|((row, _), _)| *row).unique().collect();
        let columns: Vec<_> = placed.iter().map(|((_, column), _)| *column).unique().collect();
        let at =
            |row, column| placed.iter().find(|(place, _)| *place == (row, column)).map(|(_, pair)| *pair);
        let across = |row: &&'a str| columns.iter().map(|column| at(*row, *column)).collect();
        let pairs: Vec<Vec<_>> = rows.iter().map(across).collect();
        pairs.iter().flatten().any(|pair| factor(*pair).is_some()).then_some(Self { rows, columns, pairs })
    }

    /// First word, sizes apart, of the rows that are bases, where each column has its own base.
    fn bases(&self, reproduction: &Reproduction) -> Option<String> {
        let point = reproduction.table.points.iter().find(|point| point.base.is_some())?;
        let is_size = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit() || c == '×');
        point.base.as_ref()?.split([' ', ',']).find(|word| !is_size(word)).map(Into::into)
    }

    /// Quantity of the map.
    fn name(&self, reproduction: &Reproduction) -> String {
        match (self.bases(reproduction), &reproduction.table.base) {
            (Some(base), _) => format!("times as fast as {base} of the same size"),
            (None, Some(base)) => format!("times as fast as {base}"),
            (None, None) => "times as fast".into(),
        }
    }

    fn table(&self, caption: &str) -> Table {
        let (rows, columns) = (self.rows.iter().zip(&self.pairs), self.columns.iter().enumerate());
        Table::of(caption, rows)
            .column("", |(name, _)| Field::text(**name))
            .columns(
                columns,
                |(_, head)| format!("#{head}"),
                |(at, _), (_, row)| Field::factor(row[*at].and_then(|pair| pair.factor)),
            )
            .aligned()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use dyno_stats::Estimate;

    use super::super::{Measured, Products};
    use super::*;
    use crate::tables::tables;

    /// A figure of products: int16 has twice the speed of f32, int8 as many times as there are rows, up to 8.
    fn drawn() -> Reproduction {
        let table = tables().unwrap().into_iter().find(|table| table.id == "devlin-fig1").unwrap();
        let speed = |name: &str| {
            let (side, size) = name.split_once(", ").unwrap();
            let rows: f64 = size.split(' ').next().unwrap().parse().unwrap();
            match side {
                "f32" => vec![10.0, 20.0],
                "MKL's f32" => vec![5.0, 10.0],
                "int16" | "int16 over MKL's f32" => vec![20.0, 40.0],
                _ => vec![10.0 * rows.min(8.0), 20.0 * rows.min(8.0)],
            }
        };
        let names = table.points.iter().map(|point| point.name.as_str());
        let speeds: BTreeMap<_, _> = names.map(|name| (name.to_owned(), speed(name))).collect();
        let products = Products { conditions: vec!["a processor".into()], speeds };
        Reproduction::of(&table, Measured { products: Some(&products), ..Measured::default() })
    }

    #[test]
    fn products_stand_over_f32_of_the_same_size() {
        let figure = figure(&drawn()).unwrap();
        assert_eq!(
            figure.title,
            "From 1 row to 64 rows: int16 2.00 to 2.00, int8 1.00 to 8.00, MKL's f32 0.50 to 0.50 times as fast as f32 here"
        );
        let int8: Vec<_> = figure.table.rows[2].fields[1..].iter().map(|field| field.text.trim()).collect();
        assert_eq!(int8, ["1.00", "2.00", "4.00", "8.00", "8.00", "8.00", "8.00"]);
        assert!(figure.paper_dark.starts_with("<svg") && figure.paper != figure.paper_dark);
        // Where the heads don't fit their columns, the first alone has the unit.
        let has = |drawing: &str, head: &str| drawing.contains(&format!(">{head}</text>"));
        assert!(has(&figure.wide, "1 row") && has(&figure.wide, "64 rows"));
        assert!(has(&figure.narrow, "1 row") && has(&figure.narrow, "64") && !has(&figure.narrow, "64 rows"));
    }

    #[test]
    fn a_map_that_was_not_measured_is_none() {
        let table = tables().unwrap().into_iter().find(|table| table.id == "opennmt-fig3").unwrap();
        let mut reproduction = Reproduction::of(&table, Measured::default());
        assert!(figure(&reproduction).is_none());
        let speeds = [4.0, 5.0, 6.0, 8.0, 2.0, 2.0, 2.0, 1.0];
        for (row, speed) in reproduction.rows.iter_mut().zip(speeds) {
            let pair = &mut row.columns[0];
            (pair.factor, pair.factors) = (Some(Estimate::exactly(speed / 4.0)), [(0, speed / 4.0)].into());
        }
        assert_eq!(
            finding(&reproduction).unwrap(),
            "16 lines instead of 1 line: beam 1 2.00, beam 2 0.50 times as fast here"
        );
        assert_eq!(figure(&reproduction).unwrap().table.rows[1].fields[1].text, "0.50");
    }
}
