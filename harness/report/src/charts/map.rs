//! A map of two settings, such as beam × batch. Tint and figure of each field show its speed.

use super::chart::{Chart, Size};
use super::labels::{LINE, width};
use super::palette::Colour;
use super::svg::{Anchor, Svg};

/// A map, row by row.
pub struct Map {
    /// Setting of the columns, and its values.
    pub columns: (String, Vec<String>),
    /// Setting of the rows, and its values.
    pub rows: (String, Vec<String>),
    /// Quantity of the fields, with its unit.
    pub name: String,
    /// Value and text of each field; `None` for a pair of settings that was not measured.
    pub fields: Vec<Vec<Option<(f64, String)>>>,
}

/// Height of a field in pixels.
const HEIGHT: f64 = 30.0;

impl Chart for Map {
    fn draw(&self, svg: &mut Svg, size: Size) -> f64 {
        let heads = self.rows.1.iter().map(|head| width(head)).fold(width(&self.rows.0), f64::max) + 12.0;
        let each = ((size.width() - heads) / self.columns.1.len().max(1) as f64).min(96.0);
        svg.text("name", Colour::Ink, (0.0, 12.0), Anchor::Start, &self.name);
        let top = LINE * 3.0;
        svg.text("name", Colour::Ink, (heads, LINE * 2.0 - 2.0), Anchor::Start, &self.columns.0);
        svg.text("name", Colour::Ink, (0.0, top - 2.0), Anchor::Start, &self.rows.0);
        for (i, head) in self.columns.1.iter().enumerate() {
            let middle = heads + each * (i as f64 + 0.5);
            svg.text("tick", Colour::Ink, (middle, top - 2.0), Anchor::Middle, self.fitting(i, head, each));
        }
        for (j, fields) in self.fields.iter().enumerate() {
            let y = top + 3.0 + HEIGHT * j as f64;
            svg.text("tick", Colour::Ink, (heads - 10.0, y + 20.0), Anchor::End, &self.rows.1[j]);
            for (i, field) in fields.iter().enumerate() {
                self.draw_field(svg, field.as_ref(), (heads + each * i as f64, y), each);
            }
        }
        top + 3.0 + HEIGHT * self.fields.len() as f64 + 4.0
    }
}

impl Map {
    /// The head of column `i`. Where one is wider than its column, the first alone keeps its unit: 1 row, 2, 4.
    fn fitting<'a>(&self, i: usize, head: &'a str, each: f64) -> &'a str {
        let fits = self.columns.1.iter().all(|head| width(head) < each);
        if fits || i == 0 { head } else { head.split(' ').next().unwrap_or(head) }
    }

    fn draw_field(&self, svg: &mut Svg, field: Option<&(f64, String)>, at: (f64, f64), each: f64) {
        let Some((value, text)) = field else { return };
        let all = || self.fields.iter().flatten().flatten().map(|field| field.0);
        let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
        let part = if high > low { (value / low).ln() / (high / low).ln() } else { 1.0 };
        // Tints end at a third of the ink, so that text stays legible on every field.
        svg.tinted("part", 0.04 + 0.3 * part, at, (each, HEIGHT));
        svg.text("tip-text", Colour::Ink, (at.0 + each / 2.0, at.1 + 20.0), Anchor::Middle, text);
    }
}
