//! Charts of quality against cost: points with their error boxes and labels, and the frontier as stairs. For
//! each point below the stairs, another system is both better and cheaper.

use super::chart::{Chart, Size, spot};
use super::frame::{Axis, Frame};
use super::labels::{Area, BOLD, LINE, Labels, shortened, width};
use super::palette::{Colour, Family};
use super::svg::{Anchor, Svg};
use dyno_stats::{Estimate, Standing};

/// Point of a system: its quality (y) over its cost (x).
pub struct Point {
    pub name: String,
    pub family: Family,
    pub standing: Standing,
    pub x: Estimate,
    pub y: Estimate,
    pub tip: Vec<String>,
}

/// Point of a paper, below our own. One point of each paper has a name, and each tip the source.
#[allow(missing_docs)] // the names say it
pub struct Published {
    pub name: Option<String>,
    pub x: f64,
    pub y: f64,
    pub tip: Vec<String>,
}

/// A chart of quality against cost.
pub struct Scatter {
    /// Axis of cost.
    pub x: Axis,
    /// Whether less cost is better, as for latency.
    pub less_is_better: bool,
    /// Axis of quality.
    pub y: Axis,
    /// Points of systems, the most important first, since the first labels get the best places.
    pub points: Vec<Point>,
    /// Points of papers.
    pub published: Vec<Published>,
}

impl Chart for Scatter {
    fn draw(&self, svg: &mut Svg, size: Size) -> f64 {
        let height = size.of(384.0, 340.0);
        let frame = Frame::draw(
            svg,
            size,
            height,
            (&self.x, self.values(|p| p.x, |p| p.x)),
            (&self.y, self.values(|p| p.y, |p| p.y)),
        );
        for point in &self.points {
            point.draw_box(svg, &frame);
        }
        let stairs = self.stairs(&frame);
        if stairs.len() > 2 {
            svg.path("frontier", Colour::Ink, &stairs, false);
        }
        for point in &self.published {
            let (x, y) = frame.at(point.x, point.y);
            svg.line("published", Colour::Ink, (x - 4.0, y - 4.0), (x + 4.0, y + 4.0));
            svg.line("published", Colour::Ink, (x - 4.0, y + 4.0), (x + 4.0, y - 4.0));
        }
        for point in self.points.iter().rev() {
            let hollow = point.standing == Standing::Probably;
            svg.mark(point.family, point.colour(), frame.at(point.x.value, point.y.value), hollow);
        }
        let key = self.draw_labels(svg, &frame, &stairs, size);
        self.draw_tips(svg, &frame, size);
        height + draw_key(svg, &key, height)
    }
}

impl Scatter {
    fn values(&self, ours: impl Fn(&Point) -> Estimate, theirs: impl Fn(&Published) -> f64) -> Vec<f64> {
        let ends = self.points.iter().map(ours).flat_map(|e| [e.low, e.value, e.high]);
        ends.chain(self.published.iter().map(theirs)).collect()
    }

    /// Corners of the stairs, from the best quality to the least cost.
    fn stairs(&self, frame: &Frame) -> Vec<(f64, f64)> {
        let on = self.points.iter().filter(|point| point.standing == Standing::Frontier);
        let mut corners: Vec<_> = on.map(|point| frame.at(point.x.value, point.y.value)).collect();
        corners.sort_by(|a, b| a.1.total_cmp(&b.1));
        let plot = frame.plot;
        let worst = if self.less_is_better { plot.x + plot.width } else { plot.x };
        let mut stairs = Vec::new();
        let mut x = worst;
        for corner in corners {
            stairs.extend([(x, corner.1), corner]);
            x = corner.0;
        }
        stairs.push((x, plot.y + plot.height));
        stairs
    }

    /// Draws the labels. A label without a free place becomes a number; its line for the key is returned.
    fn draw_labels(&self, svg: &mut Svg, frame: &Frame, stairs: &[(f64, f64)], size: Size) -> Vec<String> {
        let mut labels = Labels::new(frame.plot);
        let spots: Vec<_> = self.points.iter().map(|p| frame.at(p.x.value, p.y.value)).collect();
        let theirs: Vec<_> = self.published.iter().map(|p| frame.at(p.x, p.y)).collect();
        labels.taken.extend(spots.iter().chain(&theirs).map(|&at| Area::about(at, 7.0)));
        labels.avoid_line(stairs, 2.0);
        let mut key = Vec::new();
        for (point, &at) in self.points.iter().zip(&spots) {
            let text = shortened(&point.name, size.letters());
            if !draw_label(svg, &mut labels, at, &text, point.class(), point.colour()) {
                let number = (key.len() + 1).to_string();
                draw_label(svg, &mut labels, at, &number, point.class(), point.colour());
                key.push(format!("{number} {}", point.name));
            }
        }
        for (point, &at) in self.published.iter().zip(&theirs) {
            if let Some(name) = &point.name {
                draw_label(svg, &mut labels, at, name, "name", Colour::Ink);
            }
        }
        key
    }

    fn draw_tips(&self, svg: &mut Svg, frame: &Frame, size: Size) {
        let bounds = Area { x: 0.0, width: size.width(), ..frame.plot };
        let ours = self.points.iter().map(|p| (frame.at(p.x.value, p.y.value), &p.tip));
        let theirs = self.published.iter().map(|p| (frame.at(p.x, p.y), &p.tip));
        for (at, lines) in theirs.chain(ours) {
            let target = move |svg: &mut Svg| svg.circle("hit", Colour::Ink, at, 11.0);
            spot(svg, bounds, (lines, at), target);
        }
    }
}

impl Point {
    fn colour(&self) -> Colour {
        if self.standing == Standing::Off { Colour::Grey } else { Colour::Of(self.family) }
    }

    const fn class(&self) -> &'static str {
        if matches!(self.standing, Standing::Frontier) { "strong" } else { "label" }
    }

    fn draw_box(&self, svg: &mut Svg, frame: &Frame) {
        let (left, one) = frame.at(self.x.low, self.y.high);
        let (right, other) = frame.at(self.x.high, self.y.low);
        let (top, bottom) = (one.min(other), one.max(other));
        // An interval narrower than a pixel would be invisible.
        let (width, height) = ((right - left).max(1.0), (bottom - top).max(1.0));
        svg.rect("box", self.colour(), (left, top), (width, height));
    }
}

fn draw_label(
    svg: &mut Svg,
    labels: &mut Labels,
    at: (f64, f64),
    text: &str,
    class: &str,
    colour: Colour,
) -> bool {
    let bold = if class == "strong" { BOLD } else { 1.0 };
    let Some((area, leader)) = labels.place(at, width(text) * bold) else { return false };
    if let Some(from) = leader {
        svg.line("leader", Colour::Ink, from, at);
    }
    let (anchor, x) = area.text_at(at.0);
    svg.text(class, colour, (x, area.y + LINE - 3.5), anchor, text);
    true
}

/// Draws the names of numbered points below the chart, and returns their height.
fn draw_key(svg: &mut Svg, key: &[String], from: f64) -> f64 {
    for (i, line) in key.iter().enumerate() {
        let y = from + LINE * (i as f64 + 1.0);
        svg.text("name", Colour::Ink, (0.0, y), Anchor::Start, &shortened(line, 48));
    }
    if key.is_empty() { 0.0 } else { LINE * key.len() as f64 + 8.0 }
}
