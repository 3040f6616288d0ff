//! Does the system know the set? Everything that asks this, by lines that no system can know.
//!
//! A system may answer lines of the set from a table, or remember lines that it has answered. Copies of the
//! lines with other words take a translator as long, and get answers of their own. A system that knows the set
//! treats the two unlike, in the probe before the clock runs or in the rounds themselves:
//!
//! | file | asks |
//! | --- | --- |
//! | `altered` | draws the copies, for all others |
//! | `odd_answer` | are the answers to a line and to two copies of one kind? |
//! | `recognition` | the probe, in lock-step and in files |
//! | `turns` | launches by turns over one line, a suspected file and another one |
//! | `fresh` | is a throughput round as slow as fresh lines are? |
//! | `script` | the lines of a round in lock-step or of the server, with copies in between |
//! | `again` | do lines that come again get a translation again? |
//! | `served` | does the greatest rate hold for copies as well? |
//!
//! Nothing here starts a process: callers hand in a function that launches the system.

pub mod again;
pub mod altered;
pub mod fresh;
mod odd_answer;
pub mod recognition;
pub mod script;
pub mod served;
pub mod turns;
