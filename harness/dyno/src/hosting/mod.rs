//! Hosting a backend under a track: lines in on standard input, answers out on standard output, in order.
//!
//! Built-in engines and plugins are hosted alike. `lockstep` serves the latency track; `throughput` cuts
//! windows of lines into batches for pinned workers; `server` lets lines join running batches as they arrive. How the bench measures these processes belongs to
//! `dyno-measure`.

mod answers;
mod batch_size;
mod hosted;
mod lockstep;
mod server;
mod throughput;
mod window;
mod workers;

pub use answers::without_end;
pub use batch_size::MOST_BATCH;
pub use hosted::Hosted;
