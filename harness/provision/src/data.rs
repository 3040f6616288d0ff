//! Folders with the data that ship with dyno (campaigns, models, test sets, adapters): a checkout, or the
//! folder of an installed dyno.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Variable that names the folder of the data.
const DATA: &str = "DYNO_DATA";

/// Folders of the data that hold what ships.
const FOLDERS: [&str; 3] = ["campaigns", "models", "testsets"];

/// Folder of this crate when it was built, two folders below its checkout.
const BUILT_IN: &str = env!("CARGO_MANIFEST_DIR");

/// Remedy where the data are missing, as beside a program that was copied to another host alone.
pub const REMEDY: &str = "run dyno in its checkout, or set DYNO_DATA to a folder with its campaigns, models and \
                          testsets, such as a clone of its repository";

/// Folders that may hold the data, the first choice first. docs/INSTALL.md tells users this order.
pub fn places() -> Vec<PathBuf> {
    let program = std::env::current_exe().ok();
    let built_in = program.as_deref().and_then(|program| owned_alike(checkout(), program));
    ordered(
        std::env::var_os(DATA).map(PathBuf::from),
        std::env::current_dir().ok(),
        program.as_deref(),
        built_in,
    )
}

/// The file or folder at `path`, such as `models/small`, in the first place that has one.
pub fn shipped(path: &Path) -> Option<PathBuf> {
    let is_below = FOLDERS.iter().any(|folder| path.starts_with(folder));
    let found = || places().into_iter().map(|place| place.join(path)).find(|path| path.exists());
    is_below.then(found).flatten()
}

/// `own`, if it is there, else what ships at `path`, else `own` all the same, for the error that names it.
pub fn or_shipped(own: PathBuf, path: &Path) -> PathBuf {
    if own.exists() { own } else { shipped(path).unwrap_or(own) }
}

/// The folder that the user names, the working directory and the folders above it, `share/dyno` beside the program's
/// folder, the folders above the program (`target/release/dyno` lies two folders below a checkout), and the checkout
/// that the program was built in.
fn ordered(
    named: Option<PathBuf>,
    here: Option<PathBuf>,
    program: Option<&Path>,
    built_in: Option<&Path>,
) -> Vec<PathBuf> {
    let folders_from = |path: Option<&Path>| -> Vec<PathBuf> {
        path.iter().flat_map(|path| path.ancestors()).map(Into::into).collect()
    };
    let folder = program.and_then(Path::parent);
    let share = folder.and_then(Path::parent).map(|prefix| prefix.join("share/dyno"));
    let above = folders_from(folder).into_iter().take(4);
    let here = folders_from(here.as_deref());
    named.into_iter().chain(here).chain(share).chain(above).chain(built_in.map(Into::into)).collect()
}

/// Checkout that the program was built in.
fn checkout() -> &'static Path {
    Path::new(BUILT_IN).ancestors().nth(2).unwrap_or(Path::new(BUILT_IN))
}

/// `folder`, if it is there and belongs to the owner of `program`. On another host than that of the build, another user
/// may own a folder of this path, and dyno starts the adapters in it.
fn owned_alike<'a>(folder: &'a Path, program: &Path) -> Option<&'a Path> {
    let owner = |path: &Path| fs::metadata(path).ok().map(|found| found.uid());
    (owner(folder)? == owner(program)?).then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_choice_comes_first_and_the_checkout_of_the_build_last() {
        let program = Path::new("/target/release/dyno");
        let places =
            ordered(Some("/mine".into()), Some("/desk/here".into()), Some(program), Some(checkout()));
        let above = ["/mine", "/desk/here", "/desk", "/", "/target/share/dyno"];
        let expected = above.into_iter().chain(["/target/release", "/target", "/"]).map(PathBuf::from);
        assert_eq!(places, expected.chain([checkout().into()]).collect::<Vec<_>>());
    }

    #[test]
    fn the_checkout_of_the_build_counts_while_it_is_there_and_its_owner_is_the_programs() {
        let program = std::env::current_exe().expect("this test is a program");
        assert!(checkout().join("campaigns/starter.toml").is_file(), "tests run in a checkout");
        assert_eq!(owned_alike(checkout(), &program), Some(checkout()));
        assert_eq!(owned_alike(Path::new("/no/such/checkout"), &program), None);
        let of_the_kernel = Path::new("/proc/1"); // root's
        let is_root = fs::metadata(&program).expect("it is there").uid() == 0;
        assert_eq!(owned_alike(of_the_kernel, &program).is_some(), is_root);
    }
}
