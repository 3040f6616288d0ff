//! Ctrl-C: the first one ends the run after the current round, the second one at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::exit::{Exit, Outcome};

/// Request to stop, shared by all clones.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Listens to SIGINT and SIGTERM from now on. A second signal ends this process, and the supervisor then
    /// ends the system.
    pub fn on_signals() -> Outcome<Self> {
        let stop = Self::default();
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            let again = Exit::Interrupted as i32;
            signal_hook::flag::register_conditional_shutdown(signal, again, Arc::clone(&stop.0))?;
            signal_hook::flag::register(signal, Arc::clone(&stop.0))?;
        }
        Ok(stop)
    }

    /// Whether the user asked to stop.
    pub fn is_wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
