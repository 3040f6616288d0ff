//! The campaign in the gate's form, which trials and pairs share, and the end of an interrupted gate.

use dyno_measure::{Profile, TestSet};

use crate::campaign::{Campaign, Entry};
use crate::exit::{Exit, Failure, no_answer};

/// The gate's form of `campaign`, with these entries and test sets. The quick profile needs one second of
/// throughput and three warm-up lines, which makes rounds of about a second. A disturbed round isn't repeated:
/// it is one of many, and the host disturbs its pair as well. No verdict uses the closed loop.
pub(super) fn quick(campaign: &Campaign, entries: Vec<Entry>, sets: Vec<TestSet>) -> Campaign {
    let name = format!("{}-gate", campaign.name);
    let mut quick = Campaign { name, systems: entries, test_sets: sets, ..campaign.clone() };
    quick.set_profile(Profile::Quick);
    quick.protocol.limits.noisy_repeats = Some(0);
    (quick.protocol.filler, quick.protocol.clients) = (None, Vec::new());
    quick
}

/// The end of a gate whose system got the user's signal first.
pub(super) fn interrupted() -> Failure {
    no_answer(Exit::Interrupted, "interrupted during a round")
}
