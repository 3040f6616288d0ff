//! Plots of products: one entry of a data file for each kind, in place of one for each point.

use dyno_stats::numbers::counted;
use itertools::iproduct;
use serde::Deserialize;

use super::points::Point;
use super::product::{Library, Precision, Product};

/// Points of a plot of products: of each shape, each side with each number of rows.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// Inputs and outputs of each shape.
    shapes: Vec<[usize; 2]>,
    rows: Vec<usize>,
    /// Noun of one row, and of several.
    unit: [String; 2],
    sides: Vec<Side>,
}

/// Products of one kind. In its texts `{k}` and `{n}` stand for the shape, `{rows}` for the rows with their noun.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Side {
    name: String,
    base: String,
    precision: Precision,
    by: Option<Library>,
    /// Factor over the base, and the claim, of the numbers of rows that are `claimed`.
    factor: Option<f64>,
    claim: Option<String>,
    #[serde(default)]
    claimed: Vec<usize>,
}

impl Grid {
    /// The points, shape by shape.
    pub(super) fn points(&self) -> impl Iterator<Item = Point> {
        iproduct!(&self.shapes, &self.sides, &self.rows).map(|(&shape, side, &rows)| {
            let rows_in_words = counted(rows, &self.unit[0], &self.unit[1]);
            side.point(shape, rows, &rows_in_words)
        })
    }
}

impl Side {
    fn point(&self, [k, n]: [usize; 2], rows: usize, rows_in_words: &str) -> Point {
        let filled = |text: &String| {
            let shaped = text.replace("{k}", &k.to_string()).replace("{n}", &n.to_string());
            shaped.replace("{rows}", rows_in_words)
        };
        let is_claimed = self.claimed.contains(&rows);
        Point {
            name: filled(&self.name),
            base: Some(filled(&self.base)),
            factor: self.factor.filter(|_| is_claimed),
            claim: self.claim.as_ref().filter(|_| is_claimed).map(filled),
            product: Some(Product { precision: self.precision, by: self.by, rows, k, n }),
            ..Point::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tables::tables;

    #[test]
    fn each_number_of_rows_with_a_claim_is_in_its_grid() {
        for grid in tables().unwrap().iter().flat_map(|table| &table.grids) {
            for side in &grid.sides {
                assert!(side.claimed.iter().all(|rows| grid.rows.contains(rows)), "{side:?}");
                assert_eq!(side.claimed.is_empty(), side.factor.is_none(), "{side:?}");
            }
        }
    }
}
