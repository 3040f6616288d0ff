//! A campaign from its preparation to its summary: models drawn, systems opened and tuned, rounds measured, texts scored.
//!
//! Data flow one way. The plan is made once; records and answers go into the run in memory and, as they come, to the disk; the
//! summary is made once at the end.

use std::time::Instant;

use dyno_measure::{Cell, Host, Plan, Record, Round, Track, Verdict};
use dyno_results::{CellBreakdown, Place, Run, Store, Summary, prices, scores};
use dyno_stats::numbers::counted;

use super::Runner;
use super::pace::Pace;
use super::probed::Probed;
use crate::campaign::{Campaign, make_models};
use crate::cli::PriceArgs;
use crate::exit::{Exit, Outcome};
use crate::forecast::Forecast;
use crate::interrupt::Stop;
use crate::output::{say, this_command};
use crate::progress::Progress;
use crate::scoring::{announce, score};
use crate::tuning::{Tunings, preflight};

/// Wishes for a campaign's run.
pub struct Options<'a> {
    /// Place of the run.
    pub place: Place<'a>,
    /// Price that the run is counted by.
    pub prices: &'a PriceArgs,
    /// Whether built-in systems are tuned first.
    pub tuned: bool,
}

/// A campaign that was measured, as far as it went.
pub struct Finished {
    /// Folder of the run.
    pub store: Store,
    /// Records, answers, scores.
    pub run: Run,
    /// One row a cell, judged.
    pub summary: Summary,
    /// Whether the user stopped it.
    pub interrupted: bool,
    /// Whether its texts could be scored.
    pub scored: bool,
}

impl Finished {
    /// Exit code of a command that measured it.
    pub fn exit(&self) -> Exit {
        let invalid = self.summary.cells.iter().any(|row| row.verdict == Verdict::Invalid);
        match (self.interrupted, invalid) {
            (true, _) => Exit::Interrupted,
            (false, true) => Exit::No,
            (false, false) => Exit::Done,
        }
    }
}

/// Measures a campaign, or what is missing of it at its place, and scores it.
pub fn run_campaign(campaign: &Campaign, host: &Host, options: &Options<'_>) -> Outcome<Finished> {
    make_models(campaign)?;
    preflight(campaign)?;
    introduce(campaign, host);
    let (store, mut run) =
        Store::open(&options.place, campaign.identity(host)?, campaign.rounds(), &campaign.test_sets)?;
    let tunings = match options.tuned {
        true => {
            Tunings::measure(campaign, store.folder(), campaign.placement(host).system(Track::Latency)[0])?
        }
        false => Tunings::default(),
    };
    let plan = campaign.plan(|entry| tunings.of(entry))?;
    keep_command(&store, &mut run)?;
    keep_price(&store, &mut run, options.prices)?;
    let scored = prepare_scoring(campaign);
    let stop = Stop::on_signals()?;
    let mut runner = Runner::keeping(campaign, host, store, run)?;
    measure_all(campaign, host, &plan, &mut runner, &stop)?;
    let breakdowns = match stop.is_wanted() {
        true => None,
        false => Some(break_all_down(&plan, &runner, &stop)?),
    };
    let (store, mut run) = runner.into_kept().expect("this runner keeps its rounds");
    if let Some(breakdowns) = breakdowns {
        store.keep_breakdowns(&breakdowns)?;
        run.breakdowns = breakdowns;
    }
    if scored {
        score(&store, &mut run)?;
    }
    let summary = Summary::of(&run);
    store.keep_summary(&run, &summary)?;
    let interrupted = stop.is_wanted() && run.records.len() < campaign.rounds();
    conclude(&store, &run, campaign, stop.is_wanted());
    Ok(Finished { store, run, summary, interrupted: interrupted || stop.is_wanted(), scored })
}

fn conclude(store: &Store, run: &Run, campaign: &Campaign, stopped: bool) {
    if stopped {
        let (done, all) = (run.records.len(), campaign.rounds());
        say(format_args!("interrupted after {done} of {all} rounds; the same command resumes"));
    } else {
        store.clear_scratch();
    }
}

/// Keeps the command that began the run; a command that resumes it begins no other run.
fn keep_command(store: &Store, run: &mut Run) -> Outcome<()> {
    if run.command.is_none() {
        let command = this_command();
        store.keep_command(&command)?;
        run.command = Some(command);
    }
    Ok(())
}

