//! The progress of a run: rounds done, rounds in all, remaining time.
//!
//! A terminal shows one line that is redrawn; a file or a pipe gets a line for each probe and each round. Both
//! are written between rounds, never during one, because writing takes CPU time.

use std::time::Duration;

use dyno_api::printable;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::say;

pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Creates a line for `total` rounds, `done` of which were measured before.
    pub fn new(total: usize, done: usize) -> Self {
        // indicatif hides the bar if standard error isn't a terminal. A ticker would run during rounds, so
        // none is set.
        let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("[{bar:30.}] {pos:>3}/{len}  {wide_msg}");
        bar.set_style(style.expect("the template is fixed").progress_chars("##-"));
        bar.set_position(done as u64);
        Self { bar }
    }

    /// Shows the work that begins, and the remaining time.
    pub fn show(&self, what: &str, left: impl Into<Option<Duration>>) {
        let eta = eta(left.into());
        if self.bar.is_hidden() {
            let (done, all) = (self.bar.position(), self.bar.length().unwrap_or(0));
            say!("[{done}/{all}] {what}{eta}");
        }
        self.bar.set_message(printable(&format!("{what}{eta}")));
        self.bar.tick();
    }

    /// Prints a result and the remaining time without a terminal, where no line is redrawn.
    pub fn log(&self, message: &str, left: Duration) {
        if self.bar.is_hidden() {
            say!("{message}{}", eta(Some(left)));
        }
    }

    /// Adds rounds that turn out to be needed.
    pub fn extend(&self, rounds: usize) {
        self.bar.inc_length(rounds as u64);
    }

    pub fn advance(&self) {
        self.bar.inc(1);
    }

    /// Prints a line above the bar, or on standard error without a terminal.
    pub fn note(&self, message: &str) {
        if self.bar.is_hidden() {
            say(message);
        } else {
            self.bar.println(printable(message));
        }
    }

    /// Prints a line above the bar, only on a terminal: for facts that the records hold anyway.
    pub fn remark(&self, message: &str) {
        if !self.bar.is_hidden() {
            self.bar.println(printable(message));
        }
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

fn eta(left: Option<Duration>) -> String {
    left.map(|left| format!("   ETA {}", clock(left))).unwrap_or_default()
}

/// Time as minutes and seconds, with hours if needed: 0:41, 2:05:00.
pub fn clock(time: Duration) -> String {
    let seconds = time.as_secs_f64().round() as u64;
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_pass_raises_the_number_of_all_rounds() {
        let progress = Progress::new(2, 0);
        (0..2).for_each(|_| progress.advance());
        progress.extend(2);
        (0..2).for_each(|_| progress.advance());
        assert_eq!((progress.bar.position(), progress.bar.length()), (4, Some(4)));
    }

    #[test]
    fn times_read_like_a_clock() {
        for (seconds, text) in [(0, "0:00"), (41, "0:41"), (125, "2:05"), (7500, "2:05:00")] {
            assert_eq!(clock(Duration::from_secs(seconds)), text);
        }
    }
}
