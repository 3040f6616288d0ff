//! The step from a run and its summary to the material of a report: systems and outputs as indices, figures
//! in the units of the page.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use dyno_api::printable_line;
use dyno_record::identity::{Launch, RunSystem};

use super::charts::Family;
use super::material::{Cell, Load, Material, Measure, Set, System};
use dyno_measure::noise::Noise;
use dyno_measure::noise::repeats::often_repeated;
use dyno_measure::{Profile, TestSet};
use dyno_measure::{Record, Served};
use dyno_measure::{Track, Verdict};
use dyno_results::scores::Scale;
use dyno_results::summary::cell::MetricFigure;
use dyno_results::summary::judge::{Duel, Rounds, noise_floor, quality_order};
use dyno_results::turns::{P95, SPEED};
use dyno_results::{CellBreakdown, CellSummary, Run, Summary};
use dyno_stats::Estimate;
use dyno_stats::{Order, median, median_interval, percentile};

/// Material of a report on `run`.
pub fn material(run: &Run, summary: &Summary) -> Material {
    let mut names: Vec<&String> = run.outputs.keys().collect();
    names.sort();
    let places: HashMap<&str, usize> = names.iter().enumerate().map(|(i, name)| (name.as_str(), i)).collect();
    Material {
        campaign: run.identity.campaign.clone(),
        key: run.identity.key.clone(),
        profile: run.records.first().map_or(Profile::Quick, |record| record.profile),
        date: run.day(),
        host: run.identity.host.clone(),
        systems: run
            .identity
            .systems
            .iter()
            .enumerate()
            .map(|(i, described)| system(run, i, described))
            .collect(),
        sets: run
            .test_sets
            .iter()
            .map(|set| test_set(run, set, &summary.cells, &places, &summary.noise_floors))
            .collect(),
        outputs: names.iter().map(|name| run.outputs[*name].clone()).collect(),
        price: summary.price.clone(),
        load: load(&run.records),
        networks: told(run, |record| record.network.as_ref()),
        sandboxes: told(run, |record| record.sandbox.as_ref()),
        pipe_floor_us: median(
            &run.records.iter().filter_map(|r| Some(r.pipe_floor_ns? as f64 / 1e3)).collect::<Vec<_>>(),
        ),
        disagreements: summary.disagreements.iter().map(|told| told.about(&summary.metrics)).collect(),
        same_weights: summary
            .same_weights
            .iter()
            .map(|told| (told.test_set.clone(), printable_line(&told.about())))
            .collect(),
        noise_floor: summary.noise_floors.iter().map(|(track, share)| (*track, *share)).collect(),
    }
}

fn load(records: &[Record]) -> Option<Load> {
    let counted = || records.iter().filter_map(|record| record.noise.last());
    let most = |share: fn(&Noise) -> f64| counted().map(share).reduce(f64::max);
    let repeated = records.iter().map(|record| record.noise.len().saturating_sub(1)).sum();
    let attempts = records.iter().filter(|record| !record.refused);
    let often_repeated = often_repeated(attempts.map(|record| (record.system.as_str(), record.noise.len())));
    let (steal, foreign) = (most(|n| n.steal_share)?, most(|n| n.foreign_share)?);
    Some(Load { steal, foreign, repeated, often_repeated })
}

fn system(run: &Run, index: usize, described: &RunSystem) -> System {
    let name = described.name.as_str();
    let settings = match &described.launch {
        Launch::Adapter(_) => Vec::new(), // its command shows them
        launch => launch.settings(),
    };
    let first =
        |track: Track| run.records.iter().find(|record| record.system == name && record.track == track);
    let command = |track| Some((track, first(track)?.command.clone()));
    System {
        name: printable_line(name),
        family: family_of(described),
        is_twin: run.systems()[..index].iter().any(|other| run.are_twins(other, name)),
        sweep: described.sweep.as_deref().map(printable_line),
        fewer_cores: described.cores.is_some(),
        settings,
        models: described.models.iter().map(|model| model.display().to_string()).collect(),
        commands: Track::ALL.into_iter().filter_map(command).collect(),
    }
}

