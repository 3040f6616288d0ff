//! `dyno explain`: why a system of a run is where it is, in words and on one screen.
//!
//! The judgements are those of `dyno-results`; this command only words them.

use std::cmp::Reverse;

use dyno_record::{Reason, Verdict};
use dyno_results::explain::{CpuTime, Explanation, Margin, Neighbour, explain as explanations};
use dyno_results::kinds::KindCount;
use dyno_results::merge::is_merged;
use dyno_results::summary::cell::Unranked;
use dyno_results::{CellSummary, Run, Summary};
use dyno_stats::Standing;
use dyno_stats::numbers::{factor, mebibytes, plain, supported};
use itertools::Itertools;

use crate::cli::runs::ExplainArgs;
use crate::exit::{Exit, Outcome, no_answer};
use crate::output::print;
use crate::table::wrapped;

/// Rules that are named: the nearest ones say enough, and the screen has room for two tracks.
const NAMED_RULES: usize = 3;

/// Share of a rule's room from which on a system nearly broke it.
const NEARLY: f64 = 0.8;

/// Share of a line's time from which on its fixed part is worth work.
const GREAT_SHARE: f64 = 0.25;

pub fn explain(args: &ExplainArgs) -> Outcome {
    if is_merged(&args.run) {
        refuse!("a merged run has several hosts: name the run of one of them, in the folder hosts/");
    }
    let run = Run::read(&args.run)?;
    check_names(args, &run)?;
    let summary = Summary::of(&run);
    let all = explanations(&run, &summary, &args.system);
    let set = args.test_set.as_ref().or_else(|| all.first().map(|cell| &cell.row.test_set));
    let is_wanted = |cell: &&Explanation<'_>| {
        Some(&cell.row.test_set) == set && args.track.is_none_or(|track| cell.row.track == track)
    };
    let wanted: Vec<&Explanation<'_>> = all.iter().filter(is_wanted).collect();
    if wanted.is_empty() {
        let message = format!("{} was not measured there; leave out --track or --test-set", args.system);
        return Err(no_answer(Exit::NothingMeasured, message));
    }
    print(&wanted.into_iter().map(text).collect::<Vec<_>>().join("\n"))?;
    Ok(Exit::Done)
}

/// Refuses names that the run doesn't have.
fn check_names(args: &ExplainArgs, run: &Run) -> Outcome<()> {
    let sets: Vec<&str> = run.test_sets.iter().map(|set| set.name.as_str()).collect();
    let set = args.test_set.as_deref().map(|set| ("test set", set, sets));
    for (what, name, known) in [("system", args.system.as_str(), run.systems())].into_iter().chain(set) {
        if !known.contains(&name) {
            refuse!("the run has no {what} {name:?}; it has: {}", known.join(", "));
        }
    }
    Ok(())
}

/// The explanation of one cell: five short lists.
fn text(cell: &Explanation<'_>) -> String {
    let row = cell.row;
    let parts = [
        ("where it stands", standing(cell)),
        ("where its time goes", time(cell)),
        ("what its translations keep", kept(cell)),
        ("how near it came to a rule", rules(cell)),
        ("what would move it", moves(cell)),
    ];
    let mut text = format!("{} on {}, track {}\n", row.system, row.test_set, row.track);
    for (head, lines) in parts.into_iter().filter(|(_, lines)| !lines.is_empty()) {
        text += &format!("  {head}\n");
        lines.iter().for_each(|line| text += &(wrapped(&format!("    - {line}"), "      ") + "\n"));
    }
    text
}

fn standing(cell: &Explanation<'_>) -> Vec<String> {
    let (row, around) = (cell.row, &cell.neighbours);
    let first = match (row.standing, row.unranked) {
        (Some(Standing::Frontier), _) => {
            "on the frontier: no other system here beats it in quality and cost together".into()
        }
        (Some(Standing::Probably), _) => {
            format!("probably on the frontier: {} may beat it, too close to tell", names(&around.rivals))
        }
        (Some(Standing::Off), _) => format!("off the frontier, beaten by {}", names(&around.beaten_by)),
        (None, unranked) => format!("not ranked: {}", unranked.map_or("it has no figures", Unranked::text)),
    };
    let quicker = if row.track.is_lockstep() { "quicker" } else { "faster" };
    let next = |what: &str, other: &Option<Neighbour<'_>>| {
        other.as_ref().map(|other| format!("next {what} on the frontier: {}", against(cell, other)))
    };
    let system = |other: &Option<Neighbour<'_>>| other.as_ref().map(|other| other.row.place);
    let next = match system(&around.better) == system(&around.cheaper) {
        true => vec![next(&format!("better in quality, and {quicker},"), &around.better)],
        false => vec![next("better in quality", &around.better), next(quicker, &around.cheaper)],
    };
    [first].into_iter().chain(next.into_iter().flatten()).collect()
}

