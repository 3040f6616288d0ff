//! Charts, written as SVG.
//!
//! Each chart is drawn four times from the same data: wide and narrow for the page, light and dark for a
//! paper. The narrow drawing keeps the size of its text and drops ticks; the style sheet shows one of the
//! two. What a chart says (titles, tables) comes from its caller.

mod bars;
mod chart;
mod curves;
mod figure;
mod frame;
mod labels;
mod map;
mod palette;
mod scale;
mod scatter;
mod stacked;
mod svg;

pub(crate) use bars::{Bar, Bars};
pub(crate) use curves::{Curve, Curves};
pub use figure::{Figure, mark};
pub use frame::Axis;
pub use labels::shortened;
pub use map::Map;
pub use palette::{Colour, Family, theme};
pub(crate) use scatter::Point;
pub use scatter::{Published, Scatter};
pub(crate) use stacked::{Stack, Stacked};
pub use svg::{escape, style_sheet};
