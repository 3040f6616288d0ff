//! What all charts share: the sizes of a drawing, the trait that draws into it, and tips, the lines that a
//! spot of a chart shows to the pointer and the keyboard.

use super::labels::{Area, LINE, width};
use super::palette::Colour;
use super::svg::{Anchor, Medium, Svg, escape};

/// Width of a drawing. The height follows from the chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// For a screen, and for print.
    Wide,
    /// For a phone.
    Narrow,
}

impl Size {
    /// The one of two values.
    pub fn of<T>(self, wide: T, narrow: T) -> T {
        if self == Self::Wide { wide } else { narrow }
    }

    /// Width in pixels.
    pub fn width(self) -> f64 {
        self.of(608.0, 356.0)
    }

    /// Number of ticks that fit along the width.
    pub fn ticks(self) -> usize {
        self.of(7, 4)
    }

    /// Most letters of a label.
    pub fn letters(self) -> usize {
        self.of(28, 16)
    }
}

/// A chart that can be drawn.
pub trait Chart {
    /// Draws the chart into `svg`, and returns its height.
    fn draw(&self, svg: &mut Svg, size: Size) -> f64;
}

/// Lines of a tip, the first one a name, and the point that they are about.
type Tip<'a> = (&'a [String], (f64, f64));

/// Draws a transparent `target` that shows its tip to the pointer and the keyboard. Spots come after all
/// other elements, so that tips stay uncovered. A paper has no pointer, hence no spots.
pub fn spot(svg: &mut Svg, bounds: Area, tip: Tip<'_>, target: impl Fn(&mut Svg)) {
    if matches!(svg.medium, Medium::Paper(_)) {
        return;
    }
    let told = escape(&tip.0.join(", "));
    svg.group(&format!("class=\"spot\" tabindex=\"0\" role=\"img\" aria-label=\"{told}\""), |svg| {
        target(svg);
        svg.group("class=\"tip\"", |svg| draw(svg, bounds, tip));
    });
}

fn draw(svg: &mut Svg, bounds: Area, (lines, at): Tip<'_>) {
    let wide = lines.iter().map(|line| width(line)).fold(40.0, f64::max) + 16.0;
    let height = lines.len() as f64 * LINE + 9.0;
    let right = at.0 + 12.0 + wide <= bounds.x + bounds.width;
    let x = if right { at.0 + 12.0 } else { (at.0 - 12.0 - wide).max(bounds.x) };
    let lowest = bounds.y + bounds.height - height;
    let y = (at.1 - height / 2.0).min(lowest).max(bounds.y);
    svg.rect("tip-box", Colour::Ink, (x, y), (wide, height));
    for (i, line) in lines.iter().enumerate() {
        let class = if i == 0 { "strong" } else { "tip-text" };
        let from = (x + 8.0, y + LINE * (i as f64 + 1.0));
        svg.text(class, Colour::Ink, from, Anchor::Start, line);
    }
}
