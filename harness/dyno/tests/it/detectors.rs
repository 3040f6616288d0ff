//! The document of the detectors quotes parameters of the code; this test holds it to them.

use dyno_measure::constants;
use dyno_measure::judge::{MOST_LONGER, launches, lines as timing};
use dyno_measure::process::{environment, idle, lockstep, stopping, turns};
use dyno_measure::rounds::{breakdown, latency, throughput};
use dyno_measure::verify::{self, cache, examinee};
use dyno_measure::{noise, supervisor};
use dyno_record::rules::limits;
use dyno_record::{Code, Probe, Profile, Severity, Track};
use dyno_results::compare;

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/DETECTORS.md");

fn document() -> String {
    std::fs::read_to_string(DOCUMENT).unwrap()
}

/// A row of a table of parameters: its label, and what stands behind the label.
fn row(line: &str) -> Option<(&str, &str)> {
    let is_head = line.starts_with("| parameter |") || line.starts_with("| --- |");
    line.trim_matches([' ', '|']).split_once(" | ").filter(|_| !is_head)
}

/// The lines of the document, each with whether it stands in a table of parameters.
fn lines(text: &str) -> impl Iterator<Item = (bool, &str)> {
    let mut in_parameters = false;
    text.lines().map(move |line| {
        in_parameters = line.starts_with("| parameter |") || in_parameters && line.starts_with('|');
        (in_parameters, line)
    })
}

/// The document with the code's values.
fn regenerated(text: &str, truth: &[(&str, String)]) -> String {
    let line = |(in_parameters, line): (bool, &str)| {
        let label = row(line).filter(|_| in_parameters).map(|(label, _)| label);
        let known = truth.iter().find(|(known, _)| Some(*known) == label);
        known.map_or_else(|| line.to_owned(), |(label, value)| format!("| {label} | {value} |"))
    };
    lines(text).map(line).collect::<Vec<_>>().join("\n") + "\n"
}

fn profiles(value: impl Fn(Profile) -> String) -> String {
    [Profile::Quick, Profile::Standard, Profile::Official].map(value).join(" | ")
}

fn yes_or_no(yes: bool) -> String {
    if yes { "yes" } else { "no" }.into()
}

fn probes(profile: Profile) -> String {
    if profile.probes() == Probe::ALL {
        return "all".into();
    }
    let mut names: Vec<_> = profile.probes().iter().map(|probe| probe.name()).collect();
    names.sort_unstable();
    names.join(", ")
}

fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|g| std::str::from_utf8(g).unwrap()).collect();
    groups.join(",")
}

fn percent(share: f64) -> String {
    format!("{} %", (share * 1e4).round() / 1e2)
}

