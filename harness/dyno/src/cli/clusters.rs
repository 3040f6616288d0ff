//! Arguments of `dyno cluster`: kinds of nodes, with names that the scheduler of a cluster takes.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use dyno_record::{Profile, hash_of};
use serde::Serialize;

use super::values::word;
use crate::publication;

/// Scheduler that runs the jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scheduler {
    /// A script of sbatch: an array for each kind of node, and the merge after them
    Slurm,
    /// An Indexed Job for each instance type
    Kubernetes,
    /// A task for each instance type
    Skypilot,
}

#[derive(Args)]
#[command(after_help = "Examples:
  dyno cluster slurm mine.toml --kind c7a,c7g=c7g.2xlarge > mine.sh && bash mine.sh
  dyno cluster kubernetes mine.toml --kind c7a.2xlarge,c7g.2xlarge --image my/dyno --claim work > jobs.yaml
  dyno cluster skypilot mine.toml --kind c7a.2xlarge,c7g.2xlarge -o tasks

A kind is a constraint of Slurm, or an instance type of Kubernetes and SkyPilot. KIND=INSTANCE names the
instance that prices it. Each kind measures the whole campaign, in shards of cells that are compared.
The scripts are templates: read them, and change what your cluster needs.")]
pub struct ClusterArgs {
    /// Scheduler that runs the jobs
    #[arg(value_enum)]
    pub scheduler: Scheduler,
    /// Campaign file, by its path where the jobs run, too
    pub campaign: PathBuf,
    /// Kinds of nodes, separated by commas [default for Slurm: any node]
    #[arg(
        long = "kind",
        visible_alias = "constraint",
        value_name = "KIND[=INSTANCE]",
        value_delimiter = ','
    )]
    pub kinds: Vec<Kind>,
    /// Number of shards for each kind [default: as many as the campaign has groups of compared cells]
    #[arg(long, value_name = "N")]
    pub shards: Option<usize>,
    /// Folder of the runs where the jobs run
    #[arg(long, value_name = "DIR", default_value = "shards")]
    pub runs: String,
    /// Profile of the runs [default: the campaign's]
    #[arg(long, short, value_parser = word(&Profile::ALL))]
    pub profile: Option<Profile>,
    /// Path of dyno on Slurm's nodes
    #[arg(long, value_name = "PROGRAM", default_value = "dyno", help_heading = "Slurm options")]
    pub program: String,
    /// Container image with dyno
    #[arg(long, value_name = "IMAGE", default_value = "dyno", help_heading = "Kubernetes options")]
    pub image: String,
    /// Claim of the volume that holds the campaign and takes the runs
    #[arg(long, value_name = "NAME", default_value = "dyno", help_heading = "Kubernetes options")]
    pub claim: String,
    /// Write the tasks to files in DIR; SkyPilot needs a file for each task [default: standard output]
    #[arg(long, short, value_name = "DIR", help_heading = "SkyPilot options")]
    pub out: Option<PathBuf>,
}

/// A kind of node, and the instance that prices it.
#[derive(Clone, Debug, Serialize)]
pub struct Kind {
    /// Name of the kind, as the scheduler knows it.
    pub name: String,
    /// Name for a resource.
    slug: String,
    /// Name of the instance in the table of prices, if it isn't found by the processor.
    price: Option<String>,
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, price) = text.split_once('=').map_or((text, None), |(name, price)| (name, Some(price)));
        let is_plain = |word: &str| {
            !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        };
        match is_plain(name) && price.is_none_or(is_plain) {
            true => Ok(Self { name: name.into(), slug: slug(name), price: price.map(Into::into) }),
            false => Err("expected KIND or KIND=INSTANCE, of letters, digits and `-_.`".into()),
        }
    }
}

/// Most characters of a slug. Kubernetes allows 63 for a job's name, which holds two slugs and a shard.
const LONGEST_SLUG: usize = 24;

/// Small letters, digits and hyphens. A name that is too long, or has none of them, is told by its hash.
pub fn slug(name: &str) -> String {
    let slug = publication::slug(name);
    if (1..=LONGEST_SLUG).contains(&slug.len()) {
        return slug;
    }
    let hash = &hash_of(name.as_bytes())[..6];
    let start = slug[..slug.len().min(LONGEST_SLUG - 7)].trim_end_matches('-');
    if start.is_empty() { format!("x{hash}") } else { format!("{start}-{hash}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_makes_a_slug_that_kubernetes_takes() {
        assert_eq!(slug("C7a.2xlarge"), "c7a-2xlarge");
        for name in ["größe", "日本", "", "--", &"a-".repeat(60), &"b".repeat(200)] {
            let slug = slug(name);
            assert!((1..=LONGEST_SLUG).contains(&slug.len()), "{slug}");
            assert!(slug.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit()), "{slug}");
            assert!(slug.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{slug}");
        }
        assert_ne!(slug(&"b".repeat(200)), slug(&"b".repeat(201)));
    }
}
