//! Arguments of `dyno cluster`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use dyno_measure::Profile;

use super::values::word;
use crate::cluster::Kind;

/// Engine that runs the jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
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
    /// Engine that runs the jobs
    #[arg(value_enum)]
    pub engine: Engine,
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
