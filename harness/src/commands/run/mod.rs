//! `dyno run`: a campaign, measured round by round, scored, and printed.

mod conclusion;
mod pace;
mod probed;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use conclusion::conclude;
use pace::Pace;
use probed::Probed;

use super::report::write_page;
use super::score::{price, summarise_run};
use super::{load_campaign, print, print_json, this_command};
use crate::campaign::{Campaign, Generated};
use crate::cli::{PriceArgs, RunArgs};
use crate::exit::{Exit, Outcome};
use crate::forecast::Forecast;
use crate::host::Host;
use crate::numbers::{counted, mebibytes};
use crate::opening::{explain, preflight, tune};
use crate::plan::{self, Placement, Round};
use crate::progress::{Progress, clock};
use crate::rounds::{self, Bench};
use crate::rules::{Track, Verdict};
use crate::say::say;
use crate::store::{COMMAND, CellSummary, Identity, Place, Record, Store, Summary, write_whole};
use crate::table::grid;
use crate::{host, os, score};

/// Runs the campaign of `args`.
pub fn run(args: &RunArgs) -> Outcome {
    let mut campaign = load_campaign(args.campaign.as_deref())?;
    campaign.profile = args.profile.unwrap_or(campaign.profile);
    args.filters.apply(&mut campaign)?;
    campaign.enter_twin();
    let host = Host::detect()?;
    let rounds = plan::rounds(&campaign);
    if rounds.is_empty() {
        say("dyno: nothing to measure: no system, test set or track is left");
        return Ok(Exit::NothingMeasured);
    }
    if args.dry_run {
        preflight(&campaign)?;
        return dry_run(&campaign, &host, &rounds, args.json);
    }
    let place = args.out.as_deref().map_or(Place::Below(Path::new("runs")), Place::Exactly);
    let measured = measure(&mut campaign, &host, &place, &args.price, !args.no_tune)?;
    if args.explain {
        explain(measured.store.folder())?;
    }
    let page = write_page(measured.store.folder());
    conclude(&measured, page.as_deref(), args.json)?;
    Ok(measured.exit())
}

/// A campaign that was measured, as far as it went.
pub(super) struct Measured {
    pub(super) store: Store,
    pub(super) summary: Summary,
    interrupted: bool,
    scored: bool,
}

impl Measured {
    /// How a command that measured it ends.
    pub(super) fn exit(&self) -> Exit {
        match self.interrupted {
            true => Exit::Interrupted,
            false => verdict(&self.summary.cells),
        }
    }
}

/// Measures a campaign at `place`, or what is missing of it there, and scores it; tunes its engines first where that is
/// wanted.
pub(super) fn measure(
    campaign: &mut Campaign,
    host: &Host,
    place: &Place<'_>,
    prices: &PriceArgs,
    tuned: bool,
) -> Outcome<Measured> {
    campaign.make_models()?;
    preflight(campaign)?;
    introduce(campaign, host);
    let planned = plan::rounds(campaign).len();
    let mut store = Store::open(place, &Identity::of(campaign, host)?, planned, &campaign.test_sets)?;
    if tuned {
        let core = placement(campaign, host).system(Track::Latency)[0];
        tune(campaign, store.folder(), core)?;
    }
    let campaign = &*campaign;
    let rounds = plan::rounds(campaign);
    keep_command(store.folder())?;
    price(store.folder(), prices)?;
    let scored = prepare_scoring(campaign);
    let stop = stop_on_interrupt()?;
    let interrupted = measure_all(campaign, host, &rounds, &mut store, &stop)?;
    if !interrupted {
        watch_all(campaign, host, &store, &stop)?;
    }
    let summary = summarise_run(store.folder(), scored)?;
    if interrupted {
        let done = store.records().len();
        say(format_args!("interrupted after {done} of {} rounds; the same command resumes", rounds.len()));
    } else {
        store.clear_scratch();
    }
    Ok(Measured { store, summary, interrupted, scored })
}

