//! The run of a campaign: models are drawn, systems opened and tuned, rounds measured, texts scored.
//!
//! Data flow one way. The plan is made once. Records and answers go into the run in memory and, one by one,
//! to the disk. The summary is made once, at the end.

use std::path::Path;

use dyno_measure::{Cell, Host, Plan, Track, Verdict};
use dyno_results::{CellBreakdown, Place, Run, Store, Summary, prices, write_summary};
use dyno_stats::numbers::counted;

use super::measurement::Runner;
use super::rounds::measure_all;
use crate::campaign::{Campaign, make_ready};
use crate::ceiling::Ceiling;
use crate::cli::PriceArgs;
use crate::exit::{Exit, Outcome, bad_input};
use crate::interrupt::Stop;
use crate::output::{say, this_command};
use crate::precision;
use crate::progress::Progress;
use crate::scoring::{prepare, score};
use crate::tuning::{Tunings, preflight};

/// Options of a campaign's run.
pub struct Options<'a> {
    /// Folder of the run.
    pub place: Place<'a>,
    /// Choice of the price for words per dollar.
    pub prices: &'a PriceArgs,
    /// Whether built-in systems are tuned before the first round.
    pub tuned: bool,
    /// Whether systems that broke a rule are asked on.
    pub keeps_going: bool,
}

/// Results of a campaign, complete or interrupted.
pub struct Finished {
    /// Files of the run.
    pub store: Store,
    /// Records, answers and scores.
    pub run: Run,
    /// Judged rows, one for each cell.
    pub summary: Summary,
    /// Whether the user stopped the run.
    pub interrupted: bool,
    /// Whether the answers could be scored.
    pub scored: bool,
}

impl Finished {
    /// Exit code of the command that measured the campaign.
    pub fn exit(&self) -> Exit {
        let invalid = self.summary.cells.iter().any(|row| row.verdict == Verdict::Invalid);
        match (self.interrupted, invalid) {
            (true, _) => Exit::Interrupted,
            (false, true) => Exit::No,
            (false, false) => Exit::Done,
        }
    }
}

/// Measures the campaign, or the rounds that its folder lacks, and scores it.
pub fn run_campaign(campaign: &Campaign, host: &Host, options: &Options<'_>) -> Outcome<Finished> {
    make_ready(campaign)?;
    preflight(campaign)?;
    print_header(campaign, host);
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
    keep_metrics(&store, &mut run, campaign)?;
    prepare(&campaign.metrics, &campaign.test_sets);
    let folder = store.folder().to_owned();
    let stop = Stop::on_signals(move || summarise(&folder))?;
    let mut runner = Runner::keeping(campaign, host, store, run)?;
    runner.keeps_going = options.keeps_going;
    runner.stop = stop.clone();
    measure_all(campaign, host, &plan, &mut runner, &stop)?;
    if let Some(failure) = runner.meter_failure() {
        say(format_args!("warning: no energy from then on: {failure}"));
    }
    let breakdowns = match stop.is_wanted() {
        true => None,
        false => Some(break_down_all(campaign, &plan, &runner, &stop)?),
    };
    let (store, mut run) = runner.into_kept().expect("this runner keeps its rounds");
    if let Some(breakdowns) = breakdowns {
        store.keep_breakdowns(&breakdowns)?;
        run.breakdowns = breakdowns;
    }
    let failures = score(&store, &mut run, &[])?;
    for failure in &failures {
        say(format_args!("warning: no scores: {failure}; `dyno score` can add them later"));
    }
    let scored = failures.is_empty() && !run.scores.scores.is_empty();
    let summary = Summary::of(&run);
    store.keep_summary(&run, &summary)?;
    let interrupted = stop.is_wanted() && run.records.len() < campaign.rounds();
    if stop.is_wanted() {
        let (done, all) = (run.records.len(), campaign.rounds());
        say(format_args!("interrupted after {done} of {all} rounds; repeat the command to resume"));
    }
    Ok(Finished { store, run, summary, interrupted: interrupted || stop.is_wanted(), scored })
}

