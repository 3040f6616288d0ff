//! The audit, asked for by itself: a lock-step and a file while all threads are looked at. Every other process
//! of a system is audited as well; here the figures are shown.

use super::examinee::Examinee;
use super::finding::Heard;
use super::lines;
use crate::error::Result;
use crate::rules::Track;

/// Lines, enough for a worker pool to start and to work.
const LINES: usize = 200;

pub(super) fn ask(examinee: &Examinee<'_>) -> Result<Heard> {
    let lines = examinee.affordable(lines::ordinary(examinee, LINES, "audit"))?;
    let mut heard = Heard::default();
    let mut figures = Vec::new();
    for &track in &examinee.tracks {
        let (ending, reasons) = match track {
            Track::Latency => {
                let told = examinee.ask(&lines)?;
                (told.ending, told.reasons)
            }
            _ => {
                let pass = examinee.pass(track, &lines)?;
                (pass.ending, pass.reasons)
            }
        };
        heard.add(track, reasons);
        let cpu_ns = ending.report.user_ns + ending.report.system_ns;
        let share = cpu_ns as f64 / ending.wall_ns().max(1) as f64;
        let cores = examinee.placement.system(track).len();
        figures.push(format!(
            "{track}: {} processes, {} threads, {share:.2} of {cores} cores",
            ending.audit.most_processes, ending.audit.most_threads
        ));
    }
    heard.figure = figures.join("; ");
    Ok(heard)
}
