//! One round: a fresh process of a system under a track's protocol, from launch to record.

pub mod breakdown;
pub mod filling;
mod floor;
pub mod latency;
pub mod throughput;

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use dyno_api::Facts;

pub use floor::{give_back, pipe_floor_ns};

use self::filling::Filling;
use crate::campaign::{Campaign, split_lines};
use crate::exit::Outcome;
use crate::noise::{self, Noise};
use crate::plan::{Placement, Round};
use crate::process::{Audit, Ending, Subject};
use crate::rules::{Code, Probe, Reason, Track, Verdict};
use crate::store::{Record, SCHEMA, Store, file_hash};
use crate::supervisor::Report;
use crate::verify::{Comparison, Examined, invalid_utf8, length};

/// What a round needs to know.
pub(crate) struct Bench<'a> {
    /// Profile, seed, limits.
    pub campaign: &'a Campaign,
    /// Where scratch files may lie and outputs go.
    pub store: &'a Store,
    /// Who runs where.
    pub placement: &'a Placement,
    /// What the probes found before the clock, of this round's system.
    pub examined: &'a [Examined],
    /// The median exchange of one line between two bare processes on this host.
    pub pipe_floor_ns: u64,
}

/// What a track's protocol saw.
#[derive(Default)]
struct Seen {
    reasons: Vec<Reason>,
    /// One answer a source line, in source order; empty if the round failed before.
    answers: Vec<Vec<u8>>,
    latency_ns: Vec<u64>,
    launch_ns: Vec<u64>,
    one_line_ns: Vec<u64>,
    start_ns: Option<u64>,
    warnings: Vec<Reason>,
    differing_launches: usize,
    timed_lines: usize,
    timed_words: usize,
    usage: Report,
    /// CPU time of launches beside the timed ones: not the round's, but its system's, and nobody else's.
    untimed_cpu_ns: u64,
    audit: Audit,
    network: Option<String>,
}

impl Seen {
    /// Adds how one of the round's processes ended. Times add up over a round's launches, peaks don't.
    fn take(&mut self, ending: &Ending) {
        let (usage, launch) = (&self.usage, ending.report.clone());
        self.usage = Report {
            user_ns: usage.user_ns + launch.user_ns,
            system_ns: usage.system_ns + launch.system_ns,
            peak_bytes: usage.peak_bytes.max(launch.peak_bytes),
            largest_process_bytes: usage.largest_process_bytes.max(launch.largest_process_bytes),
            group_peak_bytes: usage.group_peak_bytes.max(launch.group_peak_bytes),
            tree_pss_bytes: usage.tree_pss_bytes.max(launch.tree_pss_bytes),
            voluntary_switches: usage.voluntary_switches + launch.voluntary_switches,
            involuntary_switches: usage.involuntary_switches + launch.involuntary_switches,
            left_processes: usage.left_processes + launch.left_processes,
            stderr_bytes: usage.stderr_bytes + launch.stderr_bytes,
            supervisor_ns: usage.supervisor_ns + launch.supervisor_ns,
            ..launch
        };
        self.audit.merge(&ending.audit);
        self.network = self.network.take().or_else(|| ending.network.clone());
    }
}

/// A round under way.
struct Run<'a> {
    bench: &'a Bench<'a>,
    subject: Subject<'a>,
    round: &'a Round<'a>,
}

/// Measures one round. A system's failure is a record; an error is the bench's own. What the host disturbed is
/// measured again, as often as the campaign allows, then kept as it is.
pub(crate) fn measure(bench: &Bench<'_>, round: &Round<'_>) -> Outcome<Record> {
    let facts = bench.store.scratch("facts.json");
    let subject = Subject {
        system: round.system,
        track: round.track,
        cores: bench.placement.system(round.track),
        limits: bench.campaign.limits,
        facts: &facts,
        breakdown: None,
        isolated: bench.campaign.profile.isolates(),
    };
    let run = Run { bench, subject, round };
    let filling = match round.track {
        Track::Latency => None,
        Track::Throughput1 | Track::ThroughputAll => Some(Filling::of(&run)?),
    };
    let mut attempts = Vec::new();
    loop {
        let (seen, noise) = attempt(&run, filling.as_ref())?;
        let bench_ns = noise.bench_ns + seen.usage.supervisor_ns;
        let repeat = noise.is_disturbed()
            && seen.reasons.is_empty()
            && attempts.len() < bench.campaign.noisy_repeats();
        attempts.push(noise);
        if !repeat {
            return record(&run, seen, attempts, bench_ns);
        }
    }
}

/// All that a launch took, its supervisor's share with it.
fn cpu_ns(launch: &Report) -> u64 {
    launch.user_ns + launch.system_ns + launch.supervisor_ns
}

/// What the probes found that concerns `track`: what is forbidden, or what is only worth a warning.
fn found(bench: &Bench<'_>, track: Track, forbidden: bool) -> Vec<Reason> {
    let findings = bench.examined.iter().flat_map(|examined| &examined.findings);
    let wanted = findings.filter(|finding| finding.concerns(track) && finding.is_forbidden() == forbidden);
    wanted.map(|finding| finding.reason.clone()).collect()
}

fn attempt(run: &Run<'_>, filling: Option<&Filling>) -> Outcome<(Seen, Noise)> {
    let watch = noise::Watch::begin(run.subject.cores)?;
    let mut seen = match filling {
        None => latency::run(run)?,
        Some(filling) => throughput::run(run, filling)?,
    };
    let noise = watch.end(Some(cpu_ns(&seen.usage) + seen.untimed_cpu_ns))?;
    check_answers(run, filling, &mut seen);
    if !seen.reasons.is_empty() {
        run.bench.store.check_writable()?;
    }
    Ok((seen, noise))
}

