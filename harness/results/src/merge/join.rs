//! The join of a host's runs into one.
//!
//! The cells of a test set under a track are compared round by round, so all of them come from one run: the
//! one with most rounds of that group. A shard that was killed and measured again elsewhere thereby counts
//! once.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use dyno_record::{Identity, Record, Track};
use itertools::Itertools;

use super::merged::Source;
use crate::error::{Error, Result};
use crate::run::Run;

/// Test set and track: cells that are compared.
type Group<'a> = (&'a str, Track);

/// Place of the run that each group comes from.
type Chosen = HashMap<(String, Track), usize>;

/// Joins runs that belong together and have equal hosts. Also returns remarks on rounds that were left out.
pub(super) fn join(mut runs: Vec<Source>) -> Result<(Run, Vec<String>)> {
    if runs.len() == 1 && runs[0].1.identity.protocol.shard.is_none() {
        return Ok((runs.remove(0).1, Vec::new()));
    }
    let (chosen, notes) = choose(&runs)?;
    let mut joined = Run::new(joined_identity(&runs[0].1.identity)?, runs[0].1.test_sets.clone());
    for (place, (_, run)) in runs.into_iter().enumerate() {
        add(&mut joined, run, &|set, track| chosen.get(&(set.to_owned(), track)) == Some(&place));
    }
    Ok((joined, notes))
}

fn joined_identity(identity: &Identity) -> Result<Identity> {
    let whole = Identity { protocol: identity.protocol.of_all_shards(), ..identity.clone() };
    whole.with_key().map_err(Error::encoding("the run's identity"))
}

/// Adds the groups of `run` that it was chosen for, and all of its scores: a text has one score.
fn add(joined: &mut Run, run: Run, is_chosen: &dyn Fn(&str, Track) -> bool) {
    let own = run.records.into_iter().filter(|record| is_chosen(&record.test_set, record.track));
    joined.records.extend(own);
    joined.outputs.extend(run.outputs);
    joined.breakdowns.extend(run.breakdowns.into_iter().filter(|row| is_chosen(&row.test_set, row.track)));
    joined.price = joined.price.take().or(run.price);
    if joined.scores.texts.is_empty() {
        joined.metrics = run.metrics;
    }
    joined.scores.add_missing(&run.scores);
}

fn choose(runs: &[Source]) -> Result<(Chosen, Vec<String>)> {
    let mut groups: BTreeMap<Group<'_>, BTreeMap<usize, Vec<&Record>>> = BTreeMap::new();
    for (place, (_, run)) in runs.iter().enumerate() {
        for record in &run.records {
            let holders = groups.entry((&record.test_set, record.track)).or_default();
            holders.entry(place).or_default().push(record);
        }
    }
    let (mut chosen, mut notes) = (HashMap::new(), Vec::new());
    for (group, holders) in groups {
        let mut holders =
            holders.into_iter().sorted_by_key(|(place, records)| (Reverse(records.len()), *place));
        let Some((best, most)) = holders.next() else { continue };
        for (place, records) in holders {
            notes.extend(left_out(group, &runs[best].0, &runs[place].0, (&most, &records))?);
        }
        chosen.insert((group.0.to_owned(), group.1), best);
    }
    Ok((chosen, notes))
}

/// Remark on the rounds of a group that are left out since another run has more of them. A copy needs no
/// remark; a second whole measurement is refused, since nothing says which one counts.
fn left_out(
    (set, track): Group<'_>,
    best: &Path,
    other: &Path,
    (most, fewer): (&[&Record], &[&Record]),
) -> Result<Option<String>> {
    let (best, other) = (best.display(), other.display());
    if most == fewer {
        return Ok(None);
    }
    if most.len() == fewer.len() {
        return Err(Error::Input(format!(
            "{best} and {other} both measured {set} under {track} on one kind of host; leave one of them out"
        )));
    }
    let rounds = fewer.len();
    Ok(Some(format!(
        "{rounds} rounds of {set} under {track} in {other} are left out: {best} has more of them"
    )))
}
