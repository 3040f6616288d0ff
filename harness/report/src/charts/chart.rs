//! What all charts share: the sizes of a drawing, and the trait that draws into it.

use super::svg::Svg;

/// Width of a drawing. The height follows from the chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// For a screen, and for print.
    Wide,
    /// For a phone.
    Narrow,
}

impl Size {
    /// The one of two values.
    pub fn of<T>(self, wide: T, narrow: T) -> T {
        if self == Self::Wide { wide } else { narrow }
    }

    /// Width in pixels.
    pub fn width(self) -> f64 {
        self.of(608.0, 356.0)
    }

    /// Number of ticks that fit along the width.
    pub fn ticks(self) -> usize {
        self.of(7, 4)
    }

    /// Most letters of a label.
    pub fn letters(self) -> usize {
        self.of(28, 16)
    }
}

/// A chart that can be drawn.
pub trait Chart {
    /// Draws the chart into `svg`, and returns its height.
    fn draw(&self, svg: &mut Svg, size: Size) -> f64;
}
