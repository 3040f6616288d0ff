//! A chart as the page and a paper show it: its four drawings, its finding and its numbers.

use serde::Serialize;

use super::chart::{Chart, Size};
use super::palette::{Colour, Family, Ground};
use super::svg::{Medium, Svg};
use crate::tables::Table;

/// A chart with its finding, ready for a page.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)] // the names say it
pub struct Figure {
    /// Name of the figure in links and of its file.
    pub id: String,
    /// Finding of the chart, in one sentence.
    pub title: String,
    /// Description of the chart, for screen readers among others.
    pub about: String,
    pub wide: String,
    pub narrow: String,
    #[serde(skip)]
    pub paper: String,
    #[serde(skip)]
    pub paper_dark: String,
    /// Numbers of the chart as a table.
    pub table: Table,
}

impl Figure {
    /// Draws `chart` in all four forms.
    pub fn of(chart: &dyn Chart, id: &str, title: String, about: String, table: Table) -> Self {
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

/// The mark of a family alone, for legends.
pub fn mark(family: Family) -> String {
    let mut svg = Svg::new(Medium::Page);
    svg.mark(family, Colour::Of(family), (7.0, 7.0), false);
    svg.alone((14.0, 14.0))
}
