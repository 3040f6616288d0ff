//! Campaigns that ship with dyno, with their models and test sets: in a checkout, or in the folder of an
//! installed dyno.

use std::path::{Path, PathBuf};

use super::checked::Campaign;
use dyno_provision::data::{self, REMEDY};

use crate::exit::Outcome;

pub fn shipped(name: &str) -> Option<PathBuf> {
    data::shipped(Path::new(&format!("campaigns/{name}.toml")))
}

pub fn named_or_starter(named: Option<&Path>) -> Outcome<Campaign> {
    let found: Option<PathBuf> = named.map(Into::into).or_else(|| shipped("starter"));
    Campaign::load(&found.ok_or_else(|| bad_input!("the starter campaign is missing; {REMEDY}"))?)
}
