//! `dyno gate --by instructions`: whether candidates take more instructions for a word than their baseline.
//!
//! Instructions aren't time: a cache or a wider vector changes one and not the other. But they are the same on a busy
//! host, so that a shared runner can test them.

use std::fmt::Write as _;

use dyno_measure::{System, TestSet, host};
use dyno_record::Track;
use dyno_stats::numbers::whole;
use serde::Serialize;

use super::answer::Names;
use super::baseline::Baseline;
use super::cell::{Fault, PROFILE};
use super::counter::{Counter, Counts, Instructions};
use super::markdown;
use crate::campaign::{Campaign, Entry};
use crate::cli::measuring::{GateArgs, OnNoise};
use crate::exit::{Exit, Outcome, no_answer};
use crate::interrupt::Stop;
use crate::{output, table};

/// Tolerated ratio of candidate to baseline. Counts of one program differ by less than 0.1 %.
const TOLERATED: f64 = 1.01;

#[derive(Serialize)]
struct Answer {
    regressed: bool,
    undecided: bool,
    counter: Counter,
    cells: Vec<Cell>,
}

#[derive(Serialize)]
struct Cell {
    #[serde(flatten)]
    names: Names,
    baseline_per_word: Counts<f64>,
    candidate_per_word: Counts<f64>,
    /// Of instructions, candidate over baseline; none where a side's lines take no more than its starts differ by.
    ratio: Option<f64>,
}

pub(super) fn gate(args: &GateArgs, campaign: &Campaign, baseline: &Baseline) -> Outcome {
    refuse_other_limits(args)?;
    let counting = Instructions::new(campaign, &host::detect()?, &Stop::on_signals(|| ())?)?;
    let mut cells = Vec::new();
    for set in &campaign.test_sets {
        for candidate in &campaign.systems {
            // One track is enough: `--track` chooses another one.
            let mut tracks = campaign.tracks.iter().copied();
            let Some(track) = tracks.find(|track| candidate.takes_part(*track)) else { continue };
            match counted(&counting, baseline, candidate, (set, track))? {
                Ok(cell) => cells.push(cell),
                Err(Fault { culprit, reason }) => {
                    say!("{culprit} is INVALID on {}: {}; {}", set.name, reason.figure, reason.remedy);
                    return Ok(Exit::CellInvalid);
                }
            }
        }
    }
    if cells.is_empty() {
        let message = "no candidate is left: the filters leave only the baseline; choose other filters";
        return Err(no_answer(Exit::NothingMeasured, message));
    }
    let answer = Answer {
        regressed: cells.iter().any(Cell::is_more),
        undecided: cells.iter().any(|cell| cell.ratio.is_none()),
        counter: counting.counter,
        cells,
    };
    output::answer(args.json, "gate-by-instructions", &answer, || answer.text())?;
    args.summary.iter().try_for_each(|file| markdown::add(&format!("```\n{}```\n", answer.text()), file))?;
    Ok(match () {
        () if answer.regressed => Exit::No,
        () if answer.undecided && args.on_noise == OnNoise::Fail => Exit::Undecided,
        () => Exit::Done,
    })
}

/// Counts of both sides on `set`, or the rule that one of them broke.
fn counted(
    counting: &Instructions,
    baseline: &Baseline,
    candidate: &Entry,
    (set, track): (&TestSet, Track),
) -> Outcome<Result<Cell, Fault>> {
    let Some((_, theirs)) = baseline.beside(candidate)? else {
        refuse!(
            "a stored run has no instructions: give --baseline a system or a command, or --baseline-dyno"
        );
    };
    let sides = [theirs, candidate.system(PROFILE)?];
    if let Some(System { name, .. }) = sides.iter().rev().find(|system| system.sandboxed) {
        refuse!("{name} asks for a sandbox, in which nothing is counted; run a gate by time for it");
    }
    let counts = sides.iter().map(|system| counting.of_a_word(system, set, track));
    let counts = counts.collect::<Outcome<Result<Vec<_>, Fault>>>()?;
    let (system, baseline) = (candidate.name.clone(), sides[0].name.clone());
    let names = Names { system, baseline, test_set: set.name.clone(), track };
    Ok(counts.map(|counts| Cell {
        names,
        baseline_per_word: counts[0],
        candidate_per_word: counts[1],
        ratio: ratio([counts[1].instructions, counts[0].instructions]),
    }))
}

