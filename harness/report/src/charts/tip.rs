//! Tips: the lines that a spot of a chart shows to the pointer and the keyboard.

use super::labels::{self, Area};
use super::palette::Colour;
use super::svg::{Anchor, Medium, Svg};

/// A tip of a chart.
pub struct Tip<'a> {
    /// Lines of the tip; the first one is the name.
    pub lines: &'a [String],
    /// Point that the tip is about.
    pub at: (f64, f64),
}

/// Draws a transparent `target` that shows its tip to the pointer and the keyboard. Spots come after all
/// other elements, so that tips stay uncovered. A paper has no pointer, hence no spots.
pub fn spot(svg: &mut Svg, bounds: Area, tip: Tip<'_>, target: impl Fn(&mut Svg)) {
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
    fn draw(&self, svg: &mut Svg, bounds: Area) {
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
            svg.text(class, Colour::Ink, at, Anchor::Start, line);
        }
    }
}
