//! `dyno leaderboard`: a static page over many published runs.

use std::path::{Path, PathBuf};

use dyno_report::leaderboard::{Entry, page};
use dyno_results::merge::is_merged;
use dyno_results::store::files::write_whole;
use dyno_results::{Merged, Run, Summary};

use crate::cli::LeaderboardArgs;
use crate::exit::{Exit, Outcome, bad_input};
use crate::output::say;
use crate::page::{NAME, from_folder, link as link_to, unwritable};

/// A run with its names and the place of its report.
struct Found {
    name: String,
    host: String,
    report: PathBuf,
    run: Run,
    summary: Summary,
}

/// Writes the page of `args`.
pub fn leaderboard(args: &LeaderboardArgs) -> Outcome {
    let mut found = Vec::new();
    for folder in &args.folders {
        let before = found.len();
        collect(folder, &mut found)?;
        if found.len() == before {
            let remedy = "name a run, or a folder with runs in it";
            return Err(bad_input(format!("{} holds no run; {remedy}", folder.display())));
        }
    }
    let here = args.out.parent().filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = found.iter().map(|found| {
        let link = found.report.is_file().then(|| from_folder(here, &found.report)).transpose()?;
        Ok(Entry {
            name: found.name.clone(),
            host: found.host.clone(),
            report: link.as_deref().map(link_to),
            run: &found.run,
            summary: &found.summary,
        })
    });
    let page = page(&args.title, &entries.collect::<Outcome<Vec<_>>>()?)?;
    write_whole(&args.out, page.as_bytes()).map_err(unwritable)?;
    say(format_args!("leaderboard: {}", args.out.display()));
    Ok(Exit::Done)
}

/// Runs in `folder`: itself, the hosts of a merged run, or the runs one level below.
fn collect(folder: &Path, found: &mut Vec<Found>) -> Outcome<()> {
    if is_merged(folder) {
        let merged = Merged::read(folder)?;
        let summaries = merged.summaries();
        for (host, summary) in merged.hosts.into_iter().zip(summaries) {
            let report = folder.join(&host.folder).join(NAME);
            let report = if report.is_file() { report } else { folder.join(NAME) };
            found.push(Found { name: name_of(folder), host: host.name, report, run: host.run, summary });
        }
        return Ok(());
    }
    if folder.join("run.json").is_file() {
        let run = Run::read(folder)?;
        let price = run.price.as_ref().map(|price| price.instance.clone());
        let host = price.unwrap_or_else(|| run.identity.host.cpu.clone());
        let summary = Summary::of(&run);
        found.push(Found { name: name_of(folder), host, report: folder.join(NAME), run, summary });
        return Ok(());
    }
    let unreadable =
        |error| bad_input(format!("can't read {}: {error}; name an existing folder", folder.display()));
    let mut below: Vec<PathBuf> = std::fs::read_dir(folder)
        .map_err(unreadable)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("run.json").is_file() || is_merged(path))
        .collect();
    below.sort();
    below.iter().try_for_each(|path| collect(path, found))
}

fn name_of(folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.into());
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
