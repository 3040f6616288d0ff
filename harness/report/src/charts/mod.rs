//! Charts: our own small SVG writer. Each chart is drawn from the same data wide and narrow for
//! the page (a narrow one keeps the size of its text and drops ticks; the style sheet shows one of them), and
//! on its own for a paper, on a light ground and on a dark one.

mod bars;
mod curves;
mod frame;
mod labels;
mod map;
mod marks;
mod palette;
mod scale;
mod scatter;
mod stacked;
mod svg;

use serde::Serialize;

pub use bars::{Bar, Bars};
pub use curves::{Curve, Curves};
pub use frame::Axis;
pub use labels::shortened;
pub use map::Map;
pub use palette::{Colour, Family, theme};
pub use scatter::{Point, Published, Scatter};
pub use stacked::{Stack, Stacked};
pub use svg::{escape, style_sheet};

use palette::Ground;
use svg::{Medium, Svg};

/// Width of a drawing in pixels; the heights follow from what is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// On a desk, and in a paper.
    Wide,
    /// On a phone.
    Narrow,
}

impl Size {
    const fn width(self) -> f64 {
        match self {
            Self::Wide => 608.0,
            Self::Narrow => 356.0,
        }
    }

    /// How many ticks there is room for along the width.
    const fn ticks(self) -> usize {
        match self {
            Self::Wide => 7,
            Self::Narrow => 4,
        }
    }

    /// How long a label may be.
    const fn letters(self) -> usize {
        match self {
            Self::Wide => 28,
            Self::Narrow => 16,
        }
    }
}

/// What can be drawn. Gives the height that it took.
pub trait Chart {
    /// Draws into `svg`.
    fn draw(&self, svg: &mut Svg, size: Size) -> f64;
}

/// A chart with what it found, ready for a page.
#[derive(Clone, Debug, Serialize)]
pub struct Figure {
    /// Name in links and of its file.
    pub id: String,
    /// Its finding, in one sentence.
    pub title: String,
    /// What it shows, for whoever needs it told.
    pub about: String,
    /// The wide drawing.
    pub wide: String,
    /// The narrow drawing.
    pub narrow: String,
    /// The drawing for a paper.
    #[serde(skip)]
    pub paper: String,
    /// The same on a dark ground, for who reads there.
    #[serde(skip)]
    pub paper_dark: String,
    /// The same numbers as a table.
    pub table: super::tables::Table,
}

impl Figure {
    /// Draws `chart`.
    pub fn of(
        chart: &dyn Chart,
        id: &str,
        title: String,
        about: String,
        table: super::tables::Table,
    ) -> Self {
        let draw = |size: Size, medium, class: &str| {
            let mut svg = Svg::new(medium);
            let height = chart.draw(&mut svg, size);
            svg.finish(&format!("{id}-{class}"), class, (size.width(), height.ceil()), &title, &about)
        };
        let wide = draw(Size::Wide, Medium::Page, "wide");
        let narrow = draw(Size::Narrow, Medium::Page, "narrow");
        let paper = draw(Size::Wide, Medium::Paper(Ground::Light), "paper");
        let paper_dark = draw(Size::Wide, Medium::Paper(Ground::Dark), "paper");
        Self { id: id.into(), wide, narrow, paper, paper_dark, title, about, table }
    }
}

/// A family's mark alone, for legends.
pub fn mark(family: Family) -> String {
    let mut svg = Svg::new(Medium::Page);
    marks::draw(&mut svg, family, Colour::Of(family), (7.0, 7.0), false);
    svg.alone((14.0, 14.0))
}

/// What the pointer or the keyboard reads at a spot of a chart: a transparent area that shows its lines.
struct Tip<'a> {
    /// First line is the name.
    lines: &'a [String],
    /// The spot.
    at: (f64, f64),
}

/// Draws a spot that shows its tip; after everything else, so that no tip is covered. A paper has no pointer.
fn spot(svg: &mut Svg, bounds: labels::Area, tip: Tip<'_>, target: impl Fn(&mut Svg)) {
    if matches!(svg.medium(), Medium::Paper(_)) {
        return;
    }
    svg.begin_focusable(&tip.lines.join(", "));
    target(svg);
    svg.begin("tip");
    tip.draw(svg, bounds);
    svg.end();
    svg.end();
}

impl Tip<'_> {
    fn draw(&self, svg: &mut Svg, bounds: labels::Area) {
        let width = self.lines.iter().map(|line| labels::width(line)).fold(40.0, f64::max) + 16.0;
        let height = self.lines.len() as f64 * labels::LINE + 9.0;
        let right = self.at.0 + 12.0 + width <= bounds.x + bounds.width;
        let x = if right { self.at.0 + 12.0 } else { (self.at.0 - 12.0 - width).max(bounds.x) };
        let lowest = bounds.y + bounds.height - height;
        let y = (self.at.1 - height / 2.0).min(lowest).max(bounds.y);
        svg.rect("tip-box", Colour::Ink, (x, y), (width, height));
        for (i, line) in self.lines.iter().enumerate() {
            let class = if i == 0 { "strong" } else { "tip-text" };
            let at = (x + 8.0, y + labels::LINE * (i as f64 + 1.0));
            svg.text(class, Colour::Ink, at, svg::Anchor::Start, line);
        }
    }
}
