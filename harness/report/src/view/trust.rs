//! Section 1, second half: reasons for and against trust in the figures.

use std::collections::{BTreeMap, HashSet};

use dyno_record::rules::limits::FOREIGN_LIMIT;
use itertools::Itertools;
use serde::Serialize;

use super::context::SetContext;
use crate::material::Material;
use crate::sentences::{capital, list};
use dyno_measure::noise::STEAL_LIMIT;
use dyno_measure::noise::repeats::often_repeated;
use dyno_record::{Noise, Profile, Record, Track, Verdict};
use dyno_results::compare::TOLERATED_IN_SLICES;
use dyno_results::{CellSummary, Summary};
use dyno_stats::Estimate;
use dyno_stats::numbers::counted;

/// One reason for or against trust.
#[derive(Debug, PartialEq, Serialize)]
pub struct Trust {
    pub weight: Weight,
    pub text: String,
}

/// Weight of a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Weight {
    /// Speaks for trust.
    Good,
    /// Speaks for caution.
    Doubt,
    /// A broken rule.
    Bad,
}

pub fn trust(material: &Material<'_>, of: Profile, contexts: &[SetContext<'_>]) -> Vec<Trust> {
    let mut panel = invalid(material);
    panel.extend(noisy(material));
    panel.push(profile(of));
    panel.push(noise_floor(&material.summary.noise_floors));
    panel.extend(load(&material.run.records));
    panel.extend(spread(material));
    panel.extend(warnings(material));
    panel.extend(disagreements(material.summary));
    panel.extend(unscored(contexts));
    panel.extend(yardsticks(contexts));
    panel
}

fn doubt(text: impl Into<String>) -> Trust {
    Trust { weight: Weight::Doubt, text: text.into() }
}

fn bad(text: String) -> Trust {
    Trust { weight: Weight::Bad, text }
}

/// Speaks for trust if all is well, for caution otherwise.
fn good_if(well: bool, text: String) -> Trust {
    Trust { weight: if well { Weight::Good } else { Weight::Doubt }, text }
}

/// The first `most` reasons, and how many more there are.
fn first(most: usize, mut all: Vec<Trust>, more: impl Fn(usize) -> Trust) -> Vec<Trust> {
    let left = all.len().saturating_sub(most);
    all.truncate(most);
    all.extend((left > 0).then(|| more(left)));
    all
}

/// A reason that lists names, if there are any.
fn naming(names: impl Iterator<Item = String>, about: impl Fn(String) -> Trust) -> Option<Trust> {
    let names: Vec<String> = names.collect();
    (!names.is_empty()).then(|| about(list(&names)))
}

fn invalid(material: &Material<'_>) -> Vec<Trust> {
    let all = &material.summary.cells;
    let invalid = all.iter().filter(|cell| cell.verdict == Verdict::Invalid);
    let reasons = invalid.flat_map(|cell| cell.reasons.iter().map(move |reason| (cell, reason)));
    let told = reasons.map(|(cell, reason)| {
        let (name, track, code) = (&material.systems[cell.place].name, cell.track, reason.code.name());
        let (figure, limit, remedy) = (&reason.figure, &reason.limit, capital(&reason.remedy));
        bad(format!("{name} is INVALID in {track}: {code} – {figure} (allowed: {limit}). {remedy}."))
    });
    let told: Vec<Trust> = told.collect();
    if told.is_empty() {
        let count = counted(all.len(), "cell kept", "cells kept");
        return vec![good_if(true, format!("{count} the rules: none is INVALID."))];
    }
    // Few faults make many cells INVALID; the full table has all of them.
    first(6, told, |more| bad(format!("… and {more} more, in the full table.")))
}

fn noisy(material: &Material<'_>) -> Option<Trust> {
    let noisy = material.summary.cells.iter().filter(|cell| cell.verdict == Verdict::Noisy);
    let names = noisy.map(|cell| format!("{} in {}", material.systems[cell.place].name, cell.track));
    naming(names.dedup(), |names| {
        doubt(format!(
            "The host disturbed {names}: NOISY. Measure again on a quieter machine; dyno doctor names what disturbs."
        ))
    })
}

fn profile(profile: Profile) -> Trust {
    let (rounds, name) = (profile.rounds(), capital(profile.name()));
    match profile {
        Profile::Quick => doubt(format!(
            "Quick profile: {rounds} rounds a cell, a first look. Decide on --profile standard."
        )),
        _ => good_if(true, format!("{name} profile: {rounds} rounds a cell, interleaved in random order.")),
    }
}

