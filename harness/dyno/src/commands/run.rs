//! `dyno run`: measures a campaign round by round, scores it and prints its tables.

use std::path::Path;

use dyno_measure::host;
use dyno_record::Record;
use dyno_results::Place;
use dyno_stats::median;
use serde_json::json;

use crate::campaign::{Campaign, named_or_starter};
use crate::cli::measuring::RunArgs;
use crate::cli::runs::PriceArgs;
use crate::exit::{Exit, Outcome};
use crate::filters::narrow;
use crate::forecast::Forecast;
use crate::output::{print_json, print_verdicts, say};
use crate::page::write_page;
use crate::progress::clock;
use crate::runner::{Finished, Options, dry_run, run_campaign};
use crate::table;
use crate::tuning::{explain, preflight};

/// Runs the starter campaign: `dyno` without a command. The first line says so, since a newcomer may expect a help
/// text.
pub fn run_starter() -> Outcome {
    let (args, host) = (RunArgs::default(), host::detect()?);
    let campaign = campaign_of(&args)?;
    let time = clock(Forecast::of(&campaign, &host.cores)?.whole(&campaign.plan(|_| None)?));
    say!(
        "dyno without a command measures the starter campaign, about {time} (minutes:seconds); `dyno --help` shows \
         the commands, Ctrl-C ends the run"
    );
    run(&args)
}

fn campaign_of(args: &RunArgs) -> Outcome<Campaign> {
    let mut campaign = named_or_starter(args.campaign.as_deref())?;
    campaign.set_profile(args.profile.unwrap_or(campaign.protocol.profile));
    narrow(&mut campaign, &args.filters)?;
    campaign.enter_twin();
    campaign.take_shard(args.shard)?;
    Ok(campaign)
}

pub fn run(args: &RunArgs) -> Outcome {
    let campaign = campaign_of(args)?;
    let host = host::detect()?;
    if campaign.rounds() == 0 {
        say("dyno: nothing to measure: the filters leave no system, test set or track");
        return Ok(Exit::NothingMeasured);
    }
    if args.dry_run {
        preflight(&campaign)?;
        return dry_run(&campaign, &host, args.json);
    }
    let place = args.out.as_deref().map_or(Place::Below(Path::new("runs")), Place::Exactly);
    let PriceArgs { price, prices } = &args.pricing;
    let options = Options {
        place,
        price: price.as_deref(),
        prices: prices.as_deref(),
        tuned: !args.no_tune,
        keeps_going: args.keep_going,
    };
    let finished = run_campaign(&campaign, &host, &options)?;
    if args.explain {
        explain(finished.store.folder())?;
    }
    let page = write_page(finished.store.folder(), &finished.run, &finished.summary);
    conclude(&finished, page.as_deref(), args.json)?;
    if let Some(interrupted) = &finished.interrupted {
        say!("{interrupted}; repeat the command to resume");
    }
    Ok(finished.exit())
}

fn conclude(finished: &Finished, page: Option<&Path>, as_json: bool) -> Outcome<()> {
    let Finished { store, run, summary, scored, .. } = finished;
    let (folder, records) = (store.folder(), run.records.as_slice());
    let floor_us = run.pipe_floor_us();
    if as_json {
        let fields = json!({
            "run": folder, "report": page, "scored": scored, "cells": summary.cells, "metrics": summary.metrics,
            "disagreements": summary.disagreements, "noise_floors": summary.noise_floors, "pipe_floor_us": floor_us,
            "bench_share": bench_share(records), "price": summary.price,
        });
        return print_json("run", &fields);
    }
    let floor = floor_us.map_or(String::new(), |us| {
        format!("\npipe floor: {us:.1} µs a line between two processes without other work; not subtracted")
    });
    let null = null_us(records).zip(floor_us).map_or(String::new(), |(null, floor)| {
        format!("\nnull system: {null:.1} µs a line, {:+.1} µs above the floor", null - floor)
    });
    let share = bench_share(records).map_or(String::new(), |share| {
        format!("\nthe bench itself: {:.2} % of a core next to systems of 2 ms a line or more", share * 100.0)
    });
    let page = page.map(|page| format!("report: {}\n", page.display())).unwrap_or_default();
    let (tables, folder) = (table::render(summary), folder.display());
    print_verdicts(&format!("{tables}{floor}{null}{share}\nrun: {folder}\n{page}"))
}

/// Cost of the whole path: the median line time of the null backend, if the campaign has it.
fn null_us(records: &[Record]) -> Option<f64> {
    let is_null = |record: &&Record| record.command.windows(2).any(|pair| pair == ["--backend", "null"]);
    let idle = |record: &&Record| !record.command.iter().any(|argument| argument.starts_with("word-us="));
    let alone = |record: &&Record| record.track.has_one_line();
    let lines = records.iter().filter(is_null).filter(idle).filter(alone);
    let us: Vec<f64> = lines.filter_map(|record| median(&in_us(record.latency_ns()))).collect();
    median(&us)
}

/// CPU time of the bench as a share of the rounds' time, in the latency track. Only systems with a line time
/// of [`SLOW_US`] or more count: the bench takes the same time for each line, short or long.
fn bench_share(records: &[Record]) -> Option<f64> {
    let is_slow = |record: &&Record| {
        record.track.has_one_line() && median(&in_us(record.latency_ns())).is_some_and(|us| us >= SLOW_US)
    };
    let share = |record: &Record| Some(record.bench_ns as f64 / 1e9 / record.noise.last()?.seconds);
    median(&records.iter().filter(is_slow).filter_map(share).collect::<Vec<_>>())
}

/// Least line time, in µs, for the share of the bench; 2 ms a line is still a fast system.
const SLOW_US: f64 = 2000.0;

fn in_us(ns: &[u64]) -> Vec<f64> {
    ns.iter().map(|&ns| ns as f64 / 1e3).collect()
}
