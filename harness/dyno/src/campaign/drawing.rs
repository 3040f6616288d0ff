//! What must be made before the systems of a campaign can start, and only for systems that need it: models that
//! are drawn at random, environments and models of adapters, the setup of submissions.

use std::collections::BTreeMap;
use std::path::PathBuf;

use dyno_provision::adapters::megabytes;
use dyno_results::scores;

use super::checked::Campaign;
use super::entry::{Entry, Launch};
use super::generated::Generated;
use crate::exit::Outcome;
use crate::output::say;

/// Models that the systems of `campaign` need and that aren't drawn yet.
pub fn undrawn(campaign: &Campaign) -> impl Iterator<Item = &Generated> {
    let used = |model: &&Generated| campaign.systems.iter().any(|entry| entry.models.contains(&model.path));
    campaign.generated.iter().filter(used).filter(|model| !model.path.is_dir())
}

/// The environments of adapters that `campaign` needs and that aren't built yet, with their sizes, in one line.
pub fn unbuilt(campaign: &Campaign) -> Option<String> {
    let adapter = |entry: &Entry| match &entry.launch {
        Launch::Adapter(adapter) => Some((adapter.launch.name.clone(), adapter.unbuilt_mb()?)),
        _ => None,
    };
    let unbuilt: BTreeMap<String, u64> = campaign.systems.iter().filter_map(adapter).collect();
    let each: Vec<_> = unbuilt.iter().map(|(name, mb)| format!("{name} {}", megabytes(*mb))).collect();
    let all = megabytes(unbuilt.values().sum());
    (!unbuilt.is_empty()).then(|| format!("installed first, once: {} ({all} in all)", each.join(", ")))
}

/// Makes what the systems of `campaign` still need.
pub fn make_ready(campaign: &Campaign) -> Outcome<()> {
    draw_models(campaign)?;
    unbuilt(campaign).into_iter().for_each(say);
    // Submissions install what they need out of sight of all references.
    let sets = campaign.test_sets.iter().flat_map(|set| set.files.clone());
    let hidden: Vec<PathBuf> = sets.chain(scores::collection()).collect();
    campaign.systems.iter().try_for_each(|entry| match &entry.launch {
        Launch::Adapter(adapter) => Ok(adapter.provide(&|line| say(line))?),
        Launch::Submission(submission) => submission.set_up(&hidden),
        _ => Ok(()),
    })
}

/// Draws the missing models that the systems of `campaign` need, at all precisions that the systems ask for.
fn draw_models(campaign: &Campaign) -> Outcome<()> {
    for model in &campaign.generated {
        let users: Vec<&Entry> =
            campaign.systems.iter().filter(|entry| entry.models.contains(&model.path)).collect();
        if !users.is_empty() {
            // The system itself refuses an unknown precision.
            let precision = |entry: &&Entry| entry.setting("precision")?.parse().ok();
            model.make(&users.iter().filter_map(precision).collect::<Vec<_>>())?;
        }
    }
    Ok(())
}