fn record(run: &Run<'_>, mut seen: Seen, noise: Vec<Noise>, bench_ns: u64) -> Outcome<Record> {
    let (bench, round) = (run.bench, run.round);
    add_findings(bench, round.track, &mut seen);
    let facts = facts_of(&run.subject);
    seen.warnings.extend(not_reproducible(facts.as_ref()));
    let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let output = bench.store.keep_output(&seen.answers)?;
    Ok(Record {
        schema: SCHEMA,
        system: round.system.name.clone(),
        twin_of: round.system.twin_of.clone(),
        test_set: round.test_set.name.clone(),
        track: round.track,
        round: round.number,
        profile: bench.campaign.profile,
        started_unix_ms: started.as_millis() as u64,
        verdict: verdict(&seen, noise.last()),
        reasons: seen.reasons,
        warnings: seen.warnings,
        noise,
        command: run.subject.command()?,
        tuning: round.system.setting("tuning").map(|file| file_hash(Path::new(&file))).transpose()?,
        system_cores: run.subject.cores.to_vec(),
        bench_cores: bench.placement.bench().to_vec(),
        lines: round.test_set.source.len(),
        words: round.test_set.words(),
        timed_lines: Some(seen.timed_lines).filter(|&lines| lines > 0),
        timed_words: Some(seen.timed_words).filter(|&words| words > 0),
        latency_ns: seen.latency_ns,
        launch_ns: seen.launch_ns,
        one_line_ns: seen.one_line_ns,
        start_ns: seen.start_ns,
        pipe_floor_ns: (round.track == Track::Latency).then_some(bench.pipe_floor_ns),
        differing_launches: seen.differing_launches,
        usage: seen.usage,
        audit: seen.audit,
        bench_ns,
        network: seen.network,
        output,
        facts,
        model_bytes: None,
    }
    .with_model_bytes(&round.system.models))
}

/// Adds to what the round has shown what the probes found.
fn add_findings(bench: &Bench<'_>, track: Track, seen: &mut Seen) {
    for reason in found(bench, track, true) {
        // What the round itself has shown needs no second witness.
        if seen.reasons.iter().all(|own| own.code != reason.code) {
            seen.reasons.push(reason);
        }
    }
    for reason in found(bench, track, false) {
        // The round's own figure is of the whole set.
        if seen.answers.is_empty() || !matches!(reason.code, Code::Length | Code::TracksDiffer) {
            seen.warnings.push(reason);
        }
    }
}

/// On a round whose last attempt had this noise.
fn verdict(seen: &Seen, noise: Option<&Noise>) -> Verdict {
    match () {
        () if !seen.reasons.is_empty() => Verdict::Invalid,
        () if noise.is_some_and(Noise::is_disturbed) => Verdict::Noisy,
        () => Verdict::Valid,
    }
}

fn check_answers(run: &Run<'_>, filling: Option<&Filling>, seen: &mut Seen) {
    if !seen.reasons.is_empty() {
        return;
    }
    let set = run.round.test_set;
    seen.reasons.extend(invalid_utf8(&set.source, &seen.answers));
    if run.subject.system.translates() {
        let (forbidden, warning) = length::of_round(set, &seen.answers);
        // Long answers make nobody quicker: where the profile doesn't ask about lengths they are no more than odd.
        let asked = run.bench.campaign.probes().contains(&Probe::Length);
        let (odd, bad): (Vec<_>, Vec<_>) =
            forbidden.into_iter().partition(|reason| reason.code == Code::Runaway && !asked);
        seen.reasons.extend(bad);
        seen.warnings.extend(odd.into_iter().chain(warning));
    }
    if let Some(before) = earlier_answers(run, |record| record.is_of(run.round)) {
        let (comparison, sampling) = (Comparison::of(&before, &seen.answers), run.subject.system.sampling);
        seen.reasons.extend(match filling {
            Some(filling) => filling.fault_between_rounds(&comparison, sampling),
            None => comparison.fault(sampling),
        });
    }
    if let Some(other) = earlier_answers(run, |record| record.is_of_another_track(run.round)) {
        let comparison = Comparison::of(&other, &seen.answers);
        seen.reasons.extend(comparison.misplaced());
        seen.warnings.extend(comparison.tracks_differ());
    }
}

/// The answers of the first earlier round that `fits`.
fn earlier_answers(run: &Run<'_>, fits: impl Fn(&Record) -> bool) -> Option<Vec<Vec<u8>>> {
    let store = run.bench.store;
    let output =
        store.records().iter().filter(|record| fits(record)).find_map(|record| record.output.as_ref())?;
    let text = std::fs::read(store.output_path(output)).ok()?;
    Some(split_lines(&text).map(<[u8]>::to_vec).collect())
}

/// What a hosted system said of itself in its last launch. A foreign one is given no such path: what it has put there
/// nonetheless is not read, and may be a pipe that is waited for without end.
fn facts_of(subject: &Subject<'_>) -> Option<Facts> {
    let is_told = subject.system.is_hosted() && subject.facts.is_file();
    serde_json::from_slice(&is_told.then(|| std::fs::read(subject.facts).ok()).flatten()?).ok()
}

/// What a system says against its own answers is to be shown.
fn not_reproducible(facts: Option<&Facts>) -> Option<Reason> {
    let why = facts?.not_reproducible.as_ref()?;
    Some(Code::NotReproducible.reason(why))
}

/// Whether repeating the set within one launch is fair to `examined`'s system: it has shown that it works on
/// every line, also on one that it has seen.
fn may_repeat(examined: &[Examined]) -> bool {
    let coalescing = examined.iter().find(|examined| examined.probe == Probe::Coalescing);
    coalescing.is_some_and(|examined| examined.verdict == Verdict::Valid && !examined.too_quick)
}
