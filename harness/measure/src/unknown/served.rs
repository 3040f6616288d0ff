//! The server's unknown runs: whether the greatest rate holds for lines that the system can't know.

use dyno_record::{Code, Reason};

use crate::constants::{UNKNOWN_RATE, UNKNOWN_RUNS};
use crate::served::{Purpose, ServedRun};

/// Lets copies arrive at a share of the `greatest` rate. A system that misses the limit with them, and keeps it with
/// the set's lines in between, knows the set.
pub fn misses<E>(
    greatest: f64,
    limit_ms: f64,
    mut run: impl FnMut(f64, Purpose) -> Result<ServedRun, E>,
) -> Result<Option<Reason>, E> {
    let rate = UNKNOWN_RATE * greatest;
    for number in 1..=UNKNOWN_RUNS {
        let copies = run(rate, Purpose::Unknown)?;
        // A miss that the generator's lateness may explain proves nothing.
        if copies.kept || copies.limited_ms <= limit_ms + copies.late_ms {
            return Ok(None);
        }
        if number < UNKNOWN_RUNS && !run(rate, Purpose::Known)?.kept {
            return Ok(None);
        }
    }
    let figure = format!("lines that it can't know miss the limit at {UNKNOWN_RATE} of the greatest rate");
    Ok(Some(Code::Recognises.reason(figure)))
}