/// What the code says to each label.
fn truth() -> Vec<(&'static str, String)> {
    let mebibytes = |bytes: u64| (bytes >> 20).to_string();
    vec![
        ("rounds", profiles(|profile| profile.rounds().to_string())),
        (
            "throughput minimum, seconds",
            profiles(|p| (p.throughput_minimum_ns() / 1_000_000_000).to_string()),
        ),
        ("warm-up lines", profiles(|profile| profile.warm_up_lines().to_string())),
        ("probes", profiles(probes)),
        ("A/A twin", profiles(|profile| yes_or_no(profile.has_twin()))),
        ("repeats of a disturbed round, at most", profiles(|profile| profile.noisy_repeats().to_string())),
        ("network of its own", profiles(|profile| yes_or_no(profile.isolates()))),
        ("sandbox of foreign systems", profiles(|profile| yes_or_no(profile.sandboxes()))),
        (
            "lines after which a throughput launch is long enough",
            thousands(Profile::Official.throughput_enough_lines()),
        ),
        ("launches of a throughput round, at most", throughput::MOST_LAUNCHES.to_string()),
        ("launches with one line a round", throughput::ONE_LINE_LAUNCHES.to_string()),
        ("words of a set after which a breakdown's launch ends", thousands(breakdown::ENOUGH_WORDS)),
        ("pairs of fresh and repeated lines", cache::PAIRS.to_string()),
        (
            "pairs for a slow system, at least (104 would take it over 20 s)",
            constants::LEAST_PAIRS_OF_A_SLOW_SYSTEM.to_string(),
        ),
        ("questions from a line to its repeat, at least", cache::APART.to_string()),
        (
            "recognises: share of lines whose answer is unlike those to two changed copies, above",
            percent(limits::MOST_STRANGE),
        ),
        (
            "share of a declared model's bytes that a system must be seen to read, at least",
            percent(limits::SEEN_SHARE),
        ),
        ("cached: a repeat's time per word below, of a fresh line's", limits::CACHED_RATIO.to_string()),
        ("cached, recognises: one-sided p of either test below", timing::SIGNIFICANT.to_string()),
        (
            "recognises, in a round: one-sided p of either test below",
            format!("{:e}", timing::SIGNIFICANT_IN_A_ROUND),
        ),
        (
            "lines of a launch for each fresh line in a throughput round",
            constants::LINES_AN_UNKNOWN.to_string(),
        ),
        ("fresh lines in a throughput round, at least", constants::LEAST_UNKNOWN.to_string()),
        (
            "time of the fresh lines of a turn, at most, of the round's lines",
            constants::MOST_CONFIRMING_TIME.to_string(),
        ),
        (
            "pairs of lines and copies in the recognition probe, at most",
            constants::RECOGNITION_PAIRS.to_string(),
        ),
        ("pairs in the recognition probe, at least", constants::LEAST_RECOGNITION_PAIRS.to_string()),
        (
            "launches over the set once, whose median tells whether the set is known",
            constants::OVER_THE_SET.to_string(),
        ),
        ("share of the greatest rate that must hold for copies alone", constants::UNKNOWN_RATE.to_string()),
        ("runs of copies that must miss the limit there", constants::UNKNOWN_RUNS.to_string()),
        ("turns of launches that must accuse a system", launches::ACCUSING_TURNS.to_string()),
        ("turns among them that may clear it, but for the first two", launches::CLEARING_TURNS.to_string()),
        ("askings of a timed probe that must accuse a system", verify::ACCUSING_ASKINGS.to_string()),
        ("askings of a timed probe that stands out, at most", verify::MOST_ASKINGS.to_string()),
        (
            "seconds of rest before the second asking, and more before further ones",
            verify::REST.as_secs().to_string(),
        ),
        ("lines of the set for each copy in a latency round", constants::LINES_AN_UNKNOWN.to_string()),
        ("copies of a small set in a latency round, at least", constants::LEAST_UNKNOWN.to_string()),
        ("share of filler or repeated lines that may differ", percent(constants::MOST_CHANGED)),
        ("standard deviations that chance may add to it", dyno_stats::GRANTED.to_string()),
        (
            "cached, recognises: answered at once, time per word below, of the pair's other",
            format!("{:.2}", timing::AT_ONCE_RATIO),
        ),
        (
            "cached, recognises: microseconds saved a line, at least",
            (timing::LEAST_SAVED_NS / 1e3).to_string(),
        ),
        (
            "coalesced: lines that come again, time per word below, of other lines'",
            format!("{:.2}", limits::COALESCED_RATIO),
        ),
        ("recognises: time per word below, of the copies'", format!("{:.2}", limits::RECOGNISED_RATIO)),
        (
            "recognises: answers longer than the other side's, beyond which further words don't count",
            MOST_LONGER.to_string(),
        ),
        ("recognises: share of copies with their line's own answer, above", percent(limits::SAME_ANSWERS)),
        ("tolerated ratio of times, up to", compare::TOLERATED_SLOW_DOWN.to_string()),
        ("tolerated ratio in slices, up to", compare::TOLERATED_IN_SLICES.to_string()),
        ("significant: p after Holm's correction below", compare::SIGNIFICANT.to_string()),
        ("pairs of rounds of a gate", compare::PAIRS.to_string()),
        ("pairs below which it refuses to answer", compare::LEAST_PAIRS.to_string()),
        ("nondeterministic: share of lines that differ, above", percent(limits::MOST_DIFFERING)),
        ("junk: share of lines that come again, above", percent(limits::MOST_JUNK)),
        ("junk: likeness of two answers to a line below", constants::LEAST_LIKENESS.to_string()),
        ("junk: characters from which on likeness counts", constants::TELLING_CHARACTERS.to_string()),
        (
            "empty_output: share of ordinary lines, beyond chance (three deviations), above",
            percent(limits::EMPTY_SHARE),
        ),
        ("ordinary lines have at most so many words", limits::LONGEST_ORDINARY.to_string()),
        ("runaway: characters out for characters in, above", limits::RUNAWAY_FACTOR.to_string()),
        ("runaway: share of lines, from", percent(limits::RUNAWAY_SHARE)),
        ("length: characters against the references', beyond", percent(limits::LENGTH_TOLERANCE)),
        ("lines of a probe, of however slow a system, at least", examinee::FEWEST_LINES.to_string()),
        (
            "bytes of a line above which its patience grows with its length",
            thousands(limits::LONG_LINE_BYTES),
        ),
        ("cpu_share: CPU time above allowed cores × wall time by", percent(limits::CPU_SHARE_TOLERANCE)),
        ("the first answer may take, in times of a line's patience", lockstep::LOADING.to_string()),
        ("left_process: milliseconds that helpers have to go", limits::GRACE.as_millis().to_string()),
        ("flood: MiB of standard output, and times its input", mebibytes(limits::MOST_OUTPUT_BYTES)),
        ("flood: MiB of standard output for each vector beside that", mebibytes(limits::LONGEST_VECTOR)),
        ("flood: MiB of standard error", mebibytes(limits::MOST_STDERR_BYTES)),
        ("kept of standard error, KiB", (supervisor::STDERR_TAIL >> 10).to_string()),
        ("steal, share of a round, above", percent(noise::STEAL_LIMIT)),
        ("hidden_memory, hidden_files: MiB from which on a file counts", mebibytes(limits::HIDDEN_BYTES)),
        (
            "hidden_memory: a process's peak at a look above the account at its end, by a factor of more than",
            limits::LOWERED_PEAK.to_string(),
        ),
        (
            "nondeterministic: difference of two rounds' scores above, in half-widths of its 95 % interval",
            limits::MOST_UNLIKE.to_string(),
        ),
        ("hidden_files: their size above, of the declared model's", percent(limits::HIDDEN_SHARE)),
        (
            "equals_references: share of answers to references of five words and more, above",
            percent(limits::MOST_REFERENCES),
        ),
        ("adjusted clock against the host's oscillator, beyond", percent(noise::clocks::MOST_ADJUSTED)),
        ("the same, milliseconds that prove nothing", (noise::clocks::CLOCK_SLACK_NS / 1e6).to_string()),
        ("others on the chosen cores, share of a round, above", percent(limits::FOREIGN_LIMIT)),
        ("milliseconds of a slice, whole files", turns::SLICE.as_millis().to_string()),
        (
            "milliseconds of a block of lines, for the system of medium speed",
            turns::BLOCK.as_millis().to_string(),
        ),
        ("longest block of the slowest system, seconds", turns::LONGEST_BLOCK.as_secs().to_string()),
        ("least lines of a block", turns::LEAST_LINES.to_string()),
        ("unscored copies at the start of a block", latency::OPENING_COPIES.to_string()),
        (
            "seconds between two samples of the host's speed, at least",
            turns::BETWEEN_SAMPLES.as_secs().to_string(),
        ),
        ("busy_idle: share of a core while a system isn't asked, above", percent(limits::BUSY_IDLE)),
        (
            "busy_idle: counted from so many milliseconds after an answer",
            idle::CLEAN_UP.as_millis().to_string(),
        ),
        (
            "busy_idle: share of all the time between slices, clean-up included, above",
            percent(idle::MOST_CLEAN_UP),
        ),
        ("busy_idle: milliseconds of CPU time that prove nothing", idle::IDLE_SLACK.as_millis().to_string()),
        (
            "busy_idle: share of stops in which a stopped thread runs, beyond chance (three deviations), above",
            percent(limits::BUSY_IDLE),
        ),
        (
            "waits: share of stops that meet no thread at work, beyond chance (three deviations), above",
            percent(limits::MOST_WAITING),
        ),
        (
            "busy_idle, waits: stops below which their number proves nothing",
            stopping::LEAST_STOPS.to_string(),
        ),
        ("canary drift, above", percent(noise::CANARY_LIMIT)),
        ("of steal and of others, ticks of the kernel's clock at least", noise::LEAST_TICKS.to_string()),
        ("shortest round whose canary is judged, seconds", noise::LEAST_SECONDS.to_string()),
        ("hidden_memory: looks that meet a file, at least", supervisor::LEAST_LOOKS.to_string()),
        (
            "hidden_memory: looks that a process forbids, from",
            format!("{}, or {} at rest", supervisor::FORBIDDEN_LOOKS, supervisor::FORBIDDEN_LOOKS_AT_REST),
        ),
        (
            "milliseconds between two samples of a tree's memory and cores, on average",
            supervisor::TREE_LOOK.as_millis().to_string(),
        ),
    ]
}

