//! Marks of the families: a shape beside each colour, for readers who can't tell the colours apart.

use super::palette::{Colour, Family};
use super::svg::Svg;

/// Draws the mark of a family around a point. A `hollow` mark stands for a system that is probably on the
/// frontier.
pub fn draw(svg: &mut Svg, family: Family, colour: Colour, at: (f64, f64), hollow: bool) {
    let class = if hollow { "hollow" } else { "mark" };
    match outline(family) {
        None => svg.circle(class, colour, at, if hollow { 4.5 } else { 5.0 }),
        Some(outline) => {
            let points: Vec<_> = outline.iter().map(|(x, y)| (at.0 + x, at.1 + y)).collect();
            svg.path(class, colour, &points, true);
        }
    }
}

/// Corners of a family's mark; `None` is a circle. The sizes make all marks look equally large.
fn outline(family: Family) -> Option<&'static [(f64, f64)]> {
    Some(match family {
        Family::Ssru => return None,
        Family::Aan => &[(-4.5, -4.5), (4.5, -4.5), (4.5, 4.5), (-4.5, 4.5)],
        Family::Gru => &[(0.0, -5.8), (5.4, 4.2), (-5.4, 4.2)],
        Family::RnnFc => &[(0.0, -6.2), (6.2, 0.0), (0.0, 6.2), (-6.2, 0.0)],
        Family::Encoder => &[(0.0, 5.8), (5.4, -4.2), (-5.4, -4.2)],
        // A hexagon that stands on a corner.
        Family::DecoderOnly => &[(0.0, -5.6), (4.8, -2.8), (4.8, 2.8), (0.0, 5.6), (-4.8, 2.8), (-4.8, -2.8)],
        Family::Plugin => &[(0.0, -5.6), (5.3, -1.7), (3.3, 4.5), (-3.3, 4.5), (-5.3, -1.7)],
        Family::Program => &[
            (-1.8, -5.4),
            (1.8, -5.4),
            (1.8, -1.8),
            (5.4, -1.8),
            (5.4, 1.8),
            (1.8, 1.8),
            (1.8, 5.4),
            (-1.8, 5.4),
            (-1.8, 1.8),
            (-5.4, 1.8),
            (-5.4, -1.8),
            (-1.8, -1.8),
        ],
    })
}
