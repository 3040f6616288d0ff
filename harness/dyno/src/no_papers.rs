//! A build without the papers has no command `reproduce`, and refuses what only they know.

use dyno_report::Published;

use crate::exit::Outcome;

/// Points of the wanted papers: none without a wish.
pub fn published(wanted: &[String]) -> Outcome<Vec<Published>> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    Err(bad_input!("this build has no papers; use a build with the feature `papers`, which is on by default"))
}
