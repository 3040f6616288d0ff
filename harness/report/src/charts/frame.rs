//! Axes of a plot: few ticks, a light grid, no frame. Each axis names its unit; the name of the vertical axis
//! is a horizontal line above it, so that readers need not turn their heads.

use super::chart::Size;
use super::labels::{Area, width};
use super::palette::Colour;
use super::scale::Scale;
use super::svg::{Anchor, Svg};
use dyno_stats::numbers::tick;

/// An axis before its layout.
pub struct Axis {
    /// Quantity, with its unit and the better direction.
    pub name: String,
    /// Whether the scale is logarithmic.
    pub log: bool,
    /// Whether the scale begins at zero, for lengths that are compared.
    pub from_zero: bool,
    /// Text of a tick.
    pub text: fn(f64) -> String,
    /// Ticks of the caller's own, in place of round values.
    pub ticks: Option<Vec<f64>>,
    /// Whether a vertical axis has its least value at the top, so that better stands above worse.
    pub reversed: bool,
}

impl Axis {
    /// An axis with round ticks. A linear one begins at zero.
    pub fn of(name: impl Into<String>, log: bool) -> Self {
        Self { name: name.into(), log, from_zero: !log, text: tick, ticks: None, reversed: false }
    }
}

/// A plot with its layout.
pub struct Frame {
    pub x: Scale,
    pub y: Scale,
    /// Area inside the axes.
    pub plot: Area,
}

/// Height below the plot for ticks and name.
const BELOW: f64 = 44.0;
/// Height above the plot for the name of the vertical axis.
const ABOVE: f64 = 26.0;

impl Frame {
    /// Draws axes around the values `x` and `y`, in a drawing of `height`.
    pub fn draw(svg: &mut Svg, size: Size, height: f64, x: (&Axis, Vec<f64>), y: (&Axis, Vec<f64>)) -> Self {
        let upright = Scale::around(y.1, y.0.log, y.0.from_zero);
        let y_ticks = ticks(y.0, &upright, 5);
        let texts = texts(y.0, &y_ticks);
        let left = texts.iter().map(|text| width(text)).fold(20.0, f64::max) + 10.0;
        let plot =
            Area { x: left, y: ABOVE, width: size.width() - left - 12.0, height: height - ABOVE - BELOW };
        let across = Scale::around(x.1, x.0.log, x.0.from_zero).over(plot.x, plot.x + plot.width);
        let (bottom, top) = (plot.y + plot.height, plot.y);
        let upright = if y.0.reversed { upright.over(top, bottom) } else { upright.over(bottom, top) };
        let frame = Self { x: across, y: upright, plot };
        frame.draw_y(svg, y.0, &y_ticks, &texts);
        frame.draw_x(svg, x.0, size);
        frame
    }

    /// The pixel of a pair of values.
    pub fn at(&self, x: f64, y: f64) -> (f64, f64) {
        (self.x.at(x), self.y.at(y))
    }

    fn bottom(&self) -> f64 {
        self.plot.y + self.plot.height
    }

    fn right(&self) -> f64 {
        self.plot.x + self.plot.width
    }

    fn draw_y(&self, svg: &mut Svg, axis: &Axis, ticks: &[f64], texts: &[String]) {
        for (tick, text) in ticks.iter().zip(texts) {
            let y = self.y.at(*tick);
            svg.line("grid", Colour::Ink, (self.plot.x, y), (self.right(), y));
            svg.text("tick", Colour::Ink, (self.plot.x - 7.0, y + 4.0), Anchor::End, text);
        }
        svg.text("name", Colour::Ink, (0.0, 12.0), Anchor::Start, &axis.name);
    }

    fn draw_x(&self, svg: &mut Svg, axis: &Axis, size: Size) {
        let bottom = self.bottom();
        let ticks = ticks(axis, &self.x, size.ticks());
        let mut free_from = 0.0;
        for (tick, text) in ticks.iter().zip(texts(axis, &ticks)) {
            let x = self.x.at(*tick);
            svg.line("grid", Colour::Ink, (x, self.plot.y), (x, bottom));
            let half = width(&text) / 2.0;
            let middle = x.min(size.width() - half);
            if middle - half >= free_from {
                svg.text("tick", Colour::Ink, (middle, bottom + 17.0), Anchor::Middle, &text);
                free_from = middle + half + 6.0;
            }
        }
        svg.line("axis", Colour::Ink, (self.plot.x, bottom), (self.right(), bottom));
        svg.text("name", Colour::Ink, (self.right(), bottom + 37.0), Anchor::End, &axis.name);
    }
}

fn ticks(axis: &Axis, scale: &Scale, most: usize) -> Vec<f64> {
    let inside = |tick: &f64| (scale.low..=scale.high).contains(tick);
    match &axis.ticks {
        Some(given) => given.iter().copied().filter(inside).collect(),
        None => scale.ticks(most),
    }
}

/// Texts of the ticks, with as many decimals as tell neighbours apart.
fn texts(axis: &Axis, ticks: &[f64]) -> Vec<String> {
    let texts: Vec<String> = ticks.iter().map(|tick| (axis.text)(*tick)).collect();
    let told_apart = texts.windows(2).all(|pair| pair[0] != pair[1]);
    let exact = |tick: &f64| (axis.text)(*tick).parse().is_ok_and(|read: f64| (read - tick).abs() < 1e-9);
    if told_apart && (axis.log || axis.ticks.is_some() || ticks.iter().all(exact)) {
        return texts;
    }
    let step = ticks.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    let decimals = if step < 1.0 { (-step.log10()).ceil().clamp(0.0, 6.0) as usize } else { 0 };
    if decimals == 0 { texts } else { ticks.iter().map(|tick| format!("{tick:.decimals$}")).collect() }
}