/// Keeps the command that began the run, for whoever wants the same; what resumes it is no other run.
fn keep_command(folder: &Path) -> Outcome<()> {
    let path = folder.join(COMMAND);
    if path.exists() { Ok(()) } else { write_whole(&path, format!("{}\n", this_command()).as_bytes()) }
}

fn verdict(rows: &[CellSummary]) -> Exit {
    if rows.iter().any(|row| row.verdict == Verdict::Invalid) { Exit::No } else { Exit::Done }
}

fn introduce(campaign: &Campaign, host: &Host) {
    let (version, cores) = (env!("CARGO_PKG_VERSION"), counted(host.cores.len(), "core", "cores"));
    say(format_args!(
        "dyno {version} · {}, {cores}, {} · profile {}",
        host.cpu,
        host.best_isa(),
        campaign.profile
    ));
    let sets = campaign.test_sets.iter().map(|set| format!("{} ({} lines)", set.name, set.source.len()));
    let systems = counted(campaign.systems.len(), "system", "systems");
    let (name, tracks) = (&campaign.name, counted(campaign.tracks.len(), "track", "tracks"));
    say(format_args!("campaign {name:?}: {systems} × {} × {tracks}", sets.collect::<Vec<_>>().join(", ")));
    placement(campaign, host).shortfall(campaign.cores, &campaign.tracks).into_iter().for_each(say);
}

/// Who runs on which of the host's cores.
fn placement(campaign: &Campaign, host: &Host) -> Placement {
    Placement::new(&host.cores, campaign.cores, host::siblings)
}

/// Quality is worth a warning, not a failure: speed can be measured without, and `dyno score` adds it later.
fn prepare_scoring(campaign: &Campaign) -> bool {
    if campaign.test_sets.iter().all(|set| set.references.is_empty()) {
        return false;
    }
    match score::prepare() {
        Ok(()) => true,
        Err(error) => {
            let later = "`dyno score` can add it later";
            say(format_args!("warning: no BLEU, since there is no sacrebleu: {error:#}; {later}"));
            false
        }
    }
}

