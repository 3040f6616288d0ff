//! Files of the report: the page in the run's folder, its figures, and the frontier in a README.
//!
//! Their contents belong to `dyno-report`.

use std::path::{Component, Path, PathBuf};

use dyno_report::hosts::Host;
use dyno_report::{BEGIN, END, Report};
use dyno_results::merge::HostRun;
use dyno_results::store::files::write_whole;
use dyno_results::{Merged, Run, Summary};

use crate::exit::{Failure, Outcome};
use crate::output::{create_folder, folder_of, this_command};
use crate::publication::PrivateFolders;

pub const NAME: &str = "report.html";

/// Writes the page into the folder of a run that has just ended, and returns its path. A failure is only a
/// warning: the measurements are valid without the page.
pub fn write_page(folder: &Path, run: &Run, summary: &Summary) -> Option<PathBuf> {
    let path = folder.join(NAME);
    let written = write(&Report::of(run, summary, &[]), &path, folder);
    or_warning(path, written, "; `dyno report` can write it later")
}

fn or_warning(path: PathBuf, written: Outcome<()>, remedy: &str) -> Option<PathBuf> {
    let warn = |Failure { error, .. }| say!("warning: can't write the report: {error:#}{remedy}");
    written.map(|()| path).map_err(warn).ok()
}

/// Writes the page of a merged run into its folder, and returns its path. As above, a failure is only a
/// warning.
pub fn write_hosts_page(folder: &Path, merged: &Merged, summaries: &[Summary]) -> Option<PathBuf> {
    let path = folder.join(NAME);
    let written = write_hosts(folder, merged, summaries, &path);
    or_warning(path, written, "")
}

/// Writes the page of the merged run in `folder`. It links to the reports of the hosts that have one.
pub fn write_hosts(folder: &Path, merged: &Merged, summaries: &[Summary], path: &Path) -> Outcome<()> {
    let hosts = host_views(folder, merged, summaries);
    write_text(path, &dyno_report::hosts::page(&merged.campaign, &hosts, &merged.notes)?)
}

/// Hosts of the merged run in `folder`, as its report sees them.
pub fn host_views<'a>(folder: &Path, merged: &'a Merged, summaries: &'a [Summary]) -> Vec<Host<'a>> {
    let view = |(host, summary): (&'a HostRun, &'a Summary)| {
        let report = host.folder.join(NAME);
        let is_there = folder.join(&report).is_file();
        let report = is_there.then(|| link(&report));
        Host { name: &host.name, run: &host.run, summary, report }
    };
    merged.hosts.iter().zip(summaries).map(view).collect()
}

pub fn write(report: &Report, path: &Path, run: &Path) -> Outcome<()> {
    let parent = folder_of(path);
    if !parent.is_dir() {
        refuse!("no folder {}: create it first, or choose another -o", parent.display());
    }
    let both = parent.canonicalize().ok().zip(run.canonicalize().ok());
    let beside_records = both.is_some_and(|(parent, run)| parent == run);
    write_text(path, &report.html(beside_records)?)
}

/// Writes a file at the path of -o.
pub fn write_text(path: &Path, text: &str) -> Outcome<()> {
    write_whole(path, text.as_bytes()).map_err(|error| {
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
        bad_input!("{error}{cause}; write it elsewhere with -o FILE")
    })
}

pub fn write_figures<T: AsRef<str>>(
    figures: impl IntoIterator<Item = (String, T)>,
    folder: &Path,
) -> Outcome<()> {
    create_folder(folder, "--figures")?;
    for (name, svg) in figures {
        write_whole(&folder.join(name), svg.as_ref().as_bytes())?;
    }
    Ok(())
}

/// The text of `readme` with the frontier of `report` between its markers, and the commands in `commands`.
pub fn readme_with(report: &Report, commands: &[String], readme: &Path, figures: &Path) -> Outcome<String> {
    let text = read_readme(readme)?;
    let figures = from_readme(readme, figures)?.display().to_string();
    report
        .readme(&text, &figures, commands)
        .ok_or_else(|| without_markers(readme, [BEGIN, END], "the figures belong"))
}

pub fn read_readme(readme: &Path) -> Outcome<String> {
    dyno_api::files::read_to_string(readme)
        .map_err(|error| bad_input!("can't read {}: {error}; name a README that exists", readme.display()))
}

/// Path of `to` for a link in `readme`, which starts in its folder.
pub fn from_readme(readme: &Path, to: &Path) -> Outcome<PathBuf> {
    from_folder(folder_of(readme), to)
}

/// Error of a README that lacks its markers, or has them twice.
pub fn without_markers(readme: &Path, [begin, end]: [&str; 2], place: &str) -> Failure {
    bad_input!("{}: put the lines {begin} and {end} where {place}, once", readme.display())
}

/// Commands that made the figures: that of the run, if known, and the current one, without private folders.
pub fn commands(run: &Run, private: &PrivateFolders) -> Vec<String> {
    let commands = run.command.clone().into_iter().chain([this_command()]);
    commands.map(|command| private.shortened(command)).collect()
}

/// A path as the target of a link: the characters that end or encode a path there are encoded.
pub fn link(path: &Path) -> String {
    let encoded = |c: char| if "%?# ".contains(c) { format!("%{:02x}", u32::from(c)) } else { c.to_string() };
    path.display().to_string().chars().map(encoded).collect()
}

/// Path of `to`, relative to `folder`.
pub fn from_folder(folder: &Path, to: &Path) -> Outcome<PathBuf> {
    let (folder, to) = (std::path::absolute(folder)?, std::path::absolute(to)?);
    let shared = folder.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    Ok(up.chain(to.components().skip(shared)).collect())
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
