//! The audit probe: whether the system keeps to its cores and leaves no process behind, in each track.
//!
//! Every launch of a system is audited. This probe shows the figures of the audit.

use super::{Examinee, ProbeOutcome, lines};
use crate::error::Result;

/// Number of lines: enough for a worker pool to start and to work.
const LINES: usize = 200;

pub(super) fn ask(examinee: &Examinee<'_>) -> Result<ProbeOutcome> {
    let lines = examinee.affordable(lines::ordinary(examinee, LINES, "audit"))?;
    let tracks = examinee.tracks.iter().copied();
    ProbeOutcome::in_each(tracks, "no track is probed", |track, outcome| {
        let (_, reasons, ending) = examinee.launch(track, &lines)?;
        let cpu_ns = ending.usage.user_ns + ending.usage.system_ns;
        let share = cpu_ns as f64 / ending.wall_ns().max(1) as f64;
        let cores = examinee.bench.placement.cores_of(examinee.system, track).len();
        outcome.figure = format!(
            "{track}: {} processes, {} threads, {share:.2} of {cores} cores",
            ending.audit.most_processes, ending.audit.most_threads
        );
        outcome.add(track, reasons.into_iter().chain(ending.usage.network_use()));
        Ok(())
    })
}