/// Family of the engine of a system, as the run's identity describes it.
pub(crate) fn family_of(described: &RunSystem) -> Family {
    match &described.launch {
        Launch::BuiltIn { backend, .. } => Family::of_backend(backend),
        Launch::Plugin { .. } => Family::Plugin,
        Launch::Foreign { .. } | Launch::Adapter(_) | Launch::Submission(_) => Family::Program,
    }
}

/// Different texts that `of` finds in the records.
fn told(run: &Run, of: impl Fn(&Record) -> Option<&String>) -> Vec<String> {
    let told: BTreeSet<&String> = run.records.iter().filter_map(of).collect();
    told.into_iter().cloned().collect()
}

fn test_set(
    run: &Run,
    set: &TestSet,
    summaries: &[CellSummary],
    places: &HashMap<&str, usize>,
    floors: &BTreeMap<Track, f64>,
) -> Set {
    let own =
        run.cells().into_iter().zip(summaries).filter(|(measured, _)| measured.test_set.name == set.name);
    let systems = run.systems();
    let place = |name: &str| systems.iter().position(|system| *system == name);
    let cells: Vec<Cell> = own
        .filter_map(|(measured, summary)| {
            let records = measured.records;
            let mut cell = cell(place(&summary.system)?, &records, summary, places);
            let mut told = run.breakdowns.iter();
            let of_cell = |row: &&CellBreakdown| {
                (&row.system, &row.test_set, row.track) == (&summary.system, &set.name, summary.track)
            };
            cell.breakdown = told.find(of_cell).map(|told| told.breakdown.clone());
            Some(cell)
        })
        .collect();
    let text = |line: &Vec<u8>| String::from_utf8_lossy(line).into_owned();
    Set {
        name: set.name.clone(),
        sha256: set.sha256.clone(),
        source: set.source.iter().map(text).collect(),
        references: set.references.clone(),
        lines: set.source.len(),
        words: set.words(),
        metrics: run.scales_of(set),
        signatures: signatures(run, &set.name),
        orders: orders(run, &set.name, &cells, places),
        duels: duels(run, set, floors, &place),
        cells,
    }
}

