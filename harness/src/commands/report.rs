//! `dyno report`: the page on a run, its figures and its tables. `dyno run` ends with the same page.

use std::fs;
use std::path::{Component, Path, PathBuf};

use serde_json::json;

use super::{print, print_json, this_command};
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
        write_figures(report.figures(), folder)?;
    }
    if let (Some(readme), Some(figures)) = (&args.readme, &args.figures) {
        let updated = readme_with(&report, &run, readme, figures)?;
        write_whole(readme, updated.as_bytes())?;
    }
    if args.markdown {
        print(&report.markdown())?;
        return Ok(Exit::Done);
    }
    let path = args.out.clone().unwrap_or_else(|| args.run.join(NAME));
    write(&report, &path, &args.run)?;
    if args.json {
        let written =
            json!({"report": path, "figures": args.figures, "readme": args.readme, "says": report.summary()});
        print_json(&written)?;
    } else {
        say(format_args!("report: {}", path.display()));
    }
    Ok(Exit::Done)
}

/// The page's name in a run's folder.
pub const NAME: &str = "report.html";

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

/// Writes the page to `path`.
pub fn write(report: &Report, path: &Path, run: &Path) -> Outcome<()> {
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

/// Writes figures with their names into `folder`.
pub fn write_figures<T: AsRef<str>>(
    figures: impl IntoIterator<Item = (String, T)>,
    folder: &Path,
) -> Outcome<()> {
    fs::create_dir_all(folder).map_err(|error| {
        bad_input(format!("can't create {}: {error}; choose another --figures", folder.display()))
    })?;
    for (name, svg) in figures {
        write_whole(&folder.join(name), svg.as_ref().as_bytes())?;
    }
    Ok(())
}

/// The text of `readme` with the frontier of `report` between its markers.
pub fn readme_with(report: &Report, run: &Run, readme: &Path, figures: &Path) -> Outcome<String> {
    let text = fs::read_to_string(readme).map_err(|error| {
        bad_input(format!("can't read {}: {error}; name a README that is there", readme.display()))
    })?;
    // The reader of a README starts in its folder.
    let folder = readme.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let figures = from_folder(folder, figures)?.display().to_string();
    report.readme(&text, &figures, &commands(run)).ok_or_else(|| {
        bad_input(format!(
            "{}: put the lines {BEGIN} and {END} where the figures belong, once",
            readme.display()
        ))
    })
}

/// How the figures came about: the run's command, where it is known, and this one.
pub fn commands(run: &Run) -> Vec<String> {
    run.command.clone().into_iter().chain([this_command()]).collect()
}

/// `to` as somebody in `folder` has to write it.
fn from_folder(folder: &Path, to: &Path) -> Outcome<PathBuf> {
    let (folder, to) = (std::path::absolute(folder)?, std::path::absolute(to)?);
    let shared = folder.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    Ok(up.chain(to.components().skip(shared)).collect())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_readme_finds_its_figures_from_where_it_lies() {
        for (folder, to, written) in [
            (".", "results/a/figures", "results/a/figures"),
            ("docs", "results/a", "../results/a"),
            ("/a/b/c", "/a/d", "../../d"),
        ] {
            let found = from_folder(Path::new(folder), Path::new(to)).unwrap();
            assert_eq!(found, Path::new(written));
        }
    }
}
