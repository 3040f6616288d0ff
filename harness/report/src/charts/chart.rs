//! What all charts share: the sizes of a drawing, and the trait that draws into it.

use super::svg::Svg;

/// Width of a drawing. The height follows from the chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// For a desk, and for a paper.
    Wide,
    /// For a phone.
    Narrow,
}

impl Size {
    /// Width in pixels.
    pub const fn width(self) -> f64 {
        match self {
            Self::Wide => 608.0,
            Self::Narrow => 356.0,
        }
    }

    /// Number of ticks that fit along the width.
    pub const fn ticks(self) -> usize {
        match self {
            Self::Wide => 7,
            Self::Narrow => 4,
        }
    }

    /// Most letters of a label.
    pub const fn letters(self) -> usize {
        match self {
            Self::Wide => 28,
            Self::Narrow => 16,
        }
    }
}

/// A chart that can be drawn.
pub trait Chart {
    /// Draws the chart into `svg`, and returns its height.
    fn draw(&self, svg: &mut Svg, size: Size) -> f64;
}
