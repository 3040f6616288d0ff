//! Turns: systems that are compared share the same seconds.
//!
//! The speed of a shared host wanders by a tenth and more within minutes. Rounds one after another meet
//! different speeds. Here the systems of a group are alive side by side. Each gets a short slice in each turn:
//! a block of lines in the lock-step tracks, a stretch of time in the others. Meanwhile the others wait at
//! their pipes, or are stopped. The order is drawn anew for each turn, so that no system always follows the
//! same one.
//!
//! Each system's round runs in a thread of its own, and [`Slot`] passes the turn from thread to thread: a round
//! reads as if it were alone.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dyno_record::{HostSpeed, Reason};
use dyno_stats::{Random, median};

use super::idle::{CLEAN_UP, IdleTime, Reading};
use crate::error::Result;
use crate::noise::canary::Canary;
use crate::os::fresh_seed;
use crate::os::tree::Root;

/// Length of a slice in the throughput tracks. docs/METHODOLOGY.md has the experiment: the noise of a ratio grows
/// about with the square root of this length, and a switch costs 0.4 to 0.8 ms for caches that were emptied.
pub const SLICE: Duration = Duration::from_millis(80);
/// Work of a block of lines, for the system of medium speed. Shorter blocks spend more of their time on the
/// opening copies.
pub const BLOCK: Duration = Duration::from_millis(60);
/// Least time between two samples of the host's speed, which empty the caches.
pub const BETWEEN_SAMPLES: Duration = Duration::from_secs(1);
/// Longest block of the slowest system: longer turns would meet different speeds of the host.
pub const LONGEST_BLOCK: Duration = Duration::from_secs(1);
/// Least lines of a block, so that the unscored copies at its start stay a minor part.
pub const LEAST_LINES: usize = 8;

/// Turns of a group of systems.
pub struct Turns {
    state: Mutex<State>,
    changed: Condvar,
    canary: Canary,
    /// Core of the canary.
    core: usize,
    /// Lines of the part.
    lines: usize,
    /// Whether all systems are watched once while none is asked.
    is_watched: bool,
}

struct State {
    random: Random,
    slots: Vec<SlotState>,
    /// Slots that this turn still comes to, the next one last.
    order: Vec<usize>,
    /// Slot whose slice it is.
    holder: Option<usize>,
    /// Number of the turn. In turn 1 the systems start.
    turn: usize,
    /// Beginning of the slice.
    since: Instant,
    /// Blocks of a lock-step round, once the systems have started.
    blocks: usize,
    /// Turn before which all systems are watched while none is asked.
    watched_turn: Option<usize>,
    /// Time of the last sample of the host's speed.
    sampled: Option<Instant>,
    host_speed: Vec<HostSpeed>,
}

#[derive(Default)]
struct SlotState {
    has_left: bool,
    /// Root of the processes, while they wait.
    root: Option<Root>,
    idle: IdleTime,
    /// Mean time of a line in the warm-up.
    line_ns: Option<f64>,
}

impl Turns {
    /// Turns of `slots` systems that work on `core` (and perhaps others), over `lines` lines. A lock-step part
    /// that `is_watched` has a pause in which all systems must be idle.
    pub fn new(slots: usize, core: usize, lines: usize, is_watched: bool) -> Self {
        let state = State {
            random: Random::new(fresh_seed(), "turns"),
            slots: (0..slots).map(|_| SlotState::default()).collect(),
            order: Vec::new(),
            holder: None,
            turn: 0,
            since: Instant::now(),
            blocks: 1,
            watched_turn: None,
            sampled: None,
            host_speed: Vec::new(),
        };
        let (state, changed) = (Mutex::new(state), Condvar::new());
        Self { state, changed, canary: Canary::default(), core, lines, is_watched }
    }