/// Writes the summary of what the folder holds by now. The rounds in memory belong to the measuring thread.
/// A failure changes nothing: the process ends, and the records are there.
fn summarise(folder: &Path) {
    if let Ok(run) = Run::read(folder) {
        let _ = write_summary(folder, &run, &Summary::of(&run));
    }
}

/// Stores the command that started the run; a command that resumes the run doesn't replace it.
fn keep_command(store: &Store, run: &mut Run) -> Outcome<()> {
    if run.command.is_none() {
        let command = this_command();
        store.keep_command(&command)?;
        run.command = Some(command);
    }
    Ok(())
}

/// Stores the metrics of the campaign. A resumed run takes the campaign's present list: scores need no
/// measurement.
fn keep_metrics(store: &Store, run: &mut Run, campaign: &Campaign) -> Outcome<()> {
    store.keep_metrics(&campaign.metrics)?;
    run.metrics = campaign.metrics.clone();
    Ok(())
}

/// Chooses the price of the run: the one on the command line, else the run's own, else that of the instance
/// most like its host.
pub fn keep_price(store: &Store, run: &mut Run, wanted: &PriceArgs) -> Outcome<()> {
    if wanted.price.is_none() && wanted.prices.is_none() && run.price.is_some() {
        return Ok(());
    }
    let prices = prices::load(wanted.prices.as_deref())?;
    let chosen = match &wanted.price {
        Some(name) => Some(prices::named(&prices, name)?),
        None => prices::like(&prices, &run.identity.host),
    };
    if let (None, Some(file)) = (chosen, &wanted.prices) {
        let (file, cpu) = (file.display(), &run.identity.host.cpu);
        return Err(bad_input(format!(
            "{file} has no instance like this host ({cpu}): name one with --price"
        )));
    }
    if let Some(price) = chosen {
        store.keep_price(price)?;
        run.price = Some(price.clone());
    }
    Ok(())
}

fn print_header(campaign: &Campaign, host: &Host) {
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
    precision::defaults_of(campaign).into_iter().for_each(say);
    say(Ceiling::of(campaign));
}

/// Breaks down the time of hosted systems, for each cell without a breakdown. A twin is the same as its
/// original.
fn break_down_all(
    campaign: &Campaign,
    plan: &Plan,
    runner: &Runner,
    stop: &Stop,
) -> Outcome<Vec<CellBreakdown>> {
    let (_, run) = runner.kept.as_ref().expect("this runner keeps its rounds");
    let mut known = run.breakdowns.clone();
    let invalid = |cell: &Cell<'_>| {
        let round = cell.round(0);
        run.records.iter().any(|record| record.is_of(&round) && record.verdict == Verdict::Invalid)
    };
    let todo: Vec<_> = plan
        .cells()
        .into_iter()
        .filter(|cell| campaign.measures(&cell.test_set.name, cell.track))
        .filter(|cell| cell.system.hosted && cell.system.twin_of.is_none() && !invalid(cell))
        .filter(|cell| !known.iter().any(|row| row.is_of(cell)))
        .collect();
    let progress = Progress::new(todo.len(), 0);
    for cell in todo.iter().take_while(|_| !stop.is_wanted()) {
        let (system, track) = (&cell.system.name, cell.track);
        progress.show(&format!("{system} · {track} · breakdown"), None);
        match runner.break_down(cell)? {
            Ok(told) => known.extend(told.map(|breakdown| CellBreakdown {
                system: system.clone(),
                test_set: cell.test_set.name.clone(),
                track,
                breakdown,
            })),
            Err(reason) => {
                progress.note(&format!("{system} · {track}: no breakdown: {reason}"));
            }
        }
        progress.advance();
    }
    progress.finish();
    Ok(known)
}
