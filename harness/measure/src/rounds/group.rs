//! The rounds of a group: systems that are measured side by side, in turns, and the noise that they share.
//!
//! A group of one is a round of its own. A group that the host disturbs is measured again, as often as the
//! campaign allows, without the systems that broke a rule. The last attempt counts.

use std::time::SystemTime;

use dyno_stats::Random;

use super::filling::LaunchInput;
use super::measured::{Measured, record};
use super::observed::{Observed, RoundContext};
use super::part::Part;
use super::{answers, latency, server, throughput};
use crate::noise::{TreeTime, watched};
use crate::os::fresh_seed;
use crate::process::hidden::hidden_files;
use crate::process::turns::{Slot, Turns, side_by_side};
use crate::{Bench, Earlier, Result, Round};
use dyno_record::{HostSpeed, Noise, Slices};

/// A system of the group.
struct Member<'a> {
    context: RoundContext<'a>,
    /// Input of a launch, in the tracks of whole files.
    input: Option<LaunchInput>,
}

/// Measures one round of a system alone. A failure of the system is a record; an error is the bench's own.
pub fn measure(bench: &Bench, round: &Round<'_>, earlier: &Earlier) -> Result<Measured> {
    let mut measured = measure_together(bench, std::slice::from_ref(round), earlier)?;
    Ok(measured.remove(0))
}