fn names(others: &[Neighbour<'_>]) -> String {
    let names: Vec<&str> = others.iter().take(3).map(|other| other.row.system.as_str()).collect();
    let more = others.len() - names.len();
    names.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() }
}

/// Another system beside this one: its quality, and its cost as a multiple.
fn against(cell: &Explanation<'_>, other: &Neighbour<'_>) -> String {
    let quality = |row: &CellSummary| row.first_quality().map_or("–".into(), |quality| supported(&quality));
    let metric = cell.row.quality.first().map_or("quality", |quality| quality.metric.as_str());
    let cost = if cell.row.track.is_lockstep() { "its p95 latency" } else { "its speed" };
    let cost = other.ratio.map(|ratio| format!(", at {} times {cost}", factor(&ratio)));
    let [theirs, ours] = [other.row, cell.row].map(quality);
    format!("{}, {metric} {theirs} instead of {ours}{}", other.row.system, cost.unwrap_or_default())
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn time(cell: &Explanation<'_>) -> Vec<String> {
    let (row, unit) = (cell.row, cell.row.track.unit());
    let line = row.line_ms.zip(row.word_ms).map(|(line, word)| {
        let (words, whole) = (cell.typical_words, plain(line + word * cell.typical_words));
        let (fixed, more) = match line > 0.0 {
            true => (format!("a {unit} takes {} ms, and ", plain(line)), " more"),
            false => (String::new(), ""),
        };
        let word = format!("{} ms{more} for each word", plain(word));
        format!("{fixed}{word}: {whole} ms for a {unit} of {words:.0} words, the middle length")
    });
    let tail = row.p50_ms.zip(row.p95_ms).map(|(p50, p95)| {
        let [half, most] = [p50, p95].map(plain);
        format!("half of the {unit}s take at most {half} ms, 95 of 100 at most {most} ms")
    });
    let pipe = cell.pipe_ms.zip(row.p50_ms).map(|(pipe, p50)| percent((pipe / p50).min(1.0)));
    let pipe =
        pipe.map(|share| format!("{share} of the middle line's time is the pipe to it, not the system"));
    let load = row.load_share.map(|load| percent(load.min(1.0)));
    let load = load.map(|share| format!("{share} of a launch is loading, as for a single line"));
    let cores = cell.busy_cores.map(|busy| {
        let idle = percent((1.0 - busy / row.cores.max(1) as f64).max(0.0));
        format!("it kept {busy:.2} of {} cores busy, and {idle} of their time idle", row.cores)
    });
    let start = row.start_ms.map(|ms| format!("warm-up: {} ms from launch to the first answer", plain(ms)));
    let mib = |bytes: u64| plain(mebibytes(bytes));
    let memory = row.peak_bytes.map(|peak| {
        let model = row.model_bytes.map(|model| format!("; its model's files have {} MiB", mib(model)));
        format!("memory: {} MiB at the peak{}", mib(peak), model.unwrap_or_default())
    });
    [line, tail, pipe, parts(row), load, cores, cpu(cell), start, memory].into_iter().flatten().collect()
}

/// CPU time, where it says more than the speed.
fn cpu(cell: &Explanation<'_>) -> Option<String> {
    let CpuTime { seconds, of_waiting, of_others } = cell.cpu?;
    let waiting = of_waiting.map(|times| {
        let why = if times > 1.0 { "other threads work beside, or spin" } else { "the rest is waiting" };
        format!(", {} times the time that a user waits: {why}", plain(times))
    });
    let others = of_others.map(|times| format!("; {} times that of the middle system here", plain(times)));
    let clauses: String = [waiting, others].into_iter().flatten().collect();
    Some(format!("CPU time: {} s for 1,000 words{clauses}", plain(seconds)))
}

/// The greatest components of the time, by the system's own account.
fn parts(row: &CellSummary) -> Option<String> {
    let components = &row.breakdown.as_ref()?.components;
    let whole = components.values().sum::<u64>().max(1) as f64;
    let parts = components.iter().sorted_by_key(|(_, ns)| Reverse(**ns)).take(4);
    let told = parts.map(|(name, ns)| format!("{name} {}", percent(*ns as f64 / whole))).join(", ");
    Some(format!("by its own account: {told}"))
}

/// The kinds of which something was lost, in a line.
fn kept(cell: &Explanation<'_>) -> Vec<String> {
    let lossy = cell.row.kinds.iter().filter(|count| count.kept.lost() > 0);
    let told =
        lossy.map(|KindCount { kind, kept }| format!("{} {} of {}", kind.text(), kept.kept, kept.found));
    let told: Vec<String> = told.collect();
    if told.is_empty() { Vec::new() } else { vec![told.join(", ")] }
}

fn rules(cell: &Explanation<'_>) -> Vec<String> {
    let broken = cell.row.reasons.iter().map(|Reason { code, figure, limit, .. }| {
        format!("broke {}: {figure}; the rule: {limit}", code.name())
    });
    let margin = |margin: &Margin| {
        let how = match margin.used {
            used if used >= 1.0 => "beyond the limit".into(),
            used if used >= NEARLY => format!("nearly broke it: {} of the room used", percent(used)),
            used => format!("{} of the room used", percent(used)),
        };
        format!("{}: {} ({}); {how}", margin.code.name(), margin.figure, margin.limit)
    };
    broken.chain(cell.margins.iter().take(NAMED_RULES).map(margin)).collect()
}

fn moves(cell: &Explanation<'_>) -> Vec<String> {
    let row = cell.row;
    let remedies = row.reasons.iter().map(|reason| format!("{}: {}", reason.code.name(), reason.remedy));
    let quiet =
        (row.verdict == Verdict::Noisy).then(|| "a quieter host: `dyno doctor` names what disturbs".into());
    let unit = row.track.unit();
    let share = row.line_ms.zip(row.word_ms).map(|(line, word)| line / (line + word * cell.typical_words));
    let fixed = share.filter(|share| *share >= GREAT_SHARE).map(percent).map(|share| {
        format!("less work a {unit}: {share} of the middle {unit}'s time doesn't depend on its length")
    });
    let load =
        row.load_share.filter(|&load| load >= GREAT_SHARE).map(|_| "quicker loading, or longer files".into());
    let idle = cell.busy_cores.filter(|busy| *busy < (1.0 - GREAT_SHARE) * row.cores as f64);
    let idle = idle.map(|_| "work for the idle cores: larger batches, or more workers".into());
    remedies
        .chain([quiet, to_the_frontier(cell), greatest(row), fixed, load, idle].into_iter().flatten())
        .collect()
}

/// What the system lacks against those that beat it: either gain suffices.
fn to_the_frontier(cell: &Explanation<'_>) -> Option<String> {
    let (others, lockstep) = (&cell.neighbours.beaten_by, cell.row.track.is_lockstep());
    let ratios = others.iter().filter_map(|other| Some(other.ratio?.value));
    let gain = ratios.map(|ratio| if lockstep { 1.0 / ratio } else { ratio }).reduce(f64::max)?;
    let scores = others.iter().filter_map(|other| Some(other.row.first_quality()?.value));
    let (best, metric) = (scores.reduce(f64::max)?, &cell.row.quality.first()?.metric);
    let (cost, what) = if lockstep { ("a p95 latency", "shorter") } else { ("a speed", "greater") };
    let gain = plain(gain.max(1.0));
    Some(format!("to the frontier: {metric} above {best:.1}, or {cost} more than {gain} times {what}"))
}

/// Amdahl's bound for the greatest component.
fn greatest(row: &CellSummary) -> Option<String> {
    let components = &row.breakdown.as_ref()?.components;
    let whole = components.values().sum::<u64>() as f64;
    let (name, &ns) = components.iter().max_by_key(|(_, ns)| **ns)?;
    let bound = Some(whole / (whole - ns as f64)).filter(|bound| bound.is_finite()).map(plain)?;
    Some(format!("{name}, its greatest part: without it the system would be {bound} times as fast, no more"))
}
