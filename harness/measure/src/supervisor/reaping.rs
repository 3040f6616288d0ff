//! The end of a system and of all processes that it left: waited for, then forced, then given up, and accounted for.
//!
//! How long each may take is judged apart from the clock, so that the tests need none.

use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::thread::sleep;
use std::time::{Duration, Instant};

use dyno_record::Usage;
use dyno_record::rules::limits::GRACE;

use super::processes::SeenProcesses;
use crate::constants::TIME_TO_END;
use crate::os::{self, PollFlags, tree};

/// Time between two looks at ending processes. A system that answers from a process behind its own is timed
/// this finely.
const REAP_INTERVAL: Duration = Duration::from_micros(500);

/// Reaps the system and all processes that it left, by force after a grace period. A system that works in a
/// process behind its own ends when that process ends. The grace also passes for stopped processes once the bench,
/// which alone would let them go on, has closed `control`.
pub fn reap_all(pid: u32, control: &UnixStream, usage: &mut Usage, looks: &SeenProcesses) {
    let bench_is_there = || {
        let wanted = [(control.as_fd(), PollFlags::IN)];
        os::wait_for(wanted, Some(Duration::ZERO)).is_ok_and(|[gone]| !gone)
    };
    let (mut patience, mut last, mut forced) = (Patience::with(usage.killed), Instant::now(), false);
    while patience.lasts() {
        patience.pass(last.elapsed(), all_are_stopped() && bench_is_there());
        last = Instant::now();
        match os::reap_any() {
            Ok(Some((ended, status, taken))) => {
                if ended == pid {
                    (usage.code, usage.signal) = (status.code(), status.signal());
                }
                account(&taken, usage);
                looks.ended(ended, peak_bytes(&taken), usage);
                if !forced {
                    usage.ended_ns = os::monotonic_ns();
                }
            }
            Ok(None) if patience.is_over_grace() => {
                let left = tree::children_of(std::process::id());
                if !forced && !usage.killed {
                    usage.left_processes = left.len();
                }
                forced = true;
                os::kill_group(pid);
                left.into_iter().for_each(os::kill);
                sleep(REAP_INTERVAL);
            }
            Ok(None) => sleep(REAP_INTERVAL),
            Err(_) => return, // ECHILD: no process is left
        }
    }
}

/// Patience with what a system left. Time in which the bench has stopped them all, for the turn of another system,
/// costs none.
struct Patience {
    grace: Duration,
    waited: Duration,
}

impl Patience {
    fn with(killed: bool) -> Self {
        Self { grace: if killed { Duration::ZERO } else { GRACE }, waited: Duration::ZERO }
    }

    fn pass(&mut self, time: Duration, stopped: bool) {
        self.waited += if stopped { Duration::ZERO } else { time };
    }

    fn is_over_grace(&self) -> bool {
        self.waited >= self.grace
    }

    /// A process that no signal ends, such as one that waits for a disk, is left behind in the end.
    fn lasts(&self) -> bool {
        self.waited < TIME_TO_END
    }
}

fn all_are_stopped() -> bool {
    let states = tree::below(std::process::id()).into_iter().flat_map(tree::states_of);
    let states: Vec<char> = states.filter(|&state| state != 'Z').collect();
    !states.is_empty() && states.iter().all(|state| matches!(state, 'T' | 't'))
}

fn account(taken: &libc::rusage, usage: &mut Usage) {
    let ns = |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000;
    usage.user_ns += ns(taken.ru_utime);
    usage.system_ns += ns(taken.ru_stime);
    usage.largest_process_bytes = usage.largest_process_bytes.max(peak_bytes(taken));
    usage.voluntary_switches += taken.ru_nvcsw as u64;
    usage.involuntary_switches += taken.ru_nivcsw as u64;
}

/// Peak resident memory of a process that has ended, never below the peak of the process that started it.
fn peak_bytes(usage: &libc::rusage) -> u64 {
    usage.ru_maxrss as u64 * 1024 // Linux counts it in KiB: getrusage(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The milliseconds after which force begins, and after which it is given up, with looks a millisecond apart.
    fn ends(killed: bool, stopped: impl Fn(u128) -> bool) -> [u128; 2] {
        let mut patience = Patience::with(killed);
        let mut after = |until: &dyn Fn(&Patience) -> bool, from: u128| {
            (from..).find(|&at| {
                let met = until(&patience);
                patience.pass(Duration::from_millis(u64::from(!met)), stopped(at));
                met
            })
        };
        let forced = after(&|patience| patience.is_over_grace(), 0).unwrap();
        [forced, after(&|patience| !patience.lasts(), forced).unwrap()]
    }

    #[test]
    fn force_begins_after_the_grace_and_ends_in_the_end() {
        let (grace, end) = (GRACE.as_millis(), TIME_TO_END.as_millis());
        assert_eq!(ends(false, |_| false), [grace, end]);
        assert_eq!(ends(true, |_| false), [0, end], "a system that the bench ended has no grace");
    }

    #[test]
    fn another_systems_turn_costs_no_patience() {
        let (grace, end) = (GRACE.as_millis(), TIME_TO_END.as_millis());
        assert_eq!(ends(false, |at| at < 700), [700 + grace, 700 + end]);
        assert_eq!(ends(true, |at| (10..30).contains(&at)), [0, 20 + end]);
    }
}
