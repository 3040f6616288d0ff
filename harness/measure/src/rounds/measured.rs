//! The record of a round: its observations, the probes' findings, the verdict.

use std::io::Read;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use dyno_api::Facts;
use dyno_record::{Code, Noise, Reason, Record, SCHEMA, Verdict, hash_of};

use super::observed::{Observed, RoundContext};
use crate::files::{bytes_of, file_hash, make_way};
use crate::noise::is_self_disturbed;
use crate::process::hidden::{opened_bytes, reads_its_model};
use crate::process::subject::Subject;
use crate::{Bench, Earlier, Result, Round, as_text};

/// Result of a round.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Everything that the round has shown.
    pub record: Record,
    /// One answer for each source line, in source order; empty if the system failed. The record names the
    /// answers by their hash.
    pub answers: Vec<Vec<u8>>,
}

/// Record of a round that isn't run, because its cell is INVALID already; `None` if the round is to be run.
pub fn refuse(bench: &Bench, round: &Round<'_>, earlier: &Earlier) -> Result<Option<Measured>> {
    let reasons = earlier.faults(round);
    if reasons.is_empty() {
        return Ok(None);
    }
    let context = RoundContext::of(bench, round, earlier);
    make_way(&context.subject.facts())?; // a probe may have left it
    let observed = Observed { reasons, ..Observed::default() };
    let mut measured = record(&context, observed, None, Vec::new(), 0)?;
    measured.record.refused = true;
    Ok(Some(measured))
}

/// Record of a round, with the noise of its attempts and the bench's CPU time in the last. `began` is none for a round
/// that isn't run.
pub(super) fn record(
    context: &RoundContext<'_>,
    mut observed: Observed,
    began: Option<SystemTime>,
    noise: Vec<Noise>,
    bench_ns: u64,
) -> Result<Measured> {
    let (bench, round) = (context.bench, context.round);
    add_findings(context.earlier, round, &mut observed);
    let facts = facts_of(&context.subject);
    observed.warnings.extend(not_reproducible(facts.as_ref()));
    observed.warnings.extend(self_disturbed(&noise));
    let times = observed.take_times(round);
    observed.start_ns.sort_unstable();
    let ended = SystemTime::now();
    let seen =
        round.system.sized_by_sight.then(|| opened_bytes(round.system, &observed.read_files)).flatten();
    let model_bytes = seen.or_else(|| model_bytes(facts.as_ref(), &round.system.models));
    let (energy, cpu) = (observed.energy(), observed.cpu());
    let record = Record {
        schema: SCHEMA,
        system: round.system.name.clone(),
        twin_of: round.system.twin_of.clone(),
        test_set: round.test_set.name.clone(),
        track: round.track,
        round: round.number,
        profile: bench.protocol.profile,
        started_unix_ms: unix_ms(began.unwrap_or(ended)),
        ended_unix_ms: Some(unix_ms(ended)),
        verdict: verdict(&observed, noise.last()),
        refused: false,
        reasons: observed.reasons,
        warnings: observed.warnings,
        noise,
        command: context.subject.command(),
        tuning: round.system.tuning.as_deref().map(file_hash).transpose()?,
        system_cores: context.subject.cores.to_vec(),
        bench_cores: bench.placement.bench.clone(),
        lines: round.test_set.source.len(),
        words: round.test_set.words(),
        times,
        slices: observed.slices,
        start_ns: observed.start_ns.get(observed.start_ns.len() / 2).copied(),
        cached_bytes: observed.cached_bytes,
        pipe_floor_ns: bench.pipe_floor_ns.filter(|_| round.track.has_one_line()),
        differing_launches: observed.differing_launches,
        energy,
        cpu,
        settled_bytes: observed.settled_bytes,
        usage: observed.usage,
        audit: observed.audit,
        bench_ns,
        network: observed.network,
        sandbox: context.subject.sandbox_state(),
        output: (!observed.answers.is_empty()).then(|| hash_of(&as_text(&observed.answers))),
        facts,
        model_bytes,
        model_seen: reads_its_model(round.system, &observed.read_files),
    };
    Ok(Measured { record, answers: observed.answers })
}

