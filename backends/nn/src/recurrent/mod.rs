//! Parts that recurrent layers share: the gates of GRU and LSTM, the states of hypotheses, and the walk
//! through a batch.

mod gates;
mod state;
mod walk;

pub use gates::{Cell, Functions};
pub use state::State;
pub use walk::{Spans, WalkBuffers};
