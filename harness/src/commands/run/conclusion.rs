//! The end of a run: its tables, and what the path itself costs.

use std::path::Path;

use serde_json::json;

use super::Measured;
use crate::commands::{print, print_json};
use crate::exit::Outcome;
use crate::stats::median;
use crate::store::{Record, Store};
use crate::table;

/// Prints what was measured, and what the measuring itself took.
pub(super) fn conclude(measured: &Measured, page: Option<&Path>, as_json: bool) -> Outcome<()> {
    let Measured { store, summary, scored, .. } = measured;
    let folder = store.folder();
    let floor_us = pipe_floor_us(store);
    if as_json {
        return print_json(&json!({
            "run": folder, "report": page, "scored": scored, "cells": summary.cells,
            "noise_floors": summary.noise_floors, "pipe_floor_us": floor_us, "bench_share": bench_share(store),
            "price": summary.price,
        }));
    }
    let floor = floor_us.map_or(String::new(), |us| {
        format!("\npipe floor: {us:.1} µs for a line between two processes that do nothing else; nothing subtracted")
    });
    let null = null_us(store).zip(floor_us).map_or(String::new(), |(null, floor)| {
        format!("\nnull system: {null:.1} µs a line, {:+.1} µs above the floor", null - floor)
    });
    let share = bench_share(store).map_or(String::new(), |share| {
        format!("\nthe bench itself: {:.2} % of a core beside systems of 2 ms a line or more", share * 100.0)
    });
    let page = page.map(|page| format!("report: {}\n", page.display())).unwrap_or_default();
    print(&format!("{}{floor}{null}{share}\nrun: {}\n{page}", table::render(summary), folder.display()))
}

/// Measured at each start of the bench: an interrupted run has several.
fn pipe_floor_us(store: &Store) -> Option<f64> {
    let floors = store.records().iter().filter_map(|record| record.pipe_floor_ns);
    median(&in_us(&floors.collect::<Vec<_>>()))
}

/// What the whole path costs: the median line of the system that does nothing, where it competes.
fn null_us(store: &Store) -> Option<f64> {
    let is_null = |record: &&Record| record.command.windows(2).any(|pair| pair == ["--backend", "null"]);
    let idle = |record: &&Record| !record.command.iter().any(|argument| argument.starts_with("word-us="));
    let lines = store.records().iter().filter(is_null).filter(idle);
    let us: Vec<f64> = lines.filter_map(|record| median(&in_us(&record.latency_ns))).collect();
    median(&us)
}

/// The bench's own CPU time as a share of the rounds' time, in lock-step with systems that take [`SLOW_US`] a line
/// or more: what it takes a line doesn't depend on how long that lasts.
fn bench_share(store: &Store) -> Option<f64> {
    let is_slow = |record: &&Record| median(&in_us(&record.latency_ns)).is_some_and(|us| us >= SLOW_US);
    let share = |record: &Record| Some(record.bench_ns as f64 / 1e9 / record.noise.last()?.seconds);
    median(&store.records().iter().filter(is_slow).filter_map(share).collect::<Vec<_>>())
}

/// A system of 2 ms a line is a quick one.
const SLOW_US: f64 = 2000.0;

fn in_us(ns: &[u64]) -> Vec<f64> {
    ns.iter().map(|&ns| ns as f64 / 1e3).collect()
}
