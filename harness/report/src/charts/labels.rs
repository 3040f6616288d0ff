//! Labels beside their points, without overlaps.
//!
//! The search is greedy: each label in turn takes the best free place around its point, the more important
//! labels first. For the few dozen points of a chart this gives the layout that a person would choose. Where
//! no place is free, the caller falls back on a number and a key.

use super::svg::Anchor;

/// An upright rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Area {
    /// A square about a point.
    pub fn about((x, y): (f64, f64), radius: f64) -> Self {
        Self { x: x - radius, y: y - radius, width: 2.0 * radius, height: 2.0 * radius }
    }

    fn overlap(&self, other: &Self) -> f64 {
        let width = (self.x + self.width).min(other.x + other.width) - self.x.max(other.x);
        let height = (self.y + self.height).min(other.y + other.height) - self.y.max(other.y);
        width.max(0.0) * height.max(0.0)
    }

    fn within(&self, outer: &Self) -> bool {
        self.x >= outer.x
            && self.y >= outer.y
            && self.x + self.width <= outer.x + outer.width
            && self.y + self.height <= outer.y + outer.height
    }

    fn nearest(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (x.clamp(self.x, self.x + self.width), y.clamp(self.y, self.y + self.height))
    }

    /// Anchor of a text near `x`, chosen so that the side near its point is exact in any font.
    pub fn text_at(&self, x: f64) -> (Anchor, f64) {
        match () {
            () if self.x >= x => (Anchor::Start, self.x),
            () if self.x + self.width <= x => (Anchor::End, self.x + self.width),
            () => (Anchor::Middle, self.x + self.width / 2.0),
        }
    }
}

/// Area of a label, and the begin of a line to its point for a label far from it.
type Place = (Area, Option<(f64, f64)>);

pub struct Labels {
    bounds: Area,
    /// Areas that all labels keep off.
    pub taken: Vec<Area>,
    /// Areas that labels avoid where another place is free.
    pub avoided: Vec<Area>,
}

/// Distances of a label from its point, in pixels. Labels from the third distance on get a line.
const DISTANCES: [f64; 6] = [9.0, 13.0, 20.0, 32.0, 46.0, 62.0];
/// Height of a line of text.
pub const LINE: f64 = 15.0;

impl Labels {
    /// A drawing without labels, whose labels will stay inside `bounds`.
    pub const fn new(bounds: Area) -> Self {
        Self { bounds, taken: Vec::new(), avoided: Vec::new() }
    }

    /// Makes labels avoid the pieces of a line, by a `margin`.
    pub fn avoid_line(&mut self, points: &[(f64, f64)], margin: f64) {
        self.avoided.extend(points.windows(2).map(|pair| {
            let [(ax, ay), (bx, by)] = [pair[0], pair[1]];
            let (x, y) = (ax.min(bx) - margin, ay.min(by) - margin);
            Area { x, y, width: (ax - bx).abs() + 2.0 * margin, height: (ay - by).abs() + 2.0 * margin }
        }));
    }

    /// The best free place close to a point of a curve, with the area that it would cover. The place stays
    /// free.
    pub fn try_beside(&self, (x, y): (f64, f64), width: f64) -> Option<(f64, Area)> {
        let near = [
            (x + 5.0, y - LINE / 2.0),
            (x - 5.0 - width, y - LINE / 2.0),
            (x - width, y - LINE - 3.0),
            (x, y + 3.0),
        ];
        self.best(near.into_iter().map(|(x, y)| (0.0, Area { x, y, width, height: LINE })), 1.0)
    }

    /// Takes the best free place for a label of that width around `point`; `None` if no place is free.
    pub fn place(&mut self, point: (f64, f64), width: f64) -> Option<Place> {
        // Preferred: near the point, then right of it, then little cover of avoided areas.
        let places = DISTANCES.iter().enumerate().flat_map(|(step, &distance)| {
            let turns = around(point, width, distance).into_iter().enumerate();
            turns.map(move |(turn, area)| ((turn + 9 * step) as f64, area))
        });
        let (_, area) = self.best(places, 12.0)?;
        self.taken.push(area);
        let edge = area.nearest(point);
        let away = (edge.0 - point.0).hypot(edge.1 - point.1);
        Some((area, (away > DISTANCES[2] - 1.0).then_some(edge)))
    }