    /// Slot of system number `number`.
    pub fn slot(&self, number: usize) -> Slot<'_> {
        Slot { turns: self, number }
    }

    /// Number of turns so far.
    pub fn count(&self) -> usize {
        self.state().turn
    }

    /// Speed of the host beside the turns.
    pub fn host_speed(self) -> Vec<HostSpeed> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).host_speed
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A thread that panics has no slice any more; the others go on, and the panic shows at the join.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the turn to the next slot, if no slot has it.
    fn advance(&self, state: &mut State) {
        if state.holder.is_some() {
            return;
        }
        while let Some(next) = state.order.pop() {
            if !state.slots[next].has_left {
                (state.holder, state.since) = (Some(next), Instant::now());
                self.changed.notify_all();
                return;
            }
        }
        if state.slots.iter().any(|slot| !slot.has_left) {
            self.begin_turn(state);
            self.advance(state);
        }
    }

    fn begin_turn(&self, state: &mut State) {
        state.turn += 1;
        if state.turn == 2 {
            self.divide(state);
        }
        if state.watched_turn == Some(state.turn) {
            watch_all_idle(state);
        }
        if state.wants_sample(Instant::now()) {
            self.sample(state);
        }
        let mut slots: Vec<usize> = (0..state.slots.len()).filter(|&i| !state.slots[i].has_left).collect();
        state.random.shuffle(&mut slots);
        state.order = slots;
    }

    fn sample(&self, state: &mut State) {
        // Where no canary can run, the record lacks its time; the systems' own times are there nevertheless.
        if let Ok([chain_ns, stream_ns]) = self.canary.sample_once(self.core) {
            state.host_speed.push(HostSpeed { turn: state.turn, chain_ns, stream_ns });
        }
        state.sampled = Some(Instant::now());
    }

    /// Divides the set into blocks, now that the times of lines are known.
    fn divide(&self, state: &mut State) {
        let line_ns: Vec<f64> = state.slots.iter().filter_map(|slot| slot.line_ns).collect();
        if line_ns.is_empty() {
            return; // whole files have slices of time
        }
        let lines = lines_of_a_block(&line_ns);
        state.blocks = (self.lines as f64 / lines as f64).round().max(1.0) as usize;
        if self.is_watched {
            state.watched_turn = Some(2 + state.random.below(state.blocks));
        }
    }
}

impl State {
    /// Watches the systems that wait.
    fn watch_waiting(&mut self, watch: fn(&mut IdleTime, Root)) {
        for slot in self.slots.iter_mut().filter(|slot| !slot.has_left) {
            if let Some(root) = slot.root {
                watch(&mut slot.idle, root);
            }
        }
    }
}

/// What the clock decides, at the moment `now`.
impl State {
    /// Time left of the slice, for slot `number`; `None` if no other system waits.
    fn left(&self, number: usize, now: Instant) -> Option<Duration> {
        let others = self.slots.iter().enumerate().any(|(i, slot)| i != number && !slot.has_left);
        others.then(|| SLICE.saturating_sub(now.duration_since(self.since)))
    }

    fn is_used_up(&self, number: usize, now: Instant) -> bool {
        self.holder == Some(number) && now.duration_since(self.since) >= SLICE
    }

    fn wants_sample(&self, now: Instant) -> bool {
        self.sampled.is_none_or(|at| now.duration_since(at) >= BETWEEN_SAMPLES)
    }
}

/// Watches all systems while none is asked. With few systems no slice of the others is long enough for that.
fn watch_all_idle(state: &mut State) {
    let begin = |idle: &mut IdleTime, root: Root| {
        idle.end(Reading::of(root));
        idle.begin(Reading::of(root));
    };
    state.watch_waiting(begin);
    std::thread::sleep(CLEAN_UP);
    state.watch_waiting(mark_if_due);
    std::thread::sleep(CLEAN_UP);
    state.watch_waiting(begin);
}

fn mark_if_due(idle: &mut IdleTime, root: Root) {
    idle.mark_if_due(Instant::now(), || Reading::of(root));
}

/// Lines of a block for systems that take `line_ns` a line.
pub fn lines_of_a_block(line_ns: &[f64]) -> usize {
    let Some(medium) = median(line_ns) else { return LEAST_LINES };
    let slowest = line_ns.iter().copied().fold(1.0, f64::max);
    let block = (BLOCK.as_nanos() as f64 / medium.max(1.0)).min(LONGEST_BLOCK.as_nanos() as f64 / slowest);
    (block as usize).max(LEAST_LINES)
}

/// Slot of one system in the turns. Dropping the slot leaves the turns.
pub struct Slot<'a> {
    turns: &'a Turns,
    number: usize,
}

impl Slot<'_> {
    /// Waits for this slot's slice, unless it has begun.
    pub fn hold(&self) {
        let mut state = self.turns.state();
        self.turns.advance(&mut state);
        while state.holder != Some(self.number) {
            state = self.turns.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let slot = &mut state.slots[self.number];
        if let Some(root) = slot.root.take() {
            slot.idle.end(Reading::of(root));
            // The reading took time of the slice.
            state.since = Instant::now();
        }
    }

    /// Ends the slice. The processes below `root` wait from now on, and must not work meanwhile.
    pub fn pass(&self, root: Root) {
        let mut state = self.turns.state();
        let slot = &mut state.slots[self.number];
        slot.idle.begin(Reading::of(root));
        slot.root = Some(root);
        state.watch_waiting(mark_if_due);
        state.holder = None;
        self.turns.advance(&mut state);
    }

    /// Waits for this slot's slice before a launch. A slice that is used up goes to the next system first.
    pub fn begin_launch(&self) {
        let mut state = self.turns.state();
        if state.is_used_up(self.number, Instant::now()) {
            state.holder = None;
            self.turns.advance(&mut state);
        }
        drop(state);
        self.hold();
    }

    /// Time left of the slice; `None` if no other system waits.
    pub fn left(&self) -> Option<Duration> {
        self.turns.state().left(self.number, Instant::now())
    }

    /// Tells the time that a line takes, before the first slice ends.
    pub fn tell_line_ns(&self, line_ns: f64) {
        self.turns.state().slots[self.number].line_ns = Some(line_ns);
    }

    /// Tells whether the system has rested while it was stopped.
    pub fn tell_rest(&self, has_rested: bool) {
        self.turns.state().slots[self.number].idle.add_stop(has_rested);
    }

    /// Number of blocks of the round, from the second slice on.
    pub fn blocks(&self) -> usize {
        self.turns.state().blocks
    }

    /// Fault of a system that worked while it was not asked.
    pub fn fault(&self) -> Option<Reason> {
        self.turns.state().slots[self.number].idle.fault()
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        let mut state = self.turns.state();
        state.slots[self.number].has_left = true;
        if state.holder == Some(self.number) {
            state.holder = None;
        }
        self.turns.advance(&mut state);
    }
}

