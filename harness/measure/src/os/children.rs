//! The bench's own children, apart from the orphans that it adopts. A process whose parents have ended becomes the
//! bench's child. If it is none that the bench has started, a system left it behind.

use std::collections::BTreeSet;
use std::io::Result;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{kill, reap, tree};

/// Children that the bench has started, and not forgotten.
static OWN: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn own() -> MutexGuard<'static, BTreeSet<u32>> {
    OWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a child of the bench. No other thread takes it for an orphan.
pub fn start_child(command: &mut Command) -> Result<Child> {
    let mut own = own();
    let child = command.spawn()?;
    own.insert(child.id());
    Ok(child)
}

/// Forgets a child that has ended: its number may come again.
pub fn forget_child(pid: u32) {
    own().remove(&pid);
}

/// Ends what systems have left behind, within `patience`.
pub fn end_orphans(patience: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < patience {
        let own = own();
        let orphans: Vec<u32> =
            tree::children_of(std::process::id()).into_iter().filter(|pid| !own.contains(pid)).collect();
        if orphans.is_empty() {
            return;
        }
        orphans.iter().copied().for_each(kill);
        orphans.into_iter().for_each(reap);
        drop(own);
        std::thread::sleep(Duration::from_millis(1));
    }
}
