//! `dyno publish`: a copy of a finished run in `results/<date>-<host>/`, with its report.
//!
//! The folder of published runs is append-only. Paths of this host are shortened in the copy.

use std::path::Path;

use anyhow::Context;
use dyno_record::{Profile, Verdict};
use dyno_report::{BEGIN, END, Report, inline};
use dyno_results::store::files::write_whole;
use dyno_results::{Run, Summary};
use dyno_stats::numbers::counted;
use serde_json::json;

use crate::cli::runs::PublishArgs;
use crate::exit::Outcome;
use crate::output::{answer, warn_of_look_alikes};
use crate::page::{self, commands, readme_with, write_figures};
use crate::publication::{self, FIGURES, PrivateFolders, Source, files_of, name};

/// Copies the run of `args` with its report, completely or not at all.
pub fn publish(args: &PublishArgs) -> Outcome {
    let run = Run::read(&args.run)?;
    refuse_unfinished(&args.run, &run)?;
    refuse_inside(&args.run, &args.to)?;
    warn_of_look_alikes(&run.systems());
    let files = files_of(&args.run)?;
    let day = run.day().unwrap_or_else(|| "undated".into());
    let place = args.to.join(name(&day, &run.identity.host, args.label.as_deref())?);
    if place.exists() {
        let remedy = "choose a name with --as NAME; dyno never overwrites a published run";
        refuse!("{} exists already; {remedy}", place.display());
    }
    let summary = Summary::of(&run);
    doubts(&run, &summary).iter().for_each(|doubt| say!("warning: {doubt}"));
    let report = Report::of(&run, &summary, &[]);
    let private = PrivateFolders::of_this_host([&*args.run])?;
    let figures = place.join(FIGURES);
    let commands = commands(&run, &private);
    let updated = |readme| readme_with(&report, &commands, readme, &figures).map(|text| (readme, text));
    let readme: Option<(&Path, String)> = args.readme.as_deref().map(updated).transpose()?;
    let sources: Vec<Source> = files.into_iter().map(|file| (args.run.join(&file), file)).collect();
    publication::publish(&sources, (&args.to, &place), readme, |folder| {
        private.shorten_in(folder)?;
        add_report(folder, &commands)
    })?;
    let fields = json!({"published": place, "readme": args.readme});
    answer(args.json, "publish", &fields, || format!("{}\n", place.display()))
}

fn refuse_unfinished(folder: &Path, run: &Run) -> Outcome<()> {
    let fault = match run.missing_rounds() {
        0 if folder.join("summary.csv").exists() => return Ok(()),
        0 => "has no summary.csv: `dyno score` writes it".into(),
        missing => format!(
            "is unfinished ({} missing): run the campaign again with the same --out to resume it",
            counted(missing, "round", "rounds")
        ),
    };
    Err(bad_input!("the run in {} {fault}", folder.display()))
}

/// Refuses a folder inside the run, which would become part of its own copy.
fn refuse_inside(run: &Path, to: &Path) -> Outcome<()> {
    let (run, to) = (run.canonicalize()?, std::path::absolute(to)?);
    match to.ancestors().find_map(|folder| folder.canonicalize().ok()) {
        Some(there) if there.starts_with(&run) => {
            Err(bad_input!("{} is inside the run: choose another folder with --to", to.display()))
        }
        _ => Ok(()),
    }
}

/// Reasons why others should not rely on a published run, each with its remedy.
fn doubts(run: &Run, summary: &Summary) -> Vec<String> {
    let mut doubts = Vec::new();
    let cells = summary.cells.len();
    let count = |verdict| summary.cells.iter().filter(|row| row.verdict == verdict).count();
    let (noisy, invalid) = (count(Verdict::Noisy), count(Verdict::Invalid));
    if summary.cells.iter().all(|row| row.verdict == Verdict::Invalid || row.words_per_second.is_none()) {
        doubts.push(
            "the run is empty: no cell has a figure that may be quoted; see the reasons in its report".into(),
        );
    }
    if run.records.iter().any(|record| record.profile == Profile::Quick) {
        doubts.push("the run has the quick profile, a first look: measure with --profile official".into());
    }
    if noisy > 0 {
        doubts.push(format!(
            "{noisy} of {cells} cells are NOISY: measure again on a quieter host; `dyno doctor` names what \
             disturbs"
        ));
    }
    if (1..cells).contains(&invalid) {
        doubts.push(format!("{invalid} of {cells} cells are INVALID; the report gives the reasons"));
    }
    doubts
}

/// Adds the page, the figures and a README with the frontier.
fn add_report(folder: &Path, commands: &[String]) -> Outcome<()> {
    let run = Run::read(folder)?;
    let report = Report::of(&run, &Summary::of(&run), &[]);
    page::write(&report, &folder.join(page::NAME), folder)?;
    write_figures(report.figures(), &folder.join(FIGURES))?;
    let [campaign, cpu] = [&run.identity.campaign, &run.identity.host.cpu].map(|name| inline(name));
    let blank = format!("# {campaign}, {cpu}\n\n{BEGIN}\n{END}\n");
    let readme = report.readme(&blank, FIGURES, commands).context("the new README has no markers")?;
    Ok(write_whole(&folder.join("README.md"), readme.as_bytes())?)
}
