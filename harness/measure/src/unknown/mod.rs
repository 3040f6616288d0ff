//! Does the system know the set? Everything that asks this, by lines that no system can know.
//!
//! A system may answer lines of the set from a table, or remember lines that it has answered. Copies of the
//! lines with other words take a translator as long, and get answers of their own. A system that knows the set
//! treats the two unlike, in the probe before the clock runs or in the rounds themselves.
//!
//! Nothing here starts a process: callers hand in a function that launches the system.

pub mod again;
pub mod altered;
pub mod odd_answer;
pub mod recognition;
pub mod script;
pub mod triples;
pub mod turns;
