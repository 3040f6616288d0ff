//! `dyno reproduce`: tables of papers, measured again with the campaigns that ship with dyno.
//!
//! A campaign runs as under `dyno run --no-tune`: the same processes, rounds, records and folders. Only the
//! printed tables are special to papers; they belong to `dyno_papers::reproduction`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use dyno_measure::{TestSet, host, words};
use dyno_papers::Table;
use dyno_papers::reproduction::{Products, Reproduction, figures, markdown, page};
use dyno_provision::did_you_mean;
use dyno_record::Profile;
use dyno_results::{Place, Run, Store};
use dyno_stats::numbers::counted;
use serde_json::json;

use crate::campaign::{Campaign, make_ready};
use crate::cli::measuring::FilterArgs;
use crate::cli::papers::ReproduceArgs;
use crate::exit::{Exit, Outcome};
use crate::filters::narrow;
use crate::output::{answer, print, print_json};
use crate::page::{write_figures, write_text};
use crate::runner::{Options, dry_run, run_campaign};
use crate::table::grid;

use super::ours::{self, Ours, reproduction};
use super::products::{RUNS, keep, measure};
use super::publication::publish;
use super::text::text;

/// Number of lines of a quick latency campaign: enough for a factor, and a minute for the slowest network of
/// the papers.
const QUICK_LINES: usize = 60;

/// Greatest number of words of a quick latency campaign's test set: long lines of encoders are few.
const QUICK_WORDS: usize = 1200;

/// Number of lines of a quick throughput campaign, whose launches must take much longer than their loading.
const QUICK_THROUGHPUT_LINES: usize = 200;

pub fn reproduce(args: &ReproduceArgs) -> Outcome {
    if args.publish {
        return publish(args);
    }
    let tables = dyno_papers::tables()?;
    let wanted = wanted(args, &tables)?;
    if wanted.is_empty() {
        return list(&tables, args.json);
    }
    // Several tables may share a campaign.
    let mut shared: BTreeMap<&str, (Ours, Exit)> = BTreeMap::new();
    let mut reproductions = Vec::new();
    for table in &wanted {
        if let Some(name) = table.campaign.as_deref().filter(|name| !shared.contains_key(name)) {
            let measures = wanted.iter().any(|other| other.campaign == table.campaign && other.measures());
            shared.insert(name, share(campaign_of(name, args)?, measures, args)?);
        }
        let found = table.campaign.as_deref().and_then(|name| shared.get(name));
        let products = products_of(table, args)?;
        reproductions.push(reproduction(table, found.map(|(ours, _)| ours), products.as_ref(), None)?);
        if found.is_some_and(|(_, exit)| *exit == Exit::Interrupted) {
            break;
        }
    }
    if !args.dry_run {
        show(&reproductions, args)?;
    }
    let ended = |exit: &Exit| shared.values().any(|(_, ended)| ended == exit);
    Ok([Exit::Interrupted, Exit::No].into_iter().find(ended).unwrap_or(Exit::Done))
}

/// Tables to measure; none means to list them.
fn wanted<'a>(args: &ReproduceArgs, tables: &'a [Table]) -> Outcome<Vec<&'a Table>> {
    if args.all {
        return Ok(tables.iter().collect());
    }
    let find = |id: &String| {
        tables.iter().find(|table| table.id == *id).ok_or_else(|| {
            let ids: Vec<&str> = tables.iter().map(|table| table.id.as_str()).collect();
            let hint = did_you_mean(id, ids.iter().copied());
            bad_input!("no table {id:?}{hint}; there are: {}", ids.join(", "))
        })
    };
    args.tables.iter().map(find).collect()
}

fn list(tables: &[Table], as_json: bool) -> Outcome {
    let row = |table: &Table| {
        let place = format!("{}, {}", table.paper, table.place);
        let how = if table.measures() || !table.products().is_empty() {
            "measured"
        } else if table.campaign.is_some() {
            "counted"
        } else {
            "described"
        };
        vec![table.id.clone(), place, how.into(), table.about.clone()]
    };
    let heads = ["table", "source", "method", "content"];
    answer(as_json, "tables", &json!({"tables": tables}), || {
        grid(&heads, tables.iter().map(row).collect(), 0..0) + "\n"
    })
}

