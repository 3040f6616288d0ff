//! Tips: the lines that a spot of a chart shows to the pointer and the keyboard.

use super::labels::{self, Area};
use super::palette::Colour;
use super::svg::{Anchor, Medium, Svg, escape};

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
    let width = lines.iter().map(|line| labels::width(line)).fold(40.0, f64::max) + 16.0;
    let height = lines.len() as f64 * labels::LINE + 9.0;
    let right = at.0 + 12.0 + width <= bounds.x + bounds.width;
    let x = if right { at.0 + 12.0 } else { (at.0 - 12.0 - width).max(bounds.x) };
    let lowest = bounds.y + bounds.height - height;
    let y = (at.1 - height / 2.0).min(lowest).max(bounds.y);
    svg.rect("tip-box", Colour::Ink, (x, y), (width, height));
    for (i, line) in lines.iter().enumerate() {
        let class = if i == 0 { "strong" } else { "tip-text" };
        let from = (x + 8.0, y + labels::LINE * (i as f64 + 1.0));
        svg.text(class, Colour::Ink, from, Anchor::Start, line);
    }
}
