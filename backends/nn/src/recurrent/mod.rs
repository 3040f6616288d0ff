//! Parts that recurrent layers share: the gates of GRU and LSTM, layers of them, the states of hypotheses, and
//! the walk through a batch in one direction or two.

mod gates;
mod layer;
mod state;
mod walk;
mod ways;

pub use gates::{Cell, Functions};
pub use layer::{Columns, Layer, behind, beside};
pub use state::State;
pub use walk::{Spans, WalkBuffers};
pub use ways::Ways;
