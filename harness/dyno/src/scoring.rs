//! Scoring of a run's outputs, for the commands that measure and for `dyno score`.

use std::io::IsTerminal;

use dyno_results::{Run, Store, scores};

use crate::exit::Outcome;
use crate::output::say;

/// Scores the outputs of `run` that lack a score. A failure is only a warning: speeds are valid without
/// scores.
pub fn score(store: &Store, run: &mut Run) -> Outcome<()> {
    match scores::score_run(run) {
        Ok(Some(scores)) => {
            store.keep_scores(&scores)?;
            run.scores = scores;
        }
        Ok(None) => {}
        Err(error) => say(format_args!("warning: can't score the outputs: {error}")),
    }
    Ok(())
}

/// Prints a message about a wait, only on a terminal.
pub fn announce(message: &str) {
    if std::io::stderr().is_terminal() {
        say(message);
    }
}
