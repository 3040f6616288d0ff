//! Shares of a whole as stacked bars. Colour is taken (it means the family), so parts are told apart by tint
//! and by their names inside.

use super::bars::{THICK, draw_name, names_end, row};
use super::labels::{Area, LINE, width};
use super::palette::Colour;
use super::svg::{Anchor, Svg};
use super::{Chart, Size, Tip, spot};

/// One system's parts.
pub struct Stack {
    /// Its name.
    pub name: String,
    /// Its name's colour.
    pub colour: Colour,
    /// Parts with their share of the whole, in the order of all stacks.
    pub parts: Vec<(String, f64)>,
    /// What it tells when pointed at.
    pub tip: Vec<String>,
}

/// The chart.
pub struct Stacked {
    /// What the whole is.
    pub name: String,
    /// Stacks in their order.
    pub stacks: Vec<Stack>,
}

/// Tints of neighbouring parts: far enough apart to be told without a line between.
const TINTS: [f64; 4] = [0.82, 0.3, 0.58, 0.14];
/// Below this opacity of ink on the page, ink is read on the part; above it, the page's own colour.
const DARK: f64 = 0.5;

impl Chart for Stacked {
    fn draw(&self, svg: &mut Svg, size: Size) -> f64 {
        let from = names_end(self.stacks.iter().map(|stack| stack.name.as_str()), size);
        svg.text("name", Colour::Ink, (0.0, 12.0), Anchor::Start, &self.name);
        for (i, stack) in self.stacks.iter().enumerate() {
            stack.draw(svg, LINE + 8.0 + row(size) * i as f64, from, size);
        }
        LINE + 8.0 + row(size) * self.stacks.len() as f64 + 4.0
    }
}

impl Stack {
    fn draw(&self, svg: &mut Svg, top: f64, from: f64, size: Size) {
        let y = draw_name(svg, &self.name, self.colour, top, from, size);
        let whole = size.width() - from;
        let mut x = from;
        for (i, (name, share)) in self.parts.iter().enumerate() {
            let wide = share * whole;
            let tint = TINTS[i % TINTS.len()];
            svg.tinted("part", tint, (x, y), (wide, THICK));
            if width(name) + 6.0 <= wide {
                let class = if tint > DARK { "on" } else { "tip-text" };
                svg.text(class, Colour::Ink, (x + wide / 2.0, y + 12.0), Anchor::Middle, name);
            }
            x += wide;
        }
        let bounds = Area { x: 0.0, y: top - 20.0, width: size.width(), height: 400.0 };
        let at = (from + whole / 2.0, y + THICK);
        let target = |svg: &mut Svg| svg.rect("hit", Colour::Ink, (0.0, top), (size.width(), row(size)));
        spot(svg, bounds, Tip { lines: &self.tip, at }, target);
    }
}
