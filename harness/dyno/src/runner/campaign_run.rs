//! The run of a campaign: models are drawn, systems opened and tuned, rounds measured, texts scored.
//!
//! Data flow one way. The plan is made once. Records and answers go into the run in memory and, one by one,
//! to the disk. The summary is made once, at the end.

use std::collections::BTreeMap;
use std::path::Path;

use dyno_measure::{Cell, Plan, break_down};
use dyno_record::{Host, Verdict};
use dyno_results::{CellBreakdown, Place, Run, Store, Summary, prices, write_summary};
use dyno_stats::numbers::counted;

use super::measurement::Keeper;
use super::rounds::measure_all;
use crate::campaign::{Campaign, make_ready};
use crate::exit::{Exit, Outcome};
use crate::forecast::Forecast;
use crate::interrupt::Stop;
use crate::output::{say, this_command};
use crate::precision;
use crate::progress::{Progress, clock};
use crate::scoring::{prepare, score};
use crate::tuning::{self, preflight};

pub struct Options<'a> {
    pub place: Place<'a>,
    /// Instance that sets the price, if one is named.
    pub price: Option<&'a str>,
    /// File of prices instead of the built-in table.
    pub prices: Option<&'a Path>,
    /// Whether built-in systems are tuned before the first round.
    pub tuned: bool,
    /// Whether systems that broke a rule are asked on.
    pub keeps_going: bool,
}

/// Results of a campaign, complete or interrupted.
pub struct Finished {
    pub store: Store,
    pub run: Run,
    /// Judged rows, one for each cell.
    pub summary: Summary,
    /// What the run lacks because the user stopped it; the same command measures the rest.
    pub interrupted: Option<String>,
    /// Whether the answers could be scored.
    pub scored: bool,
}