/// Runs `work` for each of `systems` side by side, in a slot each, and returns the results in their order.
pub fn side_by_side<S: Send, T: Send>(
    turns: &Turns,
    systems: impl Iterator<Item = S>,
    work: impl Fn(S, Slot<'_>) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    std::thread::scope(|scope| {
        let work = &work;
        let spawn = |(number, system)| {
            let slot = turns.slot(number);
            scope.spawn(move || work(system, slot))
        };
        // All slots are taken before any thread can leave.
        let threads: Vec<_> = systems.enumerate().map(spawn).collect();
        threads.into_iter().map(|thread| thread.join().expect("a round returns its errors")).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Root without processes.
    const NONE: Root = Root { supervisor: 0, layers: 0 };

    #[test]
    fn every_slot_has_one_slice_a_turn_in_changing_order_and_never_two_at_once() {
        let turns = Turns::new(3, 0, 1000, false);
        let log = Mutex::new(Vec::new());
        let work = |number: usize, slot: Slot<'_>| {
            for _ in 0..20 {
                slot.hold();
                log.lock().unwrap().push((number, true));
                std::thread::yield_now();
                log.lock().unwrap().push((number, false));
                slot.pass(NONE);
            }
            Ok(number)
        };
        assert_eq!(side_by_side(&turns, 0..3, work).unwrap(), [0, 1, 2]);
        let log = log.into_inner().unwrap();
        assert!(log.chunks(2).all(|pair| pair[0] == (pair[1].0, true) && !pair[1].1), "one at a time");
        let orders: Vec<Vec<usize>> =
            log.chunks(6).map(|turn| turn.iter().step_by(2).map(|(number, _)| *number).collect()).collect();
        assert!(orders.iter().all(|order| (0..3).all(|slot| order.contains(&slot))), "{orders:?}");
        assert!(orders.iter().any(|order| *order != orders[0]), "{orders:?}");
        assert_eq!(turns.host_speed()[0].turn, 1);
    }

    #[test]
    fn a_slot_that_leaves_stops_no_other() {
        let turns = Turns::new(2, 0, 1000, false);
        let work = |number: usize, slot: Slot<'_>| {
            let slices = if number == 0 { 1 } else { 5 };
            for _ in 0..slices {
                slot.hold();
                slot.pass(NONE);
            }
            Ok(slot.left().is_some())
        };
        assert!(!side_by_side(&turns, 0..2, work).unwrap()[1], "no other slot waits at the end");
    }

    #[test]
    fn a_slice_ends_after_its_time_unless_no_other_system_waits() {
        let turns = Turns::new(2, 0, 1000, false);
        let mut state = turns.state();
        (state.holder, state.sampled) = (Some(0), Some(state.since));
        let after = |state: &State, time: Duration| {
            let now = state.since + time;
            (state.left(0, now), [0, 1].map(|number| state.is_used_up(number, now)), state.wants_sample(now))
        };
        let moment = Duration::from_nanos(1);
        assert_eq!(after(&state, Duration::ZERO), (Some(SLICE), [false; 2], false));
        assert_eq!(after(&state, SLICE - moment), (Some(moment), [false; 2], false));
        assert_eq!(after(&state, SLICE), (Some(Duration::ZERO), [true, false], false));
        assert_eq!(after(&state, BETWEEN_SAMPLES), (Some(Duration::ZERO), [true, false], true));
        state.slots[1].has_left = true;
        assert_eq!(after(&state, SLICE).0, None, "nobody waits for the rest");
    }

    #[test]
    fn a_block_suits_the_medium_system_and_bores_no_other() {
        let ms = 1e6;
        assert_eq!(lines_of_a_block(&[ms, ms, ms]), 60);
        assert_eq!(lines_of_a_block(&[0.01 * ms, ms, 30.0 * ms]), 33, "at most a second of the slowest");
        assert_eq!(lines_of_a_block(&[100.0 * ms, 900.0 * ms]), LEAST_LINES);
        assert_eq!(lines_of_a_block(&[]), LEAST_LINES);
    }
}