/// Comparisons of every two systems: in speed under each track, as in the terminal's table, and in p95
/// latency. The latter has its own noise floor, since tails are less steady than means.
fn duels(
    run: &Run,
    set: &TestSet,
    floors: &BTreeMap<Track, f64>,
    place: &impl Fn(&str) -> Option<usize>,
) -> HashMap<(Measure, usize, usize), Duel> {
    let cells = run.cells();
    let floor_of = |track: Track| floors.get(&track).copied();
    let speeds = Track::ALL.map(|track| (Measure::Speed(track), track, SPEED, floor_of(track)));
    let lockstep = Track::ALL.into_iter().filter(|track| track.is_lockstep());
    let tails = lockstep.map(|track| (Measure::P95(track), track, P95, noise_floor(run, &cells, track, P95)));
    let measures = speeds.into_iter().chain(tails);
    let mut duels = HashMap::new();
    for (measure, track, figure, floor) in measures {
        let own = cells.iter().filter(|cell| cell.test_set.name == set.name && cell.track == track);
        let valid = own.filter(|cell| cell.verdict() != Verdict::Invalid);
        let rounds: Vec<(usize, Rounds<'_>)> =
            valid.filter_map(|cell| Some((place(cell.system)?, Rounds::of(cell, figure)))).collect();
        let pairs = rounds.iter().flat_map(|a| rounds.iter().map(move |b| (a, b)));
        duels.extend(
            pairs.filter(|(a, b)| a.0 != b.0).filter_map(|((i, a), (j, b))| {
                Some(((measure, *i, *j), a.against(b, floor.unwrap_or(0.0))?))
            }),
        );
    }
    duels
}

/// Signatures of the metrics, each once, with the title of its metric.
fn signatures(run: &Run, test_set: &str) -> Vec<String> {
    let own = || run.scores.scores.iter().filter(|score| score.test_set == test_set);
    let of = |scale: &Scale| {
        let quality = own().filter_map(|score| score.metrics.get(&scale.name));
        let told = quality.filter(|quality| !quality.signature.is_empty());
        told.map(|quality| format!("{} {}", scale.title, quality.signature)).collect::<BTreeSet<_>>()
    };
    run.scales().iter().flat_map(of).collect()
}

/// Comparisons of every two systems in quality: equal texts are equal, else the paired bootstrap decides.
fn orders(
    run: &Run,
    test_set: &str,
    cells: &[Cell],
    places: &HashMap<&str, usize>,
) -> HashMap<(usize, usize), Order> {
    let names: HashMap<usize, &str> = places.iter().map(|(name, place)| (*place, *name)).collect();
    let mut outputs: HashMap<usize, usize> = HashMap::new();
    for cell in cells.iter().filter(|cell| cell.verdict != Verdict::Invalid) {
        if let Some(output) = cell.output {
            outputs.entry(cell.system).or_insert(output);
        }
    }
    // Without a score there is no order: intervals decide then.
    let order = |a: usize, b: usize| {
        let first = &run.first_scale(test_set).name;
        let is_known = a == b || run.scores.difference(first, names[&a], names[&b], test_set).is_some();
        is_known.then(|| quality_order(run, test_set, names[&a], names[&b]))
    };
    let pairs = outputs.iter().flat_map(|a| outputs.iter().map(move |b| (a, b)));
    pairs.filter_map(|((i, a), (j, b))| Some(((*i, *j), order(*a, *b)?))).collect()
}

fn cell(system: usize, records: &[&Record], summary: &CellSummary, places: &HashMap<&str, usize>) -> Cell {
    let valid: Vec<&Record> =
        records.iter().copied().filter(|record| record.verdict != Verdict::Invalid).collect();
    Cell {
        system,
        row: summary.clone(),
        track: summary.track,
        verdict: summary.verdict,
        standing: summary.standing,
        reasons: records.iter().flat_map(|record| record.reasons.clone()).collect(),
        warnings: records.iter().flat_map(|record| record.warnings.clone()).collect(),
        cores: records.first().map_or(1, |record| record.system_cores.len()),
        served: median_served(&valid),
        percentiles_ms: [50.0, 90.0, 95.0, 99.0].map(|percent| over_rounds(&valid, percent)),
        latency_ms: median_lines(&valid),
        quality: summary.quality.iter().map(MetricFigure::estimate).collect(),
        output: summary.output.as_deref().and_then(|output| places.get(output).copied()),
        breakdown: None,
    }
}

fn milliseconds(ns: &[u64]) -> Vec<f64> {
    ns.iter().map(|&ns| ns as f64 / 1e6).collect()
}

/// Median over rounds of a percentile of the lines, with its interval.
fn over_rounds(valid: &[&Record], percent: f64) -> Option<Estimate> {
    let rounds: Vec<f64> =
        valid.iter().filter_map(|record| percentile(&milliseconds(record.line_ns()), percent)).collect();
    let interval = median_interval(&rounds)?;
    Some(Estimate { value: median(&rounds)?, low: interval.low, high: interval.high })
}

/// Round of the median rate; of an even number the lower one.
fn median_served(valid: &[&Record]) -> Option<Served> {
    let mut served: Vec<&Served> = valid.iter().filter_map(|record| record.served()).collect();
    let rate = |served: &Served| served.rate.unwrap_or(0.0);
    served.sort_by(|a, b| rate(a).total_cmp(&rate(b)));
    served.get(served.len().saturating_sub(1) / 2).copied().cloned()
}

/// Median latency of each line over the rounds.
fn median_lines(valid: &[&Record]) -> Vec<f64> {
    let rounds: Vec<&[u64]> =
        valid.iter().map(|record| record.line_ns()).filter(|lines| !lines.is_empty()).collect();
    let lines = rounds.iter().map(|lines| lines.len()).min().unwrap_or(0);
    let line = |i: usize| median(&rounds.iter().map(|lines| lines[i] as f64 / 1e6).collect::<Vec<_>>());
    (0..lines).filter_map(line).collect()
}
