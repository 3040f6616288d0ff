//! The progress line: done, to do, time left. On a terminal only, redrawn between rounds and never during one.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::say;

/// Progress over rounds.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A line for `total` rounds, of which `done` were measured before.
    pub fn new(total: usize, done: usize) -> Self {
        // indicatif shows nothing where standard error is no terminal. No ticker: it would run during rounds.
        let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("[{bar:30.}] {pos:>3}/{len}  {wide_msg}");
        bar.set_style(style.expect("the template is fixed").progress_chars("##-"));
        bar.set_position(done as u64);
        Self { bar }
    }

    /// Shows what is being measured now.
    pub fn show(&self, what: &str, left: Option<Duration>) {
        let eta = left.map(|left| format!("   ETA {}", clock(left))).unwrap_or_default();
        self.bar.set_message(format!("{what}{eta}"));
        self.bar.tick();
    }

    /// One round more is done.
    pub fn advance(&self) {
        self.bar.inc(1);
    }

    /// A line above the bar, also where there is no terminal.
    pub fn note(&self, message: &str) {
        if self.bar.is_hidden() {
            say(message);
        } else {
            self.bar.println(message);
        }
    }

    /// A line above the bar, for who watches; what is written down elsewhere need not fill a log.
    pub fn remark(&self, message: &str) {
        if !self.bar.is_hidden() {
            self.bar.println(message);
        }
    }

    /// Takes the line away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Minutes and seconds, with hours where they are needed: 0:41, 2:05:00.
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
    fn times_read_like_a_clock() {
        for (seconds, text) in [(0, "0:00"), (41, "0:41"), (125, "2:05"), (7500, "2:05:00")] {
            assert_eq!(clock(Duration::from_secs(seconds)), text);
        }
    }
}