/// Measures what the store doesn't hold yet; says whether it was interrupted.
fn measure_all(
    campaign: &Campaign,
    host: &Host,
    rounds: &[Round<'_>],
    store: &mut Store,
    stop: &AtomicBool,
) -> Outcome<bool> {
    let placement = placement(campaign, host);
    let todo: Vec<&Round<'_>> = rounds.iter().filter(|round| !store.has(round)).collect();
    let progress = Progress::new(rounds.len(), rounds.len() - todo.len());
    if todo.len() < rounds.len() {
        let (done, folder) = (rounds.len() - todo.len(), store.folder().display());
        progress.note(&format!("resuming {folder}: {done} of {} rounds are there", rounds.len()));
    }
    let mut pace = Pace::new(Forecast::of(campaign, &host.cores)?, &todo);
    os::pin_thread(placement.bench())?;
    let mut probed = Probed::new(campaign, &placement, store)?;
    let pipe_floor_ns = rounds::pipe_floor_ns(placement.system(Track::Latency)[0])?;
    for round in todo {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        progress.show(&format!("{} · {}", round.system.name, round.track), pace.left());
        let begin = Instant::now();
        let examined = probed.of(round, store, &progress)?;
        let bench = Bench { campaign, store, placement: &placement, examined, pipe_floor_ns };
        let record = rounds::measure(&bench, round)?;
        pace.measured(round, begin.elapsed());
        tell_trouble(&record, &progress);
        store.append(record)?;
        progress.advance();
    }
    os::pin_thread(&host.cores)?;
    progress.finish();
    Ok(stop.load(Ordering::Relaxed))
}

/// Says what was wrong with a round, or disturbed it.
fn tell_trouble(record: &Record, progress: &Progress) {
    let (system, track) = (&record.system, record.track);
    for reason in &record.reasons {
        let code = reason.code.name();
        progress.note(&format!("{system} · {track}: INVALID {code}: {}; {}", reason.figure, reason.remedy));
    }
    // A cell's first will do: on a busy host every round is disturbed, and each has its line in the records.
    if let Some(noise) = record.noise.last().filter(|noise| noise.is_disturbed() && record.round == 0) {
        progress.remark(&format!("{system} · {track}: NOISY: {}", noise.triggers.join(", ")));
    }
}

/// Asks the hosted systems where their time goes, cell by cell, as far as nobody has; a twin is its original. Who has no
/// patience for that gets the tables without the rest.
fn watch_all(campaign: &Campaign, host: &Host, store: &Store, stop: &AtomicBool) -> Outcome<()> {
    let placement = placement(campaign, host);
    let mut known = store.breakdowns()?;
    let invalid = |cell: &plan::Cell<'_>| {
        let plan::Cell { system, test_set, track } = *cell;
        let first = Round { system, test_set, track, number: 0 };
        store.records().iter().any(|record| record.is_of(&first) && record.verdict == Verdict::Invalid)
    };
    let todo: Vec<_> = plan::cells(campaign)
        .into_iter()
        .filter(|cell| cell.system.is_hosted() && cell.system.twin_of.is_none() && !invalid(cell))
        .filter(|cell| !known.iter().any(|row| row.is_of(cell)))
        .collect();
    let progress = Progress::new(todo.len(), 0);
    for cell in todo.iter().take_while(|_| !stop.load(Ordering::Relaxed)) {
        progress.show(&format!("{} · {} · where the time goes", cell.system.name, cell.track), None);
        match rounds::breakdown::ask(campaign, store, &placement, cell)? {
            Ok(told) => known.extend(told),
            Err(why) => progress.note(&format!(
                "{} · {}: its breakdown of its time is left out: {why}",
                cell.system.name, cell.track
            )),
        }
        progress.advance();
    }
    progress.finish();
    store.keep_breakdowns(&known)
}

/// Ctrl-C once: finish the round. Twice: end now; the supervisor ends the system.
pub(super) fn stop_on_interrupt() -> Outcome<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        let again = Exit::Interrupted as i32;
        signal_hook::flag::register_conditional_shutdown(signal, again, Arc::clone(&stop))?;
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}

pub(super) fn dry_run(campaign: &Campaign, host: &Host, rounds: &[Round<'_>], json: bool) -> Outcome {
    placement(campaign, host).shortfall(campaign.cores, &campaign.tracks).into_iter().for_each(say);
    let forecast = Forecast::of(campaign, &host.cores)?;
    let seconds: f64 = rounds.iter().map(|round| forecast.seconds(round)).sum();
    let bytes: u64 = campaign.undrawn().map(Generated::bytes).sum();
    let cells = plan::cells(campaign);
    if json {
        let names = |cell: &plan::Cell<'_>| json!({"system": cell.system.name, "test_set": cell.test_set.name, "track": cell.track});
        let cells: Vec<_> = cells.iter().map(names).collect();
        let rounds = campaign.profile.rounds();
        print_json(&json!({"cells": cells, "rounds": rounds, "seconds": seconds, "bytes_to_draw": bytes}))?;
        return Ok(Exit::Done);
    }
    let row = |cell: &plan::Cell<'_>| {
        vec![cell.system.name.clone(), cell.track.name().into(), cell.test_set.name.clone()]
    };
    let list = grid(&["system", "track", "test set"], cells.iter().map(row).collect(), 0..0);
    let (count, each) = (counted(cells.len(), "cell", "cells"), campaign.profile.rounds());
    let bound = if forecast.is_whole() { "about" } else { "at least" };
    let time = clock(Duration::from_secs_f64(seconds));
    let first = match bytes {
        0 => String::new(),
        _ => format!("; {:.0} MiB of models are drawn first", mebibytes(bytes)),
    };
    print(&format!("{list}\n{count} of {each} rounds, {bound} {time}{first}\n"))?;
    Ok(Exit::Done)
}
