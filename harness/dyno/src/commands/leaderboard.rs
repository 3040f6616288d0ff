//! `dyno leaderboard`: a static page over many published runs.

use std::path::{Path, PathBuf};

use dyno_report::leaderboard::{Entry, page};
use dyno_results::Merged;
use dyno_results::merge::is_merged;
use itertools::Itertools;

use crate::cli::runs::LeaderboardArgs;
use crate::exit::{Exit, Outcome};
use crate::output::{folder_of, name_of};
use crate::page::{NAME, from_folder, link as link_to, write_text};

pub fn leaderboard(args: &LeaderboardArgs) -> Outcome {
    let here = folder_of(&args.out);
    let mut entries = Vec::new();
    for folder in &args.folders {
        let before = entries.len();
        collect(folder, here, &mut entries)?;
        if entries.len() == before {
            let remedy = "name a run, or a folder with runs in it";
            refuse!("{} holds no run; {remedy}", folder.display());
        }
    }
    write_text(&args.out, &page(&args.title, &entries)?)?;
    say!("leaderboard: {}", args.out.display());
    Ok(Exit::Done)
}

/// Adds the hosts of the run in `folder`, or of the runs one level below, with links from `here`.
fn collect(folder: &Path, here: &Path, entries: &mut Vec<Entry>) -> Outcome<()> {
    if !holds_run(folder) {
        return runs_below(folder)?.iter().try_for_each(|path| collect(path, here, entries));
    }
    let merged = Merged::open(folder)?;
    let summaries = merged.summaries();
    for (host, summary) in merged.hosts.into_iter().zip(summaries) {
        let reports = [folder.join(&host.folder).join(NAME), folder.join(NAME)];
        let report = reports.iter().find(|path| path.is_file());
        let link = report.map(|path| from_folder(here, path)).transpose()?;
        entries.push(Entry {
            name: name_of(folder),
            host: host.name,
            report: link.as_deref().map(link_to),
            run: host.run,
            summary,
        });
    }
    Ok(())
}

fn runs_below(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let unreadable = |error| bad_input!("can't read {}: {error}; name an existing folder", folder.display());
    let entries = std::fs::read_dir(folder).map_err(unreadable)?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    Ok(paths.filter(|path| holds_run(path)).sorted().collect())
}

fn holds_run(folder: &Path) -> bool {
    folder.join("run.json").is_file() || is_merged(folder)
}
