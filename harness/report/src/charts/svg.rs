//! A small SVG writer.
//!
//! Each element names its class and its colour. [`PAINT`] holds the look of each class. The page gets the
//! looks as a style sheet, which follows the reader's theme. A figure for a paper gets them in its elements,
//! since few programs there know CSS variables.

use std::fmt::Write;

use dyno_api::printable;

use super::palette::{self, Colour, Family, Ground};

/// Look of each class. `var(--c)` is the colour of the element.
const PAINT: [(&str, &str); 25] = [
    ("grid", "stroke:var(--grid);stroke-width:1"),
    ("axis", "stroke:var(--soft);stroke-width:1"),
    ("tick", "fill:var(--soft);font-size:12px"),
    ("name", "fill:var(--soft);font-size:12px"),
    ("label", "fill:var(--c);font-size:12px"),
    ("strong", "fill:var(--c);font-size:12px;font-weight:600"),
    ("halo", "fill:none;stroke:var(--page);stroke-width:3;stroke-linejoin:round;font-size:12px"),
    ("leader", "stroke:var(--soft);stroke-width:.75"),
    ("box", "fill:var(--c);fill-opacity:.07;stroke:var(--c);stroke-opacity:.55;stroke-width:.75"),
    ("frontier", "fill:none;stroke:var(--ink);stroke-width:1.25;stroke-opacity:.75"),
    ("mark", "fill:var(--c);stroke:var(--page);stroke-width:1"),
    ("hollow", "fill:var(--page);stroke:var(--c);stroke-width:2"),
    ("published", "fill:none;stroke:var(--soft);stroke-width:1.25"),
    ("curve", "fill:none;stroke:var(--c);stroke-width:1.75"),
    ("faint", "fill:none;stroke:var(--c);stroke-width:1"),
    ("dot", "fill:var(--c)"),
    ("bar", "fill:var(--c)"),
    ("whisker", "stroke:var(--ink);stroke-width:1"),
    ("ideal", "stroke:var(--soft);stroke-width:1;stroke-dasharray:3 3"),
    ("part", "fill:var(--ink);stroke:var(--page);stroke-width:1"),
    ("on", "fill:var(--page);font-size:12px"),
    ("hit", "fill:transparent"),
    ("hit-line", "fill:none;stroke:transparent;stroke-width:12"),
    ("tip-box", "fill:var(--page);stroke:var(--soft);stroke-width:.75"),
    ("tip-text", "fill:var(--ink);font-size:12px"),
];

/// Halo of names, which keeps them legible above a line.
const HALO: &str = ".chart .label,.chart .strong{paint-order:stroke;stroke:var(--page);stroke-width:3px;stroke-linejoin:round}\n";

/// Font of figures that stand alone; charts on the page have the page's font.
const FONT: &str = "font-family:Helvetica,Arial,'Liberation Sans',sans-serif";

/// The style sheet of the charts on a page.
pub fn style_sheet() -> String {
    let rule = |(class, look): &(&str, &str)| format!(".chart .{class}{{{look}}}\n");
    PAINT.iter().map(rule).collect::<String>() + HALO + &palette::colour_classes()
}

/// Medium of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// The page: themed, with tips.
    Page,
    /// A file for a paper: all looks resolved, without tips.
    Paper(Ground),
}

pub struct Svg {
    body: String,
    pub medium: Medium,
}

/// Position of a text relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The text begins at the point.
    Start,
    /// The text is centred on the point.
    Middle,
    /// The text ends at the point.
    End,
}

impl Svg {
    pub const fn new(medium: Medium) -> Self {
        Self { body: String::new(), medium }
    }

    pub fn line(&mut self, class: &str, colour: Colour, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        let look = self.look(class, colour);
        let (x1, y1, x2, y2) = (px(x1), px(y1), px(x2), px(y2));
        let _ = write!(self.body, "<line{look} x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>");
    }

    /// A rectangle by its upper left corner and its size.
    pub fn rect(&mut self, class: &str, colour: Colour, (x, y): (f64, f64), (width, height): (f64, f64)) {
        let look = self.look(class, colour);
        let (x, y, width, height) = (px(x), px(y), px(width.max(0.0)), px(height.max(0.0)));
        let _ = write!(self.body, "<rect{look} x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>");
    }

    /// A rectangle in a tint, the opacity of its colour.
    pub fn tinted(&mut self, class: &str, tint: f64, at: (f64, f64), size: (f64, f64)) {
        self.rect(class, Colour::Ink, at, size);
        self.body.truncate(self.body.len() - "/>".len());
        let _ = write!(self.body, " fill-opacity=\"{}\"/>", trimmed(tint, 2));
    }

    pub fn circle(&mut self, class: &str, colour: Colour, (x, y): (f64, f64), radius: f64) {
        let look = self.look(class, colour);
        let _ = write!(self.body, "<circle{look} cx=\"{}\" cy=\"{}\" r=\"{}\"/>", px(x), px(y), px(radius));
    }

    /// A path through points, closed or open.
    pub fn path(&mut self, class: &str, colour: Colour, points: &[(f64, f64)], closed: bool) {
        let look = self.look(class, colour);
        let _ = write!(self.body, "<path{look} d=\"");
        for (i, &(x, y)) in points.iter().enumerate() {
            let _ = write!(self.body, "{}{} {}", if i == 0 { 'M' } else { 'L' }, px(x), px(y));
        }
        self.body.push_str(if closed { "Z\"/>" } else { "\"/>" });
    }

