//! Scores of a run, and the tables and the page that follow from them.

use std::io::IsTerminal;

use dyno_results::{Run, Store, scores};

use crate::exit::Outcome;
use crate::output::say;

/// Scores the outputs of `run`, if any lacks its score. The speeds stand without: a failure is only told.
pub fn score(store: &Store, run: &mut Run) -> Outcome<()> {
    match scores::score_run(run) {
        Ok(Some(scores)) => {
            store.keep_scores(&scores)?;
            run.scores = scores;
        }
        Ok(None) => {}
        Err(error) => say(format_args!("warning: no quality: {error}")),
    }
    Ok(())
}

/// Announces a wait to a person at a terminal.
pub fn announce(message: &str) {
    if std::io::stderr().is_terminal() {
        say(message);
    }
}
