//! Folders with the data that ship with dyno (campaigns, models, test sets, adapters): a checkout, or the
//! folder of an installed dyno.

use std::path::PathBuf;

/// Variable that names the folder of the data.
const DATA: &str = "DYNO_DATA";

/// Remedy where the data are missing, as after `cargo install`, which installs a program alone.
pub const REMEDY: &str = "run dyno in its checkout, or set DYNO_DATA to a folder with its campaigns, models and \
                          testsets, such as a clone of its repository";

/// Folders that may hold the data. First comes the one that the user names, then the working directory and
/// the folders above it. The program's folder and those above it follow: `target/release/dyno` lies two
/// folders below the checkout. An installed program has `share/dyno` beside its folder.
pub fn places() -> Vec<PathBuf> {
    let program = std::env::current_exe().ok();
    let above = program.iter().flat_map(|path| path.ancestors().skip(1).take(4)).map(Into::into);
    let share =
        program.iter().flat_map(|path| path.ancestors().nth(2)).map(|prefix| prefix.join("share/dyno"));
    let here = std::env::current_dir().ok();
    let here = here.iter().flat_map(|path| path.ancestors()).map(Into::into);
    let named = std::env::var_os(DATA).map(PathBuf::from);
    named.into_iter().chain(here).chain(above).chain(share).collect()
}
