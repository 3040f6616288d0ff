//! The adaptive layout of Dice & Kogan 2021, section 6.1: weights are kept as [K, N] and as [N, K], and each product
//! takes the form that was faster for its shape and its number of rows.
//!
//! The paper times every number of rows when it makes a module; here a shape is timed when it's first met, once for all
//! modules of that shape, so the first line of each length takes longer. With one thread a BERT has three shapes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Products of each form that are timed, after one to warm up; the least time counts.
const TURNS: usize = 5;

/// A library by its address, and [m, k, n].
type Key = (usize, [usize; 3]);

type Flags = BTreeMap<Key, bool>;

/// Whether [N, K] is faster, by shape.
static FLAGS: Mutex<Flags> = Mutex::new(Flags::new());

/// Whether [N, K] is faster for a product, of which `multiply` multiplies by [N, K] or not.
pub fn takes_transposed(library: usize, shape: [usize; 3], multiply: impl FnMut(bool)) -> bool {
    thread_local!(static KNOWN: RefCell<Flags> = const { RefCell::new(Flags::new()) });
    let key = (library, shape);
    KNOWN.with_borrow_mut(|known| *known.entry(key).or_insert_with(|| flag(key, multiply)))
}

/// The flag that all threads share; the first that asks times both forms, and the others wait.
fn flag(key: Key, mut multiply: impl FnMut(bool)) -> bool {
    let mut flags = FLAGS.lock().unwrap_or_else(PoisonError::into_inner);
    *flags.entry(key).or_insert_with(|| {
        let [normal, transposed] = [false, true].map(|transposed| least_time(|| multiply(transposed)));
        transposed < normal
    })
}

fn least_time(mut multiply: impl FnMut()) -> Duration {
    multiply();
    let mut time = || {
        let start = Instant::now();
        multiply();
        start.elapsed()
    };
    (0..TURNS).map(|_| time()).min().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_is_timed_once_and_takes_the_faster_form() {
        let calls = RefCell::new(0);
        let slow_if = |slow: bool| {
            let calls = &calls;
            move |transposed: bool| {
                *calls.borrow_mut() += 1;
                if transposed == slow {
                    std::thread::sleep(Duration::from_millis(2));
                }
            }
        };
        assert!(takes_transposed(1, [8, 768, 768], slow_if(false)));
        assert_eq!(*calls.borrow(), 2 * (TURNS + 1));
        // A module of the same shape has the flag already, also on another thread.
        assert!(takes_transposed(1, [8, 768, 768], slow_if(true)));
        assert!(
            std::thread::spawn(|| takes_transposed(1, [8, 768, 768], |_| panic!("timed again")))
                .join()
                .unwrap()
        );
        assert_eq!(*calls.borrow(), 2 * (TURNS + 1));
        assert!(!takes_transposed(1, [384, 768, 768], slow_if(true)));
    }
}
