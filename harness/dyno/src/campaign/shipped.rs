//! Campaigns that ship with dyno, in the folder `campaigns` of its checkout.

use std::path::{Path, PathBuf};

use super::checked::Campaign;
use crate::exit::{Outcome, bad_input};

/// Path of the starter campaign.
pub fn starter() -> Option<PathBuf> {
    shipped("starter")
}

/// Path of the campaign `name` that ships with dyno. The search starts in the working directory and the
/// folders above it, then in the program's folder and those above it (`target/release/dyno` lies two folders
/// below the checkout).
pub fn shipped(name: &str) -> Option<PathBuf> {
    let shipped = PathBuf::from(format!("campaigns/{name}.toml"));
    let program = std::env::current_exe().ok();
    let above = program.iter().flat_map(|path| path.ancestors().skip(1).take(4));
    let here = std::env::current_dir().ok();
    let mut folders = here.iter().flat_map(|path| path.ancestors()).chain(above);
    folders.find_map(|folder| Some(folder.join(&shipped)).filter(|path| path.is_file()))
}

/// Campaign at the path `named`, or the starter campaign.
pub fn named_or_starter(named: Option<&Path>) -> Outcome<Campaign> {
    let found: Option<PathBuf> = named.map(Into::into).or_else(starter);
    let remedy = "name a campaign file, or run dyno in its checkout";
    let path = found.ok_or_else(|| bad_input(format!("the starter campaign is missing; {remedy}")))?;
    Campaign::load(&path)
}
