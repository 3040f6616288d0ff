//! One round: a fresh process of a system under a track's protocol, from launch to record.

mod answers;
pub mod breakdown;
pub mod filling;
pub mod floor;
pub mod latency;
mod seen;
pub mod throughput;

use std::time::{SystemTime, UNIX_EPOCH};

use dyno_api::Facts;

use self::filling::Filling;
use self::seen::{Run, Seen, cpu_ns};
use crate::bench::Bench;
use crate::earlier::Earlier;
use crate::error::Result;
use crate::files::{file_hash, hash_of};
use crate::noise::{self, Noise};
use crate::plan::Round;
use crate::process::subject::Subject;
use crate::record::{Record, SCHEMA};
use crate::rules::{Code, Reason, Track, Verdict};
use crate::text::as_text;

/// What a round has given.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Everything that was seen.
    pub record: Record,
    /// One answer a source line, in source order; none where the system failed. The record names them by their hash.
    pub answers: Vec<Vec<u8>>,
}

/// Measures one round. A system's failure is a record; an error is the bench's own. What the host disturbed is
/// measured again, as often as the campaign allows, then kept as it is.
pub fn measure(bench: &Bench, round: &Round<'_>, earlier: &Earlier) -> Result<Measured> {
    let facts = bench.scratch("facts.json");
    let subject = Subject {
        system: round.system,
        track: round.track,
        cores: bench.placement.system(round.track),
        limits: bench.protocol.limits,
        facts: &facts,
        breakdown: None,
        isolated: bench.protocol.profile.isolates(),
    };
    let run = Run { bench, subject, round, earlier };
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
            && attempts.len() < bench.protocol.noisy_repeats();
        attempts.push(noise);
        if !repeat {
            return record(&run, seen, attempts, bench_ns);
        }
    }
}

fn attempt(run: &Run<'_>, filling: Option<&Filling>) -> Result<(Seen, Noise)> {
    let watch = noise::Watch::begin(run.subject.cores)?;
    let mut seen = match filling {
        None => latency::run(run)?,
        Some(filling) => throughput::run(run, filling)?,
    };
    let noise = watch.end(Some(cpu_ns(&seen.usage) + seen.untimed_cpu_ns))?;
    answers::check_answers(run, filling, &mut seen);
    if !seen.reasons.is_empty() {
        run.bench.check_writable()?;
    }
    Ok((seen, noise))
}

fn record(run: &Run<'_>, mut seen: Seen, noise: Vec<Noise>, bench_ns: u64) -> Result<Measured> {
    let (bench, round) = (run.bench, run.round);
    add_findings(run.earlier, round.track, &mut seen);
    let facts = facts_of(&run.subject);
    seen.warnings.extend(not_reproducible(facts.as_ref()));
    let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let (model_bytes, output) = (None, output_name(&seen.answers));
    let record = Record {
        schema: SCHEMA,
        system: round.system.name.clone(),
        twin_of: round.system.twin_of.clone(),
        test_set: round.test_set.name.clone(),
        track: round.track,
        round: round.number,
        profile: bench.protocol.profile,
        started_unix_ms: started.as_millis() as u64,
        verdict: verdict(&seen, noise.last()),
        reasons: seen.reasons,
        warnings: seen.warnings,
        noise,
        command: run.subject.command(),
        tuning: round.system.tuning.as_deref().map(file_hash).transpose()?,
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
        pipe_floor_ns: bench.pipe_floor_ns.filter(|_| round.track == Track::Latency),
        differing_launches: seen.differing_launches,
        usage: seen.usage,
        audit: seen.audit,
        bench_ns,
        network: seen.network,
        output,
        facts,
        model_bytes,
    };
    Ok(Measured { record: record.with_model_bytes(&round.system.models), answers: seen.answers })
}

/// Name of an output: the hash of its text. No answers, no name.
fn output_name(answers: &[Vec<u8>]) -> Option<String> {
    (!answers.is_empty()).then(|| hash_of(&as_text(answers)))
}

/// Adds to what the round has shown what the probes found.
fn add_findings(earlier: &Earlier, track: Track, seen: &mut Seen) {
    for reason in earlier.found(track, true) {
        // What the round itself has shown needs no second witness.
        if seen.reasons.iter().all(|own| own.code != reason.code) {
            seen.reasons.push(reason);
        }
    }
    for reason in earlier.found(track, false) {
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

/// What a hosted system said of itself in its last launch. A foreign one is given no such path: what it has put there
/// nonetheless is not read, and may be a pipe that is waited for without end.
fn facts_of(subject: &Subject<'_>) -> Option<Facts> {
    let is_told = subject.system.hosted && subject.facts.is_file();
    serde_json::from_slice(&is_told.then(|| std::fs::read(subject.facts).ok()).flatten()?).ok()
}

/// What a system says against its own answers is to be shown.
fn not_reproducible(facts: Option<&Facts>) -> Option<Reason> {
    let why = facts?.not_reproducible.as_ref()?;
    Some(Code::NotReproducible.reason(why))
}
