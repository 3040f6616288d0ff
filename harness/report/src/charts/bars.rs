//! Horizontal bars from zero, each with its figure at the end and its interval as a whisker.

use super::chart::{Chart, Size, spot};
use super::labels::{Area, LINE, shortened, width};
use super::palette::Colour;
use super::scale::Scale;
use super::svg::{Anchor, Svg};
use dyno_stats::Estimate;
use dyno_stats::numbers::lacking_decimals;

pub struct Bar {
    pub name: String,
    pub colour: Colour,
    /// Length of the bar, with its interval.
    pub value: Estimate,
    /// Figure at the end of the bar.
    pub text: String,
    pub tip: Vec<String>,
}

pub struct Bars {
    /// Quantity that the lengths show, with its unit.
    pub name: String,
    /// Reference length, with its name.
    pub ideal: Option<(f64, String)>,
    /// Bars from top to bottom.
    pub bars: Vec<Bar>,
}

/// Height of a row. On a phone the name has its own line above the bar.
pub fn row(size: Size) -> f64 {
    size.of(24.0, 38.0)
}

/// Left end of the bars: behind the longest name, on a phone at the edge.
pub fn names_end<'a>(names: impl Iterator<Item = &'a str>, size: Size) -> f64 {
    match size {
        Size::Narrow => 0.0,
        Size::Wide => names.map(|name| width(&shortened(name, size.letters()))).fold(0.0, f64::max) + 12.0,
    }
}

/// Draws the name of a row, and returns the upper edge of its bar.
pub fn draw_name(svg: &mut Svg, name: &str, colour: Colour, top: f64, from: f64, size: Size) -> f64 {
    match size {
        Size::Wide => {
            let text = shortened(name, size.letters());
            svg.text("label", colour, (from - 8.0, top + 16.0), Anchor::End, &text);
            top + 4.0
        }
        Size::Narrow => {
            // The name's own line has room for twice the letters.
            let text = shortened(name, 2 * size.letters());
            svg.text("label", colour, (0.0, top + 13.0), Anchor::Start, &text);
            top + 17.0
        }
    }
}

/// Thickness of a bar in pixels.
pub const THICK: f64 = 16.0;

impl Chart for Bars {
    fn draw(&self, svg: &mut Svg, size: Size) -> f64 {
        let from = names_end(self.bars.iter().map(|bar| bar.name.as_str()), size);
        let lacks = lacking_decimals(self.bars.iter().map(|bar| bar.text.as_str()));
        let blanks: Vec<f64> = lacks.into_iter().map(|lacks| width(&"0".repeat(lacks))).collect();
        let ends = self.bars.iter().zip(&blanks).map(|(bar, blank)| width(&bar.text) + blank);
        let figures = ends.fold(0.0, f64::max) + 12.0;
        let ends = self.bars.iter().map(|bar| bar.value.high).chain(self.ideal.iter().map(|ideal| ideal.0));
        let scale = Scale::exactly(0.0, ends.fold(1e-12, f64::max)).over(from, size.width() - figures);
        let height = LINE + 8.0 + row(size) * self.bars.len() as f64 + 4.0;
        svg.text("name", Colour::Ink, (0.0, 12.0), Anchor::Start, &self.name);
        if let Some((at, what)) = &self.ideal {
            let x = scale.at(*at);
            svg.line("ideal", Colour::Ink, (x, LINE + 4.0), (x, height));
            let (place, anchor) = self.place_of_ideal(x, what);
            svg.text("name", Colour::Ink, (place, 12.0), anchor, what);
        }
        for (i, (bar, blank)) in self.bars.iter().zip(blanks).enumerate() {
            let top = LINE + 8.0 + row(size) * i as f64;
            bar.draw(svg, top, (from, size.width() - blank), &scale, size);
        }
        height
    }
}

impl Bars {
    /// Where the name of the reference length stands: left of its line, or, where the chart's name is in the way,
    /// right of both.
    fn place_of_ideal(&self, line: f64, what: &str) -> (f64, Anchor) {
        let free = width(&self.name) + 12.0;
        if line - width(what) > free { (line, Anchor::End) } else { (line.max(free), Anchor::Start) }
    }
}

impl Bar {
    /// Draws the bar. `right` is the right end of its figure, chosen so that decimal points stand below each
    /// other.
    fn draw(&self, svg: &mut Svg, top: f64, (from, right): (f64, f64), scale: &Scale, size: Size) {
        let y = draw_name(svg, &self.name, self.colour, top, from, size);
        let end = scale.at(self.value.value);
        svg.rect("bar", self.colour, (from, y), ((end - from).max(1.0), THICK));
        let (low, high) = (scale.at(self.value.low), scale.at(self.value.high));
        let middle = y + THICK / 2.0;
        if high - low > 1.0 {
            svg.line("whisker", Colour::Ink, (low, middle), (high, middle));
            for x in [low, high] {
                svg.line("whisker", Colour::Ink, (x, middle - 3.0), (x, middle + 3.0));
            }
        }
        svg.text("tip-text", Colour::Ink, (right, middle + 4.0), Anchor::End, &self.text);
        let bounds = Area { x: 0.0, y: top - 20.0, width: size.width(), height: 200.0 };
        let target = |svg: &mut Svg| svg.rect("hit", Colour::Ink, (0.0, top), (size.width(), row(size)));
        spot(svg, bounds, (&self.tip, (end, middle)), target);
    }
}