fn noise_floor(floors: &BTreeMap<Track, f64>) -> Trust {
    if floors.is_empty() {
        return doubt(
            "Noise floor not measured: no system was entered twice. Small differences may be none.",
        );
    }
    let worst = floors.values().copied().fold(0.0, f64::max);
    let floor = |(track, share): (&Track, &f64)| format!("{:.1} % in {track}", share * 100.0);
    let floors = list(&floors.iter().map(floor).collect::<Vec<_>>());
    let text = format!("Noise floor, by a system entered twice: {floors}. Smaller differences are ties.");
    good_if(worst <= STEADY, text)
}

/// Greatest share of noise that hides none of the regressions that the gate looks for.
const STEADY: f64 = TOLERATED_IN_SLICES - 1.0;

/// Load of other programs on the host: the greatest of all rounds that count.
fn load(records: &[Record]) -> Option<Trust> {
    let counts = || records.iter().filter_map(|record| record.noise.last());
    let most = |share: fn(&Noise) -> f64| counts().map(share).reduce(f64::max);
    let (steal, foreign) = (most(|noise| noise.steal_share)?, most(|noise| noise.foreign_share)?);
    let quiet = steal <= STEAL_LIMIT && foreign <= FOREIGN_LIMIT;
    let repeated = match records.iter().map(|record| record.noise.len().saturating_sub(1)).sum() {
        0 => "no round had to be repeated".into(),
        count => counted(count, "disturbed round was repeated", "disturbed rounds were repeated"),
    };
    let attempts = records.iter().filter(|record| !record.refused);
    let often = often_repeated(attempts.map(|record| (record.system.as_str(), record.noise.len())));
    let often: String = often.iter().map(|often| format!(" {often}.")).collect();
    let text = format!(
        "Load on the cores in the worst round: {} % by other programs, {} % by the hypervisor; {repeated}.{often}",
        plain_percent(foreign),
        plain_percent(steal)
    );
    Some(good_if(quiet && often.is_empty(), text))
}

/// Warnings on cells that may be quoted, each code once a system, with its first figure.
fn warnings(material: &Material<'_>) -> Vec<Trust> {
    let mut seen = HashSet::new();
    let mut told = Vec::new();
    for (row, cell) in material.summary.cells.iter().zip(material.run.cells()) {
        let all = cell.records.iter().flat_map(|record| &record.warnings);
        for warning in all.filter(|warning| seen.insert((row.place, warning.code))) {
            let (name, code) = (&material.systems[row.place].name, warning.code.name());
            told.push(doubt(format!("{name}: {code} – {} (usual: {}).", warning.figure, warning.limit)));
        }
    }
    first(4, told, |more| doubt(format!("… and {more} more warnings, in the records.")))
}

/// Spread of the rounds of a cell: the effect of the host's load, whatever its cause.
fn spread(material: &Material<'_>) -> Option<Trust> {
    let half = |speed: Estimate| (speed.high - speed.low) / 2.0 / speed.value;
    let valid = material.summary.cells.iter().filter(|cell| cell.verdict != Verdict::Invalid);
    let mut spreads: Vec<(&CellSummary, f64)> =
        valid.filter_map(|cell| Some((cell, half(cell.speed()?)))).collect();
    spreads.sort_by(|a, b| a.1.total_cmp(&b.1));
    let middle = spreads.get(spreads.len() / 2)?.1;
    let (cell, worst) = spreads.last()?;
    let text = format!(
        "Rounds of a cell agree within ±{} % (median), ±{} % at worst ({}, {}).",
        plain_percent(middle),
        plain_percent(*worst),
        material.systems[cell.place].name,
        cell.track
    );
    Some(good_if(middle <= STEADY, text))
}

fn plain_percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent < 10.0 { format!("{percent:.1}") } else { format!("{percent:.0}") }
}

/// Pairs that the metrics rank in different ways.
fn disagreements(Summary { disagreements, metrics, .. }: &Summary) -> Vec<Trust> {
    let told = disagreements.iter().map(|told| doubt(told.about(metrics) + ".")).collect();
    first(3, told, |more| {
        doubt(format!("The metrics disagree on {}.", counted(more, "more pair", "more pairs")))
    })
}

fn unscored(contexts: &[SetContext<'_>]) -> Option<Trust> {
    let lacks = |context: &&SetContext<'_>| {
        context.translators.iter().any(|&system| context.set.quality(system).is_none())
    };
    let names = contexts.iter().filter(lacks).map(|context| context.set.texts.name.clone());
    naming(names, |names| {
        doubt(format!(
            "Quality is missing for some systems on {names}; dyno score adds it where there are references."
        ))
    })
}

fn yardsticks(contexts: &[SetContext<'_>]) -> Option<Trust> {
    let context = contexts.first()?;
    let yardstick = |system: &usize| context.set.is_yardstick(*system);
    let names = (0..context.material.systems.len()).filter(yardstick).map(|system| context.name(system));
    let about = |names| format!("Yardsticks that hand the source back, in the full table only: {names}.");
    naming(names, |names| good_if(true, about(names)))
}
