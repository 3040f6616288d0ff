//! Random models of a campaign: drawn only if a system needs them.

use super::checked::Campaign;
use super::entry::Entry;
use super::generated::Generated;
use crate::exit::Outcome;

/// Models that the systems of `campaign` need and that aren't drawn yet.
pub fn undrawn(campaign: &Campaign) -> impl Iterator<Item = &Generated> {
    let used = |model: &&Generated| campaign.systems.iter().any(|entry| entry.models.contains(&model.path));
    campaign.generated.iter().filter(used).filter(|model| !model.path.is_dir())
}

/// Draws the missing models that the systems of `campaign` need, at all precisions that the systems ask for.
pub fn make_models(campaign: &Campaign) -> Outcome<()> {
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
