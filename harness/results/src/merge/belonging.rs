//! Whether two runs belong together. A difference is named, so that the user sees which run is the stranger.

use std::path::Path;

use dyno_record::Identity;

use super::merged::Source;
use crate::compare::Changes;
use crate::error::{Error, Result};

/// Refuses `other` unless it is of the same campaign, protocol, systems, files, test sets and build as
/// `first`.
pub(super) fn check(first: &Source, other: &Source) -> Result<()> {
    let (a, b) = (&first.1.identity, &other.1.identity);
    let faults = [campaign(a, b), protocol(a, b), test_sets(a, b), systems(a, b), build(a, b)];
    let Some(fault) = faults.into_iter().flatten().next() else { return Ok(()) };
    let (other, first) = (other.0.display(), first.0.display());
    Err(Error::Input(format!(
        "{other} doesn't belong with {first}: {fault}; leave it out, or measure it again"
    )))
}

fn campaign(a: &Identity, b: &Identity) -> Option<String> {
    (a.campaign != b.campaign).then(|| format!("it is of campaign {:?}, not {:?}", b.campaign, a.campaign))
}

fn protocol(a: &Identity, b: &Identity) -> Option<String> {
    let difference = a.protocol.of_all_shards().difference(&b.protocol.of_all_shards());
    difference.map(|difference| format!("another protocol: {difference}"))
}

fn test_sets(a: &Identity, b: &Identity) -> Option<String> {
    let strange = |(name, hash, _): &&(String, String, usize)| {
        !a.test_sets.iter().any(|(known, same, _)| known == name && same == hash)
    };
    let stranger = b.test_sets.iter().find(strange).map(|(name, ..)| name);
    let lacking = || a.test_sets.iter().find(|set| !b.test_sets.contains(set)).map(|(name, ..)| name);
    stranger.or_else(lacking).map(|name| format!("another test set: {name}"))
}

fn systems(a: &Identity, b: &Identity) -> Option<String> {
    let names = |identity: &Identity| -> Vec<String> {
        identity.systems.iter().map(|system| system.name.clone()).collect()
    };
    let (ours, theirs) = (names(a), names(b));
    if ours != theirs {
        let stranger = theirs.iter().find(|name| !ours.contains(name));
        let lacking = || ours.iter().find(|name| !theirs.contains(name));
        let name = stranger.or_else(lacking).cloned().unwrap_or_else(|| "their order".into());
        return Some(format!("other systems: {name}"));
    }
    let changed = ours.iter().find_map(|name| Changes::between((a, name), (b, name)));
    changed.map(|changes| changes.about())
}

/// Another build of dyno. Each architecture needs a build of its own, so only hosts that can run one program
/// must have run the same.
fn build(a: &Identity, b: &Identity) -> Option<String> {
    let build = |identity: &Identity| {
        let mut programs = identity.programs.iter();
        programs.find(|(path, _)| path == Path::new("dyno")).map(|(_, hash)| hash.clone())
    };
    let same_kind = a.host.architecture() == b.host.architecture();
    (same_kind && build(a) != build(b)).then(|| "another build of dyno measured it".into())
}