    /// The mark of a family around a point. A `hollow` one stands for a system that is probably on the frontier.
    pub fn mark(&mut self, family: Family, colour: Colour, at: (f64, f64), hollow: bool) {
        let class = if hollow { "hollow" } else { "mark" };
        match family.outline() {
            None => self.circle(class, colour, at, if hollow { 4.5 } else { 5.0 }),
            Some(outline) => {
                let points: Vec<_> = outline.iter().map(|(x, y)| (at.0 + x, at.1 + y)).collect();
                self.path(class, colour, &points, true);
            }
        }
    }

    /// A text. Only this function escapes texts of a drawing.
    pub fn text(&mut self, class: &str, colour: Colour, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let (x, y, text) = (px(x), px(y), escape(text));
        if matches!(self.medium, Medium::Paper(_)) && matches!(class, "label" | "strong") {
            // Few programs that read SVG for papers know `paint-order`, so the halo is a second text.
            let halo = self.look("halo", colour);
            let _ = write!(
                self.body,
                "<text{halo} x=\"{x}\" y=\"{y}\"{anchor} aria-hidden=\"true\">{text}</text>"
            );
        }
        let look = self.look(class, colour);
        let _ = write!(self.body, "<text{look} x=\"{x}\" y=\"{y}\"{anchor}>{text}</text>");
    }

    /// A group with these attributes.
    pub fn group(&mut self, attributes: &str, content: impl FnOnce(&mut Self)) {
        let _ = write!(self.body, "<g {attributes}>");
        content(self);
        self.body.push_str("</g>");
    }

    /// The finished drawing, `width` by `height`, with title and description for screen readers.
    pub fn finish(
        self,
        id: &str,
        class: &str,
        (width, height): (f64, f64),
        title: &str,
        about: &str,
    ) -> String {
        let (title, about) = (escape(title), escape(about));
        // A figure of a paper brings a margin towards the text around it, and its own ground.
        let (margin, style, ground) = match self.medium {
            Medium::Page => (0.0, format!("class=\"chart {class}\""), String::new()),
            Medium::Paper(ground) => {
                let style = format!("xmlns=\"http://www.w3.org/2000/svg\" style=\"{FONT}\"");
                let page = palette::resolve("var(--page)", Colour::Ink, ground);
                let rect =
                    format!("<rect x=\"-8\" y=\"-8\" width=\"100%\" height=\"100%\" fill=\"{page}\"/>");
                (8.0, style, rect)
            }
        };
        let (width, height) = (width + 2.0 * margin, height + 2.0 * margin);
        format!(
            "<svg {style} viewBox=\"{} {} {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"group\" \
             aria-labelledby=\"{id}-t {id}-d\"><title id=\"{id}-t\">{title}</title><desc id=\"{id}-d\">{about}</desc>\
             {ground}{}</svg>",
            0.0 - margin,
            0.0 - margin,
            self.body
        )
    }

    /// The drawing as an ornament, hidden from screen readers, beside a text of the same meaning.
    pub fn alone(self, (width, height): (f64, f64)) -> String {
        format!(
            "<svg class=\"chart mark-alone\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             aria-hidden=\"true\">{}</svg>",
            self.body
        )
    }

    fn look(&self, class: &str, colour: Colour) -> String {
        match self.medium {
            Medium::Page => format!(" class=\"{class}{}\"", colour.class()),
            Medium::Paper(ground) => {
                let paint = PAINT.iter().find(|(name, _)| *name == class).map_or("", |(_, paint)| paint);
                format!(" style=\"{}\"", palette::resolve(paint, colour, ground))
            }
        }
    }
}

/// A coordinate to a tenth of a pixel, finer than eyes can see.
fn px(value: f64) -> String {
    trimmed(value, 1)
}

fn trimmed(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// Text inside markup. Characters that XML forbids, and those that act on a text, become replacement
/// characters.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in printable(&text.replace('\r', "\n")).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_a_name_stays_text() {
        let mut svg = Svg::new(Medium::Page);
        svg.text("label", Colour::Ink, (1.0, 2.04), Anchor::End, "<script>\"&'\u{0}");
        let drawn = svg.finish("f", "wide", (10.0, 10.0), "</title><script>", "a & b");
        assert!(!drawn.contains("<script"), "{drawn}");
        assert!(drawn.contains(">&lt;script&gt;&quot;&amp;&#39;\u{fffd}</text>"), "{drawn}");
        assert!(drawn.contains("x=\"1\" y=\"2\""), "{drawn}");
    }

    #[test]
    fn a_figure_for_a_paper_needs_no_style_sheet() {
        let mut svg = Svg::new(Medium::Paper(Ground::Light));
        for (class, _) in PAINT {
            svg.rect(class, Colour::Grey, (0.0, 0.0), (1.0, 1.0));
        }
        let drawn = svg.finish("f", "wide", (10.0, 10.0), "t", "d");
        assert!(!drawn.contains("var(") && !drawn.contains("class="), "{drawn}");
    }
}