/// Candidate's count for a word over the baseline's. Each is the difference of two launches, and says nothing where
/// more lines took no more instructions.
fn ratio([candidate, baseline]: [f64; 2]) -> Option<f64> {
    (candidate > 0.0 && baseline > 0.0).then(|| candidate / baseline)
}

/// Refuses what this gate would pass over in silence.
fn refuse_other_limits(args: &GateArgs) -> Outcome<()> {
    let given = [
        ("--worst-quality", args.worst_quality.is_some()),
        ("--max-quality-loss", args.max_quality_loss.is_some()),
        ("--max-memory", args.max_memory.is_some()),
        ("--max-model", args.max_model.is_some()),
        ("--out", args.out.is_some()),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => {
            Err(bad_input!("--by instructions measures nothing for {option}: run a gate by time for it"))
        }
        None => Ok(()),
    }
}

impl Answer {
    fn text(&self) -> String {
        let heads = ["system", "against", "track", "test set", "instructions/word", "baseline", "ratio", ""];
        let rows: Vec<_> = self.cells.iter().map(Cell::row).collect();
        let mut text = table::fitted(&heads, &rows, 4..7, &["test set", "against"]) + "\n";
        text.extend(self.cells.iter().filter_map(Cell::by_the_processor));
        let by = match self.counter {
            Counter::Perf => "the processor's counters",
            Counter::Cachegrind => "cachegrind, as on a processor without AVX-512",
        };
        let verdict = match () {
            () if self.regressed => "REGRESSED",
            () if self.undecided => {
                "can't tell: lines take no more instructions than two starts differ by; run a gate by time"
            }
            () => "no regression",
        };
        let _ = writeln!(text, "counted by {by}; ×{TOLERATED} is tolerated\n{verdict}");
        text
    }
}

impl Cell {
    fn is_more(&self) -> bool {
        self.ratio.is_some_and(|ratio| ratio > TOLERATED)
    }

    /// A line with what the processor counts beside instructions, where it does. No judgement rests on it.
    fn by_the_processor(&self) -> Option<String> {
        let sides = [self.candidate_per_word, self.baseline_per_word];
        let said = |name: &str, count: fn(&Counts<f64>) -> Option<f64>| {
            let [candidate, baseline] = sides.each_ref().map(count);
            Some(format!("{} {name} for a word against {}", whole(candidate?), whole(baseline?)))
        };
        let cycles = said("cycles", |counts| counts.cycles);
        let misses = said("cache misses", |counts| counts.cache_misses);
        let all: Vec<_> = cycles.into_iter().chain(misses).collect();
        (!all.is_empty()).then(|| format!("{}: {}\n", self.names.system, all.join(", ")))
    }

    fn row(&self) -> Vec<String> {
        let change = match self.ratio {
            None => "can't tell",
            Some(_) if self.is_more() => "more",
            Some(ratio) if ratio < 1.0 / TOLERATED => "fewer",
            Some(_) => "same",
        };
        let counts =
            [self.candidate_per_word, self.baseline_per_word].map(|counts| whole(counts.instructions));
        let ratio = self.ratio.map_or_else(|| "–".into(), |ratio| format!("×{ratio:.4}"));
        let ends = [ratio, change.into()];
        self.names.fields().into_iter().chain(counts).chain(ends).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_and_misses_are_told_where_a_processor_counts_them() {
        let counts = |instructions, cycles, cache_misses| Counts { instructions, cycles, cache_misses };
        let names = || {
            let (system, baseline, test_set) = ("new".into(), "old".into(), "set".into());
            Names { system, baseline, test_set, track: Track::Throughput1 }
        };
        let cell = |candidate_per_word| Cell {
            names: names(),
            baseline_per_word: counts(2000.0, Some(1000.0), Some(7.0)),
            candidate_per_word,
            ratio: Some(1.0),
        };
        let told = cell(counts(2000.0, Some(1500.0), None)).by_the_processor();
        assert_eq!(told.as_deref(), Some("new: 1,500 cycles for a word against 1,000\n"));
        assert_eq!(cell(counts(2000.0, None, None)).by_the_processor(), None);
    }

    #[test]
    fn a_count_that_more_lines_do_not_raise_has_no_ratio() {
        assert_eq!(ratio([3.0, 2.0]), Some(1.5));
        for counts in [[0.0, 0.0], [-5.0, 2.0], [3.0, 0.0]] {
            assert_eq!(ratio(counts), None, "{counts:?}");
        }
    }
}
