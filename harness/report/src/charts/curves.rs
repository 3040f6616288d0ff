//! Curves over a measured quantity: distributions, and latency over length. Names stand at their curves.

use super::chart::{Chart, Size, spot};
use super::frame::{Axis, Frame};
use super::labels::{Area, BOLD, LINE, Labels, shortened, width};
use super::palette::Colour;
use super::svg::{Anchor, Svg};

pub struct Curve {
    pub name: String,
    /// Colour of the system; a grey curve is thin.
    pub colour: Colour,
    /// Points of the curve.
    pub line: Vec<(f64, f64)>,
    /// Single measured points beside the curve.
    pub dots: Vec<(f64, f64)>,
    pub tip: Vec<String>,
}

pub struct Curves {
    pub x: Axis,
    pub y: Axis,
    /// Curves, the most important first.
    pub curves: Vec<Curve>,
    /// Positions along a curve (0 to 1) at which its name may stand, the best first.
    pub label_at: Vec<f64>,
}

/// Most curves of a chart in which grey curves have names too.
const MOST_NAMED: usize = 8;

impl Chart for Curves {
    fn draw(&self, svg: &mut Svg, size: Size) -> f64 {
        let height = size.of(330.0, 320.0);
        let all = || self.curves.iter().flat_map(|curve| curve.line.iter().chain(&curve.dots));
        let x = all().map(|at| at.0).collect();
        let y = all().map(|at| at.1).collect();
        let frame = Frame::draw(svg, size, height, (&self.x, x), (&self.y, y));
        for curve in self.curves.iter().rev() {
            curve.draw(svg, &frame);
        }
        let left_out = self.draw_labels(svg, &frame, size);
        self.draw_tips(svg, &frame, size);
        if left_out == 0 {
            return height;
        }
        let told = format!("{left_out} more, without a label, are in the table");
        svg.text("name", Colour::Ink, (0.0, height + LINE), Anchor::Start, &told);
        height + LINE + 8.0
    }
}

impl Curves {
    /// Draws the names, and returns the number of curves whose name found no place.
    fn draw_labels(&self, svg: &mut Svg, frame: &Frame, size: Size) -> usize {
        let mut labels = Labels::new(frame.plot);
        // Names of many grey curves would cover each other. In a crowded chart only the others have names,
        // which may cross grey curves.
        let crowded = self.curves.len() > MOST_NAMED;
        for curve in self.curves.iter().filter(|curve| !(crowded && curve.is_grey())) {
            labels.avoid_line(&curve.pixels(frame), 1.0);
            labels.avoided.extend(curve.dots.iter().map(|&(x, y)| Area::about(frame.at(x, y), 3.0)));
        }
        let (named, unnamed): (Vec<_>, Vec<_>) =
            self.curves.iter().partition(|curve| !(crowded && curve.is_grey()));
        let left_out =
            named.into_iter().filter(|curve| !self.draw_label(svg, &mut labels, frame, curve, size)).count();
        left_out + unnamed.len()
    }

    fn draw_label(
        &self,
        svg: &mut Svg,
        labels: &mut Labels,
        frame: &Frame,
        curve: &Curve,
        size: Size,
    ) -> bool {
        let text = shortened(&curve.name, size.letters());
        let wide = width(&text) * if curve.is_grey() { 1.0 } else { BOLD };
        let pixels = curve.pixels(frame);
        let spot = |part: &f64| pixels.get((part * (pixels.len().max(1) - 1) as f64) as usize);
        let free = |&at: &(f64, f64)| labels.try_beside(at, wide).map(|(cost, area)| (cost, area, at.0));
        let places = self.label_at.iter().filter_map(spot).filter_map(free);
        let Some((_, area, x)) = places.min_by(|a, b| a.0.total_cmp(&b.0)) else { return false };
        labels.taken.push(area);
        let (anchor, x) = area.text_at(x);
        let class = if curve.is_grey() { "label" } else { "strong" };
        svg.text(class, curve.colour, (x, area.y + LINE - 3.5), anchor, &text);
        true
    }

    fn draw_tips(&self, svg: &mut Svg, frame: &Frame, size: Size) {
        let bounds = Area { x: 0.0, width: size.width(), ..frame.plot };
        for curve in &self.curves {
            let pixels = curve.pixels(frame);
            let Some(&at) = pixels.get(pixels.len() / 2) else { continue };
            let target = move |svg: &mut Svg| svg.path("hit-line", Colour::Ink, &pixels, false);
            spot(svg, bounds, (&curve.tip, at), target);
        }
    }
}

impl Curve {
    /// A curve whose tip has its name, then `told`.
    pub fn of(
        (name, colour): (String, Colour),
        line: Vec<(f64, f64)>,
        dots: Vec<(f64, f64)>,
        told: impl IntoIterator<Item = String>,
    ) -> Self {
        let tip = [name.clone()].into_iter().chain(told).collect();
        Self { name, colour, line, dots, tip }
    }

    /// A grey line to hold curves against, such as a limit.
    pub fn reference(name: &str, line: [(f64, f64); 2], told: String) -> Self {
        Self { name: name.into(), colour: Colour::Grey, line: line.into(), dots: Vec::new(), tip: vec![told] }
    }

    fn is_grey(&self) -> bool {
        self.colour == Colour::Grey
    }

    fn pixels(&self, frame: &Frame) -> Vec<(f64, f64)> {
        self.line.iter().map(|&(x, y)| frame.at(x, y)).collect()
    }

    fn draw(&self, svg: &mut Svg, frame: &Frame) {
        let class = if self.is_grey() { "faint" } else { "curve" };
        svg.path(class, self.colour, &self.pixels(frame), false);
        for &(x, y) in &self.dots {
            svg.circle("dot", self.colour, frame.at(x, y), if self.is_grey() { 1.5 } else { 2.5 });
        }
    }
}
