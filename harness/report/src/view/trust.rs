//! Section 1, second half: reasons for and against trust in the figures.

use dyno_record::rules::limits::FOREIGN_LIMIT;
use serde::Serialize;

use super::context::SetContext;
use crate::material::{Cell, Material};
use crate::sentences::{capital, list};
use dyno_measure::noise::STEAL_LIMIT;
use dyno_measure::{Profile, Track, Verdict};
use dyno_results::compare::TOLERATED_IN_SLICES;
use dyno_stats::Estimate;
use dyno_stats::numbers::counted;

/// One reason for or against trust.
#[derive(Debug, PartialEq, Serialize)]
pub struct Trust {
    /// Weight of the reason.
    pub weight: Weight,
    /// Text of the reason.
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

/// The trust panel.
pub fn trust(material: &Material, contexts: &[SetContext<'_>]) -> Vec<Trust> {
    let mut panel = invalid(material);
    panel.extend(noisy(material));
    panel.push(profile(material.profile));
    panel.push(noise_floor(material));
    panel.extend(load(material));
    panel.extend(spread(material));
    panel.extend(warnings(material));
    panel.extend(disagreements(material));
    panel.extend(unscored(contexts));
    panel.extend(yardsticks(contexts));
    panel
}

fn cells(material: &Material) -> impl Iterator<Item = &Cell> {
    material.sets.iter().flat_map(|set| &set.cells)
}

fn invalid(material: &Material) -> Vec<Trust> {
    let mut panel: Vec<Trust> = Vec::new();
    for cell in cells(material).filter(|cell| cell.verdict == Verdict::Invalid) {
        let (name, track) = (&material.systems[cell.system].name, cell.track);
        let mut seen: Vec<&str> = Vec::new();
        for reason in &cell.reasons {
            if !seen.contains(&reason.code.name()) {
                seen.push(reason.code.name());
                let (code, figure, limit) = (reason.code.name(), &reason.figure, &reason.limit);
                let text = format!(
                    "{name} is INVALID in {track}: {code} – {figure} (allowed: {limit}). {}.",
                    capital(&reason.remedy)
                );
                panel.push(Trust { weight: Weight::Bad, text });
            }
        }
    }
    // Few faults make many cells INVALID; the full table has all of them.
    let more = panel.len().saturating_sub(6);
    panel.truncate(6);
    if more > 0 {
        panel.push(Trust { weight: Weight::Bad, text: format!("… and {more} more, in the full table.") });
    }
    if panel.is_empty() {
        let count = counted(cells(material).count(), "cell kept", "cells kept");
        panel.push(Trust { weight: Weight::Good, text: format!("{count} the rules: none is INVALID.") });
    }
    panel
}

fn noisy(material: &Material) -> Option<Trust> {
    let noisy = cells(material).filter(|cell| cell.verdict == Verdict::Noisy);
    let mut names: Vec<String> =
        noisy.map(|cell| format!("{} in {}", material.systems[cell.system].name, cell.track)).collect();
    names.dedup();
    (!names.is_empty()).then(|| Trust {
        weight: Weight::Doubt,
        text: format!("The host disturbed {}: NOISY. Measure again on a quieter machine; dyno doctor names what disturbs.", list(&names)),
    })
}

fn profile(profile: Profile) -> Trust {
    let rounds = profile.rounds();
    match profile {
        Profile::Quick => Trust {
            weight: Weight::Doubt,
            text: format!(
                "Quick profile: {rounds} rounds a cell, a first look. Decide on --profile standard."
            ),
        },
        _ => Trust {
            weight: Weight::Good,
            text: format!(
                "{} profile: {rounds} rounds a cell, interleaved in random order.",
                capital(profile.name())
            ),
        },
    }
}

fn noise_floor(material: &Material) -> Trust {
    if material.noise_floor.is_empty() {
        let text =
            "Noise floor not measured: no system was entered twice. Small differences may be none.".into();
        return Trust { weight: Weight::Doubt, text };
    }
    let floor = |(track, share): &(Track, f64)| format!("{:.1} % in {track}", share * 100.0);
    let floors: Vec<String> = material.noise_floor.iter().map(floor).collect();
    let worst = material.noise_floor.iter().map(|floor| floor.1).fold(0.0, f64::max);
    let weight = if worst <= STEADY { Weight::Good } else { Weight::Doubt };
    Trust {
        weight,
        text: format!(
            "Noise floor, by a system entered twice: {}. Smaller differences are ties.",
            list(&floors)
        ),
    }
}

/// Greatest share of noise that hides none of the regressions that the gate looks for.
const STEADY: f64 = TOLERATED_IN_SLICES - 1.0;

fn load(material: &Material) -> Option<Trust> {
    let load = material.load.as_ref()?;
    let quiet = load.steal <= STEAL_LIMIT && load.foreign <= FOREIGN_LIMIT;
    let repeated = match load.repeated {
        0 => "no round had to be repeated".into(),
        count => counted(count, "disturbed round was repeated", "disturbed rounds were repeated"),
    };
    let (steal, foreign) = (plain_percent(load.steal), plain_percent(load.foreign));
    let text = format!(
        "Load on the cores in the worst round: {foreign} % by other programs, {steal} % by the hypervisor; {repeated}."
    );
    let often: String = load.often_repeated.iter().map(|often| format!(" {often}.")).collect();
    let (quiet, text) = (quiet && often.is_empty(), text + &often);
    Some(Trust { weight: if quiet { Weight::Good } else { Weight::Doubt }, text })
}

/// Warnings on cells that may be quoted, each code once a system.
fn warnings(material: &Material) -> Vec<Trust> {
    let mut seen: Vec<(usize, &str)> = Vec::new();
    let mut panel = Vec::new();
    for (cell, warning) in
        cells(material).flat_map(|cell| cell.warnings.iter().map(move |warning| (cell, warning)))
    {
        let key = (cell.system, warning.code.name());
        if !seen.contains(&key) {
            seen.push(key);
            let (name, code, figure) = (&material.systems[cell.system].name, key.1, &warning.figure);
            let text = format!("{name}: {code} – {figure} (usual: {}).", warning.limit);
            panel.push(Trust { weight: Weight::Doubt, text });
        }
    }
    let more = panel.len().saturating_sub(4);
    panel.truncate(4);
    if more > 0 {
        panel.push(Trust {
            weight: Weight::Doubt,
            text: format!("… and {more} more warnings, in the records."),
        });
    }
    panel
}

/// Spread of the rounds of a cell: the effect of the host's load, whatever its cause.
fn spread(material: &Material) -> Option<Trust> {
    let half = |speed: Estimate| (speed.high - speed.low) / 2.0 / speed.value;
    let valid = cells(material).filter(|cell| cell.verdict != Verdict::Invalid);
    let mut spreads: Vec<(&Cell, f64)> =
        valid.filter_map(|cell| Some((cell, half(cell.row.speed()?)))).collect();
    spreads.sort_by(|a, b| a.1.total_cmp(&b.1));
    let middle = spreads.get(spreads.len() / 2)?.1;
    let (cell, worst) = spreads.last()?;
    let name = &material.systems[cell.system].name;
    let text = format!(
        "Rounds of a cell agree within ±{} % (median), ±{} % at worst ({name}, {}).",
        plain_percent(middle),
        plain_percent(*worst),
        cell.track
    );
    Some(Trust { weight: if middle <= STEADY { Weight::Good } else { Weight::Doubt }, text })
}

fn plain_percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent < 10.0 { format!("{percent:.1}") } else { format!("{percent:.0}") }
}

/// Pairs that the metrics rank in different ways.
fn disagreements(material: &Material) -> Vec<Trust> {
    let doubt = |text: String| Trust { weight: Weight::Doubt, text };
    let told = material.disagreements.iter().take(MOST_DISAGREEMENTS);
    let more = material.disagreements.len().saturating_sub(MOST_DISAGREEMENTS);
    let rest =
        (more > 0).then(|| format!("The metrics disagree on {}.", counted(more, "more pair", "more pairs")));
    told.map(|told| doubt(format!("{told}."))).chain(rest.map(doubt)).collect()
}

/// Disagreements that are told one by one.
const MOST_DISAGREEMENTS: usize = 3;

fn unscored(contexts: &[SetContext<'_>]) -> Option<Trust> {
    let lacks = |context: &&SetContext<'_>| {
        context.translators.iter().any(|&system| context.set.quality(system).is_none())
    };
    let names: Vec<String> = contexts.iter().filter(lacks).map(|context| context.set.name.clone()).collect();
    (!names.is_empty()).then(|| Trust {
        weight: Weight::Doubt,
        text: format!(
            "Quality is missing for some systems on {}; dyno score adds it where there are references.",
            list(&names)
        ),
    })
}

fn yardsticks(contexts: &[SetContext<'_>]) -> Option<Trust> {
    let context = contexts.first()?;
    let yardstick = |system: &usize| context.set.is_yardstick(*system, &context.material.outputs);
    let names: Vec<String> =
        (0..context.material.systems.len()).filter(yardstick).map(|system| context.name(system)).collect();
    (!names.is_empty()).then(|| Trust {
        weight: Weight::Good,
        text: format!("Yardsticks that hand the source back, in the full table only: {}.", list(&names)),
    })
}
