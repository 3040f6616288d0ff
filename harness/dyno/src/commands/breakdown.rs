//! `dyno breakdown`: time of a backend on some lines, by component and by operator.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use anyhow::Context;
use dyno_api::{Breakdown, Facts};
use dyno_measure::{as_text, split_lines, words};
use dyno_record::Track;
use dyno_record::identity::BatchSize;
use serde_json::json;

use super::hosting::Hosted;
use crate::campaign::named_or_starter;
use crate::cli::engines::BreakdownArgs;
use crate::exit::{Exit, OrBadInput, Outcome, no_answer};
use crate::output::answer;
use crate::table::grid;

/// Translates the lines of `args` and prints the time.
pub fn breakdown(mut args: BreakdownArgs) -> Outcome {
    let text = input(args.input.as_deref())?;
    if text.iter().all(u8::is_ascii_whitespace) {
        return Err(no_answer(Exit::NothingMeasured, "the input has no words: give lines to translate"));
    }
    // Unlike in `translate`, the default track must not depend on whether standard input is a terminal.
    args.hosted.track = args.hosted.track.or_else(|| (args.hosted.cores == 1).then_some(Track::Latency));
    let (lines, words) = (split_lines(&text).count(), split_lines(&text).map(words).sum::<usize>());
    let hosted = Hosted::open(args.hosted, true)?;
    dyno_host::translate_text(&hosted.model, hosted.track, hosted.cores, hosted.options, text)?;
    let facts = hosted.model.facts();
    let Some(told) = hosted.model.breakdown().context("can't read the breakdown")? else {
        refuse!("backend {} keeps no account of its time: choose another one", facts.backend);
    };
    let fields = json!({
        "facts": facts, "track": hosted.track, "cores": hosted.cores, "batch": batch(&hosted),
        "lines": lines, "words": words, "nanoseconds": told.whole(),
        "components": told.components, "operators": told.operators,
    });
    answer(args.json, "breakdown", &fields, || {
        let (engine, pace, seconds) = (engine(&facts), pace(&hosted), told.whole() as f64 / 1e9);
        let head = format!("{engine} · {pace} · {lines} lines, {words} words · {seconds:.3} s\n");
        head + &tables(&told, words)
    })
}

fn input(named: Option<&Path>) -> Outcome<Vec<u8>> {
    match named {
        Some(path) if path == Path::new("-") => {
            io::read_to_string(io::stdin()).map(Into::into).or_bad_input()
        }
        Some(path) => dyno_api::files::read(path).with_context(|| path.display().to_string()).or_bad_input(),
        None => {
            let campaign = named_or_starter(None)?;
            let set = campaign.test_sets.first().context("the starter campaign has no test set")?;
            Ok(as_text(&set.source))
        }
    }
}

fn engine(facts: &Facts) -> String {
    let parts = [Some(facts.backend.clone()), facts.precision.clone(), facts.isa.clone()];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// Number of words that are translated together; none where each line is translated alone.
fn batch(hosted: &Hosted) -> Option<BatchSize> {
    (!hosted.track.has_one_line()).then_some(hosted.options.batch)
}

fn pace(hosted: &Hosted) -> String {
    let batch = match batch(hosted) {
        None => "line by line".into(),
        Some(BatchSize::Words(words)) => format!("{words} words at a time"),
        Some(BatchSize::Lines { lines }) => format!("{lines} lines at a time"),
    };
    match hosted.cores {
        1 => batch,
        cores => format!("{batch}, {cores} cores together"),
    }
}

fn tables(told: &Breakdown, words: usize) -> String {
    let both = [
        ("component", &Breakdown::COMPONENTS[..], &told.components),
        ("operator", &Breakdown::OPERATORS[..], &told.operators),
    ];
    let kept = both.into_iter().filter(|(_, _, parts)| !parts.is_empty());
    kept.map(|(what, names, parts)| format!("\n{}\n", table(what, names, parts, words))).collect()
}

fn table(what: &str, names: &[&str], parts: &BTreeMap<String, u64>, words: usize) -> String {
    let whole = parts.values().sum::<u64>().max(1) as f64;
    let row = |name: &&str| {
        let ns = parts.get(*name).copied().unwrap_or(0) as f64;
        let (share, ms, us) = (100.0 * ns / whole, ns / 1e6, ns / 1e3 / words.max(1) as f64);
        vec![(*name).to_owned(), format!("{share:.1}"), format!("{ms:.2}"), format!("{us:.2}")]
    };
    grid(&[what, "%", "ms", "µs/word"], names.iter().map(row).collect(), 1..4)
}
