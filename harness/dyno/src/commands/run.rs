//! `dyno run`: a campaign, measured round by round, scored, and printed.

use std::path::Path;

use dyno_measure::{Host, Record};
use dyno_results::Place;
use dyno_stats::median;
use serde_json::json;

use crate::campaign::named_or_starter;
use crate::cli::RunArgs;
use crate::exit::{Exit, Outcome};
use crate::output::{print, print_json, say};
use crate::page::write_page;
use crate::runner::{Finished, Options, dry_run, run_campaign};
use crate::table;
use crate::tuning::{explain, preflight};

/// Runs the campaign of `args`.
pub fn run(args: &RunArgs) -> Outcome {
    let mut campaign = named_or_starter(args.campaign.as_deref())?;
    campaign.profile = args.profile.unwrap_or(campaign.profile);
    args.filters.apply(&mut campaign)?;
    campaign.enter_twin();
    let host = Host::detect()?;
    if campaign.rounds() == 0 {
        say("dyno: nothing to measure: no system, test set or track is left");
        return Ok(Exit::NothingMeasured);
    }
    if args.dry_run {
        preflight(&campaign)?;
        return dry_run(&campaign, &host, args.json);
    }
    let place = args.out.as_deref().map_or(Place::Below(Path::new("runs")), Place::Exactly);
    let options = Options { place, prices: &args.price, tuned: !args.no_tune };
    let finished = run_campaign(&campaign, &host, &options)?;
    if args.explain {
        explain(finished.store.folder())?;
    }
    let page = write_page(finished.store.folder(), &finished.run, &finished.summary);
    conclude(&finished, page.as_deref(), args.json)?;
    Ok(finished.exit())
}

/// Prints what was measured, and what the measuring itself took.
fn conclude(finished: &Finished, page: Option<&Path>, as_json: bool) -> Outcome<()> {
    let Finished { store, run, summary, scored, .. } = finished;
    let (folder, records) = (store.folder(), run.records.as_slice());
    let floor_us = pipe_floor_us(records);
    if as_json {
        return print_json(&json!({
            "run": folder, "report": page, "scored": scored, "cells": summary.cells,
            "noise_floors": summary.noise_floors, "pipe_floor_us": floor_us, "bench_share": bench_share(records),
            "price": summary.price,
        }));
    }
    let floor = floor_us.map_or(String::new(), |us| {
        format!("\npipe floor: {us:.1} µs for a line between two processes that do nothing else; nothing subtracted")
    });
    let null = null_us(records).zip(floor_us).map_or(String::new(), |(null, floor)| {
        format!("\nnull system: {null:.1} µs a line, {:+.1} µs above the floor", null - floor)
    });
    let share = bench_share(records).map_or(String::new(), |share| {
        format!("\nthe bench itself: {:.2} % of a core beside systems of 2 ms a line or more", share * 100.0)
    });
    let page = page.map(|page| format!("report: {}\n", page.display())).unwrap_or_default();
    print(&format!("{}{floor}{null}{share}\nrun: {}\n{page}", table::render(summary), folder.display()))
}

/// Measured at each start of the bench: an interrupted run has several.
fn pipe_floor_us(records: &[Record]) -> Option<f64> {
    let floors = records.iter().filter_map(|record| record.pipe_floor_ns);
    median(&in_us(&floors.collect::<Vec<_>>()))
}

/// What the whole path costs: the median line of the system that does nothing, where it competes.
fn null_us(records: &[Record]) -> Option<f64> {
    let is_null = |record: &&Record| record.command.windows(2).any(|pair| pair == ["--backend", "null"]);
    let idle = |record: &&Record| !record.command.iter().any(|argument| argument.starts_with("word-us="));
    let lines = records.iter().filter(is_null).filter(idle);
    let us: Vec<f64> = lines.filter_map(|record| median(&in_us(&record.latency_ns))).collect();
    median(&us)
}

/// The bench's own CPU time as a share of the rounds' time, in lock-step with systems that take [`SLOW_US`] a line
/// or more: what it takes a line doesn't depend on how long that lasts.
fn bench_share(records: &[Record]) -> Option<f64> {
    let is_slow = |record: &&Record| median(&in_us(&record.latency_ns)).is_some_and(|us| us >= SLOW_US);
    let share = |record: &Record| Some(record.bench_ns as f64 / 1e9 / record.noise.last()?.seconds);
    median(&records.iter().filter(is_slow).filter_map(share).collect::<Vec<_>>())
}

/// A system of 2 ms a line is a quick one.
const SLOW_US: f64 = 2000.0;

fn in_us(ns: &[u64]) -> Vec<f64> {
    ns.iter().map(|&ns| ns as f64 / 1e3).collect()
}
