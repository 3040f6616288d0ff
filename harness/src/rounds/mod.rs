//! One round: a fresh process of a system under a track's protocol, from launch to record.

mod latency;
mod process;
mod throughput;

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use dyno_api::Facts;

use crate::campaign::{Campaign, System, TestSet, Track, words};
use crate::exit::Outcome;
use crate::plan::{Placement, Round};
use crate::store::{Record, SCHEMA, Store};
use crate::supervisor::Report;
use crate::verify::{Code, Reason, Verdict};

/// What a round needs to know.
pub(crate) struct Bench<'a> {
    /// Profile, seed, limits.
    pub campaign: &'a Campaign,
    /// Where scratch files may lie and outputs go.
    pub store: &'a Store,
    /// Who runs where.
    pub placement: &'a Placement,
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
    differing_launches: usize,
    usage: Report,
}

impl Seen {
    fn failed(reason: Reason) -> Self {
        Self { reasons: vec![reason], ..Self::default() }
    }
}

/// Measures one round. A system's failure is a record; an error is the bench's own.
pub(crate) fn measure(bench: &Bench<'_>, round: &Round<'_>) -> Outcome<Record> {
    let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let facts_file = bench.store.scratch("facts.json");
    let cores = bench.placement.system(round.track);
    let command = round.system.command(round.track, cores, &facts_file)?;
    // What an interrupted round left is not this system's.
    drop(take_facts(&facts_file));
    let run = Run { bench, system: round.system, test_set: round.test_set, command, cores, round };
    let mut seen = match round.track {
        Track::Latency => latency::run(&run)?,
        Track::Throughput1 | Track::ThroughputAll => throughput::run(&run)?,
    };
    check_answers(&run, &mut seen);
    if !seen.reasons.is_empty() {
        bench.store.check_writable()?;
    }
    let facts = take_facts(&facts_file);
    let output = bench.store.keep_output(&seen.answers)?;
    let failed = !seen.reasons.is_empty();
    Ok(Record {
        schema: SCHEMA,
        system: round.system.name.clone(),
        test_set: round.test_set.name.clone(),
        track: round.track,
        round: round.number,
        profile: bench.campaign.profile,
        started_unix_ms: started.as_millis() as u64,
        verdict: if failed { Verdict::Invalid } else { Verdict::Valid },
        reasons: seen.reasons,
        command: run.command,
        system_cores: cores.to_vec(),
        bench_cores: bench.placement.bench().to_vec(),
        lines: round.test_set.source.len(),
        words: round.test_set.words(),
        latency_ns: seen.latency_ns,
        launch_ns: seen.launch_ns,
        one_line_ns: seen.one_line_ns,
        start_ns: seen.start_ns,
        differing_launches: seen.differing_launches,
        usage: seen.usage,
        output,
        facts,
        model_bytes: None,
    }
    .with_model_bytes(&round.system.models))
}

/// A round under way.
struct Run<'a> {
    bench: &'a Bench<'a>,
    system: &'a System,
    test_set: &'a TestSet,
    command: Vec<String>,
    cores: &'a [usize],
    round: &'a Round<'a>,
}

fn check_answers(run: &Run<'_>, seen: &mut Seen) {
    if !seen.reasons.is_empty() {
        return;
    }
    let invalid = seen.answers.iter().position(|answer| std::str::from_utf8(answer).is_err());
    let invalid = invalid.map(|line| Code::InvalidUtf8.reason(format!("answer to line {}", line + 1)));
    let faults = [line_count(run, seen.answers.len()), invalid, left_processes(&seen.usage)];
    seen.reasons.extend(faults.into_iter().flatten());
}

fn line_count(run: &Run<'_>, out: usize) -> Option<Reason> {
    let expected = run.test_set.source.len();
    (out != expected).then(|| Code::LineCount.reason(format!("{out} lines out for {expected} lines in")))
}

fn left_processes(usage: &Report) -> Option<Reason> {
    let left = usage.left_processes;
    (left > 0).then(|| Code::LeftProcess.reason(format!("{left} processes")))
}

/// How a system ended, if not as it should.
fn bad_end(report: &Report) -> Option<Reason> {
    let figure = match (report.code, report.signal) {
        (Some(0), _) => return None,
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "no exit status".into(),
    };
    let last = report.stderr_tail.trim_end().lines().last().unwrap_or("").trim();
    let said = if last.is_empty() { String::new() } else { format!("; it said: {}", shorten(last)) };
    Some(Code::Crashed.reason(figure + &said))
}

/// At most 200 characters, for one line of a terminal.
fn shorten(text: &str) -> String {
    let clean = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    clean.take(200).collect()
}

/// What the system said of itself, if it did; the file is taken away for the next launch.
fn take_facts(path: &Path) -> Option<Facts> {
    let text = std::fs::read(path).ok()?;
    let _ = std::fs::remove_file(path);
    serde_json::from_slice(&text).ok()
}

/// How long a round of `track` takes at least, for the estimate of a plan that has not run yet.
pub(crate) fn least_seconds(campaign: &Campaign, test_set: &TestSet, track: Track) -> f64 {
    // A millisecond for a word is slow for the engines here and fast for most others.
    const WORD_SECONDS: f64 = 1e-3;
    let set = test_set.source.iter().map(|line| words(line)).sum::<usize>() as f64 * WORD_SECONDS;
    match track {
        Track::Latency => set,
        _ => set.max(campaign.profile.throughput_minimum_ns() as f64 / 1e9),
    }
}
