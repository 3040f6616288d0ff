//! The throughput tracks: launches over the whole file until the profile's minimum time is reached, and some
//! launches over one line for the share of loading.

use super::filling::LaunchInput;
use super::fresh;
use super::observed::{Observed, RoundContext};
use crate::error::Result;
use crate::process::whole_file::{Pass, whole_file};
use crate::text::{as_text, split_lines};
use dyno_stats::Random;

use crate::os::fresh_seed;
use crate::verify::sameness::Comparison;

/// Launches over one line in a round; their median is the share of loading.
pub const ONE_LINE_LAUNCHES: usize = 3;
/// Most launches of a round, so that a round of a very quick system ends. At 2 ms a launch they take about
/// the quick profile's minimum time.
pub const MOST_LAUNCHES: usize = 500;

/// One round: launches until the profile's minimum time is reached.
pub(super) fn run(context: &RoundContext<'_>, input: &LaunchInput) -> Result<Observed> {
    let mut observed = Observed::default();
    let Some(first) = launch(context, input, &mut observed)? else { return Ok(observed) };
    observed.answers = input.scored(&first);
    ask_filler_alone(context, input, &first, &mut observed)?;
    let mut draw = Random::new(fresh_seed(), "the launch that is scored");
    while observed.reasons.is_empty() && !is_long_enough(context, input, &observed) {
        let Some(pass) = launch(context, input, &mut observed)? else { return Ok(observed) };
        let comparison = Comparison::of_system(context.round.system, &observed.answers, &input.scored(&pass));
        observed.differing_launches += usize::from(comparison.differing > 0);
        if let Some(reason) = comparison.fault(context.subject.system.sampling) {
            observed.reasons.push(reason); // the timed answers must be the scored answers
            return Ok(observed);
        }
        // If the system samples, each launch has the same chance to be the scored one (Vitter 1985).
        if context.subject.system.sampling && draw.below(observed.launches.ns.len()) == 0 {
            observed.answers = input.scored(&pass);
        }
    }
    (observed.launches.lines, observed.launches.words) = (Some(input.lines), Some(input.words));
    load_share(context, &mut observed)?;
    if observed.reasons.is_empty() {
        fresh::compare(context, input, &mut observed)?;
    }
    Ok(observed)
}

/// Whether the launches have reached the minimum time, or one of the limits.
fn is_long_enough(context: &RoundContext<'_>, input: &LaunchInput, observed: &Observed) -> bool {
    let profile = context.bench.protocol.profile;
    let lines = input.lines * observed.launches.ns.len();
    observed.launches.ns.iter().sum::<u64>() >= profile.throughput_minimum_ns()
        || lines >= profile.throughput_enough_lines()
        || observed.launches.ns.len() >= MOST_LAUNCHES
}

/// One launch over the whole file, or `None` if it failed. The reasons are in `observed`.
fn launch(context: &RoundContext<'_>, input: &LaunchInput, observed: &mut Observed) -> Result<Option<Pass>> {
    let pass = whole_file(&context.subject, &input.text, input.lines)?;
    observed.take(&pass.ending);
    observed.reasons.extend(pass.reasons.iter().cloned());
    if !observed.reasons.is_empty() {
        return Ok(None);
    }
    observed.reasons.extend(input.faults(&pass, context.subject.system));
    if !observed.reasons.is_empty() {
        return Ok(None);
    }
    observed.launches.ns.push(pass.ending.wall_ns());
    observed.metered_words += input.words;
    Ok(Some(pass))
}

/// Asks some filler lines as a file of their own. Lines that are not scored must be translated just the same.
fn ask_filler_alone(
    context: &RoundContext<'_>,
    input: &LaunchInput,
    long: &Pass,
    observed: &mut Observed,
) -> Result<()> {
    let some = input.some_filler(&mut Random::new(fresh_seed(), "filler"));
    if some.is_empty() || context.subject.system.sampling {
        return Ok(());
    }
    let lines: Vec<&[u8]> = split_lines(&input.text).collect();
    let text = as_text(&some.iter().map(|&line| lines[line]).collect::<Vec<_>>());
    let alone = observed.launch_untimed(context, &text, some.len())?;
    if alone.reasons.is_empty() {
        observed.reasons.extend(input.changed_alone(long, &some, &alone, context.subject.system.translates));
    }
    Ok(())
}

/// Launches over one line: the cost of a launch before the second line.
fn load_share(context: &RoundContext<'_>, observed: &mut Observed) -> Result<()> {
    let line = as_text(&context.round.test_set.source[..1]);
    for _ in 0..ONE_LINE_LAUNCHES {
        let pass = observed.launch_untimed(context, &line, 1)?;
        if pass.reasons.is_empty() {
            observed.launches.one_line_ns.push(pass.ending.wall_ns());
        }
    }
    Ok(())
}
