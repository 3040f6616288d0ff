//! `dyno publish`: a copy of a finished run in results/<date>-<host>/, with its report.
//!
//! The folder of published runs is append-only. Paths of this host are shortened in the copy.

mod copy;

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::Context;
use dyno_api::files;
use dyno_measure::files::entries_below;
use dyno_measure::{Profile, Verdict};
use dyno_report::{BEGIN, END, Report, inline};
use dyno_results::store::files::write_whole;
use dyno_results::{COMMAND, Run, Summary};
use dyno_stats::numbers::counted;
use serde_json::json;

use copy::copy;

use crate::cli::PublishArgs;
use crate::exit::{Exit, Outcome, bad_input};
use crate::output::{print, print_json, say, warn_of_look_alikes};
use crate::page::{self, commands, readme_with, write_figures};

/// Entries of the run's folder that aren't published: the lock and temporary files.
const UNPUBLISHED: [&str; 2] = ["run.lock", "scratch"];

/// Most letters of the label and of the host's name, as in names of systems. File systems allow 255 in all.
const MOST_LETTERS: usize = 60;

/// Folder of the figures in a published run.
const FIGURES: &str = "figures";

/// Copies the run of `args` with its report, completely or not at all.
pub fn publish(args: &PublishArgs) -> Outcome {
    let run = Run::read(&args.run)?;
    refuse_unfinished(&args.run, &run)?;
    refuse_inside(&args.run, &args.to)?;
    warn_of_look_alikes(&run.systems());
    let files = files_of(&args.run)?;
    let place = args.to.join(name(&run, args.label.as_deref())?);
    if place.exists() {
        let remedy = "choose a name with --as NAME; dyno never overwrites a published run";
        return Err(bad_input(format!("{} exists already; {remedy}", place.display())));
    }
    let summary = Summary::of(&run);
    doubts(&run, &summary).iter().for_each(|doubt| say(format_args!("warning: {doubt}")));
    let report = Report::of(&run, &summary, &[]);
    let private = PrivateFolders::of_this_host()?;
    let figures = place.join(FIGURES);
    let updated = |readme| readme_with(&report, &run, readme, &figures).map(|text| (readme, text));
    let readme: Option<(&Path, String)> = args.readme.as_deref().map(updated).transpose()?;
    make_folder(&args.to)?;
    copy(&args.run, &files, &place, |folder| {
        private.shorten_in(folder)?;
        add_report(folder)
    })?;
    if let Some((path, text)) = &readme {
        write_whole(path, text.as_bytes())?;
    }
    say(
        "note: the records hold this host's commands, with . for this folder and ~ for your home; check them before you share the run",
    );
    if args.json {
        print_json("publish", &json!({"published": place, "readme": args.readme}))?;
    } else {
        print(&format!("{}\n", place.display()))?;
    }
    Ok(Exit::Done)
}

/// Creates the folder of published runs. A failure is bad input, which the user can correct.
fn make_folder(to: &Path) -> Outcome<()> {
    fs::create_dir_all(to).map_err(|error| {
        let remedy = "choose another folder with --to; nothing was published";
        let fault = if to.is_file() { "it is a file".into() } else { error.to_string() };
        bad_input(format!("{} can't be the folder of published runs: {fault}; {remedy}", to.display()))
    })
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
    Err(bad_input(format!("the run in {} {fault}", folder.display())))
}

/// Refuses a folder inside the run, which would become part of its own copy.
fn refuse_inside(run: &Path, to: &Path) -> Outcome<()> {
    let (run, to) = (run.canonicalize()?, std::path::absolute(to)?);
    match to.ancestors().find_map(|folder| folder.canonicalize().ok()) {
        Some(there) if there.starts_with(&run) => {
            Err(bad_input(format!("{} is inside the run: choose another folder with --to", to.display())))
        }
        _ => Ok(()),
    }
}

/// Files to publish, relative to the run's folder. A link could publish any file of this host.
fn files_of(run: &Path) -> Outcome<Vec<PathBuf>> {
    let entries = entries_below(run).with_context(|| format!("can't read {}", run.display()))?;
    let inside = entries.iter().filter_map(|entry| entry.strip_prefix(run).ok());
    let inside = inside.filter(|inside| !UNPUBLISHED.iter().any(|left| inside.starts_with(left)));
    let files: Vec<PathBuf> = inside.map(Path::to_owned).collect();
    for file in &files {
        let path = run.join(file);
        files::open_itself(&path).map_err(|error| {
            let remedy = "remove it, or put a copy of the file in its place; nothing was published";
            bad_input(format!("can't publish {}: {error}; {remedy}", path.display()))
        })?;
    }
    Ok(files)
}