#[test]
fn every_parameter_in_the_document_is_the_codes() {
    let (truth, mut text) = (truth(), document());
    if std::env::var("DYNO_BLESS").is_ok_and(|bless| bless == "1") {
        text = regenerated(&text, &truth);
        std::fs::write(DOCUMENT, &text).unwrap();
    }
    let rows: Vec<(&str, &str)> =
        lines(&text).filter(|(in_parameters, _)| *in_parameters).filter_map(|(_, line)| row(line)).collect();
    for (label, value) in &rows {
        let known = truth.iter().find(|(known, _)| known == label);
        let (_, expected) = known.unwrap_or_else(|| panic!("nothing in the code stands behind {label:?}"));
        assert_eq!(value, expected, "{label}; DYNO_BLESS=1 writes the code's values");
    }
    assert_eq!(rows.len(), truth.len(), "a parameter is missing from the document");
    assert_eq!(
        limits::MOST_OUTPUT_BYTES >> 20,
        limits::MOST_OUTPUT_GROWTH,
        "the document gives one number for both"
    );
}

#[test]
fn every_code_is_described_with_what_it_means_for_each_track() {
    let text = document();
    for code in Code::ALL {
        let start = format!("| `{}` |", code.name());
        let line = text.lines().find(|line| line.starts_with(&start));
        let line = line.unwrap_or_else(|| panic!("{} is missing", code.name()));
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let word = |track| match code.severity(track) {
            Severity::Allowed => "allowed",
            Severity::Warning => "warning",
            Severity::Invalid => "INVALID",
        };
        assert_eq!(fields[3..5], [word(Track::Latency), word(Track::Throughput1)], "{}", code.name());
        assert_eq!(code.severity(Track::Throughput1), code.severity(Track::ThroughputAll));
        assert_eq!(code.severity(Track::Latency), code.severity(Track::LatencyAll));
    }
}

#[test]
fn every_variable_that_systems_see_is_named() {
    let text = document();
    for name in environment::PASSED_ON.split(' ').chain(environment::THREAD_COUNTS.split(' ')) {
        assert!(text.contains(name), "{name}");
    }
}

#[test]
fn every_probe_is_described() {
    let text = document();
    for probe in Probe::ALL {
        assert!(text.contains(&format!("| {} |", probe.name())), "{}", probe.name());
    }
}
