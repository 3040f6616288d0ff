//! Sentences on a contest of hosts. Each claims only what the intervals support.

use dyno_results::Column;
use dyno_stats::Order;
use dyno_stats::numbers::{counted, factor};

use super::contest::Contest;
use crate::charts::shortened;
use crate::sentences::Writer;
use dyno_results::contest::Contestant;

impl Contest<'_> {
    /// "ssru on c7a.large".
    pub(super) fn name(&self, one: &Contestant) -> String {
        self.name_of(one.system)
    }

    fn name_of(&self, entry: usize) -> String {
        let entry = &self.entries[entry];
        format!("{} on {}", shortened(&entry.cell.system, 40), entry.host.name)
    }

    /// What to take, and what less quality buys.
    pub(super) fn verdict(&self) -> Vec<String> {
        let Some(pick) = self.race.pick() else {
            return vec![self.no_contest().into()];
        };
        let writer = Writer { contest: &self.race, name: &|entry| self.name_of(entry) };
        let others = [writer.bargain(pick), writer.probably(pick)];
        [writer.take(pick)].into_iter().chain(others.into_iter().flatten()).collect()
    }

    fn no_contest(&self) -> &'static str {
        let priced = self.entries.iter().any(|entry| Column::Dollars.figure(entry.cell).is_some());
        let scored = self.entries.iter().any(|entry| entry.cell.quality_by(&self.race.scale.name).is_some());
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

    /// Title of the chart of instances: the cheapest one against the next.
    pub(super) fn finding_of_instances(&self, ranked: &[&Contestant]) -> String {
        let host = |one: &Contestant| self.entry(one).host.name;
        match ranked {
            [] => "No instance has a system with quality and price".into(),
            [only] => format!("{} is the only instance with quality and price", host(only)),
            [first, second, ..] => {
                let duel = self.race.gain(second, first);
                if duel.order != Order::Better {
                    return format!(
                        "{} and {} give about the same words per dollar",
                        host(first),
                        host(second)
                    );
                }
                let (times, other) = (factor(&duel.ratio), host(second));
                format!("{} gives the most words per dollar: {times} times {other}", host(first))
            }
        }
    }

    /// Title of the chart of all systems on all instances.
    pub(super) fn finding_of_systems(&self) -> String {
        let on = self.race.frontier().count();
        let all = counted(
            self.race.contestants.len(),
            "pair of system and instance",
            "pairs of system and instance",
        );
        format!("Of {all}, {on} surely {} on the frontier", if on == 1 { "is" } else { "are" })
    }
}
