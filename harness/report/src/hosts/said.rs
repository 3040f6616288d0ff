//! Sentences on a contest of hosts. Each claims only what the intervals support.

use dyno_stats::Order;
use dyno_stats::Standing;
use dyno_stats::numbers::{counted, factor, supported};

use super::contest::{Contest, Entry, gain};
use crate::charts::shortened;
use crate::sentences::{list, quality};

/// A gain in cost below this factor is too small to give up quality for.
const WORTH: f64 = 1.2;

impl Contest<'_> {
    /// "ssru on c7a.large".
    pub(super) fn name(&self, entry: &Entry<'_>) -> String {
        format!("{} on {}", shortened(&entry.cell.system, 40), self.hosts[entry.host].name)
    }

    /// What to take, and what less quality buys.
    pub(super) fn verdict(&self) -> Vec<String> {
        let Some(pick) = self.pick(None) else {
            return vec![self.no_contest().into()];
        };
        let take = format!("Take {}: {}.", self.name(pick), self.figures(pick));
        [Some(take), self.cheaper(pick), self.probably(pick)].into_iter().flatten().collect()
    }

    fn no_contest(&self) -> &'static str {
        let priced = self.entries.iter().any(|entry| entry.millions.is_some());
        let scored = self.entries.iter().any(|entry| entry.quality.is_some());
        match (priced, scored) {
            (false, _) => {
                "No host has a price: set it with dyno score RUN --price INSTANCE, then merge again."
            }
            (_, false) => "No quality was scored: add it with dyno score RUN, then merge again.",
            _ => {
                "No system may stand on the frontier: each is NOISY or INVALID, or its text is no translation."
            }
        }
    }

    fn figures(&self, entry: &Entry<'_>) -> String {
        let quality = entry.quality.map(|own| quality(&self.scale, &own)).unwrap_or_default();
        let millions = entry.millions.map(|millions| supported(&millions)).unwrap_or_default();
        format!("{quality}, {millions} million words per dollar")
    }

    fn cheaper(&self, pick: &Entry<'_>) -> Option<String> {
        let on = self.contestants().filter(|entry| entry.standing == Some(Standing::Frontier));
        let cheaper = on.filter(|entry| self.quality_order(pick, entry) == Order::Better);
        let worth = cheaper.filter_map(|entry| Some((entry, gain(pick, entry)?)));
        let worth = worth.filter(|(_, duel)| duel.order == Order::Better && duel.ratio.low >= WORTH);
        let (next, duel) = worth.max_by(|(a, _), (b, _)| {
            let score = |entry: &Entry<'_>| entry.quality.map_or(0.0, |own| self.scale.gain(own.value));
            score(a).total_cmp(&score(b))
        })?;
        let enough = next.quality.map(|own| quality(&self.scale, &own))?;
        let times = factor(&duel.ratio);
        Some(format!(
            "Where {enough} is enough, take {}, at {times} times the words per dollar.",
            self.name(next)
        ))
    }

    fn probably(&self, pick: &Entry<'_>) -> Option<String> {
        let probable =
            |entry: &&Entry<'_>| entry.standing == Some(Standing::Probably) && !std::ptr::eq(*entry, pick);
        let names: Vec<String> = self.contestants().filter(probable).map(|entry| self.name(entry)).collect();
        (!names.is_empty()).then(|| format!("Probably also on the frontier: {}.", list(&names)))
    }

    /// Title of the chart of instances: the cheapest one against the next.
    pub(super) fn finding_of_instances(&self, ranked: &[&Entry<'_>]) -> String {
        let host = |entry: &Entry<'_>| self.hosts[entry.host].name.to_owned();
        match ranked {
            [] => "No instance has a system with quality and price".into(),
            [only] => format!("{} is the only instance with quality and price", host(only)),
            [first, second, ..] => match gain(second, first) {
                Some(duel) if duel.order == Order::Better => {
                    let (times, other) = (factor(&duel.ratio), host(second));
                    format!("{} gives the most words per dollar: {times} times {other}", host(first))
                }
                _ => format!("{} and {} give about the same words per dollar", host(first), host(second)),
            },
        }
    }

    /// Title of the chart of all systems on all instances.
    pub(super) fn finding_of_systems(&self) -> String {
        let on = self.contestants().filter(|entry| entry.standing == Some(Standing::Frontier)).count();
        let all = counted(
            self.contestants().count(),
            "pair of system and instance",
            "pairs of system and instance",
        );
        format!("Of {all}, {on} surely {} on the frontier", if on == 1 { "is" } else { "are" })
    }
}