fn campaign_of(name: &str, args: &ReproduceArgs) -> Outcome<Campaign> {
    let mut campaign = ours::campaign_of(name)?;
    let quick = args.quick.then_some(Profile::Quick);
    let profile = args.profile.or(quick).unwrap_or(campaign.protocol.profile);
    campaign.set_profile(profile);
    if profile == Profile::Quick {
        let line_by_line = campaign.tracks.iter().all(|track| track.is_lockstep());
        let lines = |set: &TestSet| if line_by_line { quick_lines(set) } else { QUICK_THROUGHPUT_LINES };
        campaign.test_sets = campaign.test_sets.iter().map(|set| set.first(lines(set))).collect();
    }
    narrow(&mut campaign, &FilterArgs { systems: args.systems.clone(), ..FilterArgs::default() })?;
    Ok(campaign)
}

/// Number of lines of a quick latency campaign, within [`QUICK_WORDS`].
fn quick_lines(set: &TestSet) -> usize {
    let mut sum = 0;
    let fitting = set.source.iter().take(QUICK_LINES).take_while(|line| {
        sum += words(line);
        sum <= QUICK_WORDS
    });
    fitting.count().max(1)
}

/// Runs the campaign, or reads its finished run. A dry run, and tables that only count, need no run.
fn share(campaign: Campaign, measures: bool, args: &ReproduceArgs) -> Outcome<(Ours, Exit)> {
    let (run, exit) = match (measures, args.dry_run) {
        (true, false) => run_of(&campaign, args.again).map(|(run, exit)| (Some(run), exit))?,
        (true, true) => {
            say!("campaign {}", campaign.name);
            (None, dry_run(&campaign, &host::detect()?, args.json)?)
        }
        (false, _) => (None, Exit::Done),
    };
    Ok((Ours { run, campaign }, exit))
}

/// Measures the products of a table, which takes about a second, and keeps their speeds.
fn products_of(table: &Table, args: &ReproduceArgs) -> Outcome<Option<Products>> {
    if table.products().is_empty() {
        return Ok(None);
    }
    if args.dry_run {
        let count = counted(table.products().len(), "product", "products");
        say!("{}: {count}, about a second", table.id);
        return Ok(None);
    }
    let host = host::detect()?;
    let products = measure(table, &host)?;
    keep(table, &host, &products)?;
    Ok(Some(products))
}

fn run_of(campaign: &Campaign, again: bool) -> Outcome<((PathBuf, Run), Exit)> {
    let (host, runs) = (host::detect()?, Path::new(RUNS));
    make_ready(campaign)?;
    if !again && let Some(folder) = Store::finished(runs, &campaign.identity(&host)?, campaign.rounds())? {
        say!("reading {}, measured before; use --again to measure again", folder.display());
        let run = Run::read(&folder)?;
        return Ok(((folder, run), Exit::Done));
    }
    let options =
        Options { place: Place::Below(runs), price: None, prices: None, tuned: false, keeps_going: false };
    let finished = run_campaign(campaign, &host, &options)?;
    let folder = finished.store.folder().to_owned();
    say!("run: {}", folder.display());
    if let Some(interrupted) = &finished.interrupted {
        say!("{interrupted}; repeat the command to resume");
    }
    let exit = finished.exit();
    Ok(((folder, finished.run), exit))
}

fn show(reproductions: &[Reproduction], args: &ReproduceArgs) -> Outcome<()> {
    if let Some(path) = &args.out {
        write_text(path, &page(reproductions)?)?;
        say!("page: {}", path.display());
    }
    if let Some(folder) = &args.figures {
        write_figures(figures(reproductions), folder)?;
    }
    match (args.json, args.markdown) {
        (true, _) => print_json("reproduce", &json!({"reproductions": reproductions})),
        (_, true) => print(&reproductions.iter().map(markdown).collect::<Vec<_>>().join("\n")),
        _ => print(&reproductions.iter().map(text).collect::<Vec<_>>().join("\n")),
    }
}