/// Measures one round of each of several systems side by side: rounds of one test set, track and number. The
/// results have the order of `rounds`. Rounds of the server track follow one another.
pub fn measure_together(bench: &Bench, rounds: &[Round<'_>], earlier: &Earlier) -> Result<Vec<Measured>> {
    if rounds.len() > 1 && rounds[0].track.is_served() {
        return rounds.iter().map(|round| measure(bench, round, earlier)).collect();
    }
    let members = rounds.iter().map(|round| Member::of(bench, round, earlier)).collect::<Result<Vec<_>>>()?;
    let mut done: Vec<Option<Measured>> = rounds.iter().map(|_| None).collect();
    let (began, mut noise) = (SystemTime::now(), Vec::new());
    loop {
        let pending: Vec<usize> = (0..members.len()).filter(|&i| done[i].is_none()).collect();
        let group: Vec<&Member<'_>> = pending.iter().map(|&i| &members[i]).collect();
        let (observed, last) = attempt(&group)?;
        let bench_share = last.bench_ns / group.len() as u64;
        let is_last = !last.is_disturbed() || noise.len() >= bench.protocol.noisy_repeats();
        noise.push(last);
        for (&i, observed) in pending.iter().zip(observed) {
            if is_last || !observed.reasons.is_empty() {
                let bench_ns = bench_share + observed.usage.supervisor_ns;
                done[i] = Some(record(&members[i].context, observed, Some(began), noise.clone(), bench_ns)?);
            }
        }
        if done.iter().all(Option::is_some) {
            return Ok(done.into_iter().flatten().collect());
        }
    }
}

impl<'a> Member<'a> {
    fn of(bench: &'a Bench, round: &'a Round<'a>, earlier: &'a Earlier) -> Result<Self> {
        let context = RoundContext::of(bench, round, earlier);
        let input = (!round.track.answers_lines()).then(|| LaunchInput::of(&context)).transpose()?;
        Ok(Self { context, input })
    }

    /// Asks the system one part. What it shows is added to what the round has `observed`; a system that broke a
    /// rule has no further part.
    fn ask_part(&self, slot: Option<&Slot<'_>>, part: Part, observed: &mut Observed) -> Result<()> {
        if !observed.reasons.is_empty() {
            return Ok(());
        }
        let mut context = self.context.clone();
        context.subject.slot = slot;
        // One limit holds for all parts together.
        context.subject.limits.launch_seconds -= observed.waited.as_secs_f64();
        match &self.input {
            Some(input) => *observed = throughput::run(&context, input)?,
            None if context.round.track.is_served() => *observed = server::run(&context)?,
            None => latency::run(&context, part, observed)?,
        }
        observed.reasons.extend(slot.and_then(Slot::fault));
        if !part.is_last() && !observed.reasons.is_empty() {
            observed.forget_answers();
        }
        Ok(())
    }
}

/// What one attempt shows of each system, and the noise meanwhile.
fn attempt(group: &[&Member<'_>]) -> Result<(Vec<Observed>, Noise)> {
    let RoundContext { bench, round, .. } = group[0].context;
    let cores = bench.placement.system(round.track);
    let ((mut observed, host_speed), mut noise) = watched(cores, group.len() == 1, || {
        let (observed, host_speed) = observe(group)?;
        let tree = observed.iter().fold(TreeTime::default(), |all, one| all.and(&one.tree));
        Ok(((observed, host_speed), tree))
    })?;
    noise.triggers.extend(observed.iter_mut().flat_map(|one| std::mem::take(&mut one.triggers)));
    let is_disturbed = noise.is_disturbed();
    for (member, observed) in group.iter().zip(&mut observed) {
        let suspicions = observed.settle(is_disturbed);
        noise.triggers.extend(suspicions.iter().map(|reason| {
            let (name, code, figure) =
                (&member.context.round.system.name, reason.code.name(), &reason.figure);
            format!("the clock alone suggests `{code}` of {name}: {figure}")
        }));
        answers::check_answers(&member.context, member.input.as_ref(), observed);
        observed.reasons.extend(hidden_files(member.context.round.system, &observed.read_files));
    }
    if observed.iter().any(|observed| !observed.reasons.is_empty()) {
        bench.check_writable()?;
    }
    if group.len() > 1 {
        add_slices(group, &mut observed, &host_speed);
    }
    Ok((observed, noise))
}

/// All parts of the group, and the host's speed beside their turns.
fn observe(group: &[&Member<'_>]) -> Result<(Vec<Observed>, Vec<HostSpeed>)> {
    let RoundContext { bench, round, .. } = group[0].context;
    let (track, lines) = (round.track, round.test_set.source.len());
    let units = round.test_set.unit_count(track);
    let core = *bench.placement.system(track).last().expect("a track has cores");
    let mut observed: Vec<Observed> = group.iter().map(|_| Observed::default()).collect();
    let parts: Vec<Part> = Part::all(track, bench.protocol.profile, lines).collect();
    // Only in one of the parts time is spent on watching all systems while none is asked.
    let watched_part = Random::new(fresh_seed(), "parts").below(parts.len());
    let (mut host_speed, mut turns_before) = (Vec::new(), 0);
    for (number, &part) in parts.iter().enumerate() {
        if group.len() == 1 {
            group[0].ask_part(None, part, &mut observed[0])?;
            continue;
        }
        let turns = Turns::new(group.len(), core, part.range(units).len(), number == watched_part);
        side_by_side(&turns, group.iter().zip(&mut observed), |(member, observed), slot| {
            member.ask_part(Some(&slot), part, observed)
        })?;
        // The turns of all parts are numbered through.
        let (count, speeds) = (turns.count(), turns.host_speed());
        host_speed.extend(speeds.into_iter().map(|at| HostSpeed { turn: turns_before + at.turn, ..at }));
        turns_before += count;
    }
    Ok((observed, host_speed))
}

/// Adds the turns of each system of the group.
fn add_slices(group: &[&Member<'_>], observed: &mut [Observed], host_speed: &[HostSpeed]) {
    let group_id = fresh_seed();
    let beside: Vec<String> = group.iter().map(|member| member.context.round.system.name.clone()).collect();
    for observed in observed {
        observed.slices = Some(Slices {
            group: format!("{group_id:016x}"),
            beside: beside.clone(),
            turn_ns: std::mem::take(&mut observed.turn_ns),
            host_speed: host_speed.to_vec(),
        });
    }
}
