//! The throughput tracks: launches over the whole file until the profile's minimum time is reached, and some
//! with a single line, for the share of loading.

use super::filling::Filling;
use super::seen::{Run, Seen, cpu_ns};
use crate::error::Result;
use crate::process::whole_file::{Pass, whole_file};
use crate::text::{as_text, split_lines};
use dyno_stats::Random;

use crate::os::fresh_seed;
use crate::verify::sameness::Comparison;

/// Launches with a single line a round; their median is the share of loading.
pub const ONE_LINE_LAUNCHES: usize = 3;
/// A round of a system that ends at once must end too: at 2 ms a launch this is about the quick profile's
/// minimum time.
pub const MOST_LAUNCHES: usize = 500;

/// One round: launches until the profile's minimum time is reached.
pub(super) fn run(run: &Run<'_>, filling: &Filling) -> Result<Seen> {
    let mut seen = Seen::default();
    let Some(first) = launch(run, filling, &mut seen)? else { return Ok(seen) };
    seen.answers = filling.scored(&first);
    ask_filler_alone(run, filling, &first, &mut seen)?;
    let mut draw = Random::new(fresh_seed(), "the launch that is scored");
    while seen.reasons.is_empty() && !is_long_enough(run, filling, &seen) {
        let Some(pass) = launch(run, filling, &mut seen)? else { return Ok(seen) };
        let comparison = Comparison::of(&seen.answers, &filling.scored(&pass));
        seen.differing_launches += usize::from(comparison.differing > 0);
        if let Some(reason) = comparison.fault(run.subject.system.sampling) {
            seen.reasons.push(reason); // what is timed is what is scored
            return Ok(seen);
        }
        // Of a system that samples any launch may be the one: each with the same chance (Vitter 1985).
        if run.subject.system.sampling && draw.below(seen.launch_ns.len()) == 0 {
            seen.answers = filling.scored(&pass);
        }
    }
    (seen.timed_lines, seen.timed_words) = (filling.lines, filling.words);
    load_share(run, &mut seen)?;
    Ok(seen)
}

fn is_long_enough(run: &Run<'_>, filling: &Filling, seen: &Seen) -> bool {
    let profile = run.bench.protocol.profile;
    let lines = filling.lines * seen.launch_ns.len();
    seen.launch_ns.iter().sum::<u64>() >= profile.throughput_minimum_ns()
        || lines >= profile.throughput_enough_lines()
        || seen.launch_ns.len() >= MOST_LAUNCHES
}

/// One launch over the whole file, or `None` if it failed (and the reasons are in `seen`).
fn launch(run: &Run<'_>, filling: &Filling, seen: &mut Seen) -> Result<Option<Pass>> {
    let pass = whole_file(&run.subject, &filling.text, filling.lines, &run.bench.scratch)?;
    seen.take(&pass.ending);
    seen.reasons.extend(pass.reasons.iter().cloned());
    if !seen.reasons.is_empty() {
        return Ok(None);
    }
    seen.reasons.extend(filling.faults(&pass, run.subject.system));
    if !seen.reasons.is_empty() {
        return Ok(None);
    }
    seen.launch_ns.push(pass.ending.wall_ns());
    Ok(Some(pass))
}

/// A launch that isn't timed.
fn beside(run: &Run<'_>, text: &[u8], lines: usize, seen: &mut Seen) -> Result<Pass> {
    let pass = whole_file(&run.subject, text, lines, &run.bench.scratch)?;
    seen.untimed_cpu_ns += cpu_ns(&pass.ending.report);
    seen.reasons.extend(pass.reasons.iter().cloned());
    Ok(pass)
}

/// Some of the filler as a file of its own: what is not scored must be translated just the same.
fn ask_filler_alone(run: &Run<'_>, filling: &Filling, long: &Pass, seen: &mut Seen) -> Result<()> {
    let some = filling.some_filler(&mut Random::new(fresh_seed(), "filler"));
    if some.is_empty() || run.subject.system.sampling {
        return Ok(());
    }
    let lines: Vec<&[u8]> = split_lines(&filling.text).collect();
    let text = as_text(&some.iter().map(|&line| lines[line]).collect::<Vec<_>>());
    let alone = beside(run, &text, some.len(), seen)?;
    if alone.reasons.is_empty() {
        seen.reasons.extend(filling.changed_alone(long, &some, &alone));
    }
    Ok(())
}

/// Launches with one line only: what a launch costs before the second line.
fn load_share(run: &Run<'_>, seen: &mut Seen) -> Result<()> {
    let line = as_text(&run.round.test_set.source[..1]);
    for _ in 0..ONE_LINE_LAUNCHES {
        let pass = beside(run, &line, 1, seen)?;
        if pass.reasons.is_empty() {
            seen.one_line_ns.push(pass.ending.wall_ns());
        }
    }
    Ok(())
}
