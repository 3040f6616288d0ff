//! `dyno publish`: a finished run into results/<date>-<host>/. Append-only: what was published stays as it was.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::json;

use super::report::{self, commands, readme_with, write_figures};
use super::{print, print_json};
use crate::cli::PublishArgs;
use crate::day::day;
use crate::exit::{Exit, Outcome, bad_input};
use crate::numbers::counted;
use crate::report::{BEGIN, END, Report};
use crate::say::say;
use crate::store::{Run, collect_files, write_whole};

/// Not of the run itself: its lock, and what was in flight.
const LEFT_BEHIND: [&str; 2] = ["run.lock", "scratch"];

/// Where the figures lie in a published run.
const FIGURES: &str = "figures";

/// Copies the run with its report, whole or not at all.
pub fn publish(args: &PublishArgs) -> Outcome {
    let run = Run::read(&args.run)?;
    refuse_unfinished(&args.run, &run)?;
    let place = args.to.join(name(&run, args.label.as_deref())?);
    if place.exists() {
        let remedy = "tell this run from it with --as NAME; nothing published is ever changed";
        return Err(bad_input(format!("{} is there already: {remedy}", place.display())));
    }
    let report = Report::of(&run, &[]);
    let figures = place.join(FIGURES);
    let updated = |readme| readme_with(&report, &run, readme, &figures).map(|text| (readme, text));
    let readme: Option<(&Path, String)> = args.readme.as_deref().map(updated).transpose()?;
    copy(&args.run, &args.to, &place, |folder| add_report(&report, &run, folder))?;
    if let Some((path, text)) = &readme {
        write_whole(path, text.as_bytes())?;
    }
    say("note: records name commands and folders of this host; look before you share them");
    if args.json {
        print_json(&json!({"published": place, "readme": args.readme}))?;
    } else {
        print(&format!("{}\n", place.display()))?;
    }
    Ok(Exit::Done)
}

fn refuse_unfinished(folder: &Path, run: &Run) -> Outcome<()> {
    let fault = match run.missing_rounds() {
        0 if folder.join("summary.csv").exists() => return Ok(()),
        0 => "has no summary.csv: `dyno score` writes it".into(),
        missing => format!(
            "is unfinished ({} missing): run the campaign again with the same --out: it resumes",
            counted(missing, "round", "rounds")
        ),
    };
    Err(bad_input(format!("the run in {} {fault}", folder.display())))
}

/// The page, the figures, and the frontier where a visitor of the folder looks first.
fn add_report(report: &Report, run: &Run, folder: &Path) -> Outcome<()> {
    report::write(report, &folder.join(report::NAME), folder)?;
    write_figures(report, &folder.join(FIGURES))?;
    let blank = format!("# {}, {}\n\n{BEGIN}\n{END}\n", run.identity.campaign, run.identity.host.cpu);
    let readme = report.readme(&blank, FIGURES, &commands(run)).context("markers in what was just made")?;
    write_whole(&folder.join("README.md"), readme.as_bytes())
}

/// The day of the first round, and the host by its CPU.
fn name(run: &Run, label: Option<&str>) -> Outcome<String> {
    let started = run.records.iter().map(|record| record.started_unix_ms).min().unwrap_or(0);
    let host = &run.identity.host;
    let mut name = format!("{}-{}-{}c", day(started / 1000), slug(&host.cpu), host.cores.len());
    if let Some(label) = label {
        if slug(label) != label.to_lowercase() || label.is_empty() {
            return Err(bad_input(format!(
                "{label:?} won't do as a name: letters, digits and single dashes do"
            )));
        }
        name = format!("{name}-{label}");
    }
    Ok(name)
}

/// Lower-case letters and digits, with single dashes between.
fn slug(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase()
}

/// Copies a folder's files aside, lets `add` add to them, and moves the whole to its place.
fn copy(from: &Path, to: &Path, place: &Path, add: impl Fn(&Path) -> Outcome<()>) -> Outcome<()> {
    let copied = || -> anyhow::Result<()> {
        fs::create_dir_all(to)?;
        let aside = tempfile::Builder::new().prefix(".publishing-").tempdir_in(to)?;
        let mut files = Vec::new();
        collect_files(from, &mut files)?;
        for file in files {
            let inside = file.strip_prefix(from)?;
            if LEFT_BEHIND.iter().any(|left| inside.starts_with(left)) {
                continue;
            }
            let target: PathBuf = aside.path().join("run").join(inside);
            fs::create_dir_all(target.parent().context("a file lies in a folder")?)?;
            fs::copy(&file, &target)?;
            fs::File::open(&target)?.sync_all()?;
        }
        add(&aside.path().join("run")).map_err(|failure| failure.error)?;
        Ok(fs::rename(aside.path().join("run"), place)?)
    };
    let remedy = "make it writable and make room, or choose another folder with --to; nothing was published";
    Ok(copied().with_context(|| format!("can't publish to {}: {remedy}", place.display()))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_become_folder_names() {
        assert_eq!(slug("AMD EPYC 9R14 (Zen 4)"), "amd-epyc-9r14-zen-4");
        assert_eq!(slug("Intel(R) Xeon(R) @ 2.50GHz"), "intel-r-xeon-r-2-50ghz");
    }
}