/// Chooses the price that the run is counted by: the one that was asked for, else the one that is there, else that of the
/// instance most like its host.
pub fn keep_price(store: &Store, run: &mut Run, wanted: &PriceArgs) -> Outcome<()> {
    if wanted.price.is_none() && wanted.prices.is_none() && run.price.is_some() {
        return Ok(());
    }
    let prices = prices::load(wanted.prices.as_deref())?;
    let chosen = match &wanted.price {
        Some(name) => Some(prices::named(&prices, name)?),
        None => prices::like(&prices, &run.identity.host),
    };
    if let Some(price) = chosen {
        store.keep_price(price)?;
        run.price = Some(price.clone());
    }
    Ok(())
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
    campaign.placement(host).shortfall(campaign.cores, &campaign.tracks).into_iter().for_each(say);
}

/// Quality is worth a warning, not a failure: speed can be measured without, and `dyno score` adds quality later.
fn prepare_scoring(campaign: &Campaign) -> bool {
    if campaign.test_sets.iter().all(|set| set.references.is_empty()) {
        return false;
    }
    match scores::prepare(&announce) {
        Ok(()) => true,
        Err(error) => {
            let later = "`dyno score` can add it later";
            say(format_args!("warning: no BLEU, since there is no sacrebleu: {error}; {later}"));
            false
        }
    }
}

/// Measures every round that isn't measured yet, until the user stops it.
fn measure_all(
    campaign: &Campaign,
    host: &Host,
    plan: &Plan,
    runner: &mut Runner,
    stop: &Stop,
) -> Outcome<()> {
    let rounds = plan.rounds(&campaign.protocol());
    let (store, run) = runner.kept.as_ref().expect("this runner keeps its rounds");
    let todo: Vec<&Round<'_>> = rounds.iter().filter(|round| !run.has(round)).collect();
    let progress = Progress::new(rounds.len(), rounds.len() - todo.len());
    let is_resumed = todo.len() < rounds.len();
    if is_resumed {
        let (done, folder) = (rounds.len() - todo.len(), store.folder().display());
        progress.note(&format!("resuming {folder}: {done} of {} rounds are there", rounds.len()));
    }
    let mut pace = Pace::new(Forecast::of(campaign, &host.cores)?, &todo);
    let mut probed = Probed::new(campaign, store, is_resumed)?;
    runner.measure_pipe_floor()?;
    for round in todo {
        if stop.is_wanted() {
            break;
        }
        progress.show(&format!("{} · {}", round.system.name, round.track), pace.left());
        let begin = Instant::now();
        let examined = probed.of(round, plan, runner, &progress)?;
        let measured = runner.round(round, examined)?;
        pace.measured(round, begin.elapsed());
        tell_trouble(&measured.record, &progress);
        progress.advance();
    }
    progress.finish();
    Ok(())
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

/// Asks the hosted systems where their time goes, cell by cell, as far as that is unknown; a twin is its original.
fn break_all_down(plan: &Plan, runner: &Runner, stop: &Stop) -> Outcome<Vec<CellBreakdown>> {
    let (_, run) = runner.kept.as_ref().expect("this runner keeps its rounds");
    let mut known = run.breakdowns.clone();
    let invalid = |cell: &Cell<'_>| {
        let round = cell.round(0);
        run.records.iter().any(|record| record.is_of(&round) && record.verdict == Verdict::Invalid)
    };
    let todo: Vec<_> = plan
        .cells()
        .into_iter()
        .filter(|cell| cell.system.hosted && cell.system.twin_of.is_none() && !invalid(cell))
        .filter(|cell| !known.iter().any(|row| row.is_of(cell)))
        .collect();
    let progress = Progress::new(todo.len(), 0);
    for cell in todo.iter().take_while(|_| !stop.is_wanted()) {
        let (system, track) = (&cell.system.name, cell.track);
        progress.show(&format!("{system} · {track} · where the time goes"), None);
        match runner.break_down(cell)? {
            Ok(told) => known.extend(told.map(|breakdown| CellBreakdown {
                system: system.clone(),
                test_set: cell.test_set.name.clone(),
                track,
                breakdown,
            })),
            Err(why) => {
                progress.note(&format!("{system} · {track}: its breakdown of its time is left out: {why}"));
            }
        }
        progress.advance();
    }
    progress.finish();
    Ok(known)
}