    /// The free place of least cost, which is its own and that of the avoided areas below it: 1 for each
    /// `pixels` of these.
    fn best(&self, places: impl Iterator<Item = (f64, Area)>, pixels: f64) -> Option<(f64, Area)> {
        let free = |area: &Area| {
            area.within(&self.bounds) && !self.taken.iter().any(|other| area.overlap(other) > 0.0)
        };
        let covered = |area: &Area| self.avoided.iter().map(|other| area.overlap(other)).sum::<f64>();
        let free = places.filter(|(_, area)| free(area));
        free.map(|(own, area)| (own + covered(&area) / pixels, area)).min_by(|a, b| a.0.total_cmp(&b.0))
    }
}

/// Places for a label at a distance: beside the point, at the corners, then above and below.
fn around((x, y): (f64, f64), width: f64, distance: f64) -> [Area; 12] {
    let slant = distance * 0.75;
    let (left, right) = (x - width, x);
    let (above, middle, below) = (y - LINE, y - LINE / 2.0, y);
    let at = |x: f64, y: f64| Area { x, y, width, height: LINE };
    [
        at(right + distance, middle),
        at(left - distance, middle),
        at(right + slant, above - slant),
        at(left - slant, above - slant),
        at(right + slant, below + slant),
        at(left - slant, below + slant),
        at(x - width / 2.0, above - distance),
        at(x - width / 2.0, below + distance),
        at(x - width / 4.0, above - distance),
        at(x - width / 4.0, below + distance),
        at(x - width * 0.75, above - distance),
        at(x - width * 0.75, below + distance),
    ]
}

/// Width of bold text, as a factor.
pub const BOLD: f64 = 1.12;

/// Width of a text of 12 pixels in a sans-serif font, by classes of letters. The widths are generous, since
/// the reader's font is unknown.
pub fn width(text: &str) -> f64 {
    text.chars().map(letter).sum()
}

fn letter(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | 'I' => 3.8,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | ' ' | '-' | '·' => 5.0,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '—' => 11.4,
        '0'..='9' | 'a'..='z' => 7.4,
        'A'..='Z' => 8.8,
        // Combining marks have no width; letters of East Asian scripts fill a square.
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' => 0.0,
        c if (c as u32) >= 0x1100 => 12.6,
        _ => 8.4,
    }
}

/// At most `most` letters of a name, with an ellipsis in the middle: names of variants differ at their ends.
pub fn shortened(name: &str, most: usize) -> String {
    let letters = name.chars().count();
    if letters <= most {
        return name.into();
    }
    let end = (most - 1) / 2;
    let begin = name.chars().take(most - 1 - end);
    begin.chain(['…']).chain(name.chars().skip(letters - end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Area = Area { x: 0.0, y: 0.0, width: 400.0, height: 300.0 };

    #[test]
    fn labels_of_a_crowd_never_overlap_and_stay_inside() {
        let mut labels = Labels::new(BOUNDS);
        let points: Vec<(f64, f64)> =
            (0..14).map(|i| (150.0 + f64::from(i * 37 % 90), 100.0 + f64::from(i * 53 % 80))).collect();
        labels.taken.extend(points.iter().map(|&point| Area::about(point, 6.0)));
        let placed: Vec<Place> = points.iter().filter_map(|&point| labels.place(point, 60.0)).collect();
        assert!(placed.len() >= 8, "{} of 14", placed.len());
        for (i, a) in placed.iter().enumerate() {
            assert!(a.0.within(&BOUNDS));
            assert!(placed[..i].iter().all(|b| a.0.overlap(&b.0) == 0.0));
            assert!(points.iter().all(|&point| a.0.overlap(&Area::about(point, 6.0)) == 0.0));
        }
    }

    #[test]
    fn a_label_alone_stands_right_of_its_point_and_without_a_line() {
        let (area, leader) = Labels::new(BOUNDS).place((100.0, 100.0), 50.0).unwrap();
        assert_eq!((area.x, leader), (109.0, None));
        let (at_the_edge, _) = Labels::new(BOUNDS).place((395.0, 100.0), 50.0).unwrap();
        assert!(at_the_edge.x < 350.0);
    }

    #[test]
    fn long_names_are_cut_at_letters() {
        assert_eq!(shortened("übersetzer", 20), "übersetzer");
        assert_eq!(shortened("übersetzer", 4), "üb…r");
        assert!(width("mmmm") > width("iiii"));
    }
}
