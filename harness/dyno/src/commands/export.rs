//! `dyno export`: figures of a run in the form of another program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use dyno_report::Report;
use dyno_report::hosts::{latex, markdown};
use dyno_results::merge::{HostRun, rows_by_table};
use dyno_results::scores::Scale;
use dyno_results::services::{action_files, asv, bencher, figures};
use dyno_results::{CellSummary, Merged, csv_of};
use serde_json::Value;

use crate::cli::runs::{ExportArgs, ExportFormat};
use crate::exit::{Exit, Outcome, bad_input};
use crate::output::{create_folder, print};
use crate::page::{host_views, write_text};
use crate::publication::slug;

pub fn export(args: &ExportArgs) -> Outcome {
    let merged = Merged::open(&args.run)?;
    let summaries = merged.summaries();
    let rows = rows_by_table(&summaries);
    let metrics = summaries.first().map_or(&[][..], |summary| &summary.metrics);
    let report = || merged.alone().map(|run| Report::of(run, &summaries[0], &[]));
    let hosts = || host_views(&args.run, &merged, &summaries);
    let figures = figures(&rows, metrics);
    let text = match args.format {
        ExportFormat::Bencher => json_text(&bencher(&figures))?,
        ExportFormat::Csv => csv_of(&rows),
        ExportFormat::Latex => report().map_or_else(|| latex(&hosts()), |report| report.latex()),
        ExportFormat::Markdown => report().map_or_else(|| markdown(&hosts()), |report| report.markdown()),
        ExportFormat::GithubActionBenchmark => {
            return write_files(&folder_of(args)?, action_files(&figures));
        }
        ExportFormat::Asv => return write_asv(args, &merged, &rows, metrics),
    };
    match &args.out {
        Some(path) => write_text(path, &text)?,
        None => print(&text)?,
    }
    Ok(Exit::Done)
}

/// Writes asv's files: a machine for each host, and one list of benchmarks.
fn write_asv<'a>(
    args: &ExportArgs,
    merged: &'a Merged,
    rows: &'a [CellSummary],
    metrics: &[Scale],
) -> Outcome {
    let folder = folder_of(args)?;
    let (hash, unix_ms) = commit(args.commit.as_deref())?;
    let of_host = |host: &'a HostRun| {
        let machine = &host.run.identity.host;
        let mut own = figures(rows, metrics);
        own.retain(|figure| figure.cell.host.as_ref().is_none_or(|name| *name == host.name));
        // The name of a run alone is that of its processor. asv makes folders of names.
        (slug(merged.alone().map_or(&host.name, |_| &machine.cpu)), machine, own)
    };
    write_files(&folder, asv(&merged.hosts.iter().map(of_host).collect::<Vec<_>>(), (&hash, unix_ms)))
}

/// Hash and moment of the commit, by git in the working directory.
fn commit(named: Option<&str>) -> Outcome<(String, i64)> {
    let name = named.unwrap_or("HEAD");
    let told = Command::new("git").args(["log", "-1", "--format=%H %ct", name, "--"]).output();
    let told = told.ok().filter(|told| told.status.success());
    let text = told.map(|told| String::from_utf8_lossy(&told.stdout).into_owned()).unwrap_or_default();
    let (hash, seconds) = text.trim().split_once(' ').unzip();
    let moment = seconds.and_then(|seconds: &str| seconds.parse::<i64>().ok()).map(|seconds| seconds * 1000);
    match hash.zip(moment) {
        Some((hash, moment)) => Ok((hash.into(), moment)),
        None => Err(bad_input!(
            "git knows no commit {name:?} here; run dyno in the repository of the code that was measured, or name --commit"
        )),
    }
}

fn folder_of(args: &ExportArgs) -> Outcome<PathBuf> {
    let folder =
        args.out.clone().ok_or_else(|| bad_input("this format has several files; name a folder with -o"))?;
    create_folder(&folder, "-o")?;
    Ok(folder)
}

fn json_text(value: &Value) -> Outcome<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}

fn write_files(folder: &Path, files: impl IntoIterator<Item = (impl AsRef<Path>, Value)>) -> Outcome {
    for (name, value) in files {
        let path = folder.join(name);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        write_text(&path, &json_text(&value)?)?;
    }
    Ok(Exit::Done)
}
