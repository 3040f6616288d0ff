//! `dyno cluster`: scripts that measure a campaign on many machines.

use std::fs;

use dyno_results::store::files::write_whole;

use crate::campaign::Campaign;
use crate::cli::{ClusterArgs, Engine};
use crate::cluster::{Job, word_fault};
use crate::exit::{Exit, Outcome, bad_input};
use crate::output::{print, say};
use crate::page::unwritable;

/// Writes the scripts of `args`.
pub fn cluster(args: &ClusterArgs) -> Outcome {
    let campaign = Campaign::load(&args.campaign)?;
    let path = args.campaign.display().to_string();
    let words = [&path, &args.runs, &args.program, &args.image, &args.claim];
    if let Some(fault) = words.into_iter().find_map(|word| word_fault(word)) {
        return Err(bad_input(fault));
    }
    let options = args.profile.map(|profile| format!("--profile {profile}")).unwrap_or_default();
    let shards = shards(args, &campaign)?;
    let job = Job { campaign: &campaign, path: &path, shards, out: &args.runs, options: &options };
    match args.engine {
        Engine::Slurm => print(&job.slurm(&args.program, &args.kinds))?,
        Engine::Kubernetes => {
            refuse_no_kind(args)?;
            print(&job.kubernetes(&args.kinds, &args.image, &args.claim))?;
        }
        Engine::Skypilot => {
            refuse_no_kind(args)?;
            write_tasks(args, &job)?;
        }
    }
    Ok(Exit::Done)
}

/// Number of shards: as many as are useful, unless the user wants fewer.
fn shards(args: &ClusterArgs, campaign: &Campaign) -> Outcome<usize> {
    let groups = campaign.groups();
    match args.shards {
        None => Ok(groups),
        Some(shards) if (1..=groups).contains(&shards) => Ok(shards),
        Some(_) => Err(bad_input(format!(
            "--shards: the campaign has {groups} groups of cells (test sets × tracks); give 1 to {groups} shards"
        ))),
    }
}

fn refuse_no_kind(args: &ClusterArgs) -> Outcome<()> {
    match args.kinds.is_empty() {
        true => Err(bad_input("no kind of node; name instance types with --kind")),
        false => Ok(()),
    }
}

fn write_tasks(args: &ClusterArgs, job: &Job<'_>) -> Outcome<()> {
    let Some(folder) = &args.out else {
        return match args.kinds.as_slice() {
            [kind] => print(&job.skypilot(kind)),
            _ => Err(bad_input("a file holds one task of SkyPilot; name a folder with -o")),
        };
    };
    fs::create_dir_all(folder).map_err(|error| {
        bad_input(format!("can't create {}: {error}; name another folder with -o", folder.display()))
    })?;
    for kind in &args.kinds {
        let path = folder.join(format!("{kind}.yaml"));
        write_whole(&path, job.skypilot(kind).as_bytes()).map_err(unwritable)?;
        say(format_args!("task: {}", path.display()));
    }
    Ok(())
}
