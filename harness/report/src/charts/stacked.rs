//! Shares of a whole as stacked bars. Colour means the family, so parts differ by tint and by the names
//! inside.

use super::bars::{THICK, draw_name, names_end, row};
use super::chart::{Chart, Size, spot};
use super::labels::{Area, LINE, width};
use super::palette::Colour;
use super::svg::{Anchor, Svg};

/// Parts of one system.
pub struct Stack {
    pub name: String,
    /// Colour of the name.
    pub colour: Colour,
    /// Parts with their share of the whole, in the order of all stacks.
    pub parts: Vec<(String, f64)>,
    pub tip: Vec<String>,
}

pub struct Stacked {
    /// Quantity that is divided.
    pub name: String,
    /// Stacks from top to bottom.
    pub stacks: Vec<Stack>,
}

/// Tints of neighbouring parts, far enough apart to need no line between.
const TINTS: [f64; 4] = [0.82, 0.3, 0.58, 0.14];
/// Parts up to this opacity of ink carry text in ink, darker ones text in the page's colour.
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
        spot(svg, bounds, (&self.tip, at), target);
    }
}