impl Finished {
    pub fn exit(&self) -> Exit {
        let invalid = self.summary.cells.iter().any(|row| row.verdict == Verdict::Invalid);
        match (self.interrupted.is_some(), invalid) {
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
    let forecast = Forecast::of(campaign, &host.cores)?;
    print_header(campaign, host, &forecast)?;
    let (store, mut run) =
        Store::open(&options.place, campaign.identity(host)?, campaign.rounds(), &campaign.test_sets)?;
    let tunings = match options.tuned {
        true => tuning::measure(campaign, store.folder(), campaign.placement(host).one_core())?,
        false => BTreeMap::new(),
    };
    let plan = campaign.plan(|entry| tunings.get(&entry.name).cloned())?;
    if run.command.is_none() {
        let command = this_command();
        store.keep_command(&command)?;
        run.command = Some(command);
    }
    keep_price(&store, &mut run, options.price, options.prices)?;
    // A resumed run takes the campaign's present list: scores need no measurement.
    store.keep_metrics(&campaign.metrics)?;
    run.metrics = campaign.metrics.clone();
    prepare(&campaign.metrics, &campaign.test_sets);
    let (folder, rounds) = (store.folder().to_owned(), campaign.rounds());
    let stop = Stop::on_signals(move || summarise(&folder, rounds))?;
    let mut keeper = Keeper::new(campaign, host, store, run, &stop)?;
    keeper.runner.keeps_going = options.keeps_going;
    measure_all(campaign, forecast, &plan, &mut keeper)?;
    if let Some(failure) = keeper.runner.bench.meter.as_ref().and_then(|meter| meter.failure()) {
        say!("warning: no energy from then on: {failure}");
    }
    let (breakdowns, lacking) = break_down_all(campaign, &plan, &keeper)?;
    let Keeper { store, mut run, .. } = keeper;
    store.keep_breakdowns(&breakdowns)?;
    run.breakdowns = breakdowns;
    stop.begin("the table without missing scores", None);
    let failures = score(&store, &mut run, &[])?;
    for failure in &failures {
        say!("warning: {failure}; `dyno score` can add the missing scores later");
    }
    let scored = failures.is_empty() && !run.scores.texts.is_empty();
    let summary = Summary::of(&run);
    let interrupted = unfinished(run.records.len(), rounds, lacking);
    // All rounds with a summary are a finished run, which no command resumes.
    if interrupted.is_none() || run.records.len() < rounds {
        store.keep_summary(&run, &summary)?;
    }
    Ok(Finished { store, run, summary, interrupted, scored })
}

/// What a run lacks, in words: rounds, or breakdowns of its cells.
fn unfinished(done: usize, rounds: usize, breakdowns: usize) -> Option<String> {
    match () {
        () if done < rounds => Some(format!("interrupted after {done} of {rounds} rounds")),
        () if breakdowns > 0 => {
            let lacking = counted(breakdowns, "breakdown", "breakdowns");
            Some(format!("interrupted after all {rounds} rounds, before {lacking} of their time"))
        }
        () => None,
    }
}

/// Writes the summary of what the folder holds by now, if rounds are missing: a run with all rounds and a summary
/// counts as finished. The rounds in memory belong to the measuring thread. A failure changes nothing: the process
/// ends, and the records are there.
fn summarise(folder: &Path, rounds: usize) {
    if let Some(run) = Run::read(folder).ok().filter(|run| run.records.len() < rounds) {
        let _ = write_summary(folder, &run, &Summary::of(&run));
    }
}

/// Chooses the price of the run: the one that `named` or `file` chooses, else the run's own, else that of the
/// instance most like its host.
pub fn keep_price(store: &Store, run: &mut Run, named: Option<&str>, file: Option<&Path>) -> Outcome<()> {
    if named.is_none() && file.is_none() && run.price.is_some() {
        return Ok(());
    }
    let prices = prices::load(file)?;
    let chosen = match named {
        Some(name) => Some(prices::named(&prices, name)?),
        None => prices::like(&prices, &run.identity.host),
    };
    if let (None, Some(file)) = (chosen, file) {
        let (file, cpu) = (file.display(), &run.identity.host.cpu);
        refuse!("{file} has no instance like this host ({cpu}): name one with --price");
    }
    if let Some(price) = chosen {
        store.keep_price(price)?;
        run.price = Some(price.clone());
    }
    Ok(())
}

fn print_header(campaign: &Campaign, host: &Host, forecast: &Forecast<'_>) -> Outcome<()> {
    say!("dyno {} · {} · profile {}", env!("CARGO_PKG_VERSION"), host.line(), campaign.protocol.profile);
    let sets = campaign.test_sets.iter().map(|set| format!("{} ({} lines)", set.name, set.source.len()));
    let systems = counted(campaign.systems.len(), "system", "systems");
    let (name, tracks) = (&campaign.name, counted(campaign.tracks.len(), "track", "tracks"));
    say!("campaign {name:?}: {systems} × {} × {tracks}", sets.collect::<Vec<_>>().join(", "));
    campaign.placement(host).shortfall(campaign.cores, &campaign.tracks).into_iter().for_each(say);
    precision::defaults_of(campaign).into_iter().for_each(say);
    let (time, by) = (clock(forecast.whole(&campaign.plan(|_| None)?)), forecast.basis());
    say!("expected time: about {time}{by}; `--dry-run` adds the greatest by the time limits");
    Ok(())
}

/// Breaks down the time of hosted systems, for each cell without a breakdown, until the user stops it. A twin is the
/// same as its original. The second result is the number of breakdowns that are still lacking.
fn break_down_all(
    campaign: &Campaign,
    plan: &Plan,
    Keeper { runner, run, .. }: &Keeper,
) -> Outcome<(Vec<CellBreakdown>, usize)> {
    let mut known = run.breakdowns.clone();
    let invalid = |cell: &Cell<'_>| {
        let round = cell.round(0);
        run.records.iter().any(|record| round.has(record) && record.verdict == Verdict::Invalid)
    };
    let mut todo = plan.cells();
    todo.retain(|cell| campaign.measures(&cell.test_set.name, cell.track));
    todo.retain(|cell| cell.system.hosted && cell.system.twin_of.is_none() && !invalid(cell));
    todo.retain(|cell| !known.iter().any(|row| row.is_of(cell)));
    let (progress, mut lacking) = (Progress::new(todo.len(), 0), todo.len());
    for cell in todo.iter().take_while(|_| !runner.stop.is_wanted()) {
        let (system, track) = (&cell.system.name, cell.track);
        lacking -= 1;
        runner.stop.begin("this breakdown", None);
        progress.show(&format!("{system} · {track} · breakdown"), None);
        match break_down(&runner.bench, cell)? {
            Ok(told) => known.extend(told.map(|breakdown| CellBreakdown {
                system: system.clone(),
                test_set: cell.test_set.name.clone(),
                track,
                breakdown,
            })),
            Err(reason) => progress.note(&format!("{system} · {track}: no breakdown: {reason}")),
        }
        progress.advance();
    }
    progress.finish();
    Ok((known, lacking))
}
