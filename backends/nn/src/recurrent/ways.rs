//! A layer over the words of a batch in one direction or two.

use super::layer::Layer;
use super::state::State;
use super::walk::{Spans, WalkBuffers};
use crate::Scratch;

/// A layer in one direction or two; the outputs of two directions stand side by side.
pub struct Ways {
    /// Layers of one width; of two, the second runs backward.
    layers: Vec<Layer>,
    /// Whether the first one does.
    backward: bool,
}

impl Ways {
    /// The forward direction, and the backward direction if there are two. Both have one width.
    pub fn new(layers: Vec<Layer>) -> Self {
        Self { layers, backward: false }
    }

    /// The backward direction alone.
    pub fn backward(layer: Layer) -> Self {
        Self { layers: vec![layer], backward: true }
    }

    /// Runs the layer over the inputs' products `fed` [words, ways × gates]; replaces `rows` by the outputs
    /// [words, ways × S]. `end` receives the number of each direction and the last states of all sentences.
    pub fn run(
        &self,
        spans: &Spans,
        (fed, walk): (&[f32], &mut WalkBuffers),
        scratch: &mut Scratch,
        rows: &mut Vec<f32>,
        mut end: impl FnMut(usize, &State),
    ) {
        let (ways, gates, width) = (self.layers.len(), self.layers[0].fed(), self.layers[0].width());
        rows.resize(fed.len() / gates * width, 0.0);
        for (way, layer) in self.layers.iter().enumerate() {
            spans.walk(
                self.backward || way == 1,
                walk,
                |word| &fed[(word * ways + way) * gates..][..gates],
                |fed, state| layer.step(fed, state, scratch),
                |word, output| rows[(word * ways + way) * width..][..width].copy_from_slice(output),
            );
            end(way, walk.ended());
        }
    }
}
