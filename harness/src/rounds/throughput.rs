//! The throughput tracks: the whole file in, the whole file out, from launch to the system's end.
//!
//! Standard input and output are files, so that the bench only waits. A set that is over before the profile's
//! minimum time is run by further launches, each timed from its own start: repeating lines within one launch
//! would reward a system that remembers them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use super::process::Supervised;
use super::{Run, Seen, bad_end, left_processes, line_count};
use crate::campaign::split_lines;
use crate::exit::Outcome;
use crate::supervisor::Report;
use crate::verify::{Code, Reason};

/// How often a running system is looked at.
const LOOK: Duration = Duration::from_millis(500);
/// Launches with a single line a round; their median is the share of loading.
const ONE_LINE_LAUNCHES: usize = 3;
/// A round of a system that ends at once must end too: at 2 ms a launch this is about the quick profile's
/// minimum time.
const MOST_LAUNCHES: usize = 500;

/// One round: launches until the profile's minimum time is reached.
pub(super) fn run(run: &Run<'_>) -> Outcome<Seen> {
    let input = run.bench.store.input(run.test_set);
    let mut seen = Seen::default();
    let Some(first) = launch(run, &input, &mut seen)? else { return Ok(seen) };
    if let Some(reason) = fault(run, &first, &seen) {
        seen.reasons.push(reason);
        return Ok(seen);
    }
    let minimum = run.bench.campaign.profile.throughput_minimum_ns();
    while seen.launch_ns.iter().sum::<u64>() < minimum && seen.launch_ns.len() < MOST_LAUNCHES {
        let Some(text) = launch(run, &input, &mut seen)? else { return Ok(seen) };
        seen.differing_launches += usize::from(text != first);
    }
    seen.answers = split_lines(&first).map(<[u8]>::to_vec).collect();
    load_share(run, &mut seen)?;
    Ok(seen)
}

/// What the first launch shows needs no second one. Lines are counted before they are cut: a flood of line ends
/// would take far more memory than its bytes.
fn fault(run: &Run<'_>, text: &[u8], seen: &Seen) -> Option<Reason> {
    let lines = text.iter().filter(|&&byte| byte == b'\n').count();
    let unended = usize::from(text.last().is_some_and(|&byte| byte != b'\n'));
    line_count(run, lines + unended).or_else(|| left_processes(&seen.usage))
}

/// One launch over the whole file: its output, or `None` if it failed (and the reason is in `seen`).
fn launch(run: &Run<'_>, input: &Path, seen: &mut Seen) -> Outcome<Option<Vec<u8>>> {
    let output = run.bench.store.scratch("output.txt");
    let (report, wall_ns, reason) = time(run, input, &output)?;
    merge(&mut seen.usage, report);
    if let Some(reason) = reason {
        seen.reasons.push(reason);
        return Ok(None);
    }
    seen.launch_ns.push(wall_ns);
    Ok(Some(fs::read(&output)?))
}

/// Times one launch: what it took, how long, and what was wrong with it.
fn time(run: &Run<'_>, input: &Path, output: &Path) -> Outcome<(Report, u64, Option<Reason>)> {
    let stdin = File::open(input)?;
    let most = (64 << 20).max(stdin.metadata()?.len() * 64);
    let stdout = File::create(output)?;
    let written = stdout.try_clone()?;
    let system = match Supervised::launch(run, Stdio::from(stdin), Stdio::from(stdout))? {
        Ok(system) => system,
        Err(reason) => return Ok((Report::default(), 0, Some(reason))),
    };
    let launched = system.launched_ns();
    let limit = Duration::from_secs_f64(run.bench.campaign.limits.launch_seconds);
    let flood = || {
        let bytes = written.metadata().map_or(0, |data| data.len());
        (bytes > most).then(|| Code::Flood.reason(format!("{bytes} bytes")))
    };
    let (report, reason) = system.finish(limit, LOOK, flood)?;
    // A short flood is over before anybody looks.
    let reason = reason.or_else(flood).or_else(|| bad_end(&report));
    Ok((report.clone(), report.ended_ns.saturating_sub(launched), reason))
}

/// Launches with one line only: what a launch costs before the second line.
fn load_share(run: &Run<'_>, seen: &mut Seen) -> Outcome<()> {
    let input: PathBuf = run.bench.store.scratch("one-line.txt");
    fs::write(&input, [run.test_set.source[0].as_slice(), b"\n"].concat())?;
    let output = run.bench.store.scratch("output.txt");
    for _ in 0..ONE_LINE_LAUNCHES {
        let (_, wall_ns, reason) = time(run, &input, &output)?;
        match reason {
            Some(reason) => seen.reasons.push(reason),
            None => seen.one_line_ns.push(wall_ns),
        }
    }
    Ok(())
}

/// Times add up over a round's launches, peaks don't.
fn merge(usage: &mut Report, launch: Report) {
    *usage = Report {
        user_ns: usage.user_ns + launch.user_ns,
        system_ns: usage.system_ns + launch.system_ns,
        peak_bytes: usage.peak_bytes.max(launch.peak_bytes),
        voluntary_switches: usage.voluntary_switches + launch.voluntary_switches,
        involuntary_switches: usage.involuntary_switches + launch.involuntary_switches,
        left_processes: usage.left_processes + launch.left_processes,
        stderr_bytes: usage.stderr_bytes + launch.stderr_bytes,
        ..launch
    };
}