fn unix_ms(moment: SystemTime) -> u64 {
    moment.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64
}

/// Bytes of the files that the system reports, else of all files at its models' paths.
fn model_bytes(facts: Option<&Facts>, models: &[PathBuf]) -> Option<u64> {
    let opened = facts.iter().flat_map(|facts| &facts.files).map(|file| file.bytes);
    let reported = opened.fold(0, u64::saturating_add); // a plugin's own words
    match (reported, models) {
        (0, []) => None,
        (0, models) => Some(bytes_of(models)),
        (reported, _) => Some(reported),
    }
}

fn add_findings(earlier: &Earlier, round: &Round<'_>, observed: &mut Observed) {
    for reason in earlier.found(round, true) {
        // A rule that the round itself shows as broken needs no second reason.
        if observed.reasons.iter().all(|own| own.code != reason.code) {
            observed.reasons.push(reason);
        }
    }
    for reason in earlier.found(round, false) {
        // The round's own figure is of the whole set.
        if observed.answers.is_empty() || !matches!(reason.code, Code::Length | Code::TracksDiffer) {
            observed.warnings.push(reason);
        }
    }
    // The round's own figure counts all its launches.
    if let Some(reason) = observed.usage.network_use() {
        observed.warnings.retain(|other| other.code != reason.code);
        observed.warnings.push(reason);
    }
}

fn verdict(observed: &Observed, noise: Option<&Noise>) -> Verdict {
    match () {
        () if !observed.reasons.is_empty() => Verdict::Invalid,
        () if noise.is_some_and(Noise::is_disturbed) => Verdict::Noisy,
        () => Verdict::Valid,
    }
}

/// Largest file of facts that is read. Facts name a model's files, of which there are a few dozen at most.
const MOST_FACTS_BYTES: u64 = 1 << 20;

/// Facts that a system reported in its last launch. A system that gets no such path has none, whatever lies there.
/// What another program says of its files doesn't count: the bench looks itself.
fn facts_of(subject: &Subject<'_>) -> Option<Facts> {
    let told = subject.system.reports.then(|| dyno_api::files::open(&subject.facts()));
    let facts: Facts = serde_json::from_reader(told?.ok()?.take(MOST_FACTS_BYTES)).ok()?;
    Some(if subject.system.hosted { facts } else { Facts { files: Vec::new(), ..facts } })
}

fn self_disturbed(attempts: &[Noise]) -> Option<Reason> {
    let most = attempts.iter().filter(|noise| is_self_disturbed(noise));
    let most = most.max_by(|a, b| a.unwaited_share.total_cmp(&b.unwaited_share))?;
    let figure = format!("up to {:.1} % of its cores in a round", most.unwaited_share * 100.0);
    Some(Code::SelfDisturbed.reason(figure))
}

/// Warning that the system itself reports about its answers.
fn not_reproducible(facts: Option<&Facts>) -> Option<Reason> {
    let why = facts?.not_reproducible.as_ref()?;
    Some(Code::NotReproducible.reason(why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_a_plugin_that_overflow_are_the_largest_number() {
        let size = |sizes: &[u64]| {
            let files: Vec<_> =
                sizes.iter().map(|bytes| serde_json::json!({ "path": "f", "bytes": bytes })).collect();
            let facts = serde_json::json!({ "backend": "b", "version": "1", "files": files });
            model_bytes(Some(&serde_json::from_value(facts).unwrap()), &[])
        };
        assert_eq!(size(&[u64::MAX, u64::MAX, 1]), Some(u64::MAX));
        assert_eq!((size(&[2, 3]), size(&[])), (Some(5), None));
    }
}
