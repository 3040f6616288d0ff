//! Signals. Ctrl-C: the first one ends the run after the current round, the second one at once. What has been
//! measured is on the disk either way. A file-size limit: the write fails, and its error names the file.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use dyno_measure::companion;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::exit::{Exit, Outcome};
use crate::output::say;

/// Time in which a second signal counts as the same one: `timeout` and some shells send two.
const SAME_SIGNAL: Duration = Duration::from_secs(1);

/// Turns the signal about a file-size limit into the error of the write, which would otherwise end this process
/// in silence. A handler, unlike an ignored signal, isn't passed on to systems.
pub fn fail_writes_beyond_the_limit() {
    // Without the handler the signal ends this process, as before.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// Time within which a signal to all processes of a job, as a scheduler of a cluster sends it, reaches this one.
/// The processes get it one after the other, within milliseconds.
const SAME_JOB: Duration = Duration::from_millis(100);

/// Request to stop, shared by all clones.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    wanted: Option<Instant>,
    /// Name of the current work, and the time of its end, as far as they are known.
    work: Option<(&'static str, Option<Instant>)>,
}

#[derive(Debug, PartialEq, Eq)]
enum Answer {
    /// The message that the current work will be finished.
    Finish(String),
    /// No answer: the signal is the same one as before.
    Same,
    /// End of this process; the supervisor then ends the system.
    EndNow,
}

impl State {
    fn on_signal(&mut self, now: Instant) -> Answer {
        match self.wanted {
            None => {
                self.wanted = Some(now);
                Answer::Finish(self.message(now))
            }
            Some(first) if now.saturating_duration_since(first) < SAME_SIGNAL => Answer::Same,
            Some(_) => Answer::EndNow,
        }
    }

    fn message(&self, now: Instant) -> String {
        let (work, end) = self.work.unwrap_or(("what is under way", None));
        let left = end.map(|end| end.saturating_duration_since(now).as_secs_f64().ceil());
        let about = left.filter(|left| *left > 0.0).map(|left| format!(" (about {left} s)"));
        format!("finishing {work}{}; again to stop now", about.unwrap_or_default())
    }
}

impl Stop {
    /// Listens to SIGINT and SIGTERM from now on, in a thread that sleeps until a signal comes. `at_the_end`
    /// runs before the process ends at once; it must be brief.
    pub fn on_signals(at_the_end: impl Fn() + Send + 'static) -> Outcome<Self> {
        let stop = Self::default();
        let (mut signals, shared) = (Signals::new([SIGINT, SIGTERM])?, stop.clone());
        std::thread::spawn(move || {
            for _ in signals.forever() {
                let answer = shared.state().on_signal(Instant::now());
                match answer {
                    Answer::Finish(message) => {
                        say(message);
                        // A metric may take hours; it can be asked again.
                        companion::interrupt();
                    }
                    Answer::Same => {}
                    Answer::EndNow => {
                        at_the_end();
                        std::process::exit(Exit::Interrupted as i32)
                    }
                }
            }
        });
        Ok(stop)
    }

    pub fn is_wanted(&self) -> bool {
        self.state().wanted.is_some()
    }

    /// Whether the user asked to stop, or does so in a moment: a system may get the same signal first.
    pub fn is_about_to_be_wanted(&self) -> bool {
        if !self.is_wanted() {
            std::thread::sleep(SAME_JOB);
        }
        self.is_wanted()
    }

    /// Names the work that begins, for the message after the first signal.
    pub fn begin(&self, work: &'static str, time: Option<Duration>) {
        let end = time.and_then(|time| Instant::now().checked_add(time));
        self.state().work = Some((work, end));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics with the lock held.
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_signal_within_a_second_is_the_same_one() {
        let (mut state, begin) = (State::default(), Instant::now());
        let at = |ms| begin + Duration::from_millis(ms);
        state.work = Some(("this round", Some(at(4_200))));
        let told = "finishing this round (about 5 s); again to stop now";
        assert_eq!(state.on_signal(at(0)), Answer::Finish(told.into()));
        assert_eq!(state.on_signal(at(0)), Answer::Same);
        assert_eq!(state.on_signal(at(999)), Answer::Same);
        assert_eq!(state.on_signal(at(1_000)), Answer::EndNow);
    }

    #[test]
    fn a_time_that_is_over_or_unknown_is_not_told() {
        let now = Instant::now();
        let told = |work| State { work, ..State::default() }.message(now);
        assert_eq!(told(None), "finishing what is under way; again to stop now");
        assert_eq!(told(Some(("this probe", None))), "finishing this probe; again to stop now");
        assert_eq!(told(Some(("this round", Some(now)))), "finishing this round; again to stop now");
    }
}
