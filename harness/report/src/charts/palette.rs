//! Colours, for light and dark pages. A colour means the family of an engine; a mark, a shape of its own,
//! stands beside it, so that the picture can be read without colours. Grey means off the frontier, red means
//! INVALID.
//!
//! The families' colours follow Okabe and Ito (2008, "Color universal design"). They are darkened on white
//! and lightened on black, up to the contrast of 4.5 that WCAG 2.2 asks of text, since labels have these
//! colours.

use std::fmt::Write;

use dyno_record::rules::names::named;

dyno_record::words! {
    /// Family of a system's engine, under the name of its backend, in the order of legends.
    #[serde(rename_all = "kebab-case")]
    pub enum Family {
        /// Simple recurrent decoders (SSRU).
        Ssru,
        /// Average attention networks.
        #[serde(rename = "transformer-aan")]
        Aan,
        /// Gated recurrent networks.
        Gru,
        /// Networks with a recurrent source side and fully connected layers.
        RnnFc,
        /// Encoders of the BERT kind.
        Encoder,
        /// Language models.
        DecoderOnly,
        /// Plugins behind the C ABI.
        Plugin,
        /// All other programs.
        Program,
    }
}

impl Family {
    /// The family of a built-in backend. An unknown name counts as a program.
    pub fn of_backend(name: &str) -> Self {
        named(name).unwrap_or(Self::Program)
    }

    /// Corners of a family's mark; `None` is a circle. The sizes make all marks look equally large.
    pub const fn outline(self) -> Option<&'static [(f64, f64)]> {
        Some(match self {
            Self::Ssru => return None,
            Self::Aan => &[(-4.5, -4.5), (4.5, -4.5), (4.5, 4.5), (-4.5, 4.5)],
            Self::Gru => &[(0.0, -5.8), (5.4, 4.2), (-5.4, 4.2)],
            Self::RnnFc => &[(0.0, -6.2), (6.2, 0.0), (0.0, 6.2), (-6.2, 0.0)],
            Self::Encoder => &[(0.0, 5.8), (5.4, -4.2), (-5.4, -4.2)],
            // A hexagon that stands on a corner.
            Self::DecoderOnly => {
                &[(0.0, -5.6), (4.8, -2.8), (4.8, 2.8), (0.0, 5.6), (-4.8, 2.8), (-4.8, -2.8)]
            }
            Self::Plugin => &[(0.0, -5.6), (5.3, -1.7), (3.3, 4.5), (-3.3, 4.5), (-5.3, -1.7)],
            Self::Program => &[
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
}

/// A colour by its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Family of an engine.
    Of(Family),
    /// Off the frontier.
    Grey,
    /// INVALID.
    Red,
    /// Text.
    Ink,
}

/// Name of each colour, its value on white, its value on black.
const THEME: [(&str, &str, &str); 14] = [
    ("page", "#ffffff", "#16181c"),
    ("ink", "#1a1c1f", "#e6e7ea"),
    ("soft", "#5b6068", "#a2a8b2"),
    ("grid", "#e7e8ea", "#2c3036"),
    ("grey", "#6f747c", "#8d939d"),
    ("red", "#b3161f", "#ff8078"),
    ("ssru", "#0062a8", "#5db4f0"),
    ("transformer-aan", "#00704f", "#3cc79b"),
    ("gru", "#955300", "#e9a548"),
    ("rnn-fc", "#973a74", "#e597c5"),
    ("encoder", "#4d4fa8", "#a9abf5"),
    ("decoder-only", "#a8331f", "#f0937c"),
    ("plugin", "#71570f", "#d3bd62"),
    ("program", "#1a1c1f", "#e6e7ea"),
];

impl Colour {
    /// CSS class of elements of this colour, behind a space; ink is the colour of elements without one.
    pub fn class(self) -> String {
        if self == Self::Ink { String::new() } else { format!(" c-{}", self.name()) }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Of(family) => family.name(),
            Self::Grey => "grey",
            Self::Red => "red",
            Self::Ink => "ink",
        }
    }
}

/// CSS classes of all colours.
pub fn colour_classes() -> String {
    let all = [Colour::Grey, Colour::Red].into_iter().chain(Family::ALL.map(Colour::Of));
    let rule = |colour: Colour| format!(".c-{0}{{--c:var(--{0})}}\n", colour.name());
    ".chart{--c:var(--ink)}\n".to_owned() + &all.map(rule).collect::<String>()
}

/// The theme as CSS variables: light, and dark on screens of systems that prefer dark.
pub fn theme() -> String {
    let (mut light, mut dark) = (String::new(), String::new());
    for (name, on_white, on_black) in THEME {
        let _ = write!(light, "--{name}:{on_white};");
        let _ = write!(dark, "--{name}:{on_black};");
    }
    format!(
        ":root{{color-scheme:light;{light}}}\n\
         @media screen and (prefers-color-scheme:dark){{:root{{color-scheme:dark;{dark}}}}}\n"
    )
}

/// Ground of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// White.
    Light,
    /// Nearly black.
    Dark,
}

/// A look with the colours of a ground in place of its variables.
pub fn resolve(paint: &str, colour: Colour, ground: Ground) -> String {
    let shade = |(_, light, dark): &(&str, &'static str, &'static str)| match ground {
        Ground::Light => *light,
        Ground::Dark => *dark,
    };
    let own = THEME.iter().find(|(name, ..)| *name == colour.name()).map_or("#000", shade);
    let paint = paint.replace("var(--c)", own);
    THEME.iter().fold(paint, |paint, row| paint.replace(&format!("var(--{})", row.0), shade(row)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance, WCAG 2.2.
    fn luminance(colour: &str) -> f64 {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn every_colour_that_text_may_have_is_legible_in_both_themes() {
        assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-9);
        let (_, white, black) = THEME[0];
        for (name, light, dark) in THEME.into_iter().filter(|(name, ..)| !["page", "grid"].contains(name)) {
            assert!(contrast(light, white) >= 4.5, "{name} on white: {}", contrast(light, white));
            assert!(contrast(dark, black) >= 4.5, "{name} on black: {}", contrast(dark, black));
        }
    }

    #[test]
    fn looks_are_resolved_without_a_variable_left() {
        let look = resolve("fill:var(--c);stroke:var(--page)", Colour::Of(Family::Gru), Ground::Light);
        assert_eq!(look, "fill:#955300;stroke:#ffffff");
    }
}
