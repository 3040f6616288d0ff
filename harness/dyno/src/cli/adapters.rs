//! Arguments of `dyno adapters`.

use clap::Args;

pub(super) const ADAPTERS_EXAMPLES: &str = "Examples:
  dyno adapters                             every adapter, with its lines for a campaign
  dyno adapters ctranslate2                 one adapter with all its settings
  dyno adapters ctranslate2 --build         install its engine now, on a host with a network
  dyno adapters --json

An adapter runs another project's engine under the rules of the bench. Its private Python environment is
built once, in the user's cache, when a campaign first needs it.";

#[derive(Args)]
pub struct AdaptersArgs {
    /// Adapter to show with its settings [default: all, without]
    pub name: Option<String>,
    /// Build the private environment of the named adapter now
    #[arg(long, requires = "name")]
    pub build: bool,
    /// Print JSON instead of text
    #[arg(long)]
    pub json: bool,
}
