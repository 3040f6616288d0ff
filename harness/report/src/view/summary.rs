//! Section 1: what to take, and whether to believe it.

use serde::Serialize;

use super::{Scene, row_class};
use crate::cost::Cost;
use crate::material::{Cell, Material};
use crate::tables::{Field, Table};
use crate::words::{NO_CONTEST, Writer, list};
use dyno_measure::Profile;
use dyno_measure::{Track, Verdict};
use dyno_stats::Estimate;
use dyno_stats::Standing;
use dyno_stats::numbers::{counted, mebibytes, plain, supported};

/// One reason to believe the figures, or not to.
#[derive(Debug, PartialEq, Serialize)]
pub struct Trust {
    /// How it weighs.
    pub weight: Weight,
    /// What it is.
    pub text: String,
}

/// How a reason weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Weight {
    /// For trust.
    Good,
    /// For caution.
    Doubt,
    /// A rule was broken.
    Bad,
}

/// The summary's sentences.
pub fn verdict(scene: &Scene<'_>) -> Vec<String> {
    match &scene.contest {
        Some(contest) => Writer { contest, name: &|system| scene.spoken(system) }.verdict(),
        None => vec![no_contest(scene)],
    }
}

fn no_contest(scene: &Scene<'_>) -> String {
    if scene.translators.is_empty() {
        return "Every system here hands the source back: yardsticks of the bench itself, nothing to choose from.".into();
    }
    if scene.translators.iter().all(|&system| scene.set.quality(system).is_none()) {
        return "No quality was scored, so nothing can be said of the frontier; dyno score adds it to this run.".into();
    }
    NO_CONTEST.into()
}

/// The frontier as a table: for which quality to take what, at what cost.
pub fn choices(scene: &Scene<'_>) -> Table {
    let costs = costs(scene);
    let mut heads = vec!["take", "#BLEU"];
    heads.extend(costs.iter().map(|cost| cost.head()));
    heads.extend(["#peak MiB", "how sure"]);
    let mut table = Table::new("The frontier, from the best quality to the least cost", &heads);
    for one in scene
        .contest
        .iter()
        .flat_map(|contest| &contest.contestants)
        .filter(|one| one.standing != Standing::Off)
    {
        let mut fields = vec![Field::text(scene.name(one.system)), quality(Some(&one.quality))];
        fields.extend(costs.iter().map(|cost| estimate(cost.of(scene.set, one.system).as_ref())));
        fields.push(Field::maybe(peak_mebibytes(scene, one.system), plain));
        fields.push(Field::text(if one.standing == Standing::Frontier {
            "on the frontier"
        } else {
            "probably on it"
        }));
        table.push(row_class(Some(one.standing)), fields);
    }
    table.without_empty_columns().aligned()
}

/// A system's peak memory. One core first: workers multiply memory, and not all tracks are always there.
pub fn peak_mebibytes(scene: &Scene<'_>, system: usize) -> Option<f64> {
    let own = |track| scene.cells(track).into_iter().find(|cell: &&Cell| cell.system == system)?.peak_bytes;
    [Track::Throughput1, Track::Latency, Track::ThroughputAll].into_iter().find_map(own).map(mebibytes)
}

/// The costs of which there are figures.
fn costs(scene: &Scene<'_>) -> Vec<Cost> {
    let told = |cost: &Cost| scene.translators.iter().any(|&system| cost.of(scene.set, system).is_some());
    Cost::ALL.into_iter().filter(told).collect()
}

/// BLEU with its doubt.
pub fn quality(quality: Option<&Estimate>) -> Field {
    quality.map_or_else(Field::none, |quality| {
        let half = (quality.high - quality.low) / 2.0;
        let doubt = if half > 0.0 { format!(" ±{half:.1}") } else { String::new() };
        Field::figure(format!("{:.1}{doubt}", quality.value), quality.value)
    })
}

/// A figure with the digits that its interval supports.
pub fn estimate(estimate: Option<&Estimate>) -> Field {
    estimate.map_or_else(Field::none, |estimate| Field::figure(supported(estimate), estimate.value))
}

/// The trust panel.
pub fn trust(material: &Material, scenes: &[Scene<'_>]) -> Vec<Trust> {
    let mut panel = invalid(material);
    panel.extend(noisy(material));
    panel.push(profile(material.profile));
    panel.push(noise_floor(material));
    panel.extend(load(material));
    panel.extend(spread(material));
    panel.extend(warnings(material));
    panel.extend(unscored(scenes));
    panel.extend(yardsticks(scenes));
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
    // Many cells fall by few faults; the full table has them all.
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

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
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
    // The gate's own threshold: a floor above it would hide what the gate looks for.
    let weight = if worst <= 0.04 { Weight::Good } else { Weight::Doubt };
    Trust {
        weight,
        text: format!(
            "Noise floor, by a system entered twice: {}. Smaller differences are ties.",
            list(&floors)
        ),
    }
}

/// The protocol's limits: above them a round is NOISY.
const MOST_STEAL: f64 = 0.01;
const MOST_FOREIGN: f64 = 0.02;

fn load(material: &Material) -> Option<Trust> {
    let load = material.load?;
    let quiet = load.steal <= MOST_STEAL && load.foreign <= MOST_FOREIGN;
    let repeated = match load.repeated {
        0 => "no round had to be repeated".into(),
        count => counted(count, "disturbed round was repeated", "disturbed rounds were repeated"),
    };
    let (steal, foreign) = (plain_percent(load.steal), plain_percent(load.foreign));
    let text = format!(
        "Load on the cores in the worst round: {foreign} % by other programs, {steal} % by the hypervisor; {repeated}."
    );
    Some(Trust { weight: if quiet { Weight::Good } else { Weight::Doubt }, text })
}

/// What may be quoted, with a grain of salt: once a system and code.
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

/// How far the rounds of a cell lay apart: what the host's load did, whatever its cause.
fn spread(material: &Material) -> Option<Trust> {
    let half = |speed: Estimate| (speed.high - speed.low) / 2.0 / speed.value;
    let valid = cells(material).filter(|cell| cell.verdict != Verdict::Invalid);
    let mut spreads: Vec<(&Cell, f64)> = valid.filter_map(|cell| Some((cell, half(cell.speed?)))).collect();
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
    Some(Trust { weight: if middle <= 0.04 { Weight::Good } else { Weight::Doubt }, text })
}

fn plain_percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent < 10.0 { format!("{percent:.1}") } else { format!("{percent:.0}") }
}

fn unscored(scenes: &[Scene<'_>]) -> Option<Trust> {
    let lacks =
        |scene: &&Scene<'_>| scene.translators.iter().any(|&system| scene.set.quality(system).is_none());
    let names: Vec<String> = scenes.iter().filter(lacks).map(|scene| scene.set.name.clone()).collect();
    (!names.is_empty()).then(|| Trust {
        weight: Weight::Doubt,
        text: format!(
            "Quality is missing for some systems on {}; dyno score adds it where there are references.",
            list(&names)
        ),
    })
}

fn yardsticks(scenes: &[Scene<'_>]) -> Option<Trust> {
    let scene = scenes.first()?;
    let yardstick = |system: &usize| scene.set.is_yardstick(*system, &scene.material.outputs);
    let names: Vec<String> =
        (0..scene.material.systems.len()).filter(yardstick).map(|system| scene.name(system)).collect();
    (!names.is_empty()).then(|| Trust {
        weight: Weight::Good,
        text: format!("Yardsticks that hand the source back, in the full table only: {}.", list(&names)),
    })
}
