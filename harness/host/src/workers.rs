//! Workers of a process: a session each, on a core each.

use std::sync::{Mutex, MutexGuard};

use dyno_api::Session;
use dyno_measure::os;

use crate::error::Result;

/// Runs `work` with each session until all have returned. A single session needs no thread of its own.
pub(crate) fn run(
    mut sessions: Vec<Box<dyn Session>>,
    work: impl Fn(&mut dyn Session) -> Result<()> + Sync,
) -> Result<()> {
    if let [only] = &mut sessions[..] {
        return work(only.as_mut());
    }
    let work = &work;
    std::thread::scope(|scope| {
        let workers: Vec<_> = sessions
            .iter_mut()
            .enumerate()
            .map(|(number, session)| {
                scope.spawn(move || {
                    pin_to_core_number(number);
                    work(session.as_mut())
                })
            })
            .collect();
        let joined = workers.into_iter().map(|worker| worker.join().expect("sessions return their errors"));
        joined.collect::<Vec<_>>().into_iter().collect::<Result<()>>()
    })
}

/// Locks what workers share.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("workers that fail return, and poison nothing")
}

/// Pins the worker to one of the process's cores. A host that refuses to pin costs only speed.
fn pin_to_core_number(worker: usize) {
    if let Ok(cores) = os::allowed_cores() {
        let _ = os::pin_thread(&[cores[worker % cores.len()]]);
    }
}
