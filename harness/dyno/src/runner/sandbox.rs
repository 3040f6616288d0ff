//! The sandbox of a campaign: what its systems must not see, and what the sandbox costs.

use std::path::{Path, PathBuf};

use dyno_measure::process::lockstep::lockstep;
use dyno_measure::process::subject::Subject;
use dyno_measure::{Bench, Sandbox, System};
use dyno_provision::data;
use dyno_record::identity::SandboxChoice;
use dyno_record::{Profile, Track};
use dyno_results::scores;
use dyno_stats::median;

use crate::campaign::{Campaign, Entry, Launch};
use crate::exit::Outcome;

/// Sandbox of the systems of `campaign`, which hides the folders `own` of the bench; `None` if no system
/// needs one. A host without sandboxes is only a warning where the profile asks for one, and an error where
/// the campaign does.
pub fn sandbox_of<'a>(campaign: &Campaign, own: impl Iterator<Item = &'a Path>) -> Outcome<Option<Sandbox>> {
    let mut wanted =
        campaign.systems.iter().filter(|entry| entry.is_sandboxed(campaign.protocol.profile)).peekable();
    if wanted.peek().is_none() {
        return Ok(None);
    }
    let sandbox = Sandbox::new(&hidden(campaign, own), &owned(campaign));
    if let Some(fault) = &sandbox.fault {
        let needs = |entry: &&Entry| {
            entry.sandbox == Some(SandboxChoice::Bwrap) || matches!(entry.launch, Launch::Submission(_))
        };
        if let Some(entry) = wanted.find(needs) {
            let (name, remedy) = (&entry.name, fault.remedy());
            let or = if entry.sandbox.is_some() { ", or remove `sandbox` from this system" } else { "" };
            refuse!("system {name:?} can't run in a sandbox: {fault}; {remedy}{or}");
        }
        let why = format!("without a sandbox: {fault}: {}", fault.remedy());
        say!("warning: foreign systems can read records and references, {why}");
    }
    Ok(Some(sandbox))
}

/// Records of the run, test sets with their references, sacrebleu's collection of them, and the objects of the
/// repositories around them.
fn hidden<'a>(campaign: &Campaign, own: impl Iterator<Item = &'a Path>) -> Vec<PathBuf> {
    let own = own.map(|folder| std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()));
    let sets = campaign.test_sets.iter().flat_map(|set| set.files.clone());
    let objects = grounds(campaign).into_iter().flat_map(|folder| objects_of(&folder));
    sets.chain(own).chain(scores::collection()).chain(objects).collect()
}

/// Folders of the campaign's systems and test sets, and the repositories around them.
fn grounds(campaign: &Campaign) -> Vec<PathBuf> {
    let folder_of = |entry: &Entry| match &entry.launch {
        Launch::Foreign { folder, .. } => folder.canonicalize().ok(),
        Launch::Adapter(adapter) => adapter.folder.canonicalize().ok(),
        _ => None,
    };
    let sets = campaign.test_sets.iter().flat_map(|set| &set.files);
    let sets = sets.filter_map(|file| Some(file.canonicalize().ok()?.parent()?.to_owned()));
    let folders: Vec<PathBuf> = campaign.systems.iter().filter_map(folder_of).chain(sets).collect();
    let repositories =
        folders.iter().filter_map(|folder| folder.ancestors().find(|above| above.join(".git").exists()));
    let repositories: Vec<PathBuf> = repositories.map(Into::into).collect();
    folders.into_iter().chain(repositories).collect()
}

/// Objects of the repository whose work tree is `folder`: a folder, or a file that names it.
fn objects_of(folder: &Path) -> Vec<PathBuf> {
    let at = folder.join(".git");
    let text = dyno_api::files::read_to_string(&at).unwrap_or_default(); // a folder has none
    let named = text.strip_prefix("gitdir:").map(|path| folder.join(path.trim()));
    // A further work tree names a folder below that of the first.
    let first = named.as_deref().and_then(|path| path.ancestors().find(|above| above.ends_with(".git")));
    let places = [Some(at), first.map(Into::into), named.clone()];
    places.into_iter().flatten().filter(|path| path.exists()).collect()
}

/// Models of all systems, their programs in the campaign's folder, this folder itself, and what ships with dyno.
/// Programs elsewhere, such as interpreters, serve several systems.
fn owned(campaign: &Campaign) -> Vec<PathBuf> {
    let programs = |entry: &Entry| match &entry.launch {
        Launch::Foreign { folder, .. } => {
            entry.own_files().into_iter().filter(|path| path.starts_with(folder)).collect()
        }
        Launch::Plugin { library, .. } => vec![library.clone()],
        Launch::Submission(submission) => vec![submission.launch.folder.clone()],
        // A model in the engine's own form, too. Without one, the launch reports the failure.
        Launch::Adapter(adapter) => adapter.model().into_iter().map(Path::to_owned).collect(),
        Launch::BuiltIn { .. } => Vec::new(),
    };
    let own = campaign.systems.iter().flat_map(|entry| [entry.models.clone(), programs(entry)].concat());
    let shipped =
        data::places().into_iter().flat_map(|place| ["testsets", "results"].map(|name| place.join(name)));
    own.chain(grounds(campaign)).chain(shipped).collect()
}

/// Number of lines of each launch that measures the cost, and of launches on each side.
const LINES: usize = 500;
const LAUNCHES: usize = 3;

/// Nanoseconds that the sandbox of `bench` adds to a line, and to a launch until its first answer: those of the null
/// system, by turns inside and outside. `None` without a sandbox.
pub fn cost(bench: &Bench) -> Outcome<Option<(f64, f64)>> {
    if bench.sandbox.as_ref().is_none_or(|sandbox| sandbox.fault.is_some()) {
        return Ok(None);
    }
    let (mut lines, mut launches) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    for turn in 0..2 * LAUNCHES {
        let inside = turn % 2;
        let (line_ns, launch_ns) = null_times(bench, inside == 1)?;
        lines[inside].push(line_ns);
        launches[inside].push(launch_ns);
    }
    let added = |[outside, inside]: [Vec<f64>; 2]| {
        median(&inside).zip(median(&outside)).map(|(inside, outside)| inside - outside)
    };
    Ok(added(lines).zip(added(launches)))
}

/// Median time of a line of the null system, and the time of its launch.
fn null_times(bench: &Bench, sandboxed: bool) -> Outcome<(f64, f64)> {
    let launch = Launch::BuiltIn { backend: "null".into(), settings: Default::default(), batch: None };
    let system = System { sandboxed, ..Entry::new("null", launch, Vec::new()).system(Profile::Quick)? };
    let subject = Subject { isolated: false, ..bench.subject(&system, Track::Latency) };
    let asked = lockstep(&subject, &vec![b"a dog barks at two men".to_vec(); LINES])?;
    let times: Vec<f64> = asked.replies.iter().map(|reply| reply.last_ns as f64).collect();
    Ok((median(&times).unwrap_or(0.0), asked.start_ns.unwrap_or(0) as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_of_a_further_work_tree_lie_in_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (first, further) = (root.join("first"), root.join("further"));
        std::fs::create_dir_all(first.join(".git/worktrees/further")).unwrap();
        std::fs::create_dir(&further).unwrap();
        std::fs::write(further.join(".git"), "gitdir: ../first/.git/worktrees/further\n").unwrap();
        assert_eq!(objects_of(&first), [first.join(".git")]);
        let objects = objects_of(&further);
        assert!(objects.iter().any(|path| path.ends_with("first/.git")), "{objects:?}");
    }
}