/// Reasons why others should not rely on a published run, each with its remedy.
fn doubts(run: &Run, summary: &Summary) -> Vec<String> {
    let mut doubts = Vec::new();
    let cells = summary.cells.len();
    let count = |verdict| summary.cells.iter().filter(|row| row.verdict == verdict).count();
    let (noisy, invalid) = (count(Verdict::Noisy), count(Verdict::Invalid));
    if summary.cells.iter().all(|row| row.verdict == Verdict::Invalid || row.words_per_second.is_none()) {
        doubts.push("the run is empty: no cell has a figure that may be quoted".into());
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
fn add_report(folder: &Path) -> Outcome<()> {
    let run = Run::read(folder)?;
    let report = Report::of(&run, &Summary::of(&run), &[]);
    page::write(&report, &folder.join(page::NAME), folder)?;
    write_figures(report.figures(), &folder.join(FIGURES))?;
    let blank = format!(
        "# {}, {}\n\n{BEGIN}\n{END}\n",
        inline(&run.identity.campaign),
        inline(&run.identity.host.cpu)
    );
    let readme = report.readme(&blank, FIGURES, &commands(&run)).context("the new README has no markers")?;
    Ok(write_whole(&folder.join("README.md"), readme.as_bytes())?)
}

/// Private folders of this host as JSON writes them, each with its replacement.
struct PrivateFolders(Vec<(String, &'static str)>);

impl PrivateFolders {
    /// The working folder and the home folder, the longer one first: the working folder is often inside the
    /// home.
    fn of_this_host() -> anyhow::Result<Self> {
        let here = env::current_dir()
            .context("the working folder was removed; run `dyno publish` in another one")?;
        let known = [(Some(here), "."), (env::var_os("HOME").map(PathBuf::from), "~")];
        let mut places = Vec::new();
        for (folder, sign) in known {
            let Some(folder) = folder.filter(|folder| folder.components().count() > 1) else { continue };
            let quoted = serde_json::to_string(&folder.to_string_lossy())?;
            places.push((quoted.trim_matches('"').to_owned(), sign));
        }
        places.sort_by_key(|(folder, _)| Reverse(folder.len()));
        Ok(Self(places))
    }

    /// Replaces the private folders in the copied files; the rest stays the same, byte by byte.
    fn shorten_in(&self, run: &Path) -> Outcome<()> {
        let files = ["run.json", "records.jsonl", "metrics.json", COMMAND].map(|name| run.join(name));
        for file in files.iter().filter(|file| file.is_file()) {
            let text = files::read_to_string(file).with_context(|| file.display().to_string())?;
            let cut =
                self.0.iter().fold(text, |text, (folder, sign)| with_folder_replaced(&text, folder, sign));
            write_whole(file, cut.as_bytes())?;
        }
        Ok(())
    }
}

/// Replaces `folder` by `sign` where a path equals or begins with `folder`, but not inside other paths.
fn with_folder_replaced(text: &str, folder: &str, sign: &str) -> String {
    let inside = |c: char| c.is_alphanumeric() || "/._~-".contains(c);
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(folder) {
        let (before, after) = (&rest[..at], &rest[at + folder.len()..]);
        let begins = !(if before.is_empty() { out.as_str() } else { before }).ends_with(inside);
        let ends = after.starts_with('/') || !after.starts_with(inside);
        out.push_str(before);
        out.push_str(if begins && ends { sign } else { folder });
        rest = after;
    }
    out + rest
}

/// Name of the published run: day of the first round, CPU and cores of the host, and the label.
fn name(run: &Run, label: Option<&str>) -> Outcome<String> {
    let host = &run.identity.host;
    let day = run.day().unwrap_or_else(|| "undated".into());
    let mut name = format!("{day}-{}-{}c", clipped(&slug(&host.cpu)), host.cores.len());
    if let Some(label) = label {
        if slug(label) != label.to_lowercase() || label.is_empty() || label.len() > MOST_LETTERS {
            let rule = format!("use 1 to {MOST_LETTERS} letters, digits and single dashes");
            return Err(bad_input(format!("invalid name {label:?}: {rule}")));
        }
        name = format!("{name}-{label}");
    }
    Ok(name)
}

/// `text` in lower-case letters and digits, with single dashes between words.
fn slug(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase()
}

/// `text`, which is ASCII, without what is beyond [`MOST_LETTERS`].
fn clipped(text: &str) -> &str {
    &text[..text.len().min(MOST_LETTERS)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_this_host_is_written_short_and_others_stay() {
        let cut = |text| with_folder_replaced(text, "/home/ann", "~");
        assert_eq!(
            cut(r#"["/home/ann/bin/mt","a=\"/home/ann\"","/home/ann"]"#),
            r#"["~/bin/mt","a=\"~\"","~"]"#
        );
        for other in ["/home/anna/x", "/mnt/home/ann/x", "/home/ann.old", "/home/an"] {
            assert_eq!(cut(other), other);
        }
    }

    #[test]
    fn hosts_become_folder_names() {
        assert_eq!(slug("AMD EPYC 9R14 (Zen 4)"), "amd-epyc-9r14-zen-4");
        assert_eq!(slug("Intel(R) Xeon(R) @ 2.50GHz"), "intel-r-xeon-r-2-50ghz");
    }
}
