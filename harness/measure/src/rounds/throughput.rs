//! The throughput tracks: launches over the whole file until the profile's minimum time is reached, and some
//! launches over one line for the share of loading.

use dyno_stats::Random;

use super::filling::LaunchInput;
use super::fresh;
use super::observed::{Observed, RoundContext};
use crate::judge::answers::Comparison;
use crate::os::fresh_seed;
use crate::process::failed::{Asked, broken, sound};
use crate::process::whole_file::{Pass, whole_file};
use crate::{Result, split_lines};

/// Launches over one line in a round; their median is the share of loading.
pub const ONE_LINE_LAUNCHES: usize = 3;
/// Most launches of a round, so that a round of a very quick system ends. At 2 ms a launch they take about
/// the quick profile's minimum time.
pub const MOST_LAUNCHES: usize = 500;

/// One round: launches until the profile's minimum time is reached.
pub(super) fn run(context: &RoundContext<'_>, input: &LaunchInput) -> Result<Observed> {
    let mut observed = Observed::default();
    let ((), reasons) = broken(measure(context, input, &mut observed))?;
    observed.reasons.extend(reasons);
    Ok(observed)
}

fn measure(context: &RoundContext<'_>, input: &LaunchInput, observed: &mut Observed) -> Asked<()> {
    let sampling = context.round.system.sampling;
    (observed.launches.lines, observed.launches.words) = (Some(input.lines), Some(input.words));
    let first = launch(context, input, observed)?;
    let mut draw = Random::new(fresh_seed(), "the launch and the lines of it that are scored");
    let chosen = |pass: &Pass, draw: &mut Random| match sampling {
        true => input.scored_at_random(pass, draw),
        false => input.scored(pass),
    };
    observed.answers = chosen(&first, &mut draw);
    ask_filler_alone(context, input, &first, observed)?;
    while !is_long_enough(context, input, observed) {
        let scored = chosen(&launch(context, input, observed)?, &mut draw);
        let (system, source) = (context.round.system, &context.round.test_set.source);
        let comparison = Comparison::of_system(system, source, &observed.answers, &scored);
        observed.differing_launches += usize::from(comparison.differing > 0);
        sound((), comparison.fault(sampling))?; // the timed answers must be the scored answers
        // If the system samples, each launch has the same chance to be the scored one (Vitter 1985).
        if sampling && draw.below(observed.launches.ns.len()) == 0 {
            observed.answers = scored;
        }
    }
    load_share(context, observed)?;
    fresh::compare(context, input, observed)
}

fn is_long_enough(context: &RoundContext<'_>, input: &LaunchInput, observed: &Observed) -> bool {
    let profile = context.bench.protocol.profile;
    let lines = input.lines * observed.launches.ns.len();
    observed.launches.ns.iter().sum::<u64>() >= profile.throughput_minimum_ns()
        || lines >= profile.throughput_enough_lines()
        || observed.launches.ns.len() >= MOST_LAUNCHES
}

fn launch(context: &RoundContext<'_>, input: &LaunchInput, observed: &mut Observed) -> Asked<Pass> {
    let pass = whole_file(&context.subject, &input.text, input.lines)?;
    observed.take(&pass.ending);
    let pass = pass.sound()?;
    sound((), input.faults(&pass, context.round.system))?;
    observed.launches.ns.push(pass.ending.wall_ns());
    observed.worked_words += input.words;
    Ok(pass)
}

/// Asks some filler lines as a file of their own. Lines that are not scored must be translated just the same.
fn ask_filler_alone(
    context: &RoundContext<'_>,
    input: &LaunchInput,
    long: &Pass,
    observed: &mut Observed,
) -> Asked<()> {
    let some = input.some_filler(&mut Random::new(fresh_seed(), "filler"));
    if some.is_empty() || context.round.system.sampling {
        return Ok(());
    }
    let lines: Vec<&[u8]> = split_lines(&input.text).collect();
    let own: Vec<&[u8]> = some.iter().map(|&line| lines[line]).collect();
    let alone = observed.launch_untimed(context, &own)?;
    sound((), input.changed_alone(long, &some, &alone, context.round.system.translates))
}

/// Launches over one line: the cost of a launch before the second line.
fn load_share(context: &RoundContext<'_>, observed: &mut Observed) -> Asked<()> {
    for _ in 0..ONE_LINE_LAUNCHES {
        let pass = observed.launch_untimed(context, &context.round.test_set.source[..1])?;
        observed.launches.one_line_ns.push(pass.ending.wall_ns());
    }
    Ok(())
}
