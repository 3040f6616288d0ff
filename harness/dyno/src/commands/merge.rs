//! `dyno merge`: runs of several hosts as one result.

use dyno_results::merge::{HostRun, is_merged, read_runs};
use dyno_results::{Merged, Summary, scores};
use serde_json::json;

use crate::cli::runs::MergeArgs;
use crate::exit::{Exit, Outcome};
use crate::output::{print_json, print_verdicts};
use crate::page::write_hosts_page;
use crate::table;

/// Merges the runs of `args`, scores texts that lack a score, and writes the page.
pub fn merge(args: &MergeArgs) -> Outcome {
    if let Some(merged) = args.runs.iter().find(|run| is_merged(run)) {
        let remedy = "name the runs that it was merged from";
        refuse!("{} is merged already; {remedy}", merged.display());
    }
    let mut merged = Merged::of(read_runs(&args.runs)?)?;
    merged.share_metrics();
    for host in &mut merged.hosts {
        let Some(answer) = scores::score_run(&host.run, &[]) else { continue };
        for failure in &answer.failures {
            let name = &host.name;
            say!("warning: no scores on {name}: {failure}; `dyno score` can add them to its run");
        }
        host.run.scores = answer.scores;
    }
    merged.share_scales();
    let summaries = merged.summaries();
    merged.write(&args.out, &summaries)?;
    merged.notes.iter().for_each(|note| say!("note: {note}"));
    let page = write_hosts_page(&args.out, &merged, &summaries);
    if args.json {
        let host = |(host, summary): (&HostRun, &Summary)| {
            json!({
                "name": host.name, "cpu": host.run.identity.host.cpu, "price": summary.price,
                "noise_floors": summary.noise_floors, "cells": summary.cells,
            })
        };
        let hosts: Vec<_> = merged.hosts.iter().zip(&summaries).map(host).collect();
        let (campaign, notes) = (&merged.campaign, &merged.notes);
        let fields = json!({
            "merged": args.out, "report": page, "campaign": campaign, "hosts": hosts, "notes": notes,
        });
        print_json("merge", &fields)?;
    } else {
        let page = page.map(|page| format!("report: {}\n", page.display())).unwrap_or_default();
        let (tables, out) = (table::render_hosts(&summaries), args.out.display());
        print_verdicts(&format!("{tables}\nmerged: {out}\n{page}"))?;
    }
    Ok(Exit::Done)
}
