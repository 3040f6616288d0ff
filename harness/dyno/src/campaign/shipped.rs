//! Campaigns that ship with dyno, with their models and test sets: in a checkout, or in the folder of an
//! installed dyno.

use std::path::{Path, PathBuf};

use super::checked::Campaign;
use crate::exit::{Outcome, bad_input};

/// Variable that names the folder with `campaigns`, `models` and `testsets`.
const DATA: &str = "DYNO_DATA";

/// Remedy where the data are missing, as after `cargo install`, which installs a program alone.
pub const REMEDY: &str = "run dyno in its checkout, or set DYNO_DATA to a folder with its campaigns, models and \
                          testsets, such as a clone of its repository";

/// Path of the starter campaign.
pub fn starter() -> Option<PathBuf> {
    shipped("starter")
}

/// Path of the campaign `name` that ships with dyno.
pub fn shipped(name: &str) -> Option<PathBuf> {
    let shipped = PathBuf::from(format!("campaigns/{name}.toml"));
    places().into_iter().map(|folder| folder.join(&shipped)).find(|path| path.is_file())
}

/// Folders that may hold the data. First comes the one that the user names, then the working directory and the
/// folders above it. The program's folder and those above it follow: `target/release/dyno` lies two folders below
/// the checkout. An installed program has `share/dyno` beside its folder.
fn places() -> Vec<PathBuf> {
    let program = std::env::current_exe().ok();
    let above = program.iter().flat_map(|path| path.ancestors().skip(1).take(4)).map(Path::to_owned);
    let share =
        program.iter().flat_map(|path| path.ancestors().nth(2)).map(|prefix| prefix.join("share/dyno"));
    let here = std::env::current_dir().ok();
    let here = here.iter().flat_map(|path| path.ancestors()).map(Path::to_owned);
    let named = std::env::var_os(DATA).map(PathBuf::from);
    named.into_iter().chain(here).chain(above).chain(share).collect()
}

/// Campaign at the path `named`, or the starter campaign.
pub fn named_or_starter(named: Option<&Path>) -> Outcome<Campaign> {
    let found: Option<PathBuf> = named.map(Into::into).or_else(starter);
    let path = found.ok_or_else(|| {
        bad_input(format!("the starter campaign is missing; name a campaign file, {REMEDY}"))
    })?;
    Campaign::load(&path)
}
