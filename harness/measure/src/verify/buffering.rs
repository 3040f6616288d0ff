//! Buffering: whether each line is answered before the next is asked. What a silent system is up to is found out
//! by `process::silence`, here as in every round.

use super::examinee::Examinee;
use super::finding::Heard;
use super::lines;
use crate::error::Result;
use crate::rules::Track;

/// So many lines in a row, for those that lag only sometimes, or only later.
const LINES: usize = 400;

pub(super) fn ask(examinee: &Examinee<'_>) -> Result<Heard> {
    if !examinee.answers_lines() {
        return Ok(Heard::note("the latency track is not asked about"));
    }
    let told = examinee.ask_a_while(&lines::ordinary(examinee, LINES, "buffering"))?;
    let answered = told.answers.len();
    if !told.reasons.is_empty() {
        return Ok(Heard::failed(Track::Latency, told.reasons));
    }
    let start = told.start_ns.unwrap_or(0) as f64 / 1e6;
    Ok(Heard::note(format!("{answered} lines answered one by one, the first {start:.0} ms after launch")))
}
