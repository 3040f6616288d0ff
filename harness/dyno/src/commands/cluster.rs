//! `dyno cluster`: scripts that submit the shards of a campaign to an existing scheduler. dyno schedules nothing
//! itself. The scripts are filled templates, which people read and change.

use tera::{Context, Tera};

use crate::campaign::Campaign;
use crate::cli::clusters::{ClusterArgs, Kind, Scheduler, slug};
use crate::exit::{Exit, Outcome, bad_input};
use crate::output::{create_folder, print};
use crate::page::write_text;

const SLURM: &str = include_str!("../../../../templates/cluster/slurm.sh");
const KUBERNETES: &str = include_str!("../../../../templates/cluster/kubernetes.yaml");
const SKYPILOT: &str = include_str!("../../../../templates/cluster/skypilot.yaml");

pub fn cluster(args: &ClusterArgs) -> Outcome {
    let context = context(args)?;
    if args.scheduler != Scheduler::Slurm && args.kinds.is_empty() {
        return Err(bad_input("no kind of node; name instance types with --kind"));
    }
    match args.scheduler {
        Scheduler::Slurm => print(&filled(SLURM, &context)?)?,
        Scheduler::Kubernetes => print(&filled(KUBERNETES, &context)?)?,
        Scheduler::Skypilot => write_tasks(args, context)?,
    }
    Ok(Exit::Done)
}

/// Words of the templates: the arguments, and what follows from the campaign.
fn context(args: &ClusterArgs) -> Outcome<Context> {
    let campaign = Campaign::load(&args.campaign)?;
    let path = args.campaign.display().to_string();
    let ClusterArgs { runs, program, image, claim, kinds, .. } = args;
    let mut context = Context::new();
    let words =
        [("campaign", &path), ("runs", runs), ("program", program), ("image", image), ("claim", claim)];
    for (name, word) in words {
        check_word(word)?;
        context.insert(name, word);
    }
    context.insert("name", &campaign.name);
    context.insert("job", &slug(&campaign.name));
    context.insert("shards", &shards(args, &campaign)?);
    context.insert("profile", &args.profile.map(|profile| profile.to_string()));
    context.insert("kinds", kinds);
    Ok(context)
}

/// Refuses a word that a script would have to quote: the scripts stay plain, for people to read.
fn check_word(word: &str) -> Outcome<()> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@+".contains(c);
    if word.is_empty() || !word.chars().all(is_plain) {
        refuse!("{word:?} would need quotes in the script: use letters, digits and `-_./=:@+` only");
    }
    Ok(())
}

/// Number of shards: as many as are useful, unless the user wants fewer.
fn shards(args: &ClusterArgs, campaign: &Campaign) -> Outcome<usize> {
    let groups = campaign.groups();
    match args.shards {
        None => Ok(groups),
        Some(shards) if (1..=groups).contains(&shards) => Ok(shards),
        Some(_) => Err(bad_input!(
            "--shards: the campaign has {groups} groups of cells (test sets × tracks); give 1 to {groups} shards"
        )),
    }
}

fn filled(template: &str, context: &Context) -> Outcome<String> {
    Ok(Tera::one_off(template, context, false)?)
}

fn write_tasks(args: &ClusterArgs, mut context: Context) -> Outcome<()> {
    let mut task = |kind: &Kind| {
        context.insert("kind", kind);
        filled(SKYPILOT, &context)
    };
    let Some(folder) = &args.out else {
        return match args.kinds.as_slice() {
            [kind] => print(&task(kind)?),
            _ => Err(bad_input("a file holds one task of SkyPilot; name a folder with -o")),
        };
    };
    create_folder(folder, "-o")?;
    for kind in &args.kinds {
        let path = folder.join(format!("{}.yaml", kind.name));
        write_text(&path, &task(kind)?)?;
        say!("task: {}", path.display());
    }
    Ok(())
}
