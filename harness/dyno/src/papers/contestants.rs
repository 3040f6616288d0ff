//! Facts about a campaign's systems that a paper's table needs.

use dyno_papers::reproduction::{Contestant, Contestants, Unbuilt};

use crate::campaign::{Campaign, Entry, Generated};

/// The systems of `campaign`, with those that were left out.
pub fn contestants(campaign: &Campaign) -> Contestants {
    let drawn_bytes = |entry: &Entry| {
        let mut drawn = campaign.generated.iter().filter(|model| entry.models.contains(&model.path));
        drawn.next().map(Generated::bytes)
    };
    let contestant = |entry: &Entry| Contestant {
        name: entry.name.clone(),
        backend: entry.backend().map(Into::into),
        drawn_bytes: drawn_bytes(entry),
        reads_f32: entry.setting("precision").is_some_and(|precision| precision == "f32"),
    };
    let unbuilt = campaign.unbuilt.iter().cloned();
    Contestants {
        systems: campaign.systems.iter().map(contestant).collect(),
        unbuilt: unbuilt.map(|(name, build)| Unbuilt { name, build }).collect(),
        absent: campaign.absent.iter().map(|entry| entry.name.clone()).collect(),
        drawn: !campaign.generated.is_empty(),
    }
}
