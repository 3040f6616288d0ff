//! `dyno report`: the page on a run, its figures and its tables. `dyno run` ends with the same page.

use std::fs;
use std::path::{Path, PathBuf};

use super::print;
use crate::cli::ReportArgs;
use crate::exit::{Exit, OrBadInput, Outcome, bad_input};
use crate::report::{BEGIN, END, Published, Report, published};
use crate::say::say;
use crate::store::{Run, write_whole};

/// Writes the report on the run of `args`.
pub fn report(args: &ReportArgs) -> Outcome {
    let run = Run::read(&args.run)?;
    let report = Report::of(&run, &published_of(&args.published)?);
    if let Some(folder) = &args.figures {
        write_figures(&report, folder)?;
    }
    if let (Some(readme), Some(figures)) = (&args.readme, &args.figures) {
        write_readme(&report, readme, figures)?;
    }
    if args.markdown {
        print(&report.markdown())?;
        return Ok(Exit::Done);
    }
    let path = args.out.clone().unwrap_or_else(|| args.run.join(NAME));
    write(&report, &path, &args.run)?;
    say(format_args!("report: {}", path.display()));
    Ok(Exit::Done)
}

const NAME: &str = "report.html";

/// Writes the page into the folder of a run that has just ended; its path. What was measured stands without it, so
/// that its failure is only told.
pub fn write_page(folder: &Path) -> Option<PathBuf> {
    let path = folder.join(NAME);
    let written = Run::read(folder).and_then(|run| write(&Report::of(&run, &[]), &path, folder));
    match written {
        Ok(()) => Some(path),
        Err(failure) => {
            say(format_args!("warning: no report: {:#}; `dyno report` can add it later", failure.error));
            None
        }
    }
}

fn write(report: &Report, path: &Path, run: &Path) -> Outcome<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !parent.is_dir() {
        return Err(bad_input(format!(
            "no folder {}: make it first, or choose another -o",
            parent.display()
        )));
    }
    let beside_records = match (parent.canonicalize(), run.canonicalize()) {
        (Ok(parent), Ok(run)) => parent == run,
        _ => false,
    };
    write_whole(path, report.html(beside_records)?.as_bytes()).map_err(|failure| {
        let remedy = "write it elsewhere with -o FILE";
        bad_input(format!("{:#}; {remedy}", failure.error))
    })
}

fn write_figures(report: &Report, folder: &Path) -> Outcome<()> {
    fs::create_dir_all(folder)
        .map_err(|error| bad_input(format!("can't create {}: {error}", folder.display())))?;
    for (name, svg) in report.figures() {
        write_whole(&folder.join(name), svg.as_bytes())?;
    }
    Ok(())
}

fn write_readme(report: &Report, readme: &Path, figures: &Path) -> Outcome<()> {
    let text = fs::read_to_string(readme)
        .map_err(|error| bad_input(format!("can't read {}: {error}", readme.display())))?;
    // The reader of a README starts in its folder.
    let from = readme.parent().unwrap_or(Path::new(""));
    let figures = figures.strip_prefix(from).unwrap_or(figures).display().to_string();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let command = format!("dyno {}", arguments.join(" "));
    let updated = report.readme(&text, &figures, &command).ok_or_else(|| {
        bad_input(format!(
            "{}: put the lines {BEGIN} and {END} where the figures belong, once",
            readme.display()
        ))
    })?;
    write_whole(readme, updated.as_bytes())
}

/// The points of the papers that were asked for, by any part of their name.
fn published_of(wanted: &[String]) -> Outcome<Vec<Published>> {
    let fits = |paper: &str, wanted: &String| paper.to_lowercase().contains(&wanted.to_lowercase());
    let papers = published::papers()?;
    if let Some(unknown) = wanted.iter().find(|wanted| !papers.iter().any(|paper| fits(paper, wanted))) {
        return Err(bad_input(format!("no points of {unknown:?}: there are those of {}", papers.join(", "))));
    }
    let all = published::all().or_bad_input()?;
    Ok(all.into_iter().filter(|point| wanted.iter().any(|wanted| fits(&point.paper, wanted))).collect())
}
