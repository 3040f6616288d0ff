//! Rotated positions.

use dyno_formats::spec::{Pairs, Rotation};

use super::row::Row;

/// Cosines and sines of each row's angles, [rows, pairs].
#[derive(Debug, Default)]
pub(super) struct Turns {
    turns: Vec<(f32, f32)>,
    pairs: usize,
}

impl Turns {
    /// Replaces the turns by those of `rows`.
    pub(super) fn set(&mut self, rotation: &Rotation, rows: &[Row]) {
        self.pairs = rotation.angles.len();
        self.turns.clear();
        // In 64 bits, so that a library's rounding of a sine hardly ever shows.
        self.turns.extend(rows.iter().flat_map(|row| {
            rotation.angles.iter().map(|angle| {
                let (sine, cosine) = (row.position as f64 * f64::from(*angle)).sin_cos();
                (cosine as f32, sine as f32)
            })
        }));
    }

    /// Rotates a head of row `row`.
    pub(super) fn apply(&self, pairs: Pairs, row: usize, head: &mut [f32]) {
        let turns = &self.turns[row * self.pairs..][..self.pairs];
        let turn =
            |(cosine, sine): (f32, f32), a: f32, b: f32| (a * cosine - b * sine, a * sine + b * cosine);
        match pairs {
            Pairs::Neighbours => {
                for ([a, b], by) in head.as_chunks_mut().0.iter_mut().zip(turns) {
                    (*a, *b) = turn(*by, *a, *b);
                }
            }
            Pairs::Halves => {
                let (first, second) = head[..2 * self.pairs].split_at_mut(self.pairs);
                for ((a, b), by) in first.iter_mut().zip(second).zip(turns) {
                    (*a, *b) = turn(*by, *a, *b);
                }
            }
        }
    }
}
