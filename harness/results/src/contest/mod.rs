//! Contests of systems in quality and one cost. One host's systems are judged by their duels, those of several hosts by
//! what the hosts have in common.

mod cost;
mod hosts;
mod race;
mod set;

pub use cost::Cost;
pub use hosts::{HostCell, between_hosts};
pub use race::{Compared, Contest, Contestant};
pub use set::Set;
