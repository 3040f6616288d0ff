//! The campaigns of the papers' tables, as far as they can run here.

use dyno_provision::data::REMEDY;

use crate::campaign::{Campaign, shipped};
use crate::exit::Outcome;

/// Campaign `name` without the systems whose model isn't there: other projects' engines, which a command of
/// `ci/peers` makes ready. Each of them is named on standard error.
pub fn campaign_of(name: &str) -> Outcome<Campaign> {
    let missing = || bad_input!("campaigns/{name}.toml is missing; {REMEDY}");
    let mut campaign = Campaign::load(&shipped(name).ok_or_else(missing)?)?;
    for (system, absent) in campaign.systems.iter().filter_map(|it| Some((&it.name, it.absent.as_ref()?))) {
        say!("note: campaign {name} goes without {system:?}: {absent}");
    }
    campaign.absent = campaign.systems.extract_if(.., |system| system.absent.is_some()).collect();
    Ok(campaign)
}
