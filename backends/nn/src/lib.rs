//! Networks as the search sees them, and the parts of which several engines build theirs.
//!
//! [`Network`] and [`Decoder`] are the border: above it `dyno-translator` knows text, beams and scores, below it
//! an engine knows tensors. The layers here are those that more than one engine needs: the output layer, norms,
//! attention, and the Transformer's stack. An engine crate holds only what differs.
//!
//! All arithmetic goes through [`math`], so that it has one home: its functions define the order in which
//! sums are taken, which is what makes translations reproducible.
//!
//! What it leaves out: files (`dyno-formats`), text, search.

pub mod math;
mod network;
pub mod output;
mod params;
pub mod recurrent;
mod rows;
pub mod transformer;
pub mod watch;
mod word_table;

pub use network::{Decoder, Network, Ragged, Request, Row, Sentence, Sizes, Step, Wanted};
pub use params::{ActivationScales, Params, ShortlistColumns};
pub use rows::Rows;
pub use word_table::{WordTable, WordTables, WordTensors};
